"""Every message of every rule in Chinese: none is missing, its fields are those of the English, and it can be said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from string import Formatter

import pytest
from test_examples import NO_EXAMPLE, example

import fixture_cases
from reciplint.rules.finding import Argument, Finding, render
from support import RULES

CHINESE = re.compile(r"[\u4e00-\u9fff]")
BADLY_SET = re.compile(
    r"[\u4e00-\u9fff][,;:?!()]|[,;:?!(][\u4e00-\u9fff]"  # punctuation of the wrong width
    r"|[\u4e00-\u9fff][A-Za-z0-9`]|[A-Za-z0-9`][\u4e00-\u9fff]"  # no space between the scripts
    r"|[\u4e00-\u9fff，。；：、] [\u4e00-\u9fff]|  "  # a space too many
)
ENGLISH = re.compile(
    r"(?<!\S)(?:a|an|the|and|or|of|at|on|from|since|without|is|are|was|has|more|line|row|item|entry|changed|added"
    r"|points?|keys?|text|nothing|empty|did|you|mean)(?!\S)"
)
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|# reciplint: .*")
FROM_THE_PARSER = {"yaml-syntax", "internal-error"}
"""Rules whose messages quote what libyaml or Python says, in English."""

each_rule = pytest.mark.parametrize("name", RULES)
each_message = pytest.mark.parametrize(
    ("name", "message_id"), [(name, message_id) for name in RULES for message_id in RULES[name].rule.messages]
)


def told(name: str, message_id: str, /, **arguments: Argument) -> str:
    return render(RULES[name].rule.messages_zh[message_id], arguments)


def fields(template: str) -> Iterator[tuple[str, str]]:
    """The fields of a template and what stands after their colons, those within fields too."""
    for _, name, spec, _ in Formatter().parse(template):
        if name is not None:
            yield name, spec or ""
            yield from fields(spec or "")


def is_phrases(spec: str) -> bool:
    return "=" in spec and not spec.startswith("?")


@cache
def findings() -> list[Finding]:
    """What is said of the examples of the pages and of the fixtures."""
    found = [finding for name in RULES if name not in NO_EXAMPLE for finding in example(name, "Bad").findings()]
    for case in fixture_cases.cases():
        expected = json.loads((case / fixture_cases.EXPECTED).read_text(encoding="utf-8"))
        found += [item.finding for item in fixture_cases.lint(case, expected).findings]
    return found


@each_rule
def test_no_message_lacks_its_chinese(name: str) -> None:
    rule = RULES[name].rule
    missing = sorted(rule.messages.keys() - rule.messages_zh.keys())
    unknown = sorted(rule.messages_zh.keys() - rule.messages.keys())
    assert not missing, f"{name} says nothing in Chinese for {', '.join(missing)}: add it to messages_zh in its file"
    assert not unknown, f"{name} has no message {', '.join(unknown)}: take it out of messages_zh"


@each_message
def test_the_chinese_is_chinese_and_has_the_fields_of_the_english(name: str, message_id: str) -> None:
    rule = RULES[name].rule
    english, chinese = (dict(fields(told[message_id])) for told in (rule.messages, rule.messages_zh))
    assert chinese.keys() == english.keys()
    assert CHINESE.search(re.sub(r"\{[^{}]*\}", "", rule.messages_zh[message_id]))


@each_message
def test_every_phrase_takes_up_what_it_matches(name: str, message_id: str) -> None:
    """`a line of * spaces=含 % 个空格的行`: as many places on the right as on the left."""
    specs = [spec for _, spec in fields(RULES[name].rule.messages_zh[message_id]) if is_phrases(spec)]
    for phrase in [phrase for spec in specs for phrase in spec.split("|")]:
        english, equals, chinese = phrase.partition("=")
        assert equals, phrase
        assert english.count("*") == len(re.findall("[*%]", chinese)), phrase


@each_message
def test_the_chinese_can_be_said(name: str, message_id: str) -> None:
    """Whatever is in its fields, but for a number where phrases ask for words."""
    template = RULES[name].rule.messages_zh[message_id]
    phrased = {field for field, spec in fields(template) if is_phrases(spec)}
    values: tuple[Argument, ...] = ("x", "", 0, 1, 2, (), ("x", "y"))
    for value in values:
        words = "x" if isinstance(value, int) else value
        given = {field: words if field in phrased else value for field, _ in fields(template)}
        assert not re.search(r"[{}%]", QUOTED.sub("", told(name, message_id, **given)))


@each_rule
def test_what_is_found_is_said_in_chinese_throughout(name: str) -> None:
    found = [finding for finding in findings() if finding.rule == name]
    assert found or name in NO_EXAMPLE
    for finding in found:
        text = told(name, finding.message_id, **finding.arguments)
        plain = QUOTED.sub("`x`", text)
        assert CHINESE.search(plain)
        if name not in FROM_THE_PARSER:
            assert not BADLY_SET.search(plain), text
            assert not ENGLISH.search(re.sub("[，。；：、（）]", " ", plain)), text


@pytest.mark.parametrize(
    ("name", "message_id", "arguments", "chinese"),
    [
        (
            "missing-recipe",
            "selector",
            {"field": "srt-recipe", "selector": "base", "written": "a.yaml", "known": ("no variants",)},
            "srt-recipe 选择了 base，但 a.yaml 中没有它；现有：无任何变体",
        ),
        (
            "unreferenced-recipe",
            "unreferenced",
            {"siblings": 3},
            "没有搜索空间行、脚本或工作流引用此配方，因此不会有任务运行它，而同一目录中有 3 个配方被引用；"
            "请添加引用它的行，或删除该配方",
        ),
        (
            "unused-suppression",
            "unknown",
            {"rules": ("dp-attn", "x"), "near": "", "command": "reciplint rules"},
            "没有名为 dp-attn、x 的规则；用 `reciplint rules` 可列出所有规则",
        ),
        (
            "changelog-required",
            "points",
            {
                "count": 12,
                "changelog": "perf-changelog.yaml",
                "them": "them",
                "what": "a (image, runner changed); b (its recipes x.yaml, y.yaml changed);"
                " c (3 fixed-seq-len points and 1 agentic-coding point added or changed); and 9 more",
            },
            "12 个键有改动，但 perf-changelog.yaml 中没有新增条目提到它们：a（image, runner 有改动）；"
            "b（其配方 x.yaml, y.yaml 有改动）；"
            "c（新增或改动了 3 个 fixed-seq-len 点、1 个 agentic-coding 点）；另有 9 个",
        ),
        (
            "changelog-format",
            "separator",
            {"name": "the entry", "found": "a line of 1 space and an empty line"},
            "该条目与上一个条目之间：一个含 1 个空格的行、一个空行；应恰好有一个空行",
        ),
        (
            "changelog-append-only",
            "altered-text",
            {"name": "line 4", "was": "`a` with white space after it", "now": "no line", "kept": 3, "total": 9},
            "第 4 行是历史，却被改动：base 中为 `a`（其后有空白字符），head 中为没有这一行；请恢复 base 的字节"
            "（base 共 9 行，前 3 行的字节保持原样）",
        ),
        (
            "changelog-append-only",
            "deleted",
            {"count": 7, "names": ("3 (#12)", "4 (line 9)", "5 more"), "kept": 3, "total": 9},
            "此处原有 base 的 7 个条目，已被删除：3（#12）、4（第 9 行）、另有 5 个；历史必须保留，被撤销的内容也是："
            "请恢复 base 的字节，并为撤销追加一个条目（base 共 9 行，前 3 行的字节保持原样）",
        ),
        (
            "append-only-scope",
            "point-changed",
            {
                "key": "k",
                "points": "8k1k at concurrency 8, 16; agentic-coding at concurrency 4",
                "changes": ("image a:1 → b:2", "prefill settings changed", "decode added"),
            },
            "k，8k1k（并发 8、16）；agentic-coding（并发 4）：append-only 要求 base 中的每个点保持原样，而此处有变化："
            "image a:1 → b:2、prefill 的设置有改动、新增了 decode",
        ),
        (
            "deprecated-arm",
            "stands",
            {
                "key": "k",
                "scenario": "8k1k",
                "reasons": (
                    "fp8/bf16 8k1k in another precision than fp4 on vllm without speculative decoding of every model"
                    " (announced for 2026-09-01, not yet enacted)",
                    "every scenario of `heron` (since 2026-07-01; out of use, of no value; see the link)",
                ),
            },
            "`k`，8k1k：该 arm 已被弃用：fp8/bf16 8k1k，精度不是 fp4，框架 vllm，不用投机解码，所有模型"
            "（已公布自 2026-09-01 起，尚未生效）；所有场景，模型 `heron`"
            "（自 2026-07-01 起；out of use, of no value; see the link）",
        ),
        (
            "schema",
            "not-a-list",
            {"where": "the file", "field": "the file", "found": "a mapping of a, b, c, …"},
            "文件：文件为含 a, b, c, … 的映射；应为列表",
        ),
        (
            "schema",
            "not-a-choice",
            {"where": "entry 3 (#12)", "field": "flags item 2", "found": '"empty"', "choices": ("a", "b")},
            '条目 3（#12）：flags 第 2 项为 "empty"；应为以下之一：a、b',
        ),
        (
            "schema",
            "missing-key",
            {"where": "k, fixed-seq-len 8192/1024, row 2, prefill, hardware", "key": "tp", "field": "x"},
            "k，fixed-seq-len 8192/1024，搜索空间第 2 项，prefill，hardware：此处缺少 tp",
        ),
        (
            "anchor-dedup",
            "repeated",
            {
                "first": "p", "second": "d", "shared": 9, "size": 300, "first_key": "prefill",
                "differing": "a, b and 3 more", "only": "", "precedent": "x.yaml",
            },
            "p 和 d 重复写出了 9 个相同的键（300 字节）；只有 a, b 及另外 3 个键不同；"
            "请给前者加上锚点（`prefill: &name`），并在后者中合并它（`<<: *name`）；可参照 x.yaml 的写法",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isascii() else "",
)  # fmt: skip
def test_english_words_in_a_field_are_said_in_chinese(
    name: str, message_id: str, arguments: dict[str, Argument], chinese: str
) -> None:
    assert told(name, message_id, **arguments) == chinese


def test_words_of_the_repository_are_left_as_they_are() -> None:
    """A value is shown in quotes, so that no phrase takes it for one of ours."""
    arguments: dict[str, Argument] = {"name": "#1", "number": 1, "kept": 0, "total": 1}
    text = told("changelog-append-only", "altered", was="`an empty line`", now="`a line of 2 spaces`", **arguments)
    assert "base 中为 `an empty line`，head 中为 `a line of 2 spaces`；" in text


def test_a_forged_field_is_said_in_time() -> None:
    """An argument of a report that is not trusted may be of any length and depth."""
    forged = "a (b); " * 20_000
    text = told("changelog-required", "points", count=1, changelog="c", them="it", what=forged)
    assert 0 < text.count("（b）") <= 30


@pytest.mark.parametrize("value", ["x", ("x",)])
def test_a_count_must_be_a_number(value: Argument) -> None:
    with pytest.raises(ValueError, match="format specifier"):
        render("{n:key|keys}", {"n": value})
