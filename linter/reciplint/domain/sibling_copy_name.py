"""The parts of a master key's name, and what another name changes: model, precision, hardware, framework, arm."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from reciplint.domain.master import MasterEntry
from reciplint.domain.name_tokens import read_name

_KEY = re.compile(r"[a-z0-9][a-z0-9.]*(-[a-z0-9.]+)+\Z")


class NotCopied(Exception):
    """A key that is not made after another; the text says why."""


@dataclass(frozen=True)
class KeyName:
    """`<model prefix>-<precision>-<hardware>-<framework>` with the words of the arm behind it."""

    prefix: str
    precision: str
    hardware: str
    framework: str
    arm: tuple[str, ...]


def read_sibling(entry: MasterEntry) -> KeyName:
    """The parts of a key that stands, which its own settings tell apart. Raises `NotCopied`."""
    start = f"{entry.prefix}-{entry.precision}-"
    hardware, _, rest = entry.key.removeprefix(start).partition("-")
    framework = entry.framework or ""
    if not entry.key.startswith(start) or not framework or not f"{rest}-".startswith(f"{framework}-"):
        raise NotCopied(
            f"{entry.key} is not named <model-prefix>-<precision>-<hardware>-<framework>, as its settings are: "
            f"{entry.prefix}, {entry.precision}, {framework}"
        )
    arm = rest.removeprefix(framework).lstrip("-")
    return KeyName(entry.prefix or "", entry.precision or "", hardware, framework, tuple(filter(None, arm.split("-"))))


def read_new(key: str, frameworks: Iterable[str]) -> KeyName:
    """The parts of a new key: its precision is told by its word, its framework is one that some key has. Raises
    `NotCopied`."""
    words = key.split("-")
    if not _KEY.fullmatch(key):
        raise NotCopied(f"{key} is no key: lower-case words and dashes")
    at = next((index for index, word in enumerate(words) if index and _is_precision(word)), None)
    if at is None or at + 2 >= len(words):
        raise NotCopied(f"{key} is not named <model-prefix>-<precision>-<hardware>-<framework>")
    rest = "-".join(words[at + 2 :])
    known = sorted((name for name in set(frameworks) if f"{rest}-".startswith(f"{name}-")), key=len)
    if not known:
        raise NotCopied(f"{key} names no framework that a key has: {', '.join(sorted(set(frameworks)))}")
    arm = rest.removeprefix(known[-1]).split("-")
    return KeyName("-".join(words[:at]), words[at], words[at + 1], known[-1], tuple(filter(None, arm)))


def _is_precision(word: str) -> bool:
    return any(token.topic == "precision" for token in read_name(word))


@dataclass(frozen=True)
class Renaming:
    """What becomes of the words of one name in another: `words` by the old one, and which words of the arm are new or
    gone and stand for nothing in the old name."""

    words: Mapping[str, str]
    added: tuple[str, ...]
    dropped: tuple[str, ...]

    def applied(self, text: str) -> str:
        """A text in which every old word that stands alone is the new one."""
        return self._pattern.sub(lambda found: self.words[found[0]], text) if self.words else text

    def left_in(self, text: str) -> list[str]:
        """The old words that stand alone in a text."""
        return list(dict.fromkeys(self._pattern.findall(text))) if self.words else []

    @property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self.words, key=len, reverse=True)
        return re.compile(rf"(?<![A-Za-z0-9.])(?:{'|'.join(map(re.escape, longest_first))})(?![A-Za-z0-9]|\.[0-9])")


def renaming(old: KeyName, new: KeyName) -> Renaming:
    """How one key's name becomes another's."""
    words = {one: other for one, other in _parts(old, new) if one != other}
    added: list[str] = []
    dropped: list[str] = []
    for kind, i, j, k, m in SequenceMatcher(a=old.arm, b=new.arm, autojunk=False).get_opcodes():
        if kind == "replace" and j - i == m - k:
            words |= dict(zip(old.arm[i:j], new.arm[k:m], strict=True))
        elif kind != "equal":
            dropped += old.arm[i:j]
            added += new.arm[k:m]
    return Renaming(words, tuple(added), tuple(dropped))


def _parts(old: KeyName, new: KeyName) -> Iterator[tuple[str, str]]:
    yield old.prefix, new.prefix
    yield old.precision, new.precision
    yield old.hardware, new.hardware
    engines = old.framework.split("-"), new.framework.split("-")
    if len(engines[0]) == len(engines[1]):
        yield from zip(*engines, strict=True)
