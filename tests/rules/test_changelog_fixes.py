"""What the fixes of the changelog's rules make of a file, byte for byte; and that history is never touched but where it
is restored."""

from __future__ import annotations

import pytest
from test_changelog_rules import BASE, FIRST, KEY, OTHER, PR, PULL, RULES, SECOND, THIRD, link

from reciplint.fix.session import Fixed, fix_tree
from reciplint.rules.finding import Finding
from support import CHANGELOG, MASTER, changed, encoded, lint, project

NEW = changed(KEY, PR)
NEXT = changed(OTHER, PR)
ALL = [*RULES, "changelog-required"]


def run(
    head: str, base: str = BASE, *, number: int | None = PR, unsafe: bool = True, files: dict[str, str] | None = None
) -> Fixed:
    """The fixes of a change of the changelog, and of other files of the head."""
    tree = project()
    data = encoded({**tree, **(files or {}), CHANGELOG: head})
    before = {**tree, CHANGELOG: base}

    def again(replaced: dict[str, bytes]) -> list[Finding]:
        return lint({**data, **replaced}, before, select=ALL, pull_request=number)

    return fix_tree(again({}), data.__getitem__, again, unsafe)


def fixed(head: str, base: str = BASE, **options: object) -> str:
    """The changelog after the fixes; as it was where there are none."""
    result = run(head, base, **options)  # type: ignore[arg-type]
    assert result.refused == []
    assert set(result.files) <= {CHANGELOG}
    return result.files.get(CHANGELOG, head.encode()).decode()


# ---- white space, which is safe


@pytest.mark.parametrize("gap", ["", "\n\n", "  \n", "\n\n\n\n"])
def test_one_empty_line_between_new_entries(gap: str) -> None:
    assert fixed(f"{BASE}\n{NEW}{gap}{NEXT}", unsafe=False) == f"{BASE}\n{NEW}\n{NEXT}"


@pytest.mark.parametrize(
    ("base", "gap", "right"),
    [
        (BASE, "  \n", "\n"),
        (BASE, "", "\n"),
        (BASE, "\n\n", "\n"),
        (f"{BASE}  \n", "", "\n"),
        (f"{BASE}\n", "\n", ""),
        (f"{BASE}\n", "\n\n", ""),
    ],
)
def test_blank_lines_of_history_stay_and_one_empty_line_follows(base: str, gap: str, right: str) -> None:
    assert fixed(base + gap + NEW, base, unsafe=False) == base + right + NEW


@pytest.mark.parametrize("tail", ["\n", "  \n", "  \n\n"])
def test_blank_lines_at_the_end_go_where_they_are_new(tail: str) -> None:
    assert fixed(f"{BASE}\n{NEW}{tail}", unsafe=False) == f"{BASE}\n{NEW}"
    assert fixed(f"{BASE}{tail}\n", f"{BASE}{tail}", unsafe=False) == f"{BASE}{tail}"


def test_a_line_break_at_the_end() -> None:
    head = f"{BASE}\n{NEW}"
    assert fixed(head.removesuffix("\n"), unsafe=False) == head


def test_twelve_gaps_are_mended_in_one_run() -> None:
    new = [changed(KEY, PR).replace("Measure", f"Measure {number}:") for number in range(12)]
    assert fixed(f"{BASE}\n" + "".join(new), unsafe=False) == f"{BASE}\n" + "\n".join(new)


def test_carriage_returns_of_new_entries() -> None:
    head = f"{BASE}\n{NEW}\n{NEXT}"
    assert fixed(f"{BASE}\n" + f"{NEW}\n{NEXT}".replace("\n", "\r\n"), unsafe=False) == head
    old = f"{FIRST}\n{SECOND}\n{THIRD}".replace("\n", "\r\n", 1)
    assert fixed(f"{old}\n" + NEW.replace("\n", "\r\n"), old, unsafe=False) == f"{old}\n{NEW}"


def test_tabs_are_blanks_but_not_in_a_text() -> None:
    head = f"{BASE}\n{NEW}"
    assert fixed(head.replace("description:\n", "description:\t\n"), unsafe=False) != head  # history's own tabs
    assert fixed(f"{BASE}\n{NEW.replace('description:', 'description:	')}", unsafe=False) == (
        f"{BASE}\n{NEW.replace('description:', 'description: ')}"
    )
    said = f"{BASE}\n{NEW.replace('Measure ', 'Measure	')}"
    assert fixed(said) == said


