"""Releases: their order, the spans of releases in which a name exists, and which release an image holds.

A *span* is `()` where all releases that were looked at have a name, `(first,)` from one on, `(first, last)` until
another; `first` is None where the oldest has it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from reciplint.domain.components import image_name

Span = tuple[str | None, ...]

_FINAL = 1_000
"""A candidate's number below this one comes before the release itself."""

_VERSION = re.compile(r"v?(\d+(?:\.\d+)+)(?:\.?(rc|post)(\d+))?\Z")
_TAG = re.compile(r"v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:rc|post)\d+)?)((?:-\w+(?:\.\d+)*)*)\Z", re.ASCII)
_BUILD = re.compile(
    r"(?:cu|cuda|rocm|ubuntu|py|torch)[\d.]+|mi\d+x|[gb]+\d{3}|h\d{3}|amd64|arm64|aarch64|x86_64|runtime|base|slim|devel"
)
"""What a tag says of how a release was built. Anything else (a date, a commit, a branch) is no release any more."""

_ENGINES = (
    (re.compile(r"(?:^|/)vllm/vllm-openai(?:-(?:rocm|cpu|xpu))?\Z"), "vllm"),
    (re.compile(r"(?:^|/)vllm/vllm-omni(?:-rocm)?\Z"), "vllm-omni"),
    (re.compile(r"(?:^|/)lmsysorg/sglang(?:-rocm)?\Z"), "sglang"),
    (re.compile(r"(?:^|/)nvidia/tensorrt-llm/release\Z"), "trtllm"),
    (re.compile(r"(?:^|/)nvidia/ai-dynamo/[\w-]+\Z"), "dynamo"),
)


class Version(NamedTuple):
    """A release, ordered as releases follow each other: 0.5.3rc1 < 0.5.3 < 0.5.3.post1 < 0.5.4."""

    release: tuple[int, ...]
    step: int = 0

    def __str__(self) -> str:
        tail = f".post{self.step}" if self.step > 0 else f"rc{self.step + _FINAL}" if self.step else ""
        return ".".join(map(str, self.release)) + tail


@lru_cache(maxsize=4096)
def version(text: str) -> Version | None:
    """A release by its name, with `v` or without; None for anything else (`nightly`, a commit, `latest`)."""
    match = _VERSION.match(text.strip())
    if match is None:
        return None
    release = tuple(map(int, match[1].split(".")))
    release += (0,) * (3 - len(release))
    number = int(match[3] or 0)
    return Version(release, {None: 0, "post": number, "rc": number - _FINAL}[match[2]])


def holds(span: Span, at: Version | None) -> bool:
    """Whether a span covers a release; where the release is not known, whether any has the name."""
    first, last = since(span), until(span)
    return at is None or ((first is None or first <= at) and (last is None or at <= last))


def since(span: Span) -> Version | None:
    """The first release of a span; None where the oldest looked at has the name."""
    return version(span[0]) if span and span[0] is not None else None


def until(span: Span) -> Version | None:
    """The last release of a span; None where the newest has the name."""
    return version(span[1]) if len(span) > 1 and span[1] is not None else None


def engine_of(image: str) -> str:
    """The engine whose project publishes an image, by the image's name; "" for anyone else's image. Dynamo's images
    are numbered as Dynamo is, whichever engine is in them."""
    name = _parts(image)[0]
    return next((engine for pattern, engine in _ENGINES if pattern.search(name)), "")


def engine_version(image: str, engine: str) -> Version | None:
    """The release of an engine that an image of its own project holds: `vllm/vllm-openai:v0.20.1`, also with a build
    behind it (`…:v0.5.14-cu130@sha256:…`). None where that cannot be told: a nightly, a branch, a dated or patched
    build, a release candidate of an engine whose catalogue knows releases, another project's image."""
    if engine_of(image) != engine:
        return None
    match = _TAG.match(_parts(image)[1])
    if match is None or not all(_BUILD.fullmatch(part) for part in match[2].split("-")[1:]):
        return None
    found = version(match[1])
    return found if found is None or found.step >= 0 or engine == "trtllm" else None


def _parts(image: str) -> tuple[str, str]:
    """Name and tag of an image reference, without its digest."""
    reference = image_name(image.strip()).partition("@")[0]
    name, _, tag = reference.rpartition(":")
    return (name, tag) if name and "/" not in tag else (reference, "")
