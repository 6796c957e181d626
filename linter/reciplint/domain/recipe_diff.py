"""Recipes of which a change alters the meaning: the settings of each variant, old and new."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from reciplint.domain.document import Document
from reciplint.domain.project import Change, Project
from reciplint.domain.reading import canonical, digest
from reciplint.domain.references import Use
from reciplint.domain.variants import expand, is_bundle
from reciplint.repo.kinds import Kind
from reciplint.yamltree.problem import DEFAULT_LIMITS, Limits
from reciplint.yamltree.scalars import load

Reader = Callable[[Iterable[str]], Mapping[str, bytes]]
"""The bytes of files of one side; a file over the size limit is empty or absent."""

_JSON = "\0json"  # stands where JSON inside a text was opened


class SettingChange(msgspec.Struct, frozen=True):
    """A setting by its place in a recipe, as `backend.vllm_config.decode.max-num-seqs`; "" is absent. `variants` have
    the change, () in a file without variants."""

    place: str
    old: str
    new: str
    variants: tuple[str, ...] = ()


class RecipeDiff(msgspec.Struct, frozen=True):
    """A recipe file whose meaning changed, which keys run it and in how many rows.

    `was` is its path at the base if it moved; `is_readable` is false where a side could not be compared.
    """

    path: str
    status: Literal["added", "removed", "changed"]
    changes: tuple[SettingChange, ...] = ()
    variants: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    was: str = ""
    is_readable: bool = True


def recipe_diffs(change: Change, before: Reader, after: Reader, limits: Limits = DEFAULT_LIMITS) -> list[RecipeDiff]:
    """Every recipe that came, went or changed in meaning, by path."""
    base, head = change.base, change.head
    old_paths = set(base.recipe_paths) if base else set()
    origins = {path: change.base_path(path) for path in head.recipe_paths}
    both = {path: old for path, old in origins.items() if old in old_paths}
    altered = {path: old for path, old in both.items() if _may_differ(change, path, old)}
    found = [RecipeDiff(path, "added", keys=_keys(head, path)) for path in origins if path not in both]
    if base is not None:
        gone = old_paths - set(both.values())
        found += [RecipeDiff(path, "removed", keys=_keys(base, path)) for path in gone]
    old_data, new_data = before(sorted(altered.values())), after(sorted(altered))
    for path, old in altered.items():
        compared = _compare(old_data.get(old), new_data.get(path), limits)
        if compared is not None:
            named = _keys(head, path, _meant(compared))
            was = old if head.relative(path) != _relative(base, old) else ""
            found.append(msgspec.structs.replace(compared, path=path, was=was, keys=named))
    return sorted(found, key=lambda diff: diff.path)


def only_restyled(change: Change) -> int:
    """How many recipes changed in bytes and not in meaning."""
    base = change.base
    if base is None:
        return 0
    return sum(
        change.is_changed(path) and not _may_differ(change, path, change.base_path(path))
        for path in change.head.recipe_paths
        if change.base_path(path) in base.blobs
    )


def users(project: Project, path: str, variants: frozenset[str] | None = None) -> list[Use]:
    """The active rows that run a recipe, only those of some variants if given."""
    used = project.resolver.active.get(path, [])
    if variants is None:
        return used
    return [use for use in used if not use.reference.selector or use.reference.selector in variants]


def _meant(diff: RecipeDiff) -> frozenset[str] | None:
    """The variants whose meaning changed; None for the whole file."""
    if not diff.variants or not diff.is_readable:
        return None
    return frozenset({*diff.added, *diff.removed, *(name for change in diff.changes for name in change.variants)})


def _keys(project: Project, path: str, variants: frozenset[str] | None = None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(use.entry.key for use in users(project, path, variants)))


def _relative(project: Project | None, path: str) -> str:
    return project.relative(path) if project is not None else path


def _may_differ(change: Change, path: str, old: str) -> bool:
    """Whether a recipe's meaning changed, as far as its digest tells; without one, whether its bytes did."""
    assert change.base is not None
    before, after = change.base.recipes.get(old), change.head.recipes.get(path)
    if before is not None and after is not None and "" in before.facts.digests:
        return before.facts.digests != after.facts.digests
    return change.base.blobs.get(old) != change.head.blobs.get(path)


def _compare(before: bytes | None, after: bytes | None, limits: Limits) -> RecipeDiff | None:
    """What differs between two texts of a recipe; None where nothing does."""
    old, new = _load(before, limits), _load(after, limits)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return RecipeDiff("", "changed", is_readable=False)
    olds, news = dict(expand(old)), dict(expand(new))
    is_plain = not is_bundle(old) and not is_bundle(new)
    found: dict[tuple[str, str, str], list[str]] = {}
    for name, value in news.items():
        if name in olds and digest(olds[name]) != digest(value):
            for change in _settings(olds[name], value):
                found.setdefault(change, []).append(name)
    added = tuple(name for name in news if name not in olds)
    removed = tuple(name for name in olds if name not in news)
    if not found and not added and not removed:
        return None
    changes = [SettingChange(*change, () if is_plain else tuple(names)) for change, names in found.items()]
    return RecipeDiff("", "changed", tuple(changes), 0 if is_plain else len(news), added, removed)


def _load(data: bytes | None, limits: Limits) -> Any:
    if data is None:
        return None
    tree = Document("", Kind.RECIPE, data, None, limits).tree
    return None if tree is None else load(tree.root)


def _settings(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Place, old and new of every setting that differs, in order of places; a list of scalars counts as one value."""
    from deepdiff.diff import DeepDiff

    before, after = _opened(old), _opened(new)
    found = DeepDiff(before, after, view="tree", ignore_nan_inequality=True, verbose_level=1)
    paths = {
        _whole_list(tuple(level.path(output_format="list")), before, after)
        for levels in found.values()
        for level in levels
    }
    for path in sorted(paths, key=lambda path: [(isinstance(part, int), str(part)) for part in path]):
        yield _place(path), _shown(_at(before, path)), _shown(_at(after, path))


def _opened(value: Any) -> Any:
    """A value in which texts that hold a JSON object are opened, so that what differs inside shows."""
    if isinstance(value, dict):
        return {key: _opened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_opened(item) for item in value]
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            inside = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return value
        return {_JSON: inside} if inside else value
    return value


def _whole_list(path: tuple[Any, ...], *sides: Any) -> tuple[Any, ...]:
    """The path cut at the first list that holds only scalars, or whose length changed."""
    for length in range(len(path)):
        values = [value for side in sides if isinstance(value := _at(side, path[:length]), list)]
        scalars = all(not isinstance(item, (dict, list)) for value in values for item in value)
        if values and (scalars or len({len(value) for value in values}) > 1):
            return path[:length]
    return path


class _Absent:
    """Stands for what is not there; a null is there."""


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return _Absent
    return value


def _place(path: tuple[Any, ...]) -> str:
    text = ""
    for part in path:
        if part != _JSON:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _shown(value: Any) -> str:
    if value is _Absent:
        return ""
    closed = _closed(value)
    return closed if isinstance(closed, str) and closed else canonical(closed)


def _closed(value: Any) -> Any:
    if isinstance(value, dict):
        return canonical(value[_JSON]) if _JSON in value else {key: _closed(item) for key, item in value.items()}
    return [_closed(item) for item in value] if isinstance(value, list) else value