def test_white_space_of_history_is_no_matter_of_a_safe_fix() -> None:
    head = f"{FIRST}{SECOND}\n{THIRD}\n{NEW}"
    assert fixed(head, unsafe=False) == head
    assert fixed(head) == f"{BASE}\n{NEW}"


# ---- texts


def test_an_empty_description_beside_another_is_taken_out() -> None:
    more = NEW.replace("  pr-link", '  - ""\n  pr-link')
    assert fixed(f"{BASE}\n{more}") == f"{BASE}\n{NEW}"
    assert fixed(f"{BASE}\n{more}", unsafe=False) == f"{BASE}\n{more}"
    alone = NEW.replace(f"Measure {KEY}", "")
    assert fixed(f"{BASE}\n{alone}") == f"{BASE}\n{alone}"


def test_an_empty_link_is_filled_in_where_the_number_is_known() -> None:
    head = f"{BASE}\n{link(chr(34) * 2)}"
    assert fixed(head) == f"{BASE}\n{NEW}".replace(f"pr-link: {PULL}/12", f'pr-link: "{PULL}/12"')
    assert fixed(head, number=None) == head


@pytest.mark.parametrize("text", ["XXX", f"{PULL}/XXX", f"{PULL}/11", f"{PULL}/12/files", '"#12"'])
def test_a_link_becomes_the_one_of_the_pull_request(text: str) -> None:
    result = fixed(f"{BASE}\n{link(text)}")
    assert result.replace('"', "") == f"{BASE}\n{NEW}".replace('"', "")
    assert fixed(f"{BASE}\n{link(text)}", unsafe=False) == f"{BASE}\n{link(text)}"


def test_a_link_with_something_after_it_keeps_its_number() -> None:
    assert fixed(f"{BASE}\n{link(f'{PULL}/7/files')}", number=None) == f"{BASE}\n{link(f'{PULL}/7')}"
    assert fixed(f"{BASE}\n{link('XXX')}", number=None) == f"{BASE}\n{link('XXX')}"


def test_a_slip_in_a_key() -> None:
    slip = changed("finch-fp8-b200-vlm", PR)
    assert fixed(f"{BASE}\n{slip}") == f"{BASE}\n{slip.replace('- finch-fp8-b200-vlm', f'- {KEY}')}"
    for other in ("finch-fp4-b200-vllm", "finch-fp8-b300-vllm", "finch-*-trt", "zebra"):
        assert fixed(f"{BASE}\n{changed(other, PR)}") == f"{BASE}\n{changed(other, PR)}"


def test_several_keys_in_one_text() -> None:
    head = f"{BASE}\n{changed(f'{KEY}, {OTHER}', PR)}"
    assert fixed(head) == head.replace(f"  - {KEY}, {OTHER}\n", f"  - {KEY}\n  - {OTHER}\n", 1)
    wrong = f"{BASE}\n{changed(f'{KEY}, zebra', PR)}"
    assert fixed(wrong) == wrong


# ---- what is missing


def test_an_entry_is_appended_for_what_changed() -> None:
    master = project()[MASTER].replace("conc-list: [8, 16]", "conc-list: [8, 16, 32]")
    result = fixed(BASE, files={MASTER: master})
    assert result.startswith(f"{BASE}\n- config-keys:\n  - {KEY}\n")
    assert result.endswith(f'  description:\n  - "Add 1 8k1k point"\n  pr-link: {PULL}/12\n')
    assert fixed(BASE, files={MASTER: master}, unsafe=False) == BASE
    assert fixed(BASE, files={MASTER: master}, number=None).endswith(f"pr-link: {PULL}/XXX\n")


def test_a_mixture_ends_with_history_and_every_entry_behind_it() -> None:
    """Inserted above, badly separated, linked elsewhere, and one key without an entry."""
    master = project()[MASTER].replace("conc-list: [8, 16]", "conc-list: [8, 16, 32]")
    stray = changed(OTHER, 7).replace("Measure", "Tune")
    result = fixed(f"{FIRST}{stray}\n\n{SECOND}  \n{THIRD}\n\n", files={MASTER: master})
    assert result.startswith(f"{BASE}\n{stray.replace('pull/7', 'pull/12')}\n- config-keys:\n  - {KEY}\n")
    assert result.endswith(f"pr-link: {PULL}/12\n")
    assert fixed(result, files={MASTER: master}) == result
