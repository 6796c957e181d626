"""An append-only change: purely additive ones are silent, each broken promise is found where it is broken."""

from __future__ import annotations

import pytest

from reciplint.rules.finding import Finding
from support import CHANGELOG, MASTER, RECIPES, RUNNERS, changed, lint, multi, recipe, runners, single

KEY = "finch-fp8-b200-vllm"
OTHER = "heron-fp8-b200-vllm"
DISAGG = "finch-fp8-gb200-dynamo-vllm"
FILE = f"{RECIPES}/vllm/finch/disagg.yaml"
OLD = changed(KEY, 1)
ROW = "{ tp: 4, conc-list: [8, 16] }"
MORE = "{ tp: 4, conc-list: [8, 16, 32] }"
AGENTIC = """\
    agentic-coding:
    - search-space:
      - { tp: 8, kv-offloading: none, conc-list: [4] }
"""


def master(*rows: str) -> str:
    return (
        single(KEY, *(rows or (ROW,))) + single(OTHER, prefix="heron") + multi(DISAGG, "recipes/vllm/finch/disagg.yaml")
    )


BASE = {MASTER: master(), RUNNERS: runners(), CHANGELOG: OLD, FILE: recipe()}


def entry(*keys: str, extra: str = "  append-only: true\n", number: int = 12) -> str:
    listed = "".join(f"  - {key}\n" for key in keys or (KEY,))
    link = f"  pr-link: https://github.com/example/bench/pull/{number}\n"
    return f"- config-keys:\n{listed}  description:\n  - Add points\n{link}{extra}"


def check(head: str, *entries: str, base: str = master(), files: dict[str, str] | None = None) -> list[Finding]:
    log = "\n".join((OLD, *(entries or (entry(),))))
    rules = ["append-only-scope", "internal-error"]
    return lint({**BASE, MASTER: head, CHANGELOG: log, **(files or {})}, {**BASE, MASTER: base}, select=rules)


def ids(findings: list[Finding]) -> list[str]:
    return [finding.message_id for finding in findings]


def line(text: str, needle: str) -> int:
    return next(number for number, found in enumerate(text.split("\n"), 1) if needle in found)


# ---- silent


@pytest.mark.parametrize(
    "rows",
    [
        (MORE,),
        (ROW, "{ tp: 8, conc-list: [8] }"),
        ("{ tp: 8, conc-list: [8] }", "{ tp: 4, conc-list: [16, 8] }"),
        ("{ tp: 4, conc-start: 8, conc-end: 64 }",),
        ("{ conc-list: [8], ep: 1, tp: 4 }", "{ tp: 4, conc-list: [16, 24] }"),
    ],
)
def test_points_are_only_added(rows: tuple[str, ...]) -> None:
    assert check(master(*rows)) == []


def test_ordinary_entries_promise_nothing() -> None:
    assert check(master("{ tp: 8, conc-list: [8] }"), entry(extra="")) == []
    assert check(master("{ tp: 8, conc-list: [8] }"), entry(extra="  append-only: false\n")) == []


def test_an_old_append_only_entry_binds_nobody() -> None:
    old = f"{OLD}\n{entry()}"
    files = {**BASE, CHANGELOG: old}
    head = {**files, MASTER: master("{ tp: 8, conc-list: [8] }"), CHANGELOG: f"{old}\n{entry(extra='', number=13)}"}
    assert lint(head, files, select=["append-only-scope"]) == []


def test_two_entries_and_wildcards_select_together() -> None:
    head = master(MORE).replace("conc-list: [8, 16] }\nfinch", "conc-list: [8, 16, 32] }\nfinch")
    assert head.count("32") == 2
    assert check(head, entry(KEY), entry("heron-*", number=12)) == []
    assert check(head, entry("*-fp8-b200-vllm")) == []


# ---- points


def test_an_image_changed_on_old_points() -> None:
    head = master(MORE).replace("v0.11.0", "v0.12.0", 1)
    (finding,) = check(head)
    assert (finding.message_id, finding.path, finding.span.line) == ("point-changed", MASTER, 2)
    assert finding.message == (
        f"{KEY}, 8k1k at concurrency 8, 16: append-only keeps every point of the base as it is, and here image "
        "vllm/vllm-openai:v0.11.0 → vllm/vllm-openai:v0.12.0"
    )
    assert [(place.path, place.span.line) for place in finding.related] == [(CHANGELOG, 12)]


def test_a_setting_changed() -> None:
    head = master("{ tp: 4, ep: 4, conc-list: [8] }", "{ tp: 4, conc-list: [16, 32] }")
    (finding,) = check(head)
    assert (finding.message_id, finding.span.line) == ("point-changed", line(head, "ep: 4"))
    assert "8k1k at concurrency 8: " in finding.message
    assert finding.message.endswith("worker ep 1 → 4")


