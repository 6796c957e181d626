"""A master config: key → scenarios → rows, in one normal form for every layout.

A row names its recipe in one of three ways: `CONFIG_FILE=` in the additional settings of a worker block (era A),
`srt-recipe:` with a full path (B), or `srt-recipe:` relative to the entry's `srt-recipe-dir:` (C). The era is told
per reference, since real trees mix them.
"""

from __future__ import annotations

import re
from typing import Any, Literal, TypeGuard

import msgspec

from reciplint.domain.comment_paths import PathMention, path_mentions
from reciplint.domain.reading import (
    bool_of,
    canonical,
    digest,
    int_of,
    items_of,
    mapping_of,
    number_of,
    scalars_of,
    text_of,
)
from reciplint.yamltree.scalars import load
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Concrete, Mapping, Node, Scalar, Tree, pointer, target

Purpose = Literal["recipe", "evaluation"]
Era = Literal["A", "B", "C"]

_SETTING = re.compile(r"(?<!\S)(CONFIG_FILE|EVAL_CONFIG_FILE)=(\S+)")
_PURPOSE: dict[str, Purpose] = {
    "CONFIG_FILE": "recipe",
    "EVAL_CONFIG_FILE": "evaluation",
    "srt-recipe": "recipe",
    "eval-srt-recipe": "evaluation",
}
_ROLES = ("prefill", "decode", "worker")

COMPONENTS = ("router", "kv-p2p-transfer")
"""Settings that name a part of the serving stack, of a whole key or of a row."""

METADATA = frozenset({"router", "kv-p2p-transfer", "hardware"})
"""Settings that describe a point and do not change what is measured."""


class Reference(msgspec.Struct, frozen=True, array_like=True):
    """A recipe as a row names it. `text` is the path as written without its selector `:override_x[i]`;
    `folder` is the entry's `srt-recipe-dir` (era C)."""

    purpose: Purpose
    era: Era
    text: str
    selector: str
    folder: str
    span: Span


class Workers(msgspec.Struct, frozen=True, array_like=True):
    """The workers of one role as the row states them; sizes are GPUs, None where the row is silent."""

    role: str
    count: int | None
    tp: int | None
    pp: int | None
    ep: int | None
    dcp: int | None
    pcp: int | None
    dp_attn: bool | None
    span: Span


class Row(msgspec.Struct, frozen=True, array_like=True):
    """A search-space entry. `identity` names it in the domain's terms, without its place or concurrency;
    equal `meaning` (a digest of the row, its scenario and its entry) is an unchanged arm."""

    span: Span
    pointer: str
    workers: tuple[Workers, ...]
    spec_decoding: str | None
    concurrencies: tuple[int, ...]
    kv_offloading: str | None
    references: tuple[Reference, ...]
    settings: dict[str, Any]
    identity: str
    meaning: str


class Arm(msgspec.Struct, frozen=True, array_like=True):
    """One scenario of a key: `agentic-coding`, or a fixed sequence length such as `8k1k`. `dram_span` is where its
    `dram-utilization` is written, None where it is not; `path` leads to it from the file's top."""

    scenario: str
    kind: str
    isl: int | None
    osl: int | None
    dram_utilization: float | None
    dram_span: Span | None
    settings: dict[str, Any]
    rows: tuple[Row, ...]
    span: Span
    path: tuple[str | int, ...]


class MasterEntry(msgspec.Struct, frozen=True, array_like=True):
    """A key of a master config. `settings` is everything but the scenarios; `component_spans` tell where `router` and
    `kv-p2p-transfer` are written among them; `digest` covers it whole. `owns_runner`: the runner is written in this key
    and shared by no anchor, so that an edit reaches it."""

    key: str
    key_span: Span
    runner: str | None
    runner_span: Span
    image: str | None
    image_span: Span
    model: str | None
    prefix: str | None
    precision: str | None
    framework: str | None
    multinode: bool
    disagg: bool
    recipe_folder: str
    folder_span: Span
    settings: dict[str, Any]
    component_spans: dict[str, Span]
    arms: tuple[Arm, ...]
    digest: str
    owns_runner: bool = False


class MasterConfig(msgspec.Struct, frozen=True, tag="master"):
    """The facts of a master config file; `comment_paths` are the files that comments name."""

    entries: tuple[MasterEntry, ...]
    comment_paths: tuple[PathMention, ...] = ()


class MasterFile(msgspec.Struct, frozen=True):
    """A master config with the path where it stands."""

    path: str
    entries: tuple[MasterEntry, ...]
    comment_paths: tuple[PathMention, ...] = ()


