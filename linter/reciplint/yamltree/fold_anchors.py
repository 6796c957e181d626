"""What a new anchor is called: as the file calls its others, else as most recipes do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from reciplint.yamltree.replacing import Path
from reciplint.yamltree.tree import Alias, Tree

_NAME = re.compile(r"(?P<stem>[A-Za-z][A-Za-z0-9]*)(?P<joint>[_-])[A-Za-z]+\Z")
_STEM, _JOINT = "worker", "_"
"""Twenty-three of the thirty-four recipes that had anchors in August called one so."""


def anchor_name(tree: Tree, path: Path, noun: str) -> str:
    """A name that no anchor of the file has: `kimi_config` beside `&kimi_env`, else `worker_config`; where that is
    taken, by the key at the end of `path`. The words of `noun` are joined as the name is, in lower case."""
    taken = sorted(set(_anchors(tree)))
    habit = next((found for name in taken if (found := _NAME.match(name))), None)
    stem, joint = (habit["stem"], habit["joint"]) if habit else (_STEM, _JOINT)
    role = re.sub(r"\W+", joint, str(path[-1]).removesuffix(f"_{noun}"), flags=re.ASCII)
    words = joint.join(re.findall("[a-z0-9]+", noun.lower())) or "text"
    wanted = [f"{stem}{joint}{words}", f"{role}{joint}{words}"]
    numbered = (f"{wanted[0]}{joint}{number}" for number in count(2))
    return next(name for name in (*wanted, *(next(numbered) for _ in range(len(taken) + 1))) if name not in taken)


def _anchors(tree: Tree) -> Iterator[str]:
    for _, node in tree.walk():
        if not isinstance(node, Alias) and node.anchor:
            yield node.anchor
