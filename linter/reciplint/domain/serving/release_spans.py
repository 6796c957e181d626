"""Whether a release certainly lacks a name, by the span of releases that have it, and how to say so."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from reciplint.domain.releases import Span, Version, since, until, version

Lack = Literal["", "gone", "new"]


def lacking(span: Span, release: Version | None, versions: tuple[str, ...]) -> Lack:
    """Whether a release lacks a name for certain: it came later ("new") or went before ("gone").

    Of a release that was not looked at nothing is certain if its neighbours among `versions` differ.
    """
    if release is None or not span:
        return ""
    before, after = _around(release, versions)
    first, last = since(span), until(span)
    if first is not None and release < first:
        return "new" if after is None or after < first else ""
    if last is not None and last < release:
        return "gone" if before is None or last < before else ""
    return ""


@lru_cache(maxsize=512)
def _around(release: Version, versions: tuple[str, ...]) -> tuple[Version | None, Version | None]:
    """The nearest releases looked at on both sides; the release itself twice where it was looked at."""
    known = [found for text in versions if (found := version(text)) is not None]
    before = max((found for found in known if found <= release), default=None)
    after = min((found for found in known if found >= release), default=None)
    return before, after


def told(span: Span) -> str:
    """A span in words: "since 0.20.0", "until 0.19.1", "from 0.13.0 to 0.19.1"."""
    first, last = since(span), until(span)
    if last is None:
        return f"since {first}"
    return f"until {last}" if first is None else f"from {first} to {last}"
