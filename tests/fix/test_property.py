"""Random operations on random documents: refused, or just what they say, as PyYAML, ruamel, libyaml's tokens and the
lines of the text tell.

A batch has a seed, so that what fails once fails again. `RECIPLINT_NIGHTLY=1` runs twenty times as many.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
import yaml
from edit_oracle import Values, pyyaml, ruamel, wrong_comments, wrong_lines, wrong_order, wrong_value
from random_edits import KINDS, document, operation
from ruamel.yaml.error import YAMLError

from reciplint.fix.apply import apply_one
from reciplint.fix.prove import Unproved
from reciplint.yamltree.edit import Operation, Refused
from reciplint.yamltree.edit_lines import ReplaceLines
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.tree import Tree

BATCHES = 200 if os.environ.get("RECIPLINT_NIGHTLY") == "1" else 10
OPERATIONS = 120
FROM_CORPUS = 60
LONGEST_FOR_RUAMEL = 6_000
"""Code points of a corpus file that ruamel, in pure Python, still reads in good time."""

batches = pytest.mark.parametrize("batch", range(BATCHES))


def by_ruamel(text: str) -> Values | None:
    """What ruamel loads; None for what it refuses, as a key that stands twice."""
    try:
        return ruamel(text)
    except (YAMLError, ValueError):
        return None


def readings(text: str) -> list[Values | None]:
    """What PyYAML loads, and ruamel if the text is not too long for it."""
    return [pyyaml(text), by_ruamel(text) if len(text) <= LONGEST_FOR_RUAMEL else None]


def faults(tree: Tree, before: list[Values | None], after: str, done: Operation) -> list[str]:
    """What an operation did besides what it says."""
    if isinstance(done, ReplaceLines):
        return [] if after in replaced_anywhere(tree.text, done.was, done.text) else ["other lines changed"]
    found = []
    for old, read in zip(before, (pyyaml, by_ruamel), strict=True):
        if old is not None:
            new = read(after)
            found.append("ruamel cannot read it any more" if new is None else wrong_value(old, new, done))
    text = tree.text
    found += [wrong(text, after, done) for wrong in (wrong_comments, wrong_lines, wrong_order)]
    return [fault for fault in found if fault]


def replaced_anywhere(text: str, was: str, new: str) -> Iterator[str]:
    """The text with one of the places that hold some lines replaced."""
    starts = [match.end() for match in re.finditer(r"^|\n", text)]
    yield from (text[:start] + new + text[start + len(was) :] for start in starts if text.startswith(was, start))


def check(text: str, random: Random, count: int) -> Counter[type]:
    """Carry out operations on a text, each on the text as it stands; how often each kind went through."""
    done: Counter[type] = Counter()
    tree, before = parse_text(text), readings(text)
    for _ in range(count):
        wanted = operation(random, tree)
        try:
            after = apply_one(text, wanted)
        except (Refused, Unproved):
            continue
        assert faults(tree, before, after, wanted) == [], f"{wanted}\n{text!r}\n{after!r}"
        done[type(wanted)] += 1
    return done


@batches
def test_operations_on_generated_documents(batch: int) -> None:
    random = Random(f"generated {batch}")
    done: Counter[type] = Counter()
    for _ in range(OPERATIONS // 4):
        done += check(readable(random), random, 4)
    assert sum(done.values()) > OPERATIONS // 5, done


def readable(random: Random) -> str:
    """The next text that is YAML."""
    while True:
        text = document(random)
        try:
            parse_text(text)
            pyyaml(text)
        except (Unreadable, yaml.YAMLError, ValueError):
            continue
        return text


def test_every_kind_is_carried_out_now_and_then() -> None:
    """Else the proof above proves nothing of it."""
    random = Random("kinds")
    done: Counter[type] = Counter()
    for _ in range(300):
        done += check(readable(random), random, 4)
    assert set(done) == set(KINDS)


@cache
def corpus_texts(*roots: Path) -> list[str]:
    """The YAML texts of some directories that have comments and no more than 60,000 code points."""
    paths = sorted(path for root in roots for path in root.rglob("*.y*ml") if ".git" not in path.parts)
    texts = [path.read_bytes().decode() for path in paths if path.stat().st_size < 60_000]
    return [text for text in texts if _is_readable(text)]


def _is_readable(text: str) -> bool:
    try:
        parse_text(text)
    except Unreadable:
        return False
    return True


@pytest.mark.corpus
@batches
def test_operations_on_the_corpus(batch: int, corpus: Path, corpus_repo: Path) -> None:
    random = Random(f"corpus {batch}")
    texts = corpus_texts(corpus_repo, corpus / "october", corpus / "srt-slurm", corpus / "vllm-recipes")
    done: Counter[type] = Counter()
    for _ in range(FROM_CORPUS // 3):
        done += check(random.choice(texts), random, 3)
    assert sum(done.values()) > FROM_CORPUS // 5, done
