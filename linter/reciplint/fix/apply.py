"""Apply the operations of fixes, one after another, each proved before the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from reciplint.fix.prove import Unproved, prove
from reciplint.rules.finding import Finding
from reciplint.yamltree.edit import Edit, Operation, Refused, apply_edits, resolve
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.tree import Tree


@dataclass(frozen=True)
class Together:
    """The files after the fixes that went through, which those were, and why others did not."""

    files: dict[str, bytes]
    done: list[Finding]
    refused: list[tuple[Finding, str]]


def apply_together(findings: Iterable[Finding], files: Mapping[str, bytes], read: Callable[[str], bytes]) -> Together:
    """Carry out the fixes of findings on `files` and what `read` gives for others. A fix of which an operation is
    refused, or would change more than it says, is left out whole."""
    wanted, refused = list(findings), []
    while True:
        texts, reasons = _attempt(wanted, files, read)
        failed = {id(item): why for item in wanted for why in _reasons(item, reasons)}
        refused += [(item, failed[id(item)]) for item in wanted if id(item) in failed]
        partly = any(id(item) in failed and len(_operations(item)) > 1 for item in wanted)
        wanted = [item for item in wanted if id(item) not in failed]
        if not partly:
            changed = {path: text.encode("utf-8") for path, text in texts.items()}
            return Together({**files, **changed}, wanted, refused)


def _attempt(
    findings: list[Finding], files: Mapping[str, bytes], read: Callable[[str], bytes]
) -> tuple[dict[str, str], dict[Operation, str]]:
    """The texts that changed, and the operations that did not go through."""
    texts, refused = {}, {}
    for path, operations in sorted(_by_path(findings).items()):
        before = (files[path] if path in files else read(path)).decode("utf-8")
        applied = apply_operations(before, operations)
        refused.update(applied.refused)
        if applied.text != before:
            texts[path] = applied.text
    return texts, refused


def _by_path(findings: list[Finding]) -> dict[str, dict[Operation, None]]:
    """Every operation once, by the file that it is for."""
    wanted: dict[str, dict[Operation, None]] = {}
    for finding in findings:
        for operation in _operations(finding):
            wanted.setdefault(operation.path, {})[operation] = None
    return wanted


def _operations(finding: Finding) -> tuple[Operation, ...]:
    return finding.fix.operations if finding.fix is not None else ()


def _reasons(finding: Finding, refused: Mapping[Operation, str]) -> list[str]:
    return [refused[operation] for operation in _operations(finding) if operation in refused][:1]


@dataclass(frozen=True)
class Applied:
    """The text after the operations that went through, and those that did not, with the reason."""

    text: str
    refused: dict[Operation, str]


def apply_operations(text: str, operations: Iterable[Operation]) -> Applied:
    """Carry out operations in an order in which none makes another one mean something else; one that is refused or that
    would change more than it says is left out."""
    refused: dict[Operation, str] = {}
    tree: Tree | None = None
    for operation in in_turn(operations):
        try:
            tree = _applied(tree or _parsed(text), operation)
        except (Refused, Unproved) as reason:
            refused[operation] = str(reason)
    return Applied(text if tree is None else tree.text, refused)


def in_turn(operations: Iterable[Operation]) -> list[Operation]:
    """Operations in an order in which each still finds what it was made for."""
    return sorted(operations, key=lambda operation: operation.turn)


def apply_one(text: str, operation: Operation) -> str:
    """The text after one operation. Raises `Refused` or `Unproved`."""
    return _applied(_parsed(text), operation).text


def _parsed(text: str) -> Tree:
    try:
        return parse_text(text)
    except Unreadable as unreadable:
        raise Refused(f"the file cannot be parsed ({unreadable.problem.kind})") from None


def _applied(tree: Tree, operation: Operation) -> Tree:
    return prove(tree, apply_edits(tree.text, resolve(tree, operation)), operation)


def edits_of(text: str, operation: Operation) -> list[Edit]:
    """The proved edits of one operation on a text. Raises `Refused` or `Unproved`."""
    tree = parse_text(text)
    edits = resolve(tree, operation)
    prove(tree, apply_edits(text, edits), operation)
    return edits
