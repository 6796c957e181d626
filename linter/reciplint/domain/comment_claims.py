"""What comments claim in figures of the values they stand on: shapes, counts, concurrencies, images, hardware.

Only forms that say one thing are claims: `2P1D`, `1p1d-dep4-dep8`, `4 prefill (DEP=8)`, `conc=64`, `image v0.5.12`,
`36 GB300 GPUs`. A claim that is missed costs less than one that nobody made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from reciplint.domain.comment_blocks import is_hedged, sentences

Topic = Literal["count", "size", "concurrency", "image", "gpu", "acceptance"]


class Claim(NamedTuple):
    """A claim at `start` to `end` of a comment's text. `role` is prefill, decode or "" for any; `kind` the size's
    (`tp`, `dep`, …) or the unit counted (`worker`, `node`, "" for either); `value` a number, a version or a GPU."""

    topic: Topic
    start: int
    end: int
    value: str
    role: str = ""
    kind: str = ""

    @property
    def number(self) -> int:
        """The value of a count, a size or a concurrency."""
        return int(self.value)


class Workers(NamedTuple):
    """One role as values have it, None where they are silent. `nodes` are every number of nodes that it may be."""

    role: str
    workers: int | None
    nodes: tuple[int, ...]
    tp: int | None
    ep: int | None
    pp: int
    dcp: int
    gpus: int
    dp_attention: bool


_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_NUMBERS = {word: str(number) for number, word in enumerate(_WORDS, 1)}
_COUNT = rf"\d+|{'|'.join(_NUMBERS)}"
_SIZE = r"(?:DEP|TEP|TP)=?\d+"
_PAIR = re.compile(
    r"(?<![\w/.-])(?P<p>\d+)\s?P\s?[+:]?\s?(?P<d>\d+)\s?D\b"
    r"(?P<shapes>(?:-(?:dep|tep|tp)\d+){2})?(?![\w/.-])",
    re.IGNORECASE,
)
_NO_COUNT = r"(?!\s+(?:steps?|tokens?|requests?|graphs?|ranks?|batch))"
_ROLE = re.compile(
    rf"(?<![\w/.=-])(?P<count>{_COUNT})[xPD]?\s+(?P<before>{_SIZE}\s+)?(?P<role>prefill|decode)\b{_NO_COUNT}"
    rf"(?P<unit>\s+(?:worker|node)s?\b)?"
    rf"(?:(?:\s+(?:at|@)\s+|\s*\(|\s+)(?P<after>{_SIZE})(?:/EP=?(?P<ep>\d+))?)?",
    re.IGNORECASE,
)
_ANY_SIZE = re.compile(r"(?<![\w/.=-])(?P<kind>DEP|TEP|TP|EP)=?(?P<size>\d+)(?![\w.=-])")
_AFTER_SLASH = re.compile(r"(?<=\d/)(?P<kind>EP)(?P<size>\d+)(?![\w.=-])")
_CONC = re.compile(r"(?:^|[,:;(]\s?)conc(?:urrency)?=(?P<value>\d+)(?=[.)\s]*$)")
_IMAGE_WORD = re.compile(r"(?i)\bimage\b")
_VERSION = re.compile(r"(?<![\w./])(?:[\w./-]+:)?v?(?P<value>\d+\.\d+\.\d+(?:\.?(?:post|rc|dev)\d+)?)(?:-[\w.-]*\w)?")
_GPU = r"GB200|GB300|B200|B300|H100|H200|MI300X|MI325X|MI355X"
_GPUS = re.compile(rf"\b\d+ (?P<a>{_GPU}) GPUs\b|\b(?P<b>{_GPU}) has \d+ GPUs\b")
_ACCEPTANCE = re.compile(r"\b(?:AL|acceptance length)\s*(?:of|is|=)?\s*\(?(?P<value>\d\.\d+)\b")
_ACCEPTANCE_VALUE = re.compile(
    r"(?:ACCEPTANCE_LENGTH|acceptance_length|ACC_LEN|acceptance-length)[\"']?\s*[:=]\s*[\"']?(?P<value>\d+(?:\.\d+)?)"
)
_LIKENESS = re.compile(r"(?i)\b(?:match\w*|same|similar|identical|reference|align\w*|compar\w*|counterpart)\b")
_TOPOLOGY = re.compile(r"(?i)\d\s?P\s?[+:]?\s?\d|prefill|decode|EP=?\d|TP=?\d|conc=|GPUs")


def shape_claims(text: str, *, is_label: bool) -> list[Claim]:
    """Claims on workers, sizes, concurrency and hardware. In a label, one line that stands on one row, a size without a
    role counts too, and likeness to another row is a claim; in longer texts the other may differ."""
    found: list[Claim] = []
    if _TOPOLOGY.search(text) is None:
        return found
    for start, sentence in sentences(text):
        here = _claims(sentence, is_label) if _TOPOLOGY.search(sentence) is not None else []
        if here and not is_hedged(sentence) and (is_label or not _LIKENESS.search(sentence)):
            found += [claim._replace(start=claim.start + start, end=claim.end + start) for claim in here]
    return found


def _claims(sentence: str, is_label: bool) -> list[Claim]:
    found = list(_pairs(sentence, is_label))
    if "efill" in sentence or "ecode" in sentence:
        found += _roles(sentence)
    if is_label:
        covered = [(claim.start, claim.end) for claim in found]
        found += [claim for claim in _sizes(sentence) if not any(a <= claim.start < b for a, b in covered)]
    found += [Claim("concurrency", *match.span("value"), match["value"]) for match in _CONC.finditer(sentence)]
    for match in _GPUS.finditer(sentence):
        group = "a" if match["a"] else "b"
        found.append(Claim("gpu", *match.span(group), match[group].lower()))
    return found


def image_claims(text: str) -> Iterator[Claim]:
    """Versions of the image, each from a sentence that calls it one and names no other version."""
    if _IMAGE_WORD.search(text) is None:
        return
    for start, sentence in sentences(text):
        versions = list(_VERSION.finditer(sentence))
        if len(versions) == 1 and _IMAGE_WORD.search(sentence) and not is_hedged(sentence[: versions[0].end()]):
            match = versions[0]
            yield Claim("image", start + match.start("value"), start + match.end("value"), match["value"])


def acceptance_claims(text: str) -> Iterator[Claim]:
    """The acceptance length that a comment names, unless it names several."""
    if len({match["value"] for match in _ACCEPTANCE.finditer(text)}) == 1:
        for start, sentence in sentences(text):
            match = None if is_hedged(sentence) else _ACCEPTANCE.search(sentence)
            if match is not None:
                yield Claim("acceptance", start + match.start("value"), start + match.end("value"), match["value"])


def acceptance_value(line: str) -> str | None:
    """The acceptance length that a line of the file sets."""
    match = _ACCEPTANCE_VALUE.search(line)
    return match["value"] if match else None


def _pairs(sentence: str, is_label: bool) -> Iterator[Claim]:
    """Pairs of counts; in longer texts those that open a sentence, since others may be names, as in `the 1p1d row`."""
    for match in _PAIR.finditer(sentence):
        before = sentence[: match.start()].rstrip()
        if before.endswith(("the", "The")) or (before and not is_label):
            continue
        for role, name in (("prefill", "p"), ("decode", "d")):
            yield Claim("count", *match.span(), match[name], role)
        shapes = re.findall(r"(dep|tep|tp)(\d+)", (match["shapes"] or "").lower())
        for role, (kind, size) in zip(("prefill", "decode"), shapes, strict=False):
            yield Claim("size", *match.span(), size, role, kind)


def _roles(sentence: str) -> Iterator[Claim]:
    counts_nodes = sentence.lstrip().startswith("Nodes:")
    for match in _ROLE.finditer(sentence):
        role = match["role"].lower()
        count = _NUMBERS.get(match["count"].lower(), match["count"])
        unit = "node" if counts_nodes else (match["unit"] or "").strip().lower().rstrip("s")
        yield Claim("count", match.start(), max(match.end("role"), match.end("unit")), count, role, unit)
        for group in ("before", "after"):
            size = re.fullmatch(r"(dep|tep|tp)=?(\d+)", (match[group] or "").strip().lower())
            if size is not None:
                end = match.start(group) + len(match[group].rstrip())
                yield Claim("size", match.start(group), end, size[2], role, size[1])
        if match["ep"]:
            yield Claim("size", *match.span("ep"), match["ep"], role, "ep")


def _sizes(sentence: str) -> Iterator[Claim]:
    for pattern in (_ANY_SIZE, _AFTER_SLASH):
        for match in pattern.finditer(sentence):
            yield Claim("size", match.start("kind"), match.end("size"), match["size"], "", match["kind"].lower())


def agrees(claim: Claim, workers: Sequence[Workers]) -> bool:
    """Whether a claim on counts or sizes holds of some workers; what these do not tell is held to agree."""
    meant = [one for one in workers if claim.role in ("", one.role)]
    if claim.role and not meant:
        return len(workers) == 1 and claim.topic == "size"
    if claim.topic == "count":
        return any(_counts(claim, one) for one in meant)
    return any(_has_size(claim.kind, claim.number, one) for one in meant)


def _counts(claim: Claim, one: Workers) -> bool:
    if one.workers is None or (claim.kind == "node" and not one.nodes):
        return True
    numbers = {"worker": (one.workers,), "node": one.nodes}.get(claim.kind, (one.workers, *one.nodes))
    return claim.number in numbers


def _has_size(kind: str, size: int, one: Workers) -> bool:
    """Both spellings of data and expert parallelism count: `TP1 x DP4` of a row that says tp 4, `TP4` of 4 GPUs."""
    known = (one.tp, one.ep, one.gpus)
    if one.tp is None:
        return True
    if kind == "tp":
        return size in (one.tp, one.gpus) or (one.dp_attention and one.gpus % size == 0)
    if kind == "ep":
        return size in (one.ep, one.gpus) or one.ep is None
    return size in known and (one.dp_attention or kind == "tep" or size == 1)
