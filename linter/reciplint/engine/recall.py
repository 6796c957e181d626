"""Findings of whole trees by content: what project and change rules said of the same files under the same settings.

Only what a rule may see decides: the bytes of every file of a tree, the rules that ran and their options, the review
date, the pull request. A rule that fails is asked again the next time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

import msgspec

from reciplint.engine.cache import Cache
from reciplint.rules.finding import Finding

_ENCODER = msgspec.msgpack.Encoder()


def tree_digest(blobs: Mapping[str, str]) -> str:
    """A digest of which files a tree has and what is in them."""
    lines = "\0".join(f"{path}\0{blob}" for path, blob in sorted(blobs.items()))
    return hashlib.blake2b(lines.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def recall(cache: Cache, parts: tuple[str, ...], compute: Callable[[], list[Finding]]) -> list[Finding]:
    """The findings that these parts determine: as remembered, else computed and kept."""
    if not cache.is_open:
        return compute()
    key = cache.key("findings", *parts)
    known = cache.fetch([key]).get(key)
    if known is not None:
        try:
            return msgspec.msgpack.decode(known, type=list[Finding])
        except (msgspec.MsgspecError, ValueError):
            pass
    found = compute()
    if not any(finding.rule == "internal-error" for finding in found):
        try:
            cache.store({key: _ENCODER.encode(found)})
        except (OverflowError, UnicodeEncodeError):
            return found
    return found
