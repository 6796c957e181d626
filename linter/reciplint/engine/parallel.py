"""Work on two cores: the parts of a list go to forked processes, and come back as bytes.

A cold run over a few hundred files is nearly all parsing, which holds the interpreter's lock. Forking shares what is
loaded already; a part whose process fails is simply done again here.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")

_MOST = 4


def processes() -> int:
    """How many processes may work at once here: 1 where none can be forked."""
    if not hasattr(os, "fork"):
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST)


def divide(items: Sequence[Item], weight: Callable[[Item], int], parts: int) -> list[list[Item]]:
    """Divide items into parts of about equal weight, in their order: the first part gets the last items."""
    divided: list[list[Item]] = [[] for _ in range(parts)]
    whole = sum(map(weight, items))
    done = 0
    for item in items:
        middle = done + weight(item) / 2
        divided[-1 - min(int(middle * parts / whole) if whole else 0, parts - 1)].append(item)
        done += weight(item)
    return divided


def in_processes(
    parts: list[list[Item]], work: Callable[[list[Item]], bytes], meanwhile: Callable[[], None] = lambda: None
) -> list[bytes]:
    """`work` on every part, each in a process of its own, and `meanwhile` here."""
    children = [_fork(part, work) for part in parts]
    try:
        meanwhile()
        results = []
        for part, (_, stream) in zip(parts, children, strict=True):
            data = _read_all(stream)
            results.append(data[1:] if data[:1] == b"+" else work(part))
        return results
    finally:
        for child, stream in children:
            os.close(stream)
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _fork(part: list[Item], work: Callable[[list[Item]], bytes]) -> tuple[int, int]:
    """A child's process id, and where its result can be read: "+" and the bytes, or nothing if it failed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        os.close(reading)
        data = memoryview(b"+" + work(part))
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _read_all(stream: int) -> bytes:
    parts = []
    while part := os.read(stream, 1 << 20):
        parts.append(part)
    return b"".join(parts)
