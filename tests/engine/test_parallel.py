"""Parts of a list in processes of their own: whole results in order, and nothing lost when a process fails."""

from __future__ import annotations

import os

import pytest

from reciplint.engine import parallel
from reciplint.engine.parallel import divide, in_processes

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def test_items_are_divided_by_weight() -> None:
    parts = divide([5, 1, 1, 1, 1, 1], lambda item: item, 2)
    assert parts == [[1, 1, 1, 1, 1], [5]]


def test_the_first_part_has_the_last_items_and_none_is_lost() -> None:
    parts = divide(list(range(100)), lambda item: item, 3)
    assert [item for part in reversed(parts) for item in part] == list(range(100))
    assert max(map(sum, parts)) < 1.1 * min(map(sum, parts))
    assert divide([0, 0], lambda item: item, 2) == [[], [0, 0]]


def test_results_come_back_in_the_order_of_the_parts() -> None:
    results = in_processes([["a"], ["b"], ["c"]], lambda part: "".join(part).encode() * 100_000)
    assert [result[:1] for result in results] == [b"a", b"b", b"c"]
    assert all(len(result) == 100_000 for result in results)


def test_parts_are_done_elsewhere_and_something_meanwhile_here() -> None:
    here: list[int] = []
    there = in_processes([[1], [2]], lambda part: str(os.getpid()).encode(), lambda: here.append(os.getpid()))
    assert here == [os.getpid()]
    assert len({*map(int, there), *here}) == 3


def test_a_part_whose_process_fails_is_done_here() -> None:
    parent = os.getpid()

    def work(part: list[int]) -> bytes:
        if os.getpid() != parent:
            raise RuntimeError("killed")
        return str(part).encode()

    assert in_processes([[1], [2]], work) == [b"[1]", b"[2]"]


def test_no_child_is_left_when_the_work_here_fails() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_processes([[1], [2]], lambda part: b"x" * 10_000_000, interrupted)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_one_process_where_none_can_be_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(parallel.os, "fork")
    assert parallel.processes() == 1
