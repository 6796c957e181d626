"""The name that was meant by one that is not there: only where it can hardly be another.

Names of this field differ in small ways that mean much (`tp4` and `tep4`, `mi300x-tw` and `mi325x-tw`), so that what
looks alike is no evidence. A slip is something else: another spelling of the same words, or one letter in a long word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"\d+|[^\W\d_]+|\*")
_SHORTEST = 4
"""Letters of the longer of two words of which one may be the other with a slip: shorter ones are abbreviations."""


def meant(text: str, names: Iterable[str]) -> str | None:
    """The one name of which a text is a slip; None where there is none, or more than one."""
    words = _words(text)
    found = {name for name in names if name != text and _is_slip(words, _words(name))}
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=4096)
def _words(text: str) -> list[str]:
    """Words and numbers without their scope (`cluster:`), case and separators left out."""
    return _WORD.findall(text.rpartition(":")[2].lower())


def _is_slip(words: list[str], others: list[str]) -> bool:
    if not words or len(words) != len(others):
        return False
    differing = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    return not differing or (len(differing) == 1 and _is_one_letter(*differing[0]))


def _is_one_letter(word: str, other: str) -> bool:
    """Whether two words differ by one letter too many, too few, wrong, or by two letters that changed places."""
    if not (word.isalpha() and other.isalpha()) or max(len(word), len(other)) < _SHORTEST:
        return False
    shortest = min(len(word), len(other))
    head = next((i for i in range(shortest) if word[i] != other[i]), shortest)
    tail = next((i for i in range(shortest - head) if word[-1 - i] != other[-1 - i]), shortest - head)
    rest, more = word[head : len(word) - tail], other[head : len(other) - tail]
    return max(len(rest), len(more)) <= 1 or (len(rest) == 2 and rest == more[::-1])
