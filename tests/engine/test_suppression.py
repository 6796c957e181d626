"""Comments that silence a rule: what they reach, what they do not, and what becomes of them."""

from __future__ import annotations

import pytest

from reciplint.domain.suppression import read_suppressions
from reciplint.yamltree.parse import parse_text
from support import RULES, brief, lint, outcome

DUPLICATE = "x: 1\nx: 2\n"


def rules(text: str, **request: object) -> list[tuple[str, int]]:
    return [(rule, line) for rule, _, line in brief(lint({"a.yaml": text}, **request))]


@pytest.mark.parametrize(
    "text",
    [
        "x: 1  # reciplint: ignore[duplicate-key] -- tried\nx: 2\n",
        "# reciplint: ignore[duplicate-key] -- tried\nx: 1\nx: 2\n",
        "# reciplint: ignore[duplicate-key] -- tried\n# another comment\nx: 1\nx: 2\n",
        "a: 1\n# reciplint: ignore-file[duplicate-key] -- tried\nx: 1\nx: 2\n",
        "x: 1\nx: 2\n# reciplint: ignore-file[duplicate-key] -- tried\n",
        "#reciplint:ignore[ duplicate-key ]--tried\nx: 1\nx: 2\n",
        "\ufeffx: 1  # reciplint: ignore[duplicate-key] -- tried\r\nx: 2\r\n",
    ],
)
def test_a_suppression_silences_its_line_or_its_file(text: str) -> None:
    run = outcome({"a.yaml": text})
    assert run.findings == ()
    assert run.suppressed == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # the last line of a fault that begins further up
        (
            "x: 1\nx: 2  # reciplint: ignore[duplicate-key] -- tried\n",
            [("duplicate-key", 1), ("unused-suppression", 2)],
        ),
        (
            "# reciplint: ignore[duplicate-key] -- tried\n\nx: 1\nx: 2\n",
            [("unused-suppression", 1), ("duplicate-key", 3)],
        ),
        ("# reciplint: ignore[schema] -- tried\nx: 1\nx: 2\n", [("unused-suppression", 1), ("duplicate-key", 2)]),
        ("# reciplint: ignore[duplicate-key]\nx: 1\nx: 2\n", [("missing-reason", 1), ("duplicate-key", 2)]),
        ("# reciplint: ignore[duplicate-key] -- \nx: 1\nx: 2\n", [("missing-reason", 1), ("duplicate-key", 2)]),
        ("# reciplint: ignore -- tried\nx: 1\nx: 2\n", [("missing-reason", 1), ("duplicate-key", 2)]),
        ("# reciplint: ignore[] -- tried\nx: 1\nx: 2\n", [("missing-reason", 1), ("duplicate-key", 2)]),
        ("# reciplint: disable[duplicate-key] -- tried\nx: 1\nx: 2\n", [("missing-reason", 1), ("duplicate-key", 2)]),
        ("y: '# reciplint: ignore[duplicate-key] -- text'\nx: 1\nx: 2\n", [("duplicate-key", 2)]),
        ("y: |\n  # reciplint: ignore-file[duplicate-key] -- text\nx: 1\nx: 2\n", [("duplicate-key", 3)]),
    ],
)
def test_what_does_not_silence(text: str, found: list[tuple[str, int]]) -> None:
    assert rules(text) == found


def test_a_list_of_rules_is_judged_rule_by_rule() -> None:
    text = "x: 010  # reciplint: ignore[duplicate-key, ambiguous-scalar, final-newline] -- tried\nx: 2\n"
    (found,) = lint({"a.yaml": text})
    assert found.message == "nothing that final-newline reports is silenced here; drop it"
    assert found.fix is not None
    assert found.fix.operations[0].replacement == (  # type: ignore[union-attr]
        "# reciplint: ignore[duplicate-key, ambiguous-scalar] -- tried"
    )


def test_an_unknown_rule_is_said_with_the_nearest_name() -> None:
    (found,) = lint({"a.yaml": "x: 1  # reciplint: ignore[duplicate-keys] -- tried\n"})
    assert found.message == "no rule is called duplicate-keys; did you mean duplicate-key?"


@pytest.mark.parametrize("rule", sorted(name for name, registered in RULES.items() if not registered.rule.suppressible))
def test_what_must_be_seen_cannot_be_silenced(rule: str) -> None:
    text = f"# reciplint: ignore-file[{rule}] -- tried\nx: 1 # reciplint: nonsense\n"
    assert [found for found in rules(text) if found[0] == "missing-reason"] == [("missing-reason", 2)]


def test_a_suppression_of_a_rule_that_did_not_run_is_not_judged() -> None:
    text = "x: 1  # reciplint: ignore[duplicate-key, unreferenced-recipe, changelog-required] -- tried\n"
    assert rules(text, select=["unused-suppression"]) == []
    assert rules(text, ignore=["duplicate-key"]) == []
    assert rules(text) == [("unused-suppression", 1)]


def test_unused_suppressions_can_be_left_out_but_not_by_themselves() -> None:
    text = "x: 1  # reciplint: ignore[duplicate-key, unused-suppression] -- tried\n"
    assert rules(text, ignore=["unused-suppression"]) == []


def test_each_tree_has_its_own_suppressions() -> None:
    """Removing a comment is what makes its finding new; adding one charges nothing."""
    bare = {"a.yaml": DUPLICATE}
    silenced = {"a.yaml": "# reciplint: ignore[duplicate-key] -- tried\n" + DUPLICATE}
    assert brief(lint(bare, silenced)) == [("duplicate-key", "a.yaml", 1)]
    assert lint(silenced, bare) == []


def test_an_old_suppression_that_no_longer_silences_is_charged() -> None:
    before = {"a.yaml": "# reciplint: ignore[duplicate-key] -- tried\nx: 1\nx: 2\n"}
    assert brief(lint({"a.yaml": "# reciplint: ignore[duplicate-key] -- tried\nx: 2\n"}, before)) == [
        ("unused-suppression", "a.yaml", 1)
    ]


def test_places_and_forms() -> None:
    text = """\
a: 1 # reciplint: ignore[one, two] -- why: because
# reciplint: ignore-file[three] -- so
b: 1 # reciplint: off
"""
    found = read_suppressions(parse_text(text))
    assert [(s.span.line, s.span.column, s.line, s.rules, s.reason, s.fault) for s in found] == [
        (1, 6, 1, ("one", "two"), "why: because", ""),
        (2, 1, 0, ("three",), "so", ""),
        (3, 6, 3, (), "", "form"),
    ]
