"""The reports for people, in full, and the excerpt on its own."""

from __future__ import annotations

import click
import msgspec
import pytest
from report_samples import CLEAN, COMPARED, FULL, PLAIN, RULES, SOURCES, Texts, finding, report_of

from reciplint.report import FORMATS, concise, text
from reciplint.report.escape import MESSAGE_LIMIT, shown, shown_path
from reciplint.report.excerpt import display_width, excerpt
from reciplint.report.model import Counts, Options
from reciplint.rules.finding import Fix, Related
from reciplint.yamltree.spans import Span

EXPECTED = """\
benchmarks/multi_node/srt-slurm-recipes/vllm/8k 1k/größe#1.yaml:3:7 warning kebab-case-keys: max_model is spelled max-model elsewhere
3 |     名前: {max_model: 1} # 100%
  |            ^^^^^^^^^
  fix: rename it to max-model, safe: `reciplint fix`

configs/nvidia-master.yaml:11:19 error missing-recipe: no recipe recipes/a.yaml, 50% like recipes/b.yaml
11 |     - CONFIG_FILE=recipes/a.yaml
   |                   ^^^^^^^^^^^^^^
  benchmarks/multi_node/srt-slurm-recipes/vllm/8k 1k/größe#1.yaml:1: this one exists
 1 | name: 名前
  fix: name recipes/b.yaml, unsafe: `reciplint fix --unsafe`

1 error, 1 warning, 1 info in 12 files (2 suppressed, 3 in the baseline)
`reciplint fix` repairs 1 of them
1 info not printed: --verbose
"""  # noqa: E501

VERBOSE_TAIL = """\
benchmarks/multi_node/srt-slurm-recipes/vllm/8k 1k/größe#1.yaml:4:3 info anchor-dedup: 8 keys are the same
4 |   decode:
  |   ^^^^^^^
… | up to line 6
  fix: fold them, by hand
  silence: # reciplint: ignore[anchor-dedup] -- reason
  fingerprint: f3
  see: https://reciplint.github.io/reciplint/rules/anchor-dedup/

configs/nvidia-master.yaml:11:19 error missing-recipe: no recipe recipes/a.yaml, 50% like recipes/b.yaml
11 |     - CONFIG_FILE=recipes/a.yaml
   |                   ^^^^^^^^^^^^^^
  benchmarks/multi_node/srt-slurm-recipes/vllm/8k 1k/größe#1.yaml:1: this one exists
 1 | name: 名前
  fix: name recipes/b.yaml, unsafe: `reciplint fix --unsafe`
  silence: # reciplint: ignore[missing-recipe] -- reason
  fingerprint: f1
  see: https://reciplint.github.io/reciplint/rules/missing-recipe/

rule             error  warning   info  fixable
anchor-dedup         0        0      1        0
kebab-case-keys      0        1      0        1
missing-recipe       1        0      0        0

1 error, 1 warning, 1 info in 12 files (2 suppressed, 3 in the baseline)
`reciplint fix` repairs 1 of them
"""


def test_full_text() -> None:
    assert text.render(FULL, SOURCES, PLAIN) == EXPECTED


def test_verbose_text_with_statistics() -> None:
    shown_text = text.render(FULL, SOURCES, Options(width=80, verbose=True, statistics=True))
    assert shown_text.endswith("\n\n" + VERBOSE_TAIL)
    assert "  silence: # reciplint: ignore[kebab-case-keys] -- reason\n" in shown_text


def test_comparing_prints_advice() -> None:
    assert " info anchor-dedup: 8 keys are the same\n" in text.render(COMPARED, SOURCES, PLAIN)


@pytest.mark.parametrize(
    ("compared", "counts", "expected"),
    [
        (False, Counts(files=1), "nothing found in 1 file\n"),
        (True, Counts(files=9, baselined=4), "nothing new in 9 files (4 in the baseline)\n"),
        (True, Counts(files=9, suppressed=1), "nothing new in 9 files (1 suppressed)\n"),
    ],
)
def test_clean_text(compared: bool, counts: Counts, expected: str) -> None:
    report = msgspec.structs.replace(CLEAN, compared=compared, counts=counts)
    assert text.render(report, SOURCES, Options(statistics=True)) == expected


def test_plural_summary_and_no_source_to_show() -> None:
    assert text.render(report_of(finding("x"), finding("y")), Texts({}), PLAIN) == (
        "a.yaml:1:1 error missing-recipe: x\n\na.yaml:1:1 error missing-recipe: y\n\n2 errors in 1 file\n"
    )


def test_line_past_the_end_is_not_shown() -> None:
    report = report_of(finding(span=Span(9, 1, 9, 2)))
    assert text.render(report, Texts({"a.yaml": "a: 1\n"}), PLAIN).startswith("a.yaml:9:1 error missing-recipe: m\n\n")


def test_carriage_return_is_no_text() -> None:
    out = text.render(report_of(finding(span=Span(1, 1, 2, 1))), Texts({"a.yaml": "ab\r\nc"}), PLAIN)
    assert "\n1 | ab\n  | ^^\n\n" in out


def test_rule_that_cannot_be_silenced() -> None:
    out = text.render(report_of(finding(rule="yaml-syntax")), SOURCES, Options(verbose=True))
    assert "  silence: this rule cannot be silenced\n" in out
    assert not RULES["yaml-syntax"].suppressible


