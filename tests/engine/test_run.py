"""A run as a whole: what is charged, what is reported under which paths, and what a crash becomes."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest
from msgspec.structs import replace

from reciplint.domain.document import Document
from reciplint.engine.cache import Cache
from reciplint.engine.registry import Card, Registered
from reciplint.engine.run import NothingMatched, Request, run
from reciplint.engine.settings import Settings
from reciplint.repo.kinds import Kind
from reciplint.repo.snapshot import Memory
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context, RowRule, Rule
from reciplint.yamltree.spans import FILE_START
from support import (
    CHANGELOG,
    MASTER,
    RECIPES,
    RULES,
    RUNNERS,
    brief,
    changed,
    encoded,
    lint,
    multi,
    outcome,
    project,
    recipe,
    runners,
    single,
)

UNKNOWN = single(runner="b100")
"""A key with a standing fault at its fifth line."""


def test_a_clean_project_has_no_finding() -> None:
    assert lint(project()) == []
    assert lint(project(), project()) == []


def test_order_is_path_position_rule_and_the_same_twice() -> None:
    files = {**project(runners="labels: {}\n"), "b.yaml": "x: 1\nx: 2", "a.yaml": "- {x: 1, x: 2}\n- 010"}
    first, second = outcome(files), outcome(dict(reversed(files.items())))
    assert brief([item.finding for item in first.findings]) == [
        ("duplicate-key", "a.yaml", 1),
        ("ambiguous-scalar", "a.yaml", 2),
        ("final-newline", "a.yaml", 2),
        ("duplicate-key", "b.yaml", 1),
        ("final-newline", "b.yaml", 2),
        ("unknown-runner", MASTER, 5),
        ("unknown-runner", MASTER, 19),
    ]
    assert first.findings == second.findings


def test_a_fault_that_stood_before_is_not_charged_and_a_new_one_is() -> None:
    base = project(master=UNKNOWN, runners="labels: {}\n")
    head = project(runners="labels: {}\n", master=UNKNOWN + single("finch-fp4-b200-vllm", runner="b100"))
    head[CHANGELOG] += "\n" + changed("finch-fp4-b200-vllm", 2)
    found = lint(head, base, ignore={"name-mismatch"})
    assert brief(found) == [("unknown-runner", MASTER, 19)]


def test_removing_a_label_is_charged_to_the_change_where_the_fault_shows() -> None:
    found = lint(project(runners=runners("b200")), project())
    assert brief(found) == [("unknown-runner", MASTER, 19)]
    assert found[0].message.startswith("finch-fp8-gb200-dynamo-vllm runs on gb200, which is no label of")


def test_removing_the_last_reference_is_charged_to_the_recipe() -> None:
    found = lint(project(master=single()), project())
    path = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
    assert brief(found) == [("unreferenced-recipe", path, 1), ("unused-runner-label", RUNNERS, 3)]


def test_a_renamed_file_keeps_its_faults() -> None:
    base = {"old.yaml": "x: 1\nx: 2\n"}
    assert lint({"new.yaml": "x: 1\nx: 2\n"}, base) == []
    changed_too = {"new.yaml": "x: 1\nx: 2\ny: 1\n"}
    assert brief(lint(changed_too, base)) == [("duplicate-key", "new.yaml", 1)]
    assert lint(changed_too, base, renames={"new.yaml": "old.yaml"}) == []


def test_a_copy_is_charged_for_the_faults_that_it_copies() -> None:
    base = {"old.yaml": "x: 1\nx: 2\n"}
    assert brief(lint({**base, "copy.yaml": "x: 1\nx: 2\n"}, base)) == [("duplicate-key", "copy.yaml", 1)]


def test_against_nothing_everything_is_charged() -> None:
    assert brief(lint({"a.yaml": "x: 1\nx: 2\n"}, {})) == [("duplicate-key", "a.yaml", 1)]


def test_emptying_a_repository_charges_nothing() -> None:
    assert lint({}, {"a.yaml": "x: 1\nx: 2\n"}) == []


# paths


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        ((), ["a/b.yaml", "a.yaml", "ab.yaml"]),
        (("",), ["a/b.yaml", "a.yaml", "ab.yaml"]),
        (("a",), ["a/b.yaml"]),
        (("a/b.yaml", "ab.yaml"), ["a/b.yaml", "ab.yaml"]),
        (("clean.yaml",), []),
    ],
)
def test_paths_choose_what_is_reported(paths: tuple[str, ...], found: list[str]) -> None:
    fault = "x: 1\nx: 2\n"
    files = {"a/b.yaml": fault, "a.yaml": fault, "ab.yaml": fault, "clean.yaml": "x: 1\n"}
    assert sorted(finding.path for finding in lint(files, paths=paths)) == sorted(found)


def test_a_finding_is_reported_for_the_path_of_its_evidence() -> None:
    files = project(master=single(runner="b20"))
    del files[f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"]
    found = lint(files, paths=(RUNNERS,), select=["unknown-runner"])
    assert brief(found) == [("unknown-runner", MASTER, 5)]
    assert found[0].related[0].path == RUNNERS
    assert lint(files, paths=(CHANGELOG,)) == []


@pytest.mark.parametrize("path", ["gone.yaml", "a.yam", "README.txt", "a.yaml/b"])
def test_a_path_that_matches_nothing_is_an_error(path: str) -> None:
    with pytest.raises(NothingMatched, match="no file there that reciplint reads"):
        lint({"a.yaml": "x: 1\n", "README.md": "hello\n"}, paths=("a.yaml", path))


def test_a_deleted_file_matches_where_the_base_had_it() -> None:
    assert lint({"a.yaml": "x: 1\n"}, {"a.yaml": "x: 1\n", "gone.yaml": "x: 1\n"}, paths=("gone.yaml",)) == []


def test_paths_filter_after_the_comparison() -> None:
    """Asking for one file of two changed ones must not make the other's occurrence numbers shift."""
    base = {"a.yaml": "x: 1\nx: 2\n"}
    assert lint(base, base, paths=("a.yaml",)) == []


