"""What the table of constraints says of deployments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from reciplint.domain.serving.config import Deployment, Place
from reciplint.domain.serving.constraint_finders import FINDERS, Found
from reciplint.domain.serving.constraint_index import Ready, index_of
from reciplint.domain.serving.constraint_repairs import Repair, repair_of
from reciplint.domain.serving.constraint_settings import Process, Reading
from reciplint.domain.serving.constraint_table import Table, constraint_table
from reciplint.domain.serving.constraint_tests import normal


class Breach(msgspec.Struct, frozen=True):
    """A constraint that does not hold: the row and the case, where, the message's fields, what stands beside it, and
    what tells it from another of the same case. `path` leads to the value in a YAML file, () elsewhere; `choice` is
    what of a vLLM recipe comes to such a command (`default/multi_node_dep/b200`), "" elsewhere. `likely`: it rests on a
    variable that a script does not set, and that whoever starts the script may have set. `repair` sets it right."""

    row: str
    case: str
    place: Place
    values: dict[str, str]
    related: tuple[tuple[Place, str], ...]
    subject: tuple[str, ...]
    path: tuple[str | int, ...] = ()
    choice: str = ""
    likely: bool = False
    repair: Repair | None = None


def breaches(deployments: Iterable[Deployment], profile: str = "", table: Table | None = None) -> list[Breach]:
    """Everything that is broken, once at each place that several deployments share."""
    table = table or constraint_table()
    found: dict[object, Breach] = {}
    for deployment in deployments:
        processes = [Process(config, deployment, table, profile) for config in deployment.processes]
        for process in processes:
            for breach in _in_process(process, table):
                found.setdefault((breach.row, breach.case, breach.place), breach)
        for breach in _between(processes, table):
            found.setdefault((breach.row, breach.case, breach.place, breach.values["name"]), breach)
    return list(found.values())


def _in_process(process: Process, table: Table) -> Iterator[Breach]:
    spoken = ""
    for ready in index_of(table, process.config.engine).about(process):
        if (ready.case.otherwise and spoken == ready.row.id) or not ready.applies(process):
            continue
        for breach in _of_case(process, ready):
            spoken = ready.row.id
            yield breach


def _of_case(process: Process, ready: Ready) -> Iterator[Breach]:
    if ready.case.find:
        for found in FINDERS[ready.case.find](process):
            yield _made(process, ready, found)
    elif ready.is_broken(process):
        yield _made(process, ready, Found(None, {}))


def _made(process: Process, ready: Ready, found: Found) -> Breach:
    row, case = ready.row, ready.case
    main = _main(process, ready)
    place = found.place or main.place or process.config.place
    values = {name: process.read(setting).text for name, setting in case.values.items()}
    return Breach(
        row.id,
        case.name,
        place,
        {**values, **found.values},
        found.related or tuple(_related(process, case.related, place)),
        (case.name, process.config.role, *values.values(), *found.values.values()),
        main.path if found.place is None else (),
        _choice(process),
        _is_likely(process, ready),
        repair_of(process, ready),
    )


def _is_likely(process: Process, ready: Ready) -> bool:
    return process.config.carrier == "command" and any(
        condition.setting.startswith("$") and process.read(condition.setting).where is None
        for condition in ready.require
    )


def _main(process: Process, ready: Ready) -> Reading:
    """The setting where the fault stands: what `at` names first, else what fails, else what the case is about."""
    failing = [condition.setting for condition in ready.require if condition.holds(process) is False]
    for setting in (*ready.case.at, *failing, *ready.case.settings):
        reading = process.read(setting)
        if reading.place is not None:
            return reading
    return Reading()


def _related(process: Process, settings: Iterable[str], main: Place) -> Iterator[tuple[Place, str]]:
    for setting in settings:
        reading = process.read(setting)
        if reading.place is not None and reading.place != main:
            name = setting.lstrip("$")
            yield reading.place, f"{name} is {reading.text}" if reading.text != "true" else f"{name} is on"


def _between(processes: list[Process], table: Table) -> Iterator[Breach]:
    """What prefill and decode workers of one deployment set differently."""
    prefill = [process for process in processes if process.config.role == "prefill"]
    decode = [process for process in processes if process.config.role == "decode"]
    for left in prefill:
        for right in decode:
            if left.config.engine == right.config.engine:
                for ready in index_of(table, left.config.engine).between:
                    if ready.applies(left) and ready.applies(right):
                        yield from _differing(left, right, ready, table)


def _differing(left: Process, right: Process, ready: Ready, table: Table) -> Iterator[Breach]:
    row, case = ready.row, ready.case
    names = left.names | right.names
    for setting in case.same:
        if setting.partition(".")[0] not in names:
            continue
        ours, theirs = left.read(setting), right.read(setting)
        if ours.value is None or theirs.value is None or not (ours.known and theirs.known):
            continue
        if normal(ours.value, table) == normal(theirs.value, table):
            continue
        main, other, role = (theirs, ours, "prefill") if theirs.place is not None else (ours, theirs, "decode")
        name = setting.lstrip("$")
        values = {"name": name, "prefill": ours.text, "decode": theirs.text}
        related = ((other.place, f"{name} of {role}"),) if other.place is not None else ()
        place = main.place or right.config.place
        subject = (case.name, *values.values())
        yield Breach(row.id, case.name, place, values, related, subject, main.path, _choice(right))


def _choice(process: Process) -> str:
    config = process.config
    return "/".join(chosen.value for chosen in config.selectors) if config.carrier == "vllm-recipe" else ""