def read_master(tree: Tree) -> MasterConfig:
    """The entries of a master config; whatever has not the expected shape is left out (the schema says so)."""
    root = tree.root
    if not isinstance(root, Mapping):
        return MasterConfig(())
    entries = []
    for name, entry in root.effective().items():
        value = target(entry.value)
        if isinstance(value, Mapping):
            entries.append(_read_entry(tree, name, entry.key, value))
    return MasterConfig(tuple(entries), path_mentions(tree))


def read_archive(tree: Tree) -> MasterConfig:
    """The entries of a retired master config, read for its references alone: settings and meaning stay empty."""
    root = tree.root
    if not isinstance(root, Mapping) or not ("CONFIG_FILE" in tree.text or "srt-recipe" in tree.text):
        return MasterConfig(())
    entries = []
    for name, entry in root.effective().items():
        value = target(entry.value)
        if isinstance(value, Mapping):
            entries.append(_read_archived(tree, name, entry.key, value))
    return MasterConfig(tuple(entries))


def _read_archived(tree: Tree, key: str, key_node: Node, node: Mapping) -> MasterEntry:
    key_span = tree.span(key_node)
    folder = text_of(node, "srt-recipe-dir") or ""
    scenarios = mapping_of(node, "scenarios")
    arms = []
    for kind, scenario in scenarios.effective().items() if scenarios else ():
        for item in items_of(target(scenario.value)):
            listed = items_of(item.get("search-space")) if isinstance(item, Mapping) else []
            rows = [(row, tuple(_references(tree, row, folder))) for row in listed if isinstance(row, Mapping)]
            read = tuple(
                Row(tree.span(row), "", (), None, (), None, references, {}, "", "") for row, references in rows
            )
            arms.append(Arm(kind, kind, None, None, None, None, {}, read, tree.span(item), ()))
    return MasterEntry(
        key=key,
        key_span=key_span,
        runner=None,
        runner_span=key_span,
        image=None,
        image_span=key_span,
        model=None,
        prefix=text_of(node, "model-prefix"),
        precision=None,
        framework=text_of(node, "framework"),
        multinode=bool(bool_of(node, "multinode")),
        disagg=False,
        recipe_folder=folder,
        folder_span=key_span,
        settings={},
        component_spans={},
        arms=tuple(arms),
        digest="",
    )


def _read_entry(tree: Tree, key: str, key_node: Node, node: Mapping) -> MasterEntry:
    key_span = tree.span(key_node)
    folder = text_of(node, "srt-recipe-dir") or ""
    plain: dict[str, Any] = load(node)
    settings = {name: value for name, value in plain.items() if name != "scenarios"}
    shared = canonical(settings)
    scenarios = mapping_of(node, "scenarios")
    arms = []
    for kind, scenario in scenarios.effective().items() if scenarios else ():
        for index, item in enumerate(items_of(target(scenario.value))):
            if isinstance(item, Mapping):
                value = plain["scenarios"][kind][index]
                arms.append(_read_arm(tree, item, value, kind, folder, shared, (key, "scenarios", kind, index)))
    return MasterEntry(
        key=key,
        key_span=key_span,
        runner=text_of(node, "runner"),
        runner_span=_value_span(tree, node, "runner", key_span),
        image=text_of(node, "image"),
        image_span=_value_span(tree, node, "image", key_span),
        model=text_of(node, "model"),
        prefix=text_of(node, "model-prefix"),
        precision=text_of(node, "precision"),
        framework=text_of(node, "framework"),
        multinode=bool(bool_of(node, "multinode")),
        disagg=bool(bool_of(node, "disagg")),
        recipe_folder=folder,
        folder_span=_value_span(tree, node, "srt-recipe-dir", key_span),
        settings=settings,
        component_spans={name: tree.span(value) for name in COMPONENTS if (value := node.get(name)) is not None},
        arms=tuple(arms),
        digest=digest(plain),
        owns_runner=any(
            entry.name == "runner" and isinstance(entry.value, Scalar) and not entry.value.anchor
            for entry in node.entries
        ),
    )


def _read_arm(
    tree: Tree,
    node: Mapping,
    plain: dict[str, Any],
    kind: str,
    folder: str,
    shared: str,
    place: tuple[str | int, ...],
) -> Arm:
    isl, osl = int_of(node, "isl"), int_of(node, "osl")
    scenario = sequence_name(isl, osl) if isl is not None and osl is not None else kind
    settings = {name: value for name, value in plain.items() if name != "search-space"}
    context = f"{shared}{canonical(settings)}{kind}"
    rows = [
        _read_row(tree, item, plain["search-space"][index], folder, context, pointer((*place, "search-space", index)))
        for index, item in enumerate(items_of(node.get("search-space")))
        if isinstance(item, Mapping)
    ]
    dram = node.entry("dram-utilization")
    return Arm(
        scenario=scenario,
        kind=kind,
        isl=isl,
        osl=osl,
        dram_utilization=number_of(node, "dram-utilization"),
        dram_span=tree.entry_span(dram) if dram else None,
        settings=settings,
        rows=tuple(rows),
        span=tree.span(node),
        path=place,
    )


