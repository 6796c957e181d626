"""What the catalogues say against the environment variables of a document: that nothing reads them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from reciplint.domain.document import Document
from reciplint.domain.environment import EnvFact, World, variable, worlds
from reciplint.domain.releases import Version, version
from reciplint.domain.serving.config import Variable
from reciplint.domain.serving.constraint_table import constraint_table
from reciplint.domain.serving.flag_checks import Fault
from reciplint.domain.serving.release_spans import Lack, lacking, told
from reciplint.domain.serving.written_arguments import Written, written_processes

_TRANSLATED = "SGL_"
"""SGLang reads what has its former prefix under the present one."""


class _Judged(NamedTuple):
    """A variable that does not do what it says: `lack` tells the release's part in it, "" where no release reads it."""

    fact: EnvFact
    lack: Lack


def variable_faults(document: Document) -> list[Fault]:
    """The variables of a document that nothing reads, each once where it is written, in source order."""
    found: dict[tuple[object, ...], Fault] = {}
    for written in written_processes(document):
        env = written.process.env
        judged = _judged(written.process.engine, written.release, tuple([item.name for item in env]))
        for item in env if judged else ():
            if item.name in judged:
                fault = _fault(written, item, judged[item.name])
                found.setdefault((fault.message, fault.place.start, *fault.values.values()), fault)
    return sorted(found.values(), key=lambda fault: fault.place.start)


@lru_cache(maxsize=1024)
def _judged(engine: str, release: Version | None, names: tuple[str, ...]) -> dict[str, _Judged]:
    """Those variables of a process that nothing reads; the processes of a repository set the same few sets of them."""
    facts = {name: fact for name in names if (fact := _fact(name)) is not None and not fact.open}
    unread = {name: _Judged(fact, "") for name, fact in facts.items() if not fact.known}
    dated = constraint_table().dated_variables
    spans = {name: fact for name, fact in facts.items() if fact.known and fact.span and name not in dated}
    lacks = {name: _Judged(fact, lack) for name, fact in spans.items() if (lack := _lack(engine, release, fact))}
    return {**unread, **lacks}


@lru_cache(maxsize=8192)
def _fact(name: str) -> EnvFact | None:
    return variable(name)


def _fault(written: Written, item: Variable, judged: _Judged) -> Fault:
    fact, lack = judged
    values = {"name": item.name, "owner": fact.owner}
    if not lack:
        values |= {"releases": _releases(fact.owner), "near": _near(fact)}
        is_unsure = _is_unsure(written)
        message = "unsure" if is_unsure else "unread"
        return Fault("unknown-env", message, values, item.place, item.place, (item.name,), is_unsure)
    related = ((written.said_at, "the release that runs it"),) if written.said_at is not None else ()
    values |= {"since": told(fact.span), "said": written.said}
    return Fault("unknown-env", lack, values, item.place, item.place, (item.name, lack), True, related)


@lru_cache(maxsize=1024)
def _near(fact: EnvFact) -> str:
    """The variable that may have been meant: the most like one, or the only one that this one is the beginning of."""
    world = _world(fact.owner)
    if fact.close or world is None:
        return next(iter(fact.close), "")
    names = (*world.names, *(world.prefixes[0] + option for option in world.options))
    longer = {name for name in names if name.startswith(f"{fact.name}_")}
    return longer.pop() if len(longer) == 1 else ""


def _is_unsure(written: Written) -> bool:
    """Whether something may read a variable that no release reads: a branch, or a release beside those looked at."""
    world = _world(written.process.engine)
    if written.release is None or world is None or not world.versions:
        return written.release is None
    oldest, newest = version(world.versions[0]), version(world.versions[-1])
    is_before = oldest is not None and written.release < oldest and written.process.carrier == "recipe"
    return is_before or (newest is not None and newest < written.release)


@lru_cache(maxsize=16)
def _releases(owner: str) -> str:
    """The releases that were looked at; "" where names come from a listing."""
    world = _world(owner)
    return f"{world.versions[0]} to {world.versions[-1]}" if world is not None and world.versions else ""


def _lack(engine: str, release: Version | None, fact: EnvFact) -> Lack:
    """Whether the engine's release is known not to read a variable of the engine's own."""
    world = _world(fact.owner) if fact.owner == engine else None
    if world is None or not fact.name.startswith(world.prefixes) or fact.name.startswith(_TRANSLATED):
        return ""
    return lacking(fact.span, release, world.versions)


@lru_cache(maxsize=16)
def _world(owner: str) -> World | None:
    return next((world for world in worlds() if world.owner == owner), None)