def test_a_point_removed() -> None:
    (finding,) = check(master("{ tp: 4, conc-list: [8, 32] }"))
    assert (finding.message_id, finding.path, finding.span.line) == ("point-removed", MASTER, 1)
    assert "8k1k at concurrency 16" in finding.message


def test_nothing_added() -> None:
    (finding,) = check(master())
    assert (finding.message_id, finding.path, finding.span.line) == ("nothing-added", CHANGELOG, 12)


def test_another_speculative_decoding_is_another_curve() -> None:
    head = master(ROW, "{ tp: 4, spec-decoding: mtp, conc-list: [8] }", "{ tp: 8, spec-decoding: mtp, conc-list: [8] }")
    (finding,) = check(head)
    assert (finding.message_id, finding.span.line) == ("new-curve", line(head, "{ tp: 4, spec-decoding"))


def test_a_curve_of_two_images_takes_no_point() -> None:
    twin = single("finch-fp8-b200-vllm-b").replace("v0.11.0", "v0.10.0")
    (finding,) = check(master(MORE) + twin, entry("finch-fp8-b200-vllm*"), base=master() + twin)[:1]
    assert (finding.message_id, finding.span.line) == ("other-image", 2)
    assert "vllm/vllm-openai:v0.10.0, vllm/vllm-openai:v0.11.0" in finding.message


# ---- scope


def test_a_new_key() -> None:
    head = master() + single("finch-fp8-b200-sglang")
    (finding,) = check(head, entry("finch-fp8-b200-sglang"))
    assert (finding.message_id, finding.span.line) == ("new-key", line(head, "b200-sglang:"))


def test_a_new_scenario() -> None:
    head = master(MORE).replace(f"      - {MORE}\n", f"      - {MORE}\n{AGENTIC}")
    (finding,) = check(head)
    assert (finding.message_id, finding.span.line) == ("scenario-added", line(head, "agentic-coding:") + 1)


def test_a_scenario_removed() -> None:
    base = master().replace(f"      - {ROW}\n", f"      - {ROW}\n{AGENTIC}", 1)
    found = check(master(MORE), base=base)
    assert ids(found) == ["scenario-removed"]


def test_another_scenario_and_what_it_shares() -> None:
    base = master().replace(f"      - {ROW}\n", f"      - {ROW}\n{AGENTIC}", 1)
    added = base.replace(ROW, MORE, 1)
    only = entry(extra="  scenario-type: [fixed-seq-len]\n  append-only: true\n")
    assert check(added, only, base=base) == []
    (finding,) = check(added.replace("conc-list: [4]", "conc-list: [4, 6]"), only, base=base)
    assert finding.message_id == "other-scenario"
    found = check(added.replace("v0.11.0", "v0.12.0", 1), only, base=base)
    assert set(ids(found)) == {"shared-setting", "point-changed"}


def test_another_key_changed() -> None:
    head = master(MORE).replace("heron\n", "heron2\n")
    (finding,) = check(head)
    assert (finding.message_id, finding.span.line) == ("other-key", line(head, f"{OTHER}:"))
    assert f"{OTHER} was changed and no added entry selects it" in finding.message
    (finding,) = check(single(KEY, MORE) + multi(DISAGG, "recipes/vllm/finch/disagg.yaml"))
    assert (finding.message_id, finding.path, finding.arguments["how"]) == ("other-key", CHANGELOG, "removed")


def test_ordinary_entries_beside_it() -> None:
    head = master(MORE).replace("heron\n", "heron2\n")
    (finding,) = check(head, entry(), entry(OTHER, extra=""))
    assert (finding.message_id, finding.path, finding.span.line) == ("mixed", CHANGELOG, 12)
    assert [place.span.line for place in finding.related] == [14]


def test_a_recipe_of_old_points_changed() -> None:
    head = master().replace("conc-list: [16]", "conc-list: [16, 32]")
    assert check(head, entry(DISAGG)) == []
    (finding,) = check(head, entry(DISAGG), files={FILE: recipe(value=128)})
    assert (finding.message_id, finding.path) == ("recipe-changed", FILE)
    assert check(head, entry(DISAGG), files={FILE: f"# a comment\n{recipe()}"}) == []


def test_a_flow_entry_is_pointed_at() -> None:
    flow = f"- {{config-keys: [{KEY}], description: [Add], pr-link: x, append-only: true}}\n"
    (finding,) = check(master(), flow)
    assert (finding.span.line, finding.span.column) == (7, 72)
