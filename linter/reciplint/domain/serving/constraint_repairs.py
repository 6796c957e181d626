"""What sets right a case of the table of constraints that says how: a flag or a variable, written in the recipe."""

from __future__ import annotations

from typing import NamedTuple

from reciplint.domain.serving.constraint_index import Ready
from reciplint.domain.serving.constraint_settings import Process
from reciplint.domain.serving.constraint_table import Case, Plain
from reciplint.yamltree.edit import InsertEntry, Operation, Path, SetScalar


class Repair(NamedTuple):
    """What it does, in a few words, and the operations on the file of the finding."""

    title: str
    operations: tuple[Operation, ...]


def repair_of(process: Process, ready: Ready) -> Repair | None:
    """The repair that a case has, of the process and of those beside it that are broken alike: what a prefill worker
    sets, a decode worker has to. None where the case has none, an edit does not reach all places, or a worker beside
    them has the setting otherwise, so that only the author knows which was meant."""
    for setting, value in ready.case.sets.items():
        broken = {id(peer): peer for peer in (*process.peers, process) if ready.applies(peer) and ready.is_broken(peer)}
        others = [peer.read(setting) for peer in process.peers if id(peer) not in broken]
        operations = [_written(each, ready.case, setting, value) for each in broken.values()]
        if None in operations or any(other.where is not None and other.text != str(value) for other in others):
            return None
        found = sorted({operation for operation in operations if operation is not None}, key=lambda o: o.pointer)
        return Repair(f"set {setting.lstrip('-$')} to {value}", tuple(found))
    return None


def _written(process: Process, case: Case, setting: str, value: Plain) -> InsertEntry | SetScalar | None:
    if setting.startswith("--"):
        return _flag(process, case, setting, value)
    return _variable(process, setting[1:], value)


def _flag(process: Process, case: Case, setting: str, value: Plain) -> InsertEntry | SetScalar | None:
    """The flag's new value, or the flag behind the one that the case is about, written as that one is."""
    if (written := process.read(setting).path) != ():
        holder = process.config.written.mapping("flags", str(written[-1]))
        return _new_value(holder, str(written[-1]), value)
    beside = next((str(path[-1]) for name in (*case.at, *case.settings) if (path := process.read(name).path)), "")
    holder = process.config.written.mapping("flags", beside) if beside else None
    name = setting[2:].replace("-", "_") if "_" in beside else setting[2:]
    return InsertEntry("", (*holder, name), value, beside) if holder is not None else None


def _variable(process: Process, name: str, value: Plain) -> InsertEntry | SetScalar | None:
    """The variable's new value, or the variable behind the others of the process."""
    if name in process.env:
        return _new_value(process.config.written.mapping("variables", name), name, value)
    holder = process.config.written.mapping("variables")
    return InsertEntry("", (*holder, name), value) if holder is not None else None


def _new_value(holder: Path | None, name: str, value: Plain) -> SetScalar | None:
    return SetScalar("", (*holder, name), value) if holder is not None else None