# several projects


def moved(files: dict[str, str], top: str) -> dict[str, str]:
    return {f"{top}/{path}": text for path, text in files.items()}


def test_projects_are_linted_one_by_one() -> None:
    """A label or recipe of one is none of the other."""
    east = moved(project(runners=runners("b200")), "east")
    west = moved(project(), "west")
    assert brief(lint({**east, **west})) == [("unknown-runner", f"east/{MASTER}", 19)]


@pytest.mark.parametrize(("before", "after"), [("", "inner"), ("inner", ""), ("a", "b/c")])
def test_a_moved_project_is_compared_with_where_it_stood(before: str, after: str) -> None:
    """Its files changed on the way, so that nothing but their place below the root tells which is which."""
    old = project(master=UNKNOWN + multi("finch-x", "recipes/vllm/finch/disagg-1p1d-tp4.yaml"))
    new = {path: f"# moved\n{text}" for path, text in old.items() if path != CHANGELOG}
    new[CHANGELOG] = old[CHANGELOG]
    assert lint(moved(new, after) if after else new, moved(old, before) if before else old) == []


# crashes


def crashing(of: str, error: Exception) -> Registered:
    module = ModuleType("crashing")

    def check(*arguments: object):  # type: ignore[no-untyped-def]
        yield from ()
        raise error

    setattr(module, f"check_{of}", check)
    module.RULE = RULES["duplicate-key"].rule  # type: ignore[attr-defined]
    registered = Registered(Card("duplicate-key", "yaml", "", (of,), True, kinds=RULES["duplicate-key"].card.kinds))
    registered.module = module
    return registered


@pytest.mark.parametrize(("of", "path"), [("document", "a.yaml"), ("project", MASTER), ("change", MASTER)])
@pytest.mark.parametrize("error", [ValueError("what"), RecursionError(), KeyError("key"), AssertionError()])
def test_a_crash_is_a_finding_and_the_run_goes_on(of: str, path: str, error: Exception) -> None:
    rules = {**RULES, "duplicate-key": crashing(of, error)}
    files = encoded({**project(), "a.yaml": "x: 1"})
    asked = Request(head=Memory(files), base=Memory({}) if of == "change" else None)
    found = [item.finding for item in run(asked, rules, Settings(), Cache(None)).findings]
    crash = next(finding for finding in found if finding.rule == "internal-error" and finding.path == path)
    assert crash.severity == "error"
    assert crash.message.startswith("duplicate-key failed here (test_run.py:")
    assert type(error).__name__ in crash.message
    assert ("final-newline", "a.yaml", 1) in brief(found)


def test_the_rows_of_a_table_are_checked_at_once() -> None:
    seen: list[str] = []

    def check_document(document: Document, context: Context) -> Iterator[Finding]:
        seen.append(document.path)
        for rule in ("one", "other"):
            yield row(rule).finding("found", FILE_START, subject=(rule,))
        raise ValueError("in the table")

    def row(rule: str) -> Rule:
        return Rule(rule, "", "error", "", {"found": "Found."}, {"found": ""}, frozenset((Kind.RECIPE,)))

    module = ModuleType("table")
    module.RULES = {  # type: ignore[attr-defined]
        name: RowRule(row(name), str, {"document": check_document}) for name in ("one", "other")
    }
    rules = {}
    for name in ("one", "other"):
        rules[name] = Registered(Card(name, "yaml", "table", ("document",), True, is_row=True, kinds=("recipe",)))
        rules[name].module = module
    request = Request(head=Memory(encoded({"jobs/finch.yaml": recipe()})))
    found = [item.finding for item in run(request, {**RULES, **rules}, Settings(), Cache(None)).findings]
    assert len(seen) == 1
    assert [finding.rule for finding in found] == ["internal-error", "one", "other"]
    chosen = replace(request, select=frozenset(("other",)))
    found = [item.finding for item in run(chosen, {**RULES, **rules}, Settings(), Cache(None)).findings]
    assert [finding.rule for finding in found] == ["internal-error", "other"]


def test_serving_rules_run_unless_the_settings_say_otherwise() -> None:
    files = {"jobs/finch.yaml": recipe(flag="max-num-seq")}
    assert brief(lint(files)) == [("flag-abbreviation", "jobs/finch.yaml", 11)]
    files[".reciplint.yaml"] = "serving: false\n"
    assert brief(lint(files)) == []
    assert brief(lint(files, select={"flag-abbreviation"})) == [("flag-abbreviation", "jobs/finch.yaml", 11)]


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    lint({f"{number}.yaml": "x: 1\n" for number in range(5)}, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 5)
    assert seen[-1] == (5, 5)


def test_a_recipe_outside_of_every_project_is_known_by_its_shape() -> None:
    found = lint({"jobs/finch.yaml": recipe(flag="max_num_seqs")})
    assert brief(found) == [("kebab-case-keys", "jobs/finch.yaml", 11)]