def sequence_name(isl: int, osl: int) -> str:
    """`8k1k` for 8192 in and 1024 out; odd lengths are spelled out, as `1000in1000out`."""
    if isl % 1024 or osl % 1024:
        return f"{isl}in{osl}out"
    return f"{isl // 1024}k{osl // 1024}k"


def _read_row(tree: Tree, node: Mapping, settings: dict[str, Any], folder: str, context: str, place: str) -> Row:
    blocks = [(role, block) for role in _ROLES if (block := mapping_of(node, role)) is not None]
    workers = tuple(_read_workers(tree, role, block, settings[role]) for role, block in blocks)
    if not workers and "tp" in settings:
        workers = (_read_workers(tree, "worker", node, settings),)
    references = tuple(_references(tree, node, folder))
    spec = text_of(node, "spec-decoding")
    offloading = text_of(node, "kv-offloading")
    return Row(
        span=tree.span(node),
        pointer=place,
        workers=workers,
        spec_decoding=spec,
        concurrencies=concurrencies(settings),
        kv_offloading=offloading,
        references=references,
        settings=settings,
        identity=_identity(spec, offloading, workers, references),
        meaning=digest([context, settings]),
    )


def _read_workers(tree: Tree, role: str, node: Mapping, plain: dict[str, Any]) -> Workers:
    def size(name: str) -> int | None:
        value = plain.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    return Workers(
        role=role,
        count=size("num-worker"),
        tp=size("tp"),
        pp=size("pp"),
        ep=size("ep"),
        dcp=size("dcp-size"),
        pcp=size("pcp-size"),
        dp_attn=plain["dp-attn"] if isinstance(plain.get("dp-attn"), bool) else None,
        span=tree.span(node),
    )


def _identity(
    spec: str | None, offloading: str | None, workers: tuple[Workers, ...], references: tuple[Reference, ...]
) -> str:
    parts = [spec or "no spec-decoding"]
    if offloading:
        parts.append(f"kv-offloading {offloading}")
    for block in workers:
        count = "" if block.count is None else f"{block.count} x "
        sizes = [f"tp {block.tp}", f"ep {block.ep}", *(["dp-attn"] if block.dp_attn else [])]
        parts.append(f"{block.role} {count}{' '.join(sizes)}")
    parts.extend(f"{reference.text}:{reference.selector}".rstrip(":") for reference in references)
    return ", ".join(parts)


def concurrencies(settings: dict[str, Any]) -> tuple[int, ...]:
    """The concurrencies of a row: its `conc-list`, or `conc-start` doubled up to `conc-end`, the end included."""
    listed = settings.get("conc-list")
    if isinstance(listed, list):
        return tuple(value for value in listed if _is_count(value))
    start, end = settings.get("conc-start"), settings.get("conc-end")
    if not _is_count(start) or not _is_count(end) or start > end:
        return ()
    values = []
    while start < end:
        values.append(start)
        start *= 2
    return (*values, end)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _references(tree: Tree, node: Mapping, folder: str) -> list[Reference]:
    found = []
    for name in ("srt-recipe", "eval-srt-recipe"):
        value = node.get(name)
        if isinstance(value, Scalar):
            found.append(_reference(tree, value, value.value, name, folder))
    for role in _ROLES:
        block = mapping_of(node, role)
        for setting in scalars_of(block.get("additional-settings")) if block else []:
            found.extend(
                _reference(tree, setting, match[2], match[1], "") for match in _SETTING.finditer(setting.value)
            )
    return found


def _reference(tree: Tree, scalar: Scalar, written: str, name: str, folder: str) -> Reference:
    text, _, selector = written.partition(":")
    era: Era = "A" if name.isupper() else "C" if folder else "B"
    return Reference(_PURPOSE[name], era, text, selector, folder, _span_inside(tree, scalar, written))


def _span_inside(tree: Tree, scalar: Scalar, part: str) -> Span:
    """Where a part of a scalar stands; the whole scalar if it is written with escapes or over lines."""
    at = tree.text.find(part, scalar.start, scalar.end)
    return tree.span(scalar) if at < 0 else tree.lines.span(at, at + len(part))


def _value_span(tree: Tree, node: Mapping, name: str, default: Span) -> Span:
    value: Concrete | None = node.get(name)
    return default if value is None else tree.span(value)
