"""Parts of a list in processes of their own: whole results in order, and nothing lost when a process fails."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from reciplint.engine.parallel import Stock, divide, in_processes

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def test_shares_are_runs_of_about_equal_weight() -> None:
    shares = divide([500, *[1] * 500], lambda item: item)
    assert shares[0] == [500]
    assert [item for share in shares for item in share] == [500, *[1] * 500]
    assert {sum(share) for share in shares[1:-1]} == {6}
    assert divide([], lambda item: item) == []
    assert divide([0, 0], lambda item: item) == [[0], [0]]


def test_every_number_is_taken_once_from_either_end() -> None:
    stock = Stock(5)
    front, back = stock.from_front(), stock.from_back()
    assert [next(front), next(back), next(front), next(back), next(front)] == [0, 4, 1, 3, 2]
    assert [*front, *back] == []
    stock.close()


def test_every_item_is_given_to_one_process() -> None:
    here: list[tuple[int, int]] = []

    def each(items: Iterator[int]) -> Iterator[tuple[int, int]]:
        for item in items:
            time.sleep(0.002)
            yield item, os.getpid()

    def there(items: Iterator[int]) -> bytes:
        return b"".join(b"%d %d\n" % pair for pair in each(items))

    def meanwhile(items: Iterator[int]) -> None:
        here.extend(each(items))

    shares = divide(list(range(200)), lambda item: 1)
    lines = b"".join(in_processes(shares, 3, there, meanwhile)).split(b"\n")[:-1]
    taken = [*here, *((int(item), int(process)) for item, process in (line.split() for line in lines))]
    assert sorted(item for item, _ in taken) == list(range(200))
    assert {process for item, process in here} == {os.getpid()}
    assert len({process for _, process in taken}) > 1


def test_this_process_takes_the_last_shares_first() -> None:
    here: list[int] = []
    assert in_processes([[1, 2], [3, 4]], 1, lambda items: b"", here.extend) == []
    assert here == [3, 4, 1, 2]


def test_a_process_that_fails_gives_nothing() -> None:
    def there(items: Iterator[int]) -> bytes:
        next(items)
        raise RuntimeError("killed")

    def meanwhile(items: Iterator[int]) -> None:
        time.sleep(0.2)
        here.extend(items)

    here: list[int] = []
    assert in_processes([[1], [2], [3]], 2, there, meanwhile) == []
    assert here == [3, 2]


def test_no_child_is_left_when_the_work_here_fails() -> None:
    def interrupted(items: Iterator[int]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_processes([[1], [2]], 3, lambda items: b"x" * 10_000_000, interrupted)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
