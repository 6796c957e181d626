"""A YAML file that its consumers cannot read.

## What it finds

A file that libyaml, the parser behind PyYAML, refuses: broken syntax, bytes that are not UTF-8, an alias without an
anchor. A file that is hostile or broken in a way that would hurt a reader is refused too: larger than the limit
(1 MiB), nested too deeply, an alias inside its own anchor, aliases that expand to more than a million nodes.

The rest of the repository is still checked. This rule cannot be suppressed.

## Why it matters

A recipe that does not parse fails when the job has already been given its nodes, and a master config that does not
parse takes every other key of the file with it.

## Bad

```yaml values.yaml
name: tiny-agg
args: [--port, 8000
model«»: example/tiny
```

## Good

```yaml values.yaml
name: tiny-agg
args: [--port, 8000]
model: example/tiny
```

## Fix

None: only the author knows what was meant. The message says where the parser gave up, which is often one line after
the fault.

## Options

None.

## Source

libyaml, as PyYAML's `CSafeLoader` uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reciplint.domain.document import Document
from reciplint.repo.kinds import ANY_YAML
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.problem import Problem
from reciplint.yamltree.spans import LineIndex

RULE = Rule(
    id="yaml-syntax",
    summary="A YAML file that its consumers cannot read",
    severity="error",
    source="libyaml, as PyYAML's CSafeLoader uses it",
    kinds=ANY_YAML,
    suppressible=False,
    messages={
        "syntax": "YAML cannot be parsed: {reason} at `{text}`",
        "syntax-indentation": "YAML cannot be parsed: {reason} at `{text}`. "
        "The line's indentation fits no open mapping or list; align it with its siblings",
        "syntax-colon": "YAML cannot be parsed: {reason} at `{text}`. "
        "Either the line is indented too far, or a text that holds `: ` must be quoted",
        "syntax-indicator": "YAML cannot be parsed: {reason} at `{text}`. "
        "Indent with spaces, not tabs, and quote a value that begins with `@`, a backtick or `%`",
        "syntax-unclosed": "YAML cannot be parsed: {reason} at `{text}`. A quote opened further up is never closed",
        "syntax-flow": "YAML cannot be parsed: {reason} at `{text}`. "
        "A `[` or `{{` opened further up is not closed, or a comma is missing",
        "syntax-end": "YAML cannot be parsed: {reason} at the end of the file",
        "bad-bytes": "The file is not UTF-8: byte {byte} cannot be decoded; save it as UTF-8",
        "too-large": "The file has {size} bytes, more than the limit of {limit}, and is not read; "
        "split it, or raise the limit in the settings",
        "too-deep": "Nested more than {limit} levels deep, aliases expanded; flatten it",
        "unknown-alias": "The alias `*{name}` has no anchor `&{name}` before it in this document",
        "alias-cycle": "The alias `*{name}` stands inside its own anchor `&{name}` and would expand forever; "
        "write the value out",
        "alias-expansion": "The aliases expand to more than {limit} values; write out what is meant",
    },
    messages_zh={
        "syntax": "无法解析 YAML：`{text}` 处 {reason}",
        "syntax-indentation": "无法解析 YAML：`{text}` 处 {reason}。"
        "该行的缩进不属于任何未结束的映射或列表；请与同级内容对齐",
        "syntax-colon": "无法解析 YAML：`{text}` 处 {reason}。该行可能缩进过深，或者含有 `: ` 的文本需要加引号",
        "syntax-indicator": "无法解析 YAML：`{text}` 处 {reason}。"
        "请用空格而不是制表符缩进，以 `@`、反引号或 `%` 开头的值请加引号",
        "syntax-unclosed": "无法解析 YAML：`{text}` 处 {reason}。上方有引号没有闭合",
        "syntax-flow": "无法解析 YAML：`{text}` 处 {reason}。上方有 `[` 或 `{{` 没有闭合，或者缺少逗号",
        "syntax-end": "无法解析 YAML：文件末尾处 {reason}",
        "bad-bytes": "文件不是 UTF-8 编码：字节 {byte} 无法解码；请保存为 UTF-8",
        "too-large": "文件有 {size} 字节，超过 {limit} 字节的上限，未读取；请拆分文件，或在设置中提高上限",
        "too-deep": "展开别名后嵌套超过 {limit} 层；请减少嵌套",
        "unknown-alias": "在本文档中，别名 `*{name}` 之前没有锚点 `&{name}`",
        "alias-cycle": "别名 `*{name}` 位于它自己的锚点 `&{name}` 之内，会无限展开；请把值写出来",
        "alias-expansion": "别名展开后超过 {limit} 个值；请直接写出所需内容",
    },
)

_SHAPES = (
    ("unexpected end of stream", "syntax-unclosed"),
    ("cannot start any token", "syntax-indicator"),
    ("mapping values are not allowed", "syntax-colon"),
    ("did not find expected ','", "syntax-flow"),
    ("did not find expected key", "syntax-indentation"),
    ("did not find expected '-' indicator", "syntax-indentation"),
    ("block sequence entries are not allowed", "syntax-indentation"),
)
"""What libyaml says, and the message that adds what would be right."""

_SHOWN = 60


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """The one reason why a document has no tree."""
    problem = document.problem
    if problem is None:
        return
    message_id = problem.kind
    arguments: dict[str, Any] = dict(problem.arguments)
    if problem.kind == "syntax":
        text = _line(document, problem)
        message_id = _shape(str(problem.arguments["reason"]), text)
        if message_id != "syntax-end":
            arguments["text"] = text
    subject = tuple(str(problem.arguments[key]) for key in ("reason", "byte", "name") if key in problem.arguments)
    yield RULE.finding(message_id, problem.span, subject=(problem.kind, *subject), **arguments)


def _shape(reason: str, text: str) -> str:
    for phrase, message_id in _SHAPES:
        if phrase in reason:
            return message_id if text or message_id != "syntax-unclosed" else "syntax-end"
    return "syntax" if text else "syntax-end"


def _line(document: Document, problem: Problem) -> str:
    """The line of the fault, shortened, without what a terminal would act on."""
    lines = LineIndex(document.data.decode("utf-8", "replace"))
    text = "".join(c if c.isprintable() else " " for c in lines.line_text(problem.span.line)).strip()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
