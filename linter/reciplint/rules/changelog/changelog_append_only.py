"""The history of the changelog was changed instead of appended to.

## What it finds

Compared with a base: a `perf-changelog.yaml` whose bytes do not begin with all bytes of the base's. The message says
what happened: entries inserted before old ones, moved, deleted, altered, rewritten with other quotes or indentation, or
only white space changed. Blank lines that hold spaces are history too. One finding a change, at the first place that
differs; the other places are listed with it.

A change that does nothing but correct `pr-link` values (to a link of a pull request) is fine, and so is moving the
file.

## Why it matters

What is benchmarked is planned from the lines that a change appends, so an entry inserted higher up, or an old one that
was touched, runs the wrong points or none. Every open pull request that appends conflicts with a file whose end moved,
and the tools that merge such conflicts refuse history that is not the same byte for byte.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - {tp: 4, conc-list: [8]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml base perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1

- config-keys: [tiny-fp4-b200-vllm]
  description: [Raise the concurrency]
  pr-link: https://github.com/org/repo/pull/2
```

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1

«- config-keys: [tiny-fp4-b200-vllm]
  description: [Update the image]
  pr-link: https://github.com/org/repo/pull/3»

- config-keys: [tiny-fp4-b200-vllm]
  description: [Raise the concurrency]
  pr-link: https://github.com/org/repo/pull/2
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - {tp: 4, conc-list: [8]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml base perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1

- config-keys: [tiny-fp4-b200-vllm]
  description: [Raise the concurrency]
  pr-link: https://github.com/org/repo/pull/2
```

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1

- config-keys: [tiny-fp4-b200-vllm]
  description: [Raise the concurrency]
  pr-link: https://github.com/org/repo/pull/2

- config-keys: [tiny-fp4-b200-vllm]
  description: [Update the image]
  pr-link: https://github.com/org/repo/pull/3
```

## Fix

Unsafe: the base's bytes are restored and the new entries appended after them, each after an empty line. What a reverted
change once said stays; the revert appends an entry of its own. Nothing is offered where something was written into an
old entry, since only its author knows in which new one it belongs.

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1

- config-keys: [tiny-fp4-b200-vllm]
  description: [Raise the concurrency]
  pr-link: https://github.com/org/repo/pull/2

- config-keys: [tiny-fp4-b200-vllm]
  description: [Update the image]
  pr-link: https://github.com/org/repo/pull/3
```

## Options

None.

## Source

The contributor rules and the changelog validation of a public benchmark repository: history is immutable byte for byte,
pure corrections of links excepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reciplint.domain.changelog_bytes import Comparison, Event, split
from reciplint.domain.changelog_change import Side, lines_span, sides
from reciplint.domain.changelog_fix import restoration
from reciplint.domain.project import Change
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import FILE_START

_SAME = "the base's bytes are kept up to line {kept} of {total}"
_SAME_ZH = "base 共 {total} 行，前 {kept} 行的字节保持原样"
_LINE_ZH = (
    "nothing=空|no line=没有这一行|an empty line=空行"
    "|a line of * space=含 % 个空格的行|a line of * spaces=含 % 个空格的行"
    "|a line of white space (*)=只含空白字符的行（%）|* with white space after it= %（其后有空白字符）|*= %"
)
_SIDES_ZH = f"base 中为{{was:{_LINE_ZH}}}，head 中为{{now:{_LINE_ZH}}}"
_ENTRY_ZH = "条目 {number}（{name:line *=第 % 行}）"
_NAMES_ZH = ", =、|* (line *)=%（第 % 行）|* (*)=%（%）|* more=另有 % 个"
_TEXT_ZH = "line *=第 % 行|the text before the first entry=第一个条目之前的文本|*=% "

RULE = Rule(
    id="changelog-append-only",
    summary="The history of the changelog was changed instead of appended to",
    severity="error",
    source="contributor rules and changelog validation of a public benchmark repository: history is immutable",
    fix="unsafe",
    messages={
        "inserted": "{count:new entry stands|new entries stand} before entry {number} ({name}), which was there first; "
        f"only text after the base's last line may be added ({_SAME})",
        "deleted": "{count:entry of the base stood here and was|entries of the base stood here and were} deleted: "
        "{names}; history stays, also what is reverted: restore the base's bytes and append an entry for what was "
        f"undone ({_SAME})",
        "altered": "entry {number} ({name}) is history and was altered: the base has {was}, the head {now}; restore "
        f"the base's bytes and append an entry for what is new ({_SAME})",
        "altered-text": "{name} is history and was altered: the base has {was}, the head {now}; restore the base's "
        f"bytes ({_SAME})",
        "reformatted": "entry {number} ({name}) is history and was rewritten, only quotes, indentation or line breaks "
        f"differ; restore the base's bytes ({_SAME})",
        "relinked": "the link of entry {number} ({name}) was changed from {was} to {now}; old links are corrected in "
        f"a change that does nothing else ({_SAME})",
        "moved": "entry {number} ({name}) of the base was moved here; history keeps its order: restore the base's "
        f"bytes ({_SAME})",
        "spacing": "white space of history was changed at entry {number} ({name}): the base has {was} here, the head "
        f"{{now}}; blank lines and their spaces are history too: restore the base's bytes ({_SAME})",
        "line-ends": "the line ends of history were changed from {was} to {now}; restore the base's bytes "
        f"({_SAME})",
        "deleted-file": "{changelog} was deleted with its {count:entry|entries}; restore it: what is benchmarked is "
        "planned from the entries appended to it",
    },
    messages_zh={
        "inserted": f"{_ENTRY_ZH}原已存在，却有 {{count}} 个新条目插入在它之前；"
        f"只能在 base 的最后一行之后添加文本（{_SAME_ZH}）",
        "deleted": f"此处原有 base 的 {{count}} 个条目，已被删除：{{names:{_NAMES_ZH}}}；"
        f"历史必须保留，被撤销的内容也是：请恢复 base 的字节，并为撤销追加一个条目（{_SAME_ZH}）",
        "altered": f"{_ENTRY_ZH}是历史，却被改动：{_SIDES_ZH}；"
        f"请恢复 base 的字节，并为新内容追加一个条目（{_SAME_ZH}）",
        "altered-text": f"{{name:{_TEXT_ZH}}}是历史，却被改动：{_SIDES_ZH}；请恢复 base 的字节（{_SAME_ZH}）",
        "reformatted": f"{_ENTRY_ZH}是历史，却被重写，差别只在引号、缩进或换行；请恢复 base 的字节（{_SAME_ZH}）",
        "relinked": f"{_ENTRY_ZH}的链接从 {{was:nothing=空}} 改成了 {{now:nothing=空}}；旧链接应在单独的改动中更正"
        f"（{_SAME_ZH}）",
        "moved": f"base 的{_ENTRY_ZH}被移到了此处；历史必须保持顺序：请恢复 base 的字节（{_SAME_ZH}）",
        "spacing": f"{_ENTRY_ZH}处的历史空白被改动：此处{_SIDES_ZH}；"
        f"空行和其中的空格也是历史：请恢复 base 的字节（{_SAME_ZH}）",
        "line-ends": f"历史的行尾从 {{was}} 变成了 {{now}}；请恢复 base 的字节（{_SAME_ZH}）",
        "deleted-file": "{changelog} 及其 {count} 个条目被删除；请恢复它：运行哪些基准测试，取决于追加到其中的条目",
    },
)

_LISTED = 10
_NAMED = 5


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """At most one finding: the first thing that happened to history, the others related."""
    both = sides(change)
    if both is None:
        return
    if both.head is None:
        yield from _deleted_file(change, both.base.path, both.base.data)
        return
    comparison = both.comparison
    if comparison is None or not comparison.events:
        return
    first, *others = comparison.events
    others.sort(key=lambda event: event.kind == "relinked")  # what makes a correction impure comes first
    related = [
        Related(both.head.path, lines_span(comparison.head, event.line, event.last_line), _brief(event))
        for event in others[:_LISTED]
    ]
    if any(event.kind in ("inserted", "moved") for event in comparison.events):
        last = comparison.head.entries[-1].last_line
        related.append(Related(both.head.path, lines_span(comparison.head, last), "new entries go after the last one"))
    yield RULE.finding(
        _message_id(first),
        lines_span(comparison.head, first.line, first.last_line),
        path=both.head.path,
        subject=(first.kind, *first.names),
        related=tuple(related),
        fix=_fix(change, both.base, both.head),
        **_arguments(first, comparison),
    )


def _fix(change: Change, base: Side, head: Side) -> Fix | None:
    before, after = base.data, head.data
    if before is None or after is None or change.head.changelog is None:
        return None
    restored = restoration(head.path, before, after)
    if restored is None:
        return None
    count = len(restored.appended)
    behind = f" and append {count} new {'entry' if count == 1 else 'entries'} after it" if count else ""
    return Fix(f"Restore the base's text{behind}", "unsafe", (restored.operation,))


def _message_id(event: Event) -> str:
    return "altered-text" if event.kind == "altered" and not event.numbers else event.kind


def _arguments(event: Event, comparison: Comparison) -> dict[str, Any]:
    last = comparison.base.entries[-1].next_line - 1 if comparison.base.entries else len(comparison.base.preamble)
    found: dict[str, Any] = {"kept": comparison.kept_lines, "total": last}
    if event.kind == "inserted":
        return {**found, "count": len(event.names), "number": event.numbers[0], "name": event.now}
    if event.kind == "deleted":
        return {**found, "count": len(event.numbers), "names": _names(event)}
    if event.kind == "line-ends":
        return {**found, "was": event.was, "now": event.now}
    place: dict[str, Any] = {"number": event.numbers[0]} if event.numbers else {}
    text: dict[str, Any] = {"was": event.was or "nothing", "now": event.now or "nothing"}
    return {**found, **place, "name": event.names[0], **text}


def _names(event: Event) -> tuple[str, ...]:
    named = [f"{number} ({name})" for number, name in zip(event.numbers, event.names, strict=True)]
    return (*named[:_NAMED], *([f"{len(named) - _NAMED} more"] if len(named) > _NAMED else []))


def _brief(event: Event) -> str:
    """What a related place says."""
    if event.kind == "inserted":
        return f"also inserted here: {', '.join(event.names[:_NAMED])}"
    if event.kind == "deleted":
        return f"also deleted here: {', '.join(_names(event))}"
    where = f"entry {event.numbers[0]} ({event.names[0]})" if event.numbers else event.names[0]
    if event.kind in ("reformatted", "moved"):
        return f"also {event.kind}: {where}"
    return f"also {event.kind}, {where}: the base has {event.was or 'nothing'}, the head {event.now or 'nothing'}"


def _deleted_file(change: Change, path: str, data: bytes | None) -> Iterator[Finding]:
    text = split(data) if data is not None else None
    places = [*(master.path for master in change.head.masters), change.head.runners_path]
    if text is None or not text.has_history or not places[0]:
        return
    yield RULE.finding(
        "deleted-file",
        FILE_START,
        path=places[0],
        subject=("deleted-file", path),
        changelog=path,
        count=len(text.entries),
    )