def test_many_related_places_are_cut_unless_verbose() -> None:
    related = tuple(Related("b.yaml", Span(n, 1, n, 2), f"place {n}") for n in range(1, 8))
    report = report_of(finding(related=related))
    brief = text.render(report, Texts({}), PLAIN)
    assert "  b.yaml:5: place 5\n  and 2 more places: --verbose\n" in brief
    assert "place 6" not in brief
    assert "place 7" in text.render(report, Texts({}), Options(verbose=True))


def test_the_text_of_a_fix_is_shown_where_asked_for_and_no_line_of_it_is_obeyed() -> None:
    fix = Fix("write one file", "display", (), shown="base:\n  name: a\n\n::error::\x1b[0m \u2028\n")
    report = report_of(finding(fix=fix, severity="warning"))
    brief = text.render(report, SOURCES, PLAIN)
    assert "  fix: write one file, by hand\n  its text has 4 lines: --verbose\n" in brief
    whole = text.render(report, SOURCES, Options(width=80, verbose=True))
    assert "by hand\n  | base:\n  |   name: a\n  |\n  | \\x3a:error::\\x1b[0m \\u2028\n" in whole


def test_color_adds_nothing_but_color() -> None:
    colored = text.render(FULL, SOURCES, Options(width=80, color=True))
    assert "\x1b[31m\x1b[1merror\x1b[0m" in colored
    assert click.unstyle(colored) == EXPECTED


def test_concise() -> None:
    assert concise.render(FULL, SOURCES, PLAIN) == (
        "benchmarks/multi_node/srt-slurm-recipes/vllm/8k 1k/größe#1.yaml:3:7 warning kebab-case-keys: "
        "max_model is spelled max-model elsewhere\n"
        "benchmarks/multi_node/srt-slurm-recipes/vllm/8k 1k/größe#1.yaml:4:3 info anchor-dedup: 8 keys are the same\n"
        "configs/nvidia-master.yaml:11:19 error missing-recipe: no recipe recipes/a.yaml, 50% like recipes/b.yaml\n"
    )
    assert concise.render(CLEAN, SOURCES, PLAIN) == ""


def test_long_message_is_cut_in_text_formats() -> None:
    report = report_of(finding("m" * (MESSAGE_LIMIT + 1)))
    for render in (text.render, concise.render):
        first = render(report, Texts({}), PLAIN).splitlines()[0]
        assert first == f"a.yaml:1:1 error missing-recipe: {'m' * MESSAGE_LIMIT}…"


def carets(line: str, start: int, end: int, width: int) -> str:
    part = excerpt(line, start, end, width)
    return f"{part.text}\n{' ' * part.start}{'^' * part.width}"


@pytest.mark.parametrize(
    ("line", "start", "end", "width", "expected"),
    [
        ("abc: def", 5, 8, 20, "abc: def\n     ^^^"),
        ("abc: def", 5, 5, 20, "abc: def\n     ^"),
        ("abc: def", 8, 8, 20, "abc: def\n        ^"),
        ("abc: def", 99, 120, 20, "abc: def\n        ^"),
        ("", 0, 0, 20, "\n^"),
        ("名前: x", 0, 2, 20, "名前: x\n^^^^"),
        ("名前: x", 4, 5, 20, "名前: x\n      ^"),
        ("e\u0301: x", 4, 5, 20, "e\u0301: x\n   ^"),
        ("\ta: x", 1, 2, 20, "    a: x\n    ^"),
        ("a\x1b[31m: x", 1, 2, 20, "a\\x1b[31m: x\n ^^^^"),
        ("0123456789" * 4, 20, 22, 12, "…6789012345…\n     ^^"),
        ("0123456789" * 4, 0, 2, 12, "0123456789…\n^^"),
        ("0123456789" * 4, 38, 40, 12, "…0123456789\n         ^^"),
        ("0123456789" * 4, 20, 40, 12, "…8901234567…\n   ^^^^^^^^"),
        ("名" * 20, 10, 11, 12, "…名名名名名…\n     ^^"),
    ],
)
def test_excerpt(line: str, start: int, end: int, width: int, expected: str) -> None:
    assert carets(line, start, end, width) == expected


def test_display_width() -> None:
    assert [display_width(sample) for sample in ("abc", "名前", "é", "e\u0301", "🚀", "ｱ")] == [3, 4, 1, 1, 2, 1]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("plain ünïcode 名前 🚀 ⚠\ufe0f", "plain ünïcode 名前 🚀 ⚠\ufe0f"),
        ("a\tb\nc\rd\x00\x1b\x7f\x9b", "a\\tb\\nc\\rd\\x00\\x1b\\x7f\\x9b"),
        ("\u202e\u2066\u200f\u200b\ufeff\u2028\u061c\xad", "\\u202e\\u2066\\u200f\\u200b\\ufeff\\u2028\\u061c\\xad"),
        ("\ud800\U000e0041", "\\ud800\\U000e0041"),
        ("x ##[error]y #[z] ##", "x \\x23#[error]y #[z] ##"),
        ("#\ufe0f#[error]", "\\x23\ufe0f#[error]"),
        ("a::b", "a::b"),
    ],
)
def test_shown(raw: str, expected: str) -> None:
    assert shown(raw) == expected


def test_path_cannot_be_a_command() -> None:
    assert shown_path("::error::a:b.yaml") == "\\x3a:error\\x3a:a:b.yaml"
    assert shown_path(":") == "\\x3a"
    assert shown_path(":\ufe0f::x") == "\\x3a\ufe0f\\x3a:x"


def test_formats_name_modules_that_render() -> None:
    from reciplint.report import renderer

    assert renderer("text") is text.render
    assert all(callable(renderer(name)) for name in FORMATS)
    with pytest.raises(KeyError):
        renderer("nonsense")
