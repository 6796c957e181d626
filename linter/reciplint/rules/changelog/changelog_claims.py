"""An added entry claims an image, a value or a concurrency that its keys do not have.

## What it finds

What the description of an added changelog entry states in figures, held against what its keys run:

- an image reference or tag, and both sides of `A → B` (also `A -> B` and `from A to B`), against the images of the
  keys and the containers of their recipes;
- `setting A → B` against the rows and recipes of the keys, where the setting stands in them;
- concurrencies, as a list, as a range, or as `up to N`, against the rows of the keys. A claim that names its rows
  (`TP4 dp-attn`) is held against those.

B is looked up at the head, A at the base (of a setting, only in recipes). A claim is true if any key of the entry has
it. Left alone: text about the past, about other keys, about measurements or failures; an entry with a key that does
not exist; settings where a recipe of the keys lies in another repository; an entry of the base with a new link or text.

## Why it matters

The entry is published beside the numbers, and readers take it for what was measured. A difference also shows a
change that was described and then not made.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v2
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
      - {tp: 4, conc-list: [16, 64]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml base perf-changelog.yaml
[]
```

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description:
  - "Run the image «vllm/vllm-openai:v3» and sweep TP4 at conc «16-128»"
  pr-link: https://github.com/org/repo/pull/12
```

```console
reciplint check --base BASE --pr 12
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v2
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
      - {tp: 4, conc-list: [16, 64]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml base perf-changelog.yaml
[]
```

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description:
  - "Run the image vllm/vllm-openai:v2 and sweep TP4 at conc 16 and 64 (conc 128 was unstable)"
  pr-link: https://github.com/org/repo/pull/12
```

```console
reciplint check --base BASE --pr 12
```

## Fix

None is applied: whether the text or the configuration is wrong is for the author to say.

## Options

None.

## Source

Review findings on a public benchmark repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reciplint.domain.changelog import Changelog, ChangelogEntry, Located, added_entries
from reciplint.domain.claim_evidence import Evidence, Place, Swept, evidence, normal
from reciplint.domain.claims import Claim, ConcurrencyClaim, ImageClaim, SettingClaim, claims
from reciplint.domain.components import image_name
from reciplint.domain.project import Change, Project
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import LineIndex, Span

RULE = Rule(
    id="changelog-claims",
    summary="An added entry claims an image, a value or a concurrency that its keys do not have",
    severity="warning",
    source="review findings on a public benchmark repository",
    messages={
        "image-head": "the entry says image {claimed}, but its keys run {found}",
        "image-base": "the entry says that the image was {claimed}, but at the base its keys ran {found}",
        "setting-head": "the entry says that {name} becomes {claimed}, but its keys have {found}",
        "setting-base": "the entry says that {name} was {claimed}, but at the base its keys had {found}",
        "concurrency-head": "the entry says concurrency {claimed}, but the rows that it speaks of run {found}",
        "concurrency-base": "the entry says that the concurrency was {claimed}, but at the base the rows that it"
        " speaks of ran {found}",
        "limit-head": "the entry says concurrency up to {claimed}, but its rows go up to {found}",
    },
    messages_zh={
        "image-head": "条目写的镜像是 {claimed}，但其中的键运行 {found:, =、}",
        "image-base": "条目写的原镜像是 {claimed}，但 base 中这些键运行 {found:, =、}",
        "setting-head": "条目写 {name} 改为 {claimed}，但其中的键为 {found:, =、}",
        "setting-base": "条目写 {name} 原为 {claimed}，但 base 中这些键为 {found:, =、}",
        "concurrency-head": "条目写的并发是 {claimed}，但它所说的搜索空间行运行 {found:, =、}",
        "concurrency-base": "条目写的原并发是 {claimed}，但 base 中它所说的搜索空间行运行 {found:, =、}",
        "limit-head": "条目写的并发最高到 {claimed}，但其搜索空间行最高到 {found:, =、}",
    },
)

_NEEDED = frozenset({Kind.MASTER, Kind.CHANGELOG, Kind.RECIPE})
_LISTED = 6


class _Contradiction(NamedTuple):
    """What contradicts a claim: the message, what was found instead, and where."""

    message: str
    found: tuple[str, ...]
    places: tuple[Related, ...]


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """One finding for each claim of an added entry that the files contradict."""
    base, head = change.base, change.head
    if base is None or head.changelog is None or _NEEDED & (base.unread | head.unread):
        return
    for entry in added_entries(base.changelog, head.changelog):
        sides = {"base": evidence(base, entry), "head": evidence(head, entry)}
        if not sides["head"].keys or _is_rewritten(entry, base.changelog):
            continue
        for item in entry.description:
            for claim in claims(item.text):
                against = _contradiction(claim, sides)
                if against is not None:
                    yield _finding(head, entry, item, claim, against)


def _is_rewritten(entry: ChangelogEntry, base: Changelog | None) -> bool:
    """Whether the base has the entry with another link or another text: what it claims was so when it was added."""
    keys, texts = _texts(entry.keys), _texts(entry.description)
    link = entry.pr_link.text if entry.pr_link else None
    return any(
        _texts(other.keys) == keys
        and (_texts(other.description) == texts or (other.pr_link is not None and other.pr_link.text == link))
        for other in (base.entries if base else ())
    )


def _texts(items: tuple[Located, ...]) -> tuple[str, ...]:
    return tuple(item.text for item in items)


def _contradiction(claim: Claim, sides: dict[str, Evidence]) -> _Contradiction | None:
    facts = sides[claim.side]
    if isinstance(claim, ImageClaim):
        return _image(claim, facts, [*sides["base"].images, *sides["head"].images])
    if isinstance(claim, SettingClaim):
        return _setting(claim, facts)
    return _concurrency(claim, facts)


def _image(claim: ImageClaim, facts: Evidence, known: list[Place]) -> _Contradiction | None:
    wanted = image_name(claim.image)
    if not facts.images or any(wanted in place.value for place in facts.images):
        return None
    if not claim.is_named and not any(_repository(wanted) == _repository(place.value) for place in known):
        return None
    return _instead(f"image-{claim.side}", facts.images, "this image")


def _repository(image: str) -> str:
    return image.rpartition(":")[0]


def _setting(claim: SettingClaim, facts: Evidence) -> _Contradiction | None:
    places = facts.setting(claim.name)
    if claim.side == "base":  # rows come and go: what one of them was before need not be a row of the base
        places = [place for place in places if not place.is_row]
    if not places or any(place.value == normal(claim.value) for place in places):
        return None
    return _instead(f"setting-{claim.side}", places, claim.name)


def _instead(message: str, places: list[Place], what: str) -> _Contradiction:
    found = tuple(dict.fromkeys(place.value for place in places))
    related = {(place.path, place.span): Related(place.path, place.span, f"{what}: {place.value}") for place in places}
    return _Contradiction(message, found[:_LISTED], tuple(related.values())[:_LISTED])


def _concurrency(claim: ConcurrencyClaim, facts: Evidence) -> _Contradiction | None:
    rows = facts.matching(claim)
    swept = {value for row in rows for value in row.row.concurrencies}
    if not rows:
        return None
    if claim.is_limit:
        tops = {
            max(value for row in rows if row.entry.key == key for value in row.row.concurrencies)
            for key in {row.entry.key for row in rows}
        }
        if claim.values[0] in tops:
            return None
        highest = [row for row in rows if max(row.row.concurrencies) in tops]
        return _Contradiction("limit-head", tuple(map(str, sorted(tops))), tuple(map(_row, highest[:_LISTED])))
    if swept.issuperset(claim.values):
        return None
    return _Contradiction(f"concurrency-{claim.side}", tuple(map(str, sorted(swept))), tuple(map(_row, rows[:_LISTED])))


def _row(swept: Swept) -> Related:
    listed = ", ".join(map(str, swept.row.concurrencies))
    return Related(swept.path, swept.row.span, f"this {swept.arm.scenario} row runs concurrency {listed}")


def _finding(head: Project, entry: ChangelogEntry, item: Located, claim: Claim, against: _Contradiction) -> Finding:
    claimed = item.text[claim.start : claim.end]
    return RULE.finding(
        against.message,
        _span(head, item, claim),
        path=head.changelog_path,
        subject=(*(key.text for key in entry.keys), claimed),
        related=against.places,
        claimed=claimed,
        found=against.found,
        name=claim.name if isinstance(claim, SettingClaim) else "",
    )


def _span(head: Project, item: Located, claim: Claim) -> Span:
    """Where the words of a claim stand; the whole item if it is written with escapes or over lines."""
    text = (head.read(head.changelog_path) or b"").decode("utf-8", "replace")
    lines = LineIndex(text)
    start = lines.offset(item.span.line, item.span.column)
    end = lines.offset(item.span.end_line, item.span.end_column)
    at = text.find(item.text, start, end)
    return item.span if at < 0 else lines.span(at + claim.start, at + claim.end)
