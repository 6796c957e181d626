"""An added changelog entry is not written the way the file is appended to.

## What it finds

In the whole file: carriage returns, tabs, a last line without a line break.

Compared with a base, also in what a change adds: an entry that is not separated from the one above by exactly one empty
line (a line of spaces is not empty; where the base already ends with an empty line, no other is needed), blank lines
after the last entry (a warning where they all hold spaces), a description with nothing in it, an empty `pr-link`. What
history looks like is not judged: its blank lines, spaces included, have to stay.

Bytes that are not UTF-8 or not allowed in YAML are `yaml-syntax`; missing fields are `schema`.

## Why it matters

The tools that merge changelogs compare bytes: they refuse an entry that is not separated by exactly one empty line, or
a file that does not end with exactly one line break. The next entry is appended to whatever this change leaves at the
end, so a stray blank line becomes history that nobody may remove.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  {image: "vllm/vllm-openai:v1", model: org/tiny, model-prefix: tiny, runner: b200, precision: fp4, framework: vllm,
   multinode: false, scenarios: {fixed-seq-len: [{isl: 8192, osl: 1024, search-space: [{tp: 4, conc-list: [8]}]}]}}
```

```yaml configs/runners.yaml
labels: {b200: [b200-0]}
```

```yaml base perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1
```

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1
«  »
- config-keys: [tiny-fp4-b200-vllm]
  description: [Raise the concurrency]
  pr-link: https://github.com/org/repo/pull/2
«- config-keys: [tiny-fp4-b200-vllm]»
  description: [«""»]
  pr-link: https://github.com/org/repo/pull/2
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  {image: "vllm/vllm-openai:v1", model: org/tiny, model-prefix: tiny, runner: b200, precision: fp4, framework: vllm,
   multinode: false, scenarios: {fixed-seq-len: [{isl: 8192, osl: 1024, search-space: [{tp: 4, conc-list: [8]}]}]}}
```

```yaml configs/runners.yaml
labels: {b200: [b200-0]}
```

```yaml base perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1
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
  pr-link: https://github.com/org/repo/pull/2
```

## Fix

Safe, since only white space of what is added changes: one empty line before each added entry, none after the last one,
a line break at the end, no carriage returns, and blanks for tabs outside of texts. Unsafe: an empty description is
taken out where others stand beside it, and an empty link is filled in where the number is known (`--pr`). History is
never touched.

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1

- config-keys: [tiny-fp4-b200-vllm]
  description: [Raise the concurrency]
  pr-link: https://github.com/org/repo/pull/2

- config-keys: [tiny-fp4-b200-vllm]
  description: [""]
  pr-link: https://github.com/org/repo/pull/2
```

## Options

None.

## Source

The changelog validation of a public benchmark repository: how entries are separated, how the file ends, and which
characters it may hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.changelog import ChangelogEntry, Located
from reciplint.domain.changelog_bytes import Comparison, TextEntry, show
from reciplint.domain.changelog_change import lines_span, new_entries, sides
from reciplint.domain.changelog_fix import respaced, without
from reciplint.domain.changelog_links import link_to, linked_repository
from reciplint.domain.document import Document
from reciplint.domain.project import Change
from reciplint.domain.written_places import scalar_path
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Fix
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import AppendNewline, DropEntry, SetScalar
from reciplint.yamltree.edit_lines import ReplaceLines
from reciplint.yamltree.spans import LineIndex, Span

_GAP_ZH = (
    "no empty line=没有空行|no blank line=没有空白行|* and *=*、*|* empty lines=% 个空行|an empty line=一个空行"
    "|a line of * space=一个含 % 个空格的行|a line of * spaces=一个含 % 个空格的行"
    "|a line of white space (*)=一个只含空白字符的行（%）"
)
_RIGHT_ZH = (
    "no other line=不需要再加空行|exactly one empty line more=应恰好再加一个空行"
    "|exactly one empty line=应恰好有一个空行"
)
_NAME_ZH = "the entry=该条目|line *=第 % 行|*=% "

RULE = Rule(
    id="changelog-format",
    summary="An added changelog entry is not written the way the file is appended to",
    severity="error",
    source="changelog validation of a public benchmark repository: separators, the end of the file, characters",
    kinds=frozenset((Kind.CHANGELOG,)),
    fix="safe",
    messages={
        "carriage-return": "{count:carriage return|carriage returns} in the file, the first one here; lines end with "
        "LF alone",
        "tab": "{count:tab|tabs} in the file, the first one here; write spaces",
        "final-newline": "the last line has no line break, so the next entry would be appended to it",
        "separator": "{name} is separated from the entry above by {found}; exactly one empty line is right",
        "separator-after-history": "{name} is appended after {found}; the base ends with {tail}, so {right} is right",
        "trailing": "{count:blank line stands|blank lines stand} after the last entry, here {found}; the file ends "
        "with the line break of the last entry",
        "description": "a description of {name} is empty; say what changed, or take the item out",
        "link": "the pr-link of {name} is empty; write https://github.com/OWNER/REPOSITORY/pull/NUMBER",
    },
    messages_zh={
        "carriage-return": "文件中有 {count} 个回车符（CR），第一个在此处；行尾只能是 LF",
        "tab": "文件中有 {count} 个制表符，第一个在此处；请改用空格",
        "final-newline": "最后一行没有换行符，下一个条目会直接接在它后面",
        "separator": f"{{name:{_NAME_ZH}}}与上一个条目之间：{{found:{_GAP_ZH}}}；应恰好有一个空行",
        "separator-after-history": f"{{name:{_NAME_ZH}}}之前：{{found:{_GAP_ZH}}}；base 的结尾：{{tail:{_GAP_ZH}}}，"
        f"因此{{right:{_RIGHT_ZH}}}",
        "trailing": f"最后一个条目之后有 {{count}} 个空白行，此处为：{{found:{_GAP_ZH}}}；"
        "文件应以最后一个条目的换行符结尾",
        "description": f"{{name:{_NAME_ZH}}}有一项描述为空；请写明改了什么，或删除该项",
        "link": f"{{name:{_NAME_ZH}}}的 pr-link 为空；请写成 https://github.com/OWNER/REPOSITORY/pull/NUMBER",
    },
)

_SEPARATE = "Write one empty line above the entry"
_CHARACTERS = (("carriage-return", "\r"), ("tab", "\t"))


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """What no part of the file may hold, and a missing line break at its end."""
    tree = document.tree
    if tree is None:
        return
    for message, character in _CHARACTERS:
        at = tree.text.find(character)
        if at >= 0:
            count = tree.text.count(character)
            yield RULE.finding(message, tree.lines.span(at, at + 1), subject=(message,), count=count)
    if tree.text.strip("\ufeff") and not tree.text.endswith("\n"):
        end = len(tree.text)
        is_block = tree.scalars and tree.scalars[-1].style in ("|", ">")
        fix = None if is_block else Fix("End the file with a line break", "safe", (AppendNewline(""),))
        yield RULE.finding("final-newline", tree.lines.span(end, end), subject=("final-newline",), fix=fix)


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """Separators and the end of the file where a change adds something, and the texts of what it adds."""
    both = sides(change)
    comparison = both.comparison if both is not None else None
    if both is None or both.head is None or comparison is None or change.head.changelog is None:
        return
    path, data = both.head.path, both.head.data or b""
    added = [entry for entry in comparison.head.entries if entry.line in comparison.added]
    yield from _characters(comparison, added, path, data)
    for entry in added:
        yield from _separator(comparison, entry, path, data)
    yield from _trailing(comparison, path, data)
    yield from _texts(change, context.pull_request)


def _characters(comparison: Comparison, added: list[TextEntry], path: str, data: bytes) -> Iterator[Finding]:
    """Characters of added entries: of each entry where history has them too, so that the file as a whole is not charged
    with them; else of the file, whose finding this one takes the place of, since only here it is known what is new."""
    old = b"".join(line for known in comparison.base.entries for line in (*known.lines, *known.gap))
    for message, character in _CHARACTERS:
        sign = character.encode()
        found = [entry for entry in added if sign in b"".join((*entry.lines, *entry.gap))]
        if sign in old:
            for entry in found:
                yield from _character(message, character, entry, path, data)
        elif found and data.count(sign) == sum(b"".join((*e.lines, *e.gap)).count(sign) for e in found):
            text = data.decode("utf-8", "replace")
            at = text.find(character)
            yield RULE.finding(
                message,
                LineIndex(text).span(at, at + 1),
                path=path,
                subject=(message,),
                fix=_clean(path, data, found, character),
                count=text.count(character),
            )


def _character(message: str, character: str, entry: TextEntry, path: str, data: bytes) -> Iterator[Finding]:
    text = b"".join(entry.lines).decode("utf-8", "replace")
    at = text.find(character)
    if at >= 0:
        span = LineIndex(text).span(at, at + 1)
        place = Span(entry.line + span.line - 1, span.column, entry.line + span.end_line - 1, span.end_column)
        fix = _clean(path, data, [entry], character)
        yield RULE.finding(message, place, path=path, subject=(message,), fix=fix, count=text.count(character))


def _clean(path: str, data: bytes, entries: list[TextEntry], character: str) -> Fix | None:
    operations = [without(path, data, entry, character) for entry in entries]
    title = "End the lines with LF alone" if character == "\r" else "Write spaces"
    found = tuple(operation for operation in operations if operation is not None)
    return Fix(title, "safe", found) if len(found) == len(entries) else None


def _spaced(title: str, operation: ReplaceLines | None) -> Fix | None:
    return Fix(title, "safe", (operation,)) if operation is not None else None


def _separator(comparison: Comparison, entry: TextEntry, path: str, data: bytes) -> Iterator[Finding]:
    """The blank lines above an added entry."""
    if entry.number == 1:
        return
    above = comparison.head.entries[entry.number - 2]
    gap = above.gap
    if any(b"\r" in line for line in gap) or gap == (b"\n",):
        return
    history = _history_of(comparison, above)
    if history is not None:
        yield from _after_history(comparison, history, above, entry, path, data)
        return
    fix = _spaced(_SEPARATE, respaced(path, data, above.last_line + 1, entry.line - 1, "\n"))
    yield RULE.finding(
        "separator",
        _gap_span(comparison, above, entry),
        path=path,
        subject=("separator", entry.name),
        fix=fix if above.line in comparison.added else None,
        name=entry.name,
        found=_describe(gap),
    )


def _history_of(comparison: Comparison, entry: TextEntry) -> TextEntry | None:
    """The entry of the base that an entry of the head is, by its text."""
    if entry.line in comparison.added:
        return None
    return next((old for old in comparison.base.entries if old.content == entry.content), None)


def _after_history(
    comparison: Comparison, history: TextEntry, above: TextEntry, entry: TextEntry, path: str, data: bytes
) -> Iterator[Finding]:
    """An entry after an old one: what stood after that one stays, and one empty line is added unless it is there."""
    kept = b"".join(history.gap)
    gap = b"".join(above.gap)
    is_last = history.number == len(comparison.base.entries)
    if not gap.startswith(kept) or (not is_last and gap == kept):
        return  # changed history is changelog-append-only; within history its own gap does
    whole = history.lines[-1] + kept
    needed = b"" if whole.endswith(b"\n\n") else b"\n" if whole.endswith(b"\n") else b"\n\n"
    added = (above.lines[-1] + gap)[len(whole) :] if (above.lines[-1] + gap).startswith(whole) else gap[len(kept) :]
    if added == needed:
        return
    first = above.last_line + 1 + kept.count(b"\n")
    is_line_ended = whole.endswith(b"\n") and above.lines[-1].endswith(b"\n")
    fix = _spaced(_SEPARATE, respaced(path, data, first, entry.line - 1, needed.decode()))
    yield RULE.finding(
        "separator-after-history",
        _gap_span(comparison, above, entry, skipped=kept.count(b"\n")),
        path=path,
        subject=("separator", entry.name),
        fix=fix if is_line_ended and not comparison.events else None,
        name=entry.name,
        found=_describe(above.gap),
        tail=_describe(history.gap) if history.gap else "no blank line",
        right="no other line"
        if not needed
        else "exactly one empty line more"
        if history.gap
        else "exactly one empty line",
    )


def _gap_span(comparison: Comparison, above: TextEntry, entry: TextEntry, skipped: int = 0) -> Span:
    """The blank lines between two entries, old ones left out; the first line of the entry where there are none."""
    if len(above.gap) <= skipped:
        return lines_span(comparison.head, entry.line)
    return lines_span(comparison.head, above.last_line + 1 + skipped, entry.line - 1)


def _describe(gap: tuple[bytes, ...]) -> str:
    if not gap:
        return "no empty line"
    if len(gap) == 1:
        return show(gap[0])
    return f"{len(gap)} empty lines" if set(gap) == {b"\n"} else " and ".join(map(show, gap))


def _trailing(comparison: Comparison, path: str, data: bytes) -> Iterator[Finding]:
    """Blank lines at the end that this change put there."""
    if not comparison.head.entries:
        return
    last = comparison.head.entries[-1]
    old = comparison.base.entries[-1].gap if comparison.base.entries else ()
    kept = 0 if last.line in comparison.added else len(old)
    if len(last.gap) <= kept or (kept and last.gap[:kept] != old):
        return
    first = last.last_line + 1 + kept
    fix = _spaced("End the file with its last entry", respaced(path, data, first, last.next_line - 1, ""))
    yield RULE.finding(
        "trailing",
        lines_span(comparison.head, first, last.next_line - 1),
        path=path,
        severity="error" if b"\n" in last.gap[kept:] else "warning",
        subject=("trailing",),
        fix=fix if not comparison.events else None,
        count=len(last.gap) - kept,
        found=_describe(last.gap[kept:]),
    )


def _texts(change: Change, number: int | None) -> Iterator[Finding]:
    """Descriptions and links of added entries that say nothing."""
    path = change.head.changelog_path
    for entry in new_entries(change):
        link = entry.pr_link
        name = entry.keys[0].text if entry.keys else "the entry"
        for item in entry.description:
            if not item.text.strip():
                subject = ("description", name)
                fix = _without_item(change, entry, item)
                yield RULE.finding("description", item.span, path=path, subject=subject, fix=fix, name=name)
        if link is not None and not link.text.strip():
            fix = _linked(change, link, number)
            yield RULE.finding("link", link.span, path=path, subject=("link", name), fix=fix, name=name)


def _without_item(change: Change, entry: ChangelogEntry, item: Located) -> Fix | None:
    """An empty description taken out; None where nothing else is said beside it."""
    path = change.head.changelog_path
    if not any(other.text.strip() for other in entry.description):
        return None
    place = scalar_path(change.head.tree(path), item.span)
    if place is None or not isinstance(place[-1], int):
        return None
    return Fix("Take the empty description out", "unsafe", (DropEntry(path, place),))


def _linked(change: Change, link: Located, number: int | None) -> Fix | None:
    """The link to this pull request, where both its repository and its number are known."""
    path = change.head.changelog_path
    repository = linked_repository(change.base.changelog if change.base is not None else None)
    place = scalar_path(change.head.tree(path), link.span)
    if place is None or number is None or not repository:
        return None
    right = link_to(repository, number)
    return Fix(f"Write {right}", "unsafe", (SetScalar(path, place, right),))
