"""What the table's language cannot say: named finders. Each yields what it finds in a process and beside its peers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from reciplint.domain.serving.config import Place
from reciplint.domain.serving.constraint_settings import Path, Process, Reading
from reciplint.domain.serving.constraint_tests import number


class Found(NamedTuple):
    """One fault: where, the values of the message's fields, and what stands beside it."""

    place: Place | None
    values: Mapping[str, str]
    related: tuple[tuple[Place, str], ...] = ()


Finder = Callable[[Process], Iterator[Found]]


class Port(NamedTuple):
    """Ports that a process listens on: the first of `length` in a row."""

    name: str
    first: int
    length: int
    place: Place

    def __str__(self) -> str:
        return str(self.first) if self.length == 1 else f"{self.first}–{self.first + self.length - 1}"

    def meets(self, other: Port) -> bool:
        """Whether both want one port."""
        return self.first < other.first + other.length and other.first < self.first + self.length


_CAPTURES = ("--compilation-config.cudagraph_capture_sizes", "--cudagraph-capture-sizes")
_LARGEST = ("--compilation-config.max_cudagraph_capture_size", "--max-cudagraph-capture-size")
_ADDRESS = re.compile(r":(\d+)\Z")
_ALL_HOSTS = ("", "0.0.0.0", "::", "localhost", "127.0.0.1")  # noqa: S104 (told apart, not bound)


def capture_maximum(process: Process) -> Iterator[Found]:
    """A largest capture size beside a list of sizes of which the last is another. Sizes above the batch's tokens are
    dropped first, as vLLM does."""
    sizes, largest = (_either(process, names) for names in (_CAPTURES, _LARGEST))
    limit = process.read("--max-num-batched-tokens")
    numbers, wanted, most = _numbers(sizes.value), number(largest.value), number(limit.value)
    if not (sizes.known and largest.known and limit.known) or not isinstance(wanted, int):
        return
    kept = [size for size in numbers if not isinstance(most, (int, float)) or size <= most]
    if kept and max(kept) != wanted:
        values = {"largest": str(wanted), "last": str(max(kept))}
        yield Found(largest.place, values, _shown(sizes, f"the largest listed size is {max(kept)}"))


def _either(process: Process, names: tuple[str, ...]) -> Reading:
    readings = [process.read(name) for name in names]
    return next((reading for reading in readings if reading.value is not None), readings[0])


def _numbers(value: object) -> list[int]:
    """A list of whole numbers, also as the words of a command; none where anything else is among them."""
    items = value if isinstance(value, list) else value.split() if isinstance(value, str) else []
    numbers = [number(item) for item in items]
    return [item for item in numbers if isinstance(item, int)] if all(isinstance(n, int) for n in numbers) else []


def ports_within(process: Process) -> Iterator[Found]:
    """Two of a process's ports that are the same."""
    for left, right in combinations(ports(process), 2):
        if left.meets(right):
            values = {"left": right.name, "right": left.name, "port": str(right), "other": str(left)}
            yield Found(right.place, values, ((left.place, f"{left.name} {left}"),))


def ports_between(process: Process) -> Iterator[Found]:
    """Ports of two processes that one script starts on one machine."""
    for peer in process.peers:
        if peer.config.place.start < process.config.place.start and _is_beside(process, peer):
            for own in ports(process):
                for other in ports(peer):
                    if own.meets(other):
                        values = {"left": own.name, "right": other.name, "port": str(own), "other": str(other)}
                        yield Found(own.place, values, ((other.place, f"{other.name} {other} of the other process"),))


def ports_told(process: Process) -> Iterator[Found]:
    """A port that a worker tells others and does not listen on, or looks for where the router does not listen."""
    own = process.read("--port")
    for path, extra in _extras(process):
        told = number(extra.get("http_port"))
        place = process.place_in_transfer((*path, "http_port"))
        listens = number(own.value) if own.known else None
        if isinstance(told, int) and isinstance(listens, int) and told != listens:
            values = {"told": str(told), "listens": str(listens), "name": "http_port", "where": "--port"}
            yield Found(place, values, _shown(own, f"--port {listens}"))
        for router in process.peers if process.config.role != "router" else ():
            asked = number(extra.get("proxy_ping_port"))
            address = router.read("--vllm-discovery-address")
            match = _ADDRESS.search(address.text) if address.known else None
            if isinstance(asked, int) and match and int(match[1]) != asked:
                place = process.place_in_transfer((*path, "proxy_ping_port"))
                where = "the router's --vllm-discovery-address"
                values = {"told": str(asked), "listens": match[1], "name": "proxy_ping_port", "where": where}
                yield Found(place, values, _shown(address, f"the router's discovery listens on {match[1]}"))


def ports(process: Process) -> Iterator[Port]:
    """What a process listens on, as far as it is written. A connector's handshake and notification take a port for
    each tensor parallel rank."""
    own = process.read("--port")
    first = number(own.value) if own.known else None
    if isinstance(first, int) and own.place is not None:
        yield Port("--port", first, 1, own.place)
    address = process.read("--vllm-discovery-address")
    match = _ADDRESS.search(address.text) if address.known else None
    if match and address.place is not None:
        yield Port("--vllm-discovery-address", int(match[1]), 1, address.place)
    for flag in ("--prometheus-port", "--data-parallel-rpc-port"):
        other = process.read(flag)
        first = number(other.value) if other.known else None
        if isinstance(first, int) and other.place is not None:
            yield Port(flag, first, 1, other.place)
    ranks = number(process.read("--tensor-parallel-size").value)
    for path, extra in _extras(process):
        for name in ("handshake_port", "notify_port"):
            first, place = number(extra.get(name)), process.place_in_transfer((*path, name))
            if isinstance(first, int) and place is not None:
                yield Port(name, first, ranks if isinstance(ranks, int) else 1, place)
    channel = process.read("$VLLM_NIXL_SIDE_CHANNEL_PORT")
    first = number(channel.value) if channel.known else None
    if isinstance(first, int) and channel.place is not None:
        yield Port("VLLM_NIXL_SIDE_CHANNEL_PORT", first, 1, channel.place)


def _extras(process: Process) -> Iterator[tuple[Path, Mapping[str, object]]]:
    for path, config in process.connectors:
        extra = config.get("kv_connector_extra_config")
        if isinstance(extra, dict):
            yield (*path, "kv_connector_extra_config"), extra


def _is_beside(left: Process, right: Process) -> bool:
    """Whether one run of a script starts both here: by the same assumptions, on hosts that are all or this one, and
    neither by a launcher that leads elsewhere."""
    pair = (left, right)
    return (
        all(each.config.carrier == "command" for each in pair)
        and left.config.selectors == right.config.selectors
        and all(each.read("--host").text in _ALL_HOSTS for each in pair)
        and not any(_is_sent_away(each) for each in pair)
    )


def _is_sent_away(process: Process) -> bool:
    place = process.config.place
    text = place.source.lines.text
    return bool(re.search(r"\b(?:ssh|srun|mpirun|kubectl|docker|podman)\b", text[place.start : place.end]))


def _shown(reading: Reading, words: str) -> tuple[tuple[Place, str], ...]:
    return ((reading.place, words),) if reading.place is not None else ()


FINDERS: Mapping[str, Finder] = {
    "capture-maximum": capture_maximum,
    "ports-within": ports_within,
    "ports-between": ports_between,
    "ports-told": ports_told,
}
"""The finders by the name that the table gives them."""
