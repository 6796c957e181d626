"""The words of a master key beside its fields and its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from reciplint.domain.master import MasterEntry, Row, Workers
from reciplint.domain.name_claims import is_precision, judged_tokens
from reciplint.domain.name_tokens import Token, read_name

_ENGINES = {"vllm": "vllm", "sglang": "sglang", "trt": "trt", "trtllm": "trt", "atom": "atom", "tilert": "tilert"}


class KeyFault(NamedTuple):
    """A word of a key that nothing agrees with, and what there is instead: a field with its value, or the words that
    would say what the rows hold."""

    text: str
    found: str


def key_faults(entry: MasterEntry) -> Iterator[KeyFault]:
    """The words of a key that neither its fields nor any row agrees with. How many tokens are drafted is no setting of
    a row, so a number after the method says nothing here: the recipe's own name is held to it."""
    for token in dict.fromkeys(judged_tokens(entry.key)):
        found = _instead(token, entry)
        if found:
            yield KeyFault(token.text, found)
    engine = _other_engine(entry)
    if engine is not None:
        yield engine


def _instead(token: Token, entry: MasterEntry) -> str:
    """What there is instead of what a word says; "" where something agrees or nothing is known."""
    if token.topic == "gpu":
        runner = (entry.runner or "").lower()
        return "" if token.word in runner or not _gpus(runner) else f"runner: {entry.runner}"
    if token.topic == "precision":
        agrees = not entry.precision or is_precision(token.word, entry.precision.lower())
        return "" if agrees else f"precision: {entry.precision}"
    if token.topic == "lengths":
        known = [arm.scenario for arm in entry.arms]
        return "" if token.word in known or None in [arm.isl for arm in entry.arms] else _listed("", known)
    return _other_rows(token, entry, [row for arm in entry.arms for row in arm.rows])


def _other_rows(token: Token, entry: MasterEntry, rows: list[Row]) -> str:
    if token.topic == "draft":
        methods = {row.spec_decoding or "none" for row in rows}
        agrees = "none" in methods if token.word == "nodraft" else methods != {"none"}
        return "" if agrees else _listed("spec-decoding", methods)
    if token.topic == "serving":
        if (token.word == "disagg") == entry.disagg or (token.word == "disagg") in map(_is_split, rows):
            return ""
        return f"disagg: {'true' if entry.disagg else 'false'}"
    if token.topic == "workers":
        return "" if any(_has_counts(token, row) for row in rows) else _listed("", map(_counts, rows))
    if token.topic == "shape":
        blocks = [block for row in rows for block in row.workers if block.count != 0]
        agrees = any(all(_has_size(kind, size, block) for kind, size in token.sizes) for block in blocks)
        return "" if agrees else _listed("", map(_sizes, blocks))
    return ""


def _gpus(runner: str) -> bool:
    return any(token.topic == "gpu" for token in read_name(runner.replace(":", "-")))


def _other_engine(entry: MasterEntry) -> KeyFault | None:
    named = [word for word in entry.key.lower().split("-") if word in _ENGINES]
    framework = {_ENGINES[word] for word in (entry.framework or "").lower().split("-") if word in _ENGINES}
    if not named or not framework or any(_ENGINES[word] in framework for word in named):
        return None
    return KeyFault(named[0], f"framework: {entry.framework}")


def _listed(name: str, values: Iterable[str]) -> str:
    shown = ", ".join(sorted({value for value in values if value}, key=lambda text: (len(text), text)))
    return f"{name}: {shown}" if name and shown else shown


def _is_split(row: Row) -> bool:
    return {block.role for block in row.workers if block.count != 0} >= {"prefill", "decode"}


def _has_counts(token: Token, row: Row) -> bool:
    blocks = {block.role: block for block in row.workers}
    for role, count in zip(("prefill", "decode"), token.numbers, strict=True):
        block = blocks.get(role)
        if count is not None and (block is None or not _counts_so_many(block, count)):
            return False
    return True


def _counts_so_many(block: Workers, count: int) -> bool:
    """Whether a block has so many workers, or so many nodes of four or of eight GPUs."""
    workers = 1 if block.count is None else block.count
    gpus = workers * (block.tp or 1) * (block.pp or 1) * (block.pcp or 1)
    return count in (workers, -(-gpus // 4), -(-gpus // 8))


def _counts(row: Row) -> str:
    counts = {block.role: 1 if block.count is None else block.count for block in row.workers}
    return f"{counts['prefill']}p{counts['decode']}d" if counts.keys() >= {"prefill", "decode"} else ""


def _has_size(kind: str, size: int, block: Workers) -> bool:
    """Whether a block has a size; data parallelism shows in a row only as `dp-attn`, or as its expert size."""
    sizes = {"tp": block.tp, "ep": block.ep, "pp": block.pp, "dcp": block.dcp, "pcp": block.pcp}
    if kind in ("dep", "tep", "dp"):
        return size in (block.tp, block.ep) or (kind == "dp" and bool(block.dp_attn))
    return (sizes[kind] or 1) == size


def _sizes(block: Workers) -> str:
    sizes = (("tp", block.tp), ("ep", block.ep), ("pp", block.pp), ("dcp", block.dcp), ("pcp", block.pcp))
    return "".join(f"{kind}{size}" for kind, size in sizes if size is not None and (size > 1 or kind == "tp"))
