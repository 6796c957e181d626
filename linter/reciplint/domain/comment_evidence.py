"""Comments beside the values they stand on: a row, a key, a setting, a recipe as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename
from typing import Any, NamedTuple

from reciplint.domain.comment_blocks import Block
from reciplint.domain.comment_claims import (
    Claim,
    Workers,
    acceptance_claims,
    acceptance_value,
    agrees,
    image_claims,
    shape_claims,
)
from reciplint.domain.master import concurrencies
from reciplint.domain.name_tokens import read_name
from reciplint.domain.reading import items_of, mapping_of, own_entries, text_of
from reciplint.domain.recipe_variant import RecipeRole, Variant, recipe_variants
from reciplint.yamltree.scalars import load
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Mapping as MappingNode
from reciplint.yamltree.tree import Node, Tree, target


class Contradiction(NamedTuple):
    """What a comment says at `span` and what there is instead at `place`; `owner` names the key or row in the domain's
    terms."""

    span: Span
    said: str
    topic: str
    found: str
    place: Span
    owner: tuple[str, ...]


class _Row(NamedTuple):
    node: Node
    span: Span
    workers: tuple[Workers, ...]
    concurrencies: tuple[int, ...]


_TOPICS = {"size": "size of a worker", "concurrency": "concurrency", "gpu": "hardware", "image": "image"}
_FOUR_GPU_NODES = ("gb200", "gb300")
_INDENT = 2  # some comments on keys stand as far in as the settings below
_URL = re.compile(r"https?://\S+/(?P<path>recipes/\S+\.ya?ml)")
_CONFIG = re.compile(r"\bCONFIG_FILE=(?P<path>\S+\.ya?ml)")
_DASH = re.compile(r"-[ \t]+(?:&\S+\s*)?(?:#[^\n]*\s+)*\Z")
_NEAR = 300  # characters between a dash and its row: an anchor, a comment
_NODES = re.compile(r"\b(?P<role>PREFILL|DECODE)_NODES=(?P<number>\d+)")


def master_contradictions(tree: Tree, blocks: Sequence[Block]) -> Iterator[Contradiction]:
    """Comments of a master config against their keys, rows and settings."""
    above = {block.end_line + 1: block for block in blocks if not block.trails and not block.holds_yaml}
    yield from _settings(tree, blocks)
    yield from _addresses(tree, above)
    root = tree.root
    for entry in own_entries(root) if isinstance(root, MappingNode) else []:
        value = target(entry.value)
        if not isinstance(value, MappingNode):
            continue
        key, span = entry.name or "", tree.span(entry.key)
        block = above.get(span.line)
        if block is not None and block.column <= span.column + _INDENT:
            yield from _image(tree, block, key, value)
        for item in _spaces(value):
            yield from _rows(tree, above, key, value, [node for node in item if isinstance(node, MappingNode)])


def _spaces(entry: MappingNode) -> Iterator[list[Any]]:
    scenarios = mapping_of(entry, "scenarios")
    for scenario in own_entries(scenarios) if scenarios else []:
        for item in items_of(target(scenario.value)):
            if isinstance(item, MappingNode):
                yield items_of(item.get("search-space"))


def _image(tree: Tree, block: Block, key: str, entry: MappingNode) -> Iterator[Contradiction]:
    image = entry.get("image")
    text = text_of(entry, "image") or ""
    tag = text.rpartition(":")[2]
    if image is None or not re.match(r"v?\d+\.\d+", tag):
        return
    for claim in image_claims(block.text):
        if claim.value not in tag:
            span = block.span(tree, claim.start, claim.end)
            yield Contradiction(span, claim.value, "image", text, tree.span(image), (key,))


def _rows(
    tree: Tree, above: Mapping[int, Block], key: str, entry: MappingNode, nodes: list[MappingNode]
) -> Iterator[Contradiction]:
    """Each comment on a row speaks for the rows up to the next comment."""
    dashes = [_dash(tree, node) for node in nodes]
    blocks = [above.get(dash.line) if dash is not None else None for dash in dashes]
    commented = [index for index, block in enumerate(blocks) if block is not None]
    runner = (text_of(entry, "runner") or key).lower()
    for index, end in zip(commented, [*commented[1:], len(nodes)], strict=False):
        block, dash = blocks[index], dashes[index]
        if block is None or dash is None or block.column != dash.column:
            continue
        claims = shape_claims(block.text, is_label=block.line == block.end_line)
        if claims:
            rows = [_row(tree, node, runner) for node in nodes[index:end]]
            yield from _against(tree, block, claims, rows, runner, key)


def _dash(tree: Tree, node: MappingNode) -> Span | None:
    """The dash before a row; None in a flow sequence."""
    match = _DASH.search(tree.text, max(node.start - _NEAR, 0), node.start)
    return tree.lines.span(match.start(), match.start() + 1) if match else None


def _against(
    tree: Tree, block: Block, claims: list[Claim], rows: list[_Row], runner: str, key: str
) -> Iterator[Contradiction]:
    gpus = [token.word for token in read_name(runner.replace(":", "-")) if token.topic == "gpu"]
    for claim in claims:
        if claim.topic == "concurrency":
            run = sorted({value for row in rows for value in row.concurrencies})
            found = "" if not run or claim.number in run else ", ".join(map(str, run))
        elif claim.topic == "gpu":
            found = "" if not gpus or claim.value in gpus else ", ".join(gpus)
        else:
            found = "" if any(agrees(claim, row.workers) for row in rows) else _instead(claim, rows[0].workers)
        if found:
            yield _contradiction(tree, block, claim, found, rows[0].span, (key,))
            return


def _contradiction(
    tree: Tree, block: Block, claim: Claim, found: str, place: Span, owner: tuple[str, ...]
) -> Contradiction:
    said = " ".join(block.text[claim.start : claim.end].split())
    topic = f"{claim.role} workers" if claim.topic == "count" else _TOPICS[claim.topic]
    return Contradiction(block.span(tree, claim.start, claim.end), said, topic, found, place, owner)


def _instead(claim: Claim, workers: Sequence[Workers]) -> str:
    meant = [one for one in workers if claim.role in ("", one.role)] or list(workers)
    if claim.topic == "count":
        return ", ".join(str(one.workers) for one in meant)
    return ", ".join(f"{one.role} {_shape(one)}" for one in meant)


def _shape(one: Workers) -> str:
    kind = "dep" if one.dp_attention else "tep" if (one.ep or 1) > 1 else "tp"
    return f"{kind}{max(one.tp or 1, one.ep or 1) if one.dp_attention else one.tp}"


def _row(tree: Tree, node: MappingNode, runner: str) -> _Row:
    row = load(node)
    per_node = 4 if any(name in runner for name in _FOUR_GPU_NODES) else 8
    text = tree.text[node.start : node.end]
    stated = {match["role"].lower(): int(match["number"]) for match in _NODES.finditer(text)}
    roles = [(role, row[role]) for role in ("prefill", "decode", "worker") if isinstance(row.get(role), dict)]
    blocks = roles or [("worker", row)]
    workers = tuple(
        _of_block("agg" if role == "worker" else role, block, per_node, stated.get(role))
        for role, block in blocks
        if block.get("num-worker") != 0
    )
    return _Row(node, tree.span(node), workers, concurrencies(row))


def _of_block(role: str, block: Mapping[str, Any], per_node: int, stated: int | None) -> Workers:
    def size(name: str, default: int = 1) -> int:
        value = block.get(name, default)
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default

    count = size("num-worker")
    gpus = size("tp") * size("pp") * size("pcp-size")
    nodes = tuple({-(-count * gpus // per_node), count * gpus, *([stated] if stated else [])})
    tp = size("tp") if "tp" in block else None
    return Workers(role, count, nodes, tp, size("ep"), size("pp"), size("dcp-size"), gpus, bool(block.get("dp-attn")))


def recipe_contradictions(tree: Tree, blocks: Sequence[Block]) -> Iterator[Contradiction]:
    """Comments of a recipe against its settings and its topology."""
    yield from _settings(tree, blocks)
    claimed = []
    for block in blocks:
        if block.column == 1 and not block.trails and not block.holds_yaml:
            claims = [claim for claim in shape_claims(block.text, is_label=False) if claim.topic != "concurrency"]
            if not _counts_both(claims):
                claims = [claim for claim in claims if claim.topic == "gpu"]
            if claims:
                claimed.append((block, claims))
    variants = [variant for variant, _ in recipe_variants(tree)] if claimed else []
    for block, claims in claimed:
        yield from _topology(tree, block, claims, variants)


def _counts_both(claims: list[Claim]) -> bool:
    return {claim.role for claim in claims if claim.topic == "count"} == {"prefill", "decode"}


def _topology(tree: Tree, block: Block, claims: list[Claim], variants: list[Variant]) -> Iterator[Contradiction]:
    """What a recipe says of itself as a whole. The first contradiction of a comment stands for all."""
    sides = [[_of_role(role) for role in variant.roles] for variant in variants if variant.roles]
    place = tree.span(tree.root) if tree.root is not None else block.span(tree, 0, 1)
    resources = tree.root.entry("resources") if isinstance(tree.root, MappingNode) else None
    place = tree.span(resources.key) if resources is not None else Span(place.line, 1, place.line, 1)
    gpus = {variant.gpu_type.lower() for variant in variants if variant.gpu_type}
    for claim in claims:
        found = ""
        if claim.topic == "gpu":
            found = "" if not gpus or claim.value in gpus else ", ".join(sorted(gpus))
        elif sides and all(len(side) == 2 for side in sides):
            found = "" if any(agrees(claim, side) for side in sides) else _instead(claim, sides[0])
        if found:
            yield _contradiction(tree, block, claim, found, place, ())
            return


def _of_role(role: RecipeRole) -> Workers:
    topology = role.topology
    return Workers(
        role.name,
        role.workers,
        tuple(number for number in (role.nodes, (role.workers or 0) * topology.gpus) if number),
        topology.tp if topology.stated else None,
        topology.ep if topology.ep > 1 else None,
        topology.pp,
        topology.dcp,
        topology.gpus,
        topology.dp_attention,
    )


def _settings(tree: Tree, blocks: Sequence[Block]) -> Iterator[Contradiction]:
    """Acceptance lengths in comments behind a setting, or directly above it."""
    for block in blocks:
        line = block.line if block.trails else block.end_line + 1
        text = tree.lines.line_text(line)
        code = text[: block.column - 1] if block.trails else text
        value = acceptance_value(code)
        for claim in acceptance_claims(block.text) if value else []:
            if float(claim.value) not in (float(value or 0), float(value or 0) + 1):
                span = block.span(tree, claim.start, claim.end)
                place = Span(line, len(code) - len(code.lstrip()) + 1, line, len(code.rstrip()) + 1)
                yield Contradiction(span, claim.value, "acceptance length", value or "", place, ())


def _addresses(tree: Tree, above: Mapping[int, Block]) -> Iterator[Contradiction]:
    """The address of a recipe directly above the `CONFIG_FILE=` that names another one."""
    for line, block in above.items():
        addresses = list(_URL.finditer(block.text))
        code = tree.lines.line_text(line)
        named = _CONFIG.search(code) if len(addresses) == 1 else None
        if named is None or basename(named["path"]) == basename(addresses[0]["path"]):
            continue
        span = block.span(tree, addresses[0].start("path"), addresses[0].end("path"))
        place = Span(line, named.start("path") + 1, line, named.end("path") + 1)
        yield Contradiction(span, basename(addresses[0]["path"]), "recipe", basename(named["path"]), place, ())
