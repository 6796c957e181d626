"""Hostile text shows as text: rendered as CommonMark with GitHub's extensions, nothing of it acts."""

from __future__ import annotations

import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from scene import RULE, found, sha

from reciplint.bot import body
from reciplint.bot.markdown import fenced, words
from reciplint.bot.model import Impact, Limits, Page, inline_key
from reciplint.bot.sentences import LANGUAGES, SENTENCES, say
from reciplint.bot.suggest import Suggestion
from reciplint.report.escape import shown

PAGE = Page(sha(1), "", {RULE.id: RULE})
RENDERER = MarkdownIt("gfm-like", {"linkify": False, "html": True})
ACTING = (  # noqa: SIM905
    "@org/team @robin a@b.example --> <!-- `` ``` ~~~ | \\| ::error:: ::warning file=x:: ##[error] <img src=x> "
    "</details> <details> [a](https://evil.example) ![x](y) https://evil.example www.evil.example #1 org/repo#2 GH-3 "
    ":tada: deadbeefdeadbeef *b* _i_ ~~s~~ $x$ \x1b[31m \u202e \u200b # \r\n> - &lt; &#64;x \\@y"
).split(" ")
pieces = st.one_of(st.sampled_from(ACTING), st.text(max_size=12), st.sampled_from([" ", "\n", "\n\n", "`", "(", "),"]))
hostile = st.lists(pieces, max_size=12).map(lambda parts: "".join(parts)) | st.lists(pieces, max_size=12).map(
    lambda parts: " ".join(parts)
)
_ACTIVE_TEXT = re.compile(r"@\w|#\d|\bGH-\d|https?://|www\.|:\w+:|\b[0-9a-f]{7,40}\b|[<>*_~`\[\]|$\\]", re.IGNORECASE)


def texts(tokens: list[Token]) -> tuple[list[str], set[str]]:
    """The running text of Markdown outside of code, and the types of all tokens."""
    kinds: set[str] = set()
    found_texts: list[str] = []
    for token in tokens:
        kinds.add(token.type)
        if token.children:
            inner, types = texts(token.children)
            found_texts += inner
            kinds |= types
        elif token.type == "text":
            found_texts.append(token.content)
    return found_texts, kinds


OWN_HTML = re.compile(r"</?details>|</?summary>|[\w ]|\n|<!-- reciplint:\w+ v1 \w+=[0-9a-f]+ -->")


def flat(tokens: list[Token]) -> list[Token]:
    """Tokens with those inside of them."""
    return [inner for token in tokens for inner in (token, *flat(token.children or []))]


@given(hostile)
def test_words_are_text_or_code(text: str) -> None:
    made = words(text)
    assert "\n" not in made
    assert made == shown(made)
    plain, kinds = texts(RENDERER.parse(f"x: {made}"))
    assert kinds <= {"paragraph_open", "inline", "paragraph_close", "text", "code_inline"}
    for part in plain:
        assert not _ACTIVE_TEXT.search(part.removeprefix("x: ")), part


@given(hostile)
def test_words_in_a_table_stay_in_their_cell(text: str) -> None:
    tokens = RENDERER.parse(f"| a | b |\n| - | - |\n| {words(text, in_table=True)} | end |\n")
    cells = [token.content for token in tokens if token.type == "inline"]
    assert len(cells) == 4
    assert cells[-1] == "end"


@given(hostile)
def test_a_fence_is_not_closed_from_inside(text: str) -> None:
    body_text = shown(text)
    tokens = RENDERER.parse(f"{fenced(body_text, 'suggestion')}\n\nafter")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].content == (f"{body_text}\n" if body_text else "")


@given(hostile, hostile.filter(lambda path: path.strip("\x00")))
def test_comments_of_hostile_findings_hold_only_our_own_markup(text: str, path: str) -> None:
    item = found("a", 3, path=path or "x", message=text)
    limits = Limits(languages=("en", "zh"))
    made = body.inline(item, "0" * 32, PAGE, limits, Suggestion(3, 3, shown(text)))
    whole = body.summary([item], {item.fingerprint: "limit"}, PAGE, limits)
    assert inline_key(made) == "0" * 32
    for comment in (made, whole):
        tokens = flat(RENDERER.parse(comment))
        assert {token.content for token in tokens if token.type == "html_inline"} <= {"<sub>", "</sub>", "<br>"}
        html = [token.content for token in tokens if token.type == "html_block"]
        assert all(OWN_HTML.sub("", part) == "" for part in html), html
        links = [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]
        assert all(link.startswith("https://reciplint.github.io/reciplint/rules/") for link in links)
        assert not any(token.type == "image" for token in tokens)


def test_a_megabyte_stays_a_line() -> None:
    item = found("a", 3, path="p" * 1_000_000, message="@x " * 400_000)
    assert len(body.inline(item, "0" * 32, PAGE, Limits(), None)) < 12_000
    assert len(body.summary([item], {}, PAGE, Limits())) < 6_000


def test_no_sentence_is_missing_and_both_languages_take_the_same_fields() -> None:
    for name, (english, chinese) in SENTENCES.items():
        fields = [set(re.findall(r"\{(\w+)", text)) for text in (english, chinese)]
        assert english, name
        assert chinese, name
        assert fields[0] == fields[1], name
        for language in LANGUAGES:
            said = say(language, name, **{field: 2 if field in ("n", "most") else "x" for field in fields[0]})
            assert "{" not in said


def test_plain_messages_stay_readable() -> None:
    assert words("key finch-fp8: tp 4 is not 8 (as recipes/a.yaml has it), 50% off") == (
        "key finch-fp8: tp 4 is not 8 (as `recipes/a.yaml` has it), 50% off"
    )
    assert words("asked of @org/team, #12 and :tada:") == "asked of `@org/team`, `#12` and `:tada:`"


def test_what_a_rule_puts_between_backticks_is_one_code_span() -> None:
    assert words("anchor the first (`prefill: &name`), merge it (`<<: *name`)") == (
        "anchor the first (`prefill: &name`), merge it (`<<: *name`)"
    )
    assert words("`a|b`, “`c`”", in_table=True) == "`a\\|b`, “`c`”"
    assert words("合并（`<<: *name`）；max_num_seqs 只在前者中") == "合并（`<<: *name`）；`max_num_seqs` 只在前者中"
    assert words("@x`@y`@z") == "`@x` `@y` `@z`"


def test_where_a_rule_has_no_chinese_its_english_stands_in_the_chinese_part() -> None:
    item = found("a", 3, message="said in English")
    limits = Limits(languages=("en", "zh"))
    for rules in ({}, {RULE.id: msgspec.structs.replace(RULE, messages_zh={})}):
        whole = body.summary([item], {}, Page(sha(1), "", rules), limits)
        assert whole.count("said in English") == 2
    assert "没有配方 a.yaml" in body.summary([item], {}, PAGE, limits)


def test_evidence_and_impact_are_english_and_stand_in_the_english_part_alone() -> None:
    impact = Impact("GPU-hours 1 → 2", (("b200", "1", "1", "1", "+1"),), ("all", "1", "1", "1", "+1"))
    limits = Limits(languages=("en", "zh"))
    page = Page(sha(1), "", {RULE.id: RULE}, impact)
    whole = body.summary([found("a", 3)], {}, page, limits)
    for text in (whole, body.inline(found("a", 3), "0" * 32, page, limits, None)):
        english, _, chinese = text.partition("<details><summary>中文</summary>")
        assert "the sibling does it right" in english
        assert "the sibling does it right" not in chinese
        assert "GPU-hours" not in chinese
    assert "| `b200` | +1 | 1 | 1 | 1 |" in whole
