"""What became of the points of a key: rows are paired across the change, so that an image on twelve points is one
change and a longer concurrency list is no new row.

Two rows are one row that changed if they have the same scenario, share a concurrency, and are alike in recipe, else in
topology (where no recipe is named: in GPUs); else one went and the other came.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from reciplint.domain.master import Arm, MasterEntry, Row
from reciplint.domain.matrix import Point, Role, expand_row
from reciplint.domain.point_words import component, row_words, topology
from reciplint.domain.reading import canonical
from reciplint.domain.runners import Runners

Status = Literal["added", "removed", "changed"]

_SHARED = ("image", "model", "model-prefix", "precision", "framework", "runner", "multinode", "disagg")
_COMPONENTS = ("router", "kv-p2p-transfer")
_SIZES = ("tp", "pp", "ep", "dcp-size", "pcp-size", "dp-attn")
_BLOCK = frozenset({"num-worker", *_SIZES, "hardware", "additional-settings"})
_ROLES = ("prefill", "decode", "worker")
_KNOWN_ENTRY = frozenset({*_SHARED, *_COMPONENTS, "srt-recipe-dir"})
_KNOWN_ARM = frozenset({"isl", "osl", "require-power"})
_KNOWN_ROW = _BLOCK | {
    *_ROLES,
    *_COMPONENTS,
    *("conc-list", "conc-start", "conc-end", "spec-decoding", "kv-offloading", "kv-offload-backend"),
    *("num-nodes", "power", "srt-recipe", "eval-srt-recipe"),
}
_RECIPE_SETTING = re.compile(r"\s*(?:EVAL_)?CONFIG_FILE=\S+")


class FieldChange(msgspec.Struct, frozen=True):
    """A field with its old and new value ("" is absent). `points` have it on both sides; `rows` names their rows,
    () where all rows of the key that stand on both sides are meant."""

    name: str
    old: str
    new: str
    points: int
    rows: tuple[str, ...] = ()


class RowDiff(msgspec.Struct, frozen=True):
    """A row of which points came or went, with its concurrencies before and after."""

    status: Status
    row: str
    kind: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    recipe: str


class KeyDiff(msgspec.Struct, frozen=True):
    """What became of a key. `was` is the removed key with the same settings, `archive` where a removed key now stands;
    `recipes` are the changed recipe files that it runs, with how many points."""

    key: str
    master: str
    status: Status
    fields: tuple[FieldChange, ...] = ()
    rows: tuple[RowDiff, ...] = ()
    added: int = 0
    removed: int = 0
    changed: int = 0
    recipes: dict[str, int] = {}
    was: str = ""
    archive: str = ""


class Side(NamedTuple):
    """A key at one revision."""

    entry: MasterEntry
    runners: Runners | None

    def groups(self) -> list[_Group]:
        """Its rows; equal ones are one."""
        found: dict[str, _Group] = {}
        for arm in self.entry.arms:
            for row in arm.rows:
                for point in expand_row(self.entry, arm, row, self.runners):
                    fields = _fields(point, self.entry, arm, row)
                    group = found.setdefault(canonical([point.kind, point.scenario, fields]), _Group(point, fields, []))
                    group.concurrencies.append(point.concurrency)
        return list(found.values())


class _Group(NamedTuple):
    point: Point
    fields: dict[str, str]
    concurrencies: list[int]

    @property
    def counted(self) -> Counter[int]:
        return Counter(self.concurrencies)

    @property
    def shape(self) -> tuple[tuple[str, int, int], ...]:
        return tuple((role.name, role.workers, role.gpus_per_worker) for role in self.point.roles)


def added_key(key: str, master: str, side: Side) -> KeyDiff:
    """A key that only the head has."""
    rows = [_row_diff("added", group) for group in side.groups()]
    return KeyDiff(key, master, "added", rows=tuple(rows), added=sum(len(row.after) for row in rows))


def removed_key(key: str, master: str, side: Side) -> KeyDiff:
    """A key that only the base has."""
    rows = [_row_diff("removed", group) for group in side.groups()]
    return KeyDiff(key, master, "removed", rows=tuple(rows), removed=sum(len(row.before) for row in rows))


def changed_key(key: str, master: str, base: Side, head: Side) -> KeyDiff | None:
    """A key of both sides; None where no point differs."""
    if base.entry.digest == head.entry.digest and _hardware(base) == _hardware(head):
        return None
    before, after = base.groups(), head.groups()
    pairs = _pairs(before, after)
    gone = [group for index, group in enumerate(before) if index not in {old for old, _ in pairs}]
    new = [group for index, group in enumerate(after) if index not in {index for _, index in pairs}]
    paired = [(before[old], after[index]) for old, index in pairs]
    rows = [
        *(_row_diff("changed", *pair) for pair in paired if pair[0].counted != pair[1].counted),
        *(_row_diff("removed", group) for group in gone),
        *(_row_diff("added", group) for group in new),
    ]
    fields = tuple(_field_changes(paired))
    if not rows and not fields:
        return None
    return KeyDiff(
        key,
        master,
        "changed",
        fields=fields,
        rows=tuple(rows),
        added=sum((Counter(row.after) - Counter(row.before)).total() for row in rows),
        removed=sum((Counter(row.before) - Counter(row.after)).total() for row in rows),
        changed=sum((old.counted & new.counted).total() for old, new in paired if old.fields != new.fields),
    )


def _hardware(side: Side) -> object:
    return side.runners.hardware_of(side.entry.runner or "") if side.runners else None


def _row_diff(status: Status, group: _Group, after: _Group | None = None) -> RowDiff:
    before: list[int] = [] if status == "added" else group.concurrencies
    new: list[int] = after.concurrencies if after else [] if status == "removed" else group.concurrencies
    shown = after or group
    return RowDiff(status, row_words(shown.point), shown.point.kind, tuple(before), tuple(new), shown.point.recipe)


def _field_changes(pairs: list[tuple[_Group, _Group]]) -> Iterator[FieldChange]:
    """Each change once, with the points and rows that have it."""
    found: dict[tuple[str, str, str], list[tuple[_Group, _Group]]] = {}
    for old, new in pairs:
        for name in dict.fromkeys([*old.fields, *new.fields]):
            values = (old.fields.get(name, ""), new.fields.get(name, ""))
            if values[0] != values[1]:
                found.setdefault((name, *values), []).append((old, new))
    labels = _labels([new for _, new in pairs])
    for (name, before, after), having in found.items():
        points = sum((old.counted & new.counted).total() for old, new in having)
        rows = [] if len(having) == len(pairs) else [labels[id(new)] for _, new in having]
        yield FieldChange(name, before, after, points, tuple(rows))


def _labels(groups: list[_Group]) -> dict[int, str]:
    """What to call each row; one that reads like another is told by its concurrencies."""
    words = {id(group): row_words(group.point) for group in groups}
    common = Counter(words.values())
    for group in groups:
        if common[words[id(group)]] > 1:
            words[id(group)] += f" conc {', '.join(map(str, group.concurrencies))}"
    return words


def _pairs(before: list[_Group], after: list[_Group]) -> list[tuple[int, int]]:
    """Indices of rows that are the same row, in the head's order."""
    candidates = sorted(
        (*rank, abs(old - new), old, new)
        for old, one in enumerate(before)
        for new, other in enumerate(after)
        if (rank := _unlikeness(one, other)) is not None
    )
    found: dict[int, int] = {}
    taken: set[int] = set()
    for *_, old, new in candidates:
        if new not in found and old not in taken:
            found[new] = old
            taken.add(old)
    return [(old, new) for new, old in sorted(found.items())]


