"""The golden acceptance lengths: for a model, a way of drafting and a thinking mode, draft tokens → acceptance length.

A curve's file is named by the model prefix, the method, and what sets it apart from others of that method:
`heron2_mtp.yaml`, `heron2_eagle3_gqa.yaml` (another draft head), `heron2_dspark_probabilistic….yaml` (another way of
sampling drafts). It holds one model with its thinking modes. The settings may hold curves as well.

Source: the public benchmark repository's notes on its curves, and its lookup (August and October 2026).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from posixpath import basename
from typing import Any, Literal, NamedTuple

import msgspec

from reciplint.domain.reading import own_entries
from reciplint.domain.speculation import Speculation
from reciplint.yamltree.spans import FILE_START, Span
from reciplint.yamltree.tree import Mapping as MappingNode
from reciplint.yamltree.tree import Scalar, Tree, target

THINKING = "thinking_on"
"""The mode in which agentic runs are measured."""

_PREFIXES = {"dsv4dspark": "dsv4", "dsv4dsparkprob": "dsv4"}
"""Model prefixes that draft by the curves of another one."""

_GQA = "gqa"
_PROBABILISTIC = "probabilistic"


class Cell(msgspec.Struct, frozen=True, array_like=True):
    """One value of a curve, as written, and where."""

    mode: str
    tokens: int
    length: str
    span: Span


class Curve(msgspec.Struct, frozen=True, tag="curve"):
    """The facts of a curve's file."""

    cells: tuple[Cell, ...]


class GoldenCurve(NamedTuple):
    """A curve with what it is for: `path` is its file, or "" for the settings; `marks` tell it from others of the same
    model and method."""

    path: str
    prefix: str
    method: str
    marks: frozenset[str]
    cells: tuple[Cell, ...]

    def at(self, tokens: int) -> Cell | None:
        """The value for a number of draft tokens; None where that was not measured."""
        return next((cell for cell in self.cells if cell.mode == THINKING and cell.tokens == tokens), None)

    @property
    def measured(self) -> tuple[int, ...]:
        """The numbers of draft tokens that were measured."""
        return tuple(sorted(cell.tokens for cell in self.cells if cell.mode == THINKING))

    @property
    def name(self) -> str:
        """What to call it."""
        return basename(self.path) or f"{self.prefix} {' '.join((self.method, *sorted(self.marks)))} of the settings"


class GoldenCurves:
    """Every curve that a project knows."""

    def __init__(self, curves: Iterable[GoldenCurve]) -> None:
        self._by_model: dict[str, list[GoldenCurve]] = {}
        for curve in curves:
            self._by_model.setdefault(curve.prefix, []).append(curve)

    def __bool__(self) -> bool:
        return bool(self._by_model)

    def find(self, prefix: str, speculation: Speculation) -> GoldenCurve | Literal["unknown"] | None:
        """The curve of a model and its way of drafting. None where there is none; "unknown" where several may be
        meant, or where the method is none that curves are named by."""
        known = self._by_model.get(_PREFIXES.get(prefix, prefix), ())
        methods = _methods(speculation)
        if not methods:
            return "unknown"
        for method in methods:
            found = [curve for curve in known if curve.method == method and _is_for(curve, speculation)]
            if len(found) > 1:
                asked = speculation.sampling == _PROBABILISTIC
                found = [curve for curve in found if (_PROBABILISTIC in curve.marks) is asked]
                return found[0] if len(found) == 1 else "unknown"
            if found:
                return found[0]
        return None


def read_curve(tree: Tree) -> Curve:
    """The values of a curve's file; whatever has not the expected shape is left out."""
    cells: list[Cell] = []
    for mode, table in _tables(tree.root):
        for entry in own_entries(table):
            value = target(entry.value)
            if isinstance(value, Scalar) and (entry.name or "").isascii() and (entry.name or "").isdigit():
                cells.append(Cell(mode, int(entry.name or ""), value.value, tree.span(value)))
    return Curve(tuple(cells))


def golden_curves(files: Mapping[str, Curve], extra: Iterable[GoldenCurve] = ()) -> GoldenCurves:
    """The curves of some files by path, and others; a file whose name tells no method is left out."""
    named = (named_curve(path, curve) for path, curve in sorted(files.items()))
    return GoldenCurves([*(curve for curve in named if curve is not None), *extra])


def named_curve(path: str, curve: Curve) -> GoldenCurve | None:
    """A file's curve with what its name says that it is for."""
    prefix, *words = re.split(r"[_-]", basename(path).rpartition(".")[0].lower())
    method = next((word for word in words if word in ("mtp", "eagle3", "dspark")), "")
    if not method:
        return None
    return GoldenCurve(path, prefix, method, frozenset(words) & {_GQA, _PROBABILISTIC}, curve.cells)


def curves_from_settings(items: Iterable[Mapping[str, Any]]) -> tuple[GoldenCurve, ...]:
    """The curves that stand in the settings: `model-prefix`, `method`, `draft-head` and `draft-sample-method` where
    they set a curve apart, and `lengths`, draft tokens → acceptance length."""
    return tuple(
        GoldenCurve(
            "",
            str(item["model-prefix"]).lower(),
            str(item["method"]).lower(),
            frozenset(str(item[key]).lower() for key in ("draft-head", "draft-sample-method") if key in item),
            tuple(Cell(THINKING, int(tokens), str(length), FILE_START) for tokens, length in item["lengths"].items()),
        )
        for item in items
    )


def as_number(text: str) -> Decimal | None:
    """A length as a number; None for anything else."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _methods(speculation: Speculation) -> tuple[str, ...]:
    """The methods by which curves may be named, the likeliest first. Engines call the heads of a model that were
    trained for multi-token prediction `nextn` or `eagle` as well, and a draft model of its own `eagle` or `eagle3`."""
    method = speculation.method
    if method in ("eagle3", "dspark"):
        return (method,)
    if method == "eagle":
        return ("eagle3", "mtp") if speculation.model else ("mtp", "eagle3")
    return ("mtp",) if method == "nextn" or "mtp" in method.split("_") else ()


def _is_for(curve: GoldenCurve, speculation: Speculation) -> bool:
    """Whether a curve's draft head is that of the role, and its sampling not another one."""
    if (_GQA in curve.marks) is not speculation.model.lower().endswith(_GQA):
        return False
    return _PROBABILISTIC not in curve.marks or speculation.sampling in ("", _PROBABILISTIC)


def _tables(root: object) -> Iterable[tuple[str, MappingNode]]:
    """Each thinking mode with its table, of every model of a file."""
    for model in own_entries(root) if isinstance(root, MappingNode) else ():
        modes = target(model.value)
        for mode in own_entries(modes) if isinstance(modes, MappingNode) else ():
            table = target(mode.value)
            if isinstance(table, MappingNode):
                yield mode.name or "", table
