"""Work on several cores: forked processes take shares of a list until none is left, and give back bytes.

A cold run over a few hundred files is nearly all parsing, which holds the interpreter's lock. Forking shares what is
loaded already. What a file costs is not known before it is read, so shares are not dealt out: who is done with one
takes the next.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")

_MOST = 4
_SHARES = 192


def processes() -> int:
    """How many processes may work at once here: 1 where none can be forked."""
    if not hasattr(os, "fork"):
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST)


def divide(items: Sequence[Item], weight: Callable[[Item], int]) -> list[list[Item]]:
    """Divide items, in their order, into shares of about equal weight, at most `_SHARES`."""
    least = sum(map(weight, items)) / _SHARES
    shares: list[list[Item]] = []
    held = least
    for item in items:
        if held >= least:
            shares.append([])
            held = 0
        shares[-1].append(item)
        held += weight(item)
    return shares


class Stock:
    """The numbers below `count`, at most 256, which processes take from both ends until none is left.

    A pipe gives each of its bytes to one reader alone: who has drawn one of as many tickets as there are numbers may
    take a number, so that the ends never cross.
    """

    def __init__(self, count: int) -> None:
        self._tickets = _filled_pipe(bytes(count))
        self._fronts = _filled_pipe(bytes(range(count)))
        self._back = count

    def from_front(self) -> Iterator[int]:
        """The next numbers from the front, which any process may call."""
        while os.read(self._tickets, 1):
            yield os.read(self._fronts, 1)[0]

    def from_back(self) -> Iterator[int]:
        """The next numbers from the back, which one process alone may call."""
        while os.read(self._tickets, 1):
            self._back -= 1
            yield self._back

    def close(self) -> None:
        """Give the pipes back."""
        os.close(self._tickets)
        os.close(self._fronts)


def in_processes(
    shares: Sequence[Sequence[Item]],
    processes: int,
    there: Callable[[Iterator[Item]], bytes],
    here: Callable[[Iterator[Item]], None],
) -> list[bytes]:
    """Give every item once, to `here` in this process, the last shares first, or to `there` in one of the others. The
    bytes of those that did not fail; what a failed one took is in none of them."""
    stock = Stock(len(shares))
    children: list[tuple[int, int]] = []
    try:
        for _ in range(processes - 1):
            children.append(_fork(lambda: there(item for number in stock.from_front() for item in shares[number])))
        here(item for number in stock.from_back() for item in shares[number])
        results = [_read_all(stream) for _, stream in children]
        return [data[1:] for data in results if data[:1] == b"+"]
    finally:
        stock.close()
        for child, stream in children:
            os.close(stream)
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _fork(work: Callable[[], bytes]) -> tuple[int, int]:
    """A child's process id, and where its result can be read: "+" and the bytes, or nothing if it failed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        os.close(reading)
        data = memoryview(b"+" + work())
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _filled_pipe(data: bytes) -> int:
    """The end to read of a pipe that holds some bytes and gets no more."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return reading


def _read_all(stream: int) -> bytes:
    parts = []
    while part := os.read(stream, 1 << 20):
        parts.append(part)
    return b"".join(parts)