def _unlikeness(old: _Group, new: _Group) -> tuple[int, int] | None:
    """How many fields of two rows differ, and how few concurrencies they share; None where they are two rows."""
    one, other = old.point, new.point
    if (one.kind, one.scenario) != (other.kind, other.scenario):
        return None
    differing = [name for name in {*old.fields, *new.fields} if old.fields.get(name) != new.fields.get(name)]
    own = [name for name in differing if name not in _SHARED and name not in _COMPONENTS]
    shared = (old.counted & new.counted).total()
    if own and not shared:
        return None
    if own and not _is_alike(old, new):
        return None
    return len(differing), -shared


def _is_alike(old: _Group, new: _Group) -> bool:
    """Whether two rows run one recipe; of rows without one, whether they use the same GPUs; else the same topology."""
    one, other = old.point, new.point
    if one.recipe and one.recipe == other.recipe:
        return True
    return topology(one) == topology(other) if one.recipe and other.recipe else old.shape == new.shape


def _fields(point: Point, entry: MasterEntry, arm: Arm, row: Row) -> dict[str, str]:
    """Every setting of a point but its scenario and concurrency, by the name that master configs give it."""
    fields = {
        "image": point.image,
        "model": point.model,
        "model-prefix": point.prefix,
        "precision": point.precision,
        "framework": point.framework,
        "runner": point.runner,
        "multinode": _word(point.multinode),
        "disagg": _word(point.disagg),
        "spec-decoding": point.spec_decoding,
        "kv-offloading": point.kv_offloading,
        "kv-offload-backend": component(point.kv_offload_backend),
        "dram-gb": "" if not point.dram_gb else str(point.dram_gb),
        "router": component(point.router),
        "kv-p2p-transfer": component(point.kv_p2p_transfer),
        "num-nodes": "" if point.num_nodes is None else str(point.num_nodes),
        "power": _word(point.power),
        "recipe": point.recipe,
        "evaluation recipe": point.evaluation,
    }
    for role in point.roles:
        fields.update(_role_fields(role, "" if entry.multinode or len(point.roles) > 1 else "worker"))
    fields.update(_others(entry.settings, _KNOWN_ENTRY))
    fields.update(_others(arm.settings, _KNOWN_ARM if point.kv_offloading == "dram" else _KNOWN_ARM | _UNUSED))
    fields.update(_others(row.settings, _KNOWN_ROW))
    for name in _ROLES:
        block = row.settings.get(name)
        if isinstance(block, dict):
            fields.update({f"{name}.{field}": value for field, value in _others(block, _BLOCK).items()})
    return fields


_UNUSED = frozenset({"dram-utilization"})


def _role_fields(role: Role, bare: str) -> Iterator[tuple[str, str]]:
    """The fields of a role, with its name before each unless it is the `bare` one."""
    prefix = "" if role.name == bare else f"{role.name}."
    sizes = (role.tp, role.pp, role.ep, role.dcp, role.pcp)
    yield f"{prefix}num-worker", str(role.workers)
    for name, size in zip(_SIZES, sizes, strict=False):
        yield f"{prefix}{name}", str(size)
    yield f"{prefix}dp-attn", _word(role.dp_attn)
    yield f"{prefix}hardware", role.hardware
    for setting in sorted(role.settings):
        text = _RECIPE_SETTING.sub("", setting).strip()
        name, equals, value = text.partition("=")
        if text:
            yield f"{prefix}{name}", value if equals else "set"


def _others(settings: dict[str, Any], known: Iterable[str]) -> dict[str, str]:
    return {name: _word(value) for name, value in settings.items() if name not in known and value is not None}


def _word(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)
