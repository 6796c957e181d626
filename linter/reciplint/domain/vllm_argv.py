"""The lists of command-line tokens in a vLLM recipe, a strategy or a taxonomy, and what is wrong with a token.

The site joins such lists and lets the last of two equal flags win, so one item is one token: a flag, or its value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from reciplint.domain.vllm_recipe import ARGUMENTS
from reciplint.yamltree.scalars import scalar_value
from reciplint.yamltree.tree import Node, Scalar, Sequence, Tree, target

Path = tuple[str | int, ...]

_FUSED = re.compile(r"(?P<flag>--?[A-Za-z][\w.-]*)\s+(?P<value>\S.*)\Z", re.DOTALL)
_DASHES = re.compile(r"[\u2010-\u2015\u2212]+-?|-[\u2010-\u2015\u2212]+")
_ONE_DASH = re.compile(r"-[A-Za-z]{2,}(?:-[A-Za-z]+)+\Z")
_SHELL = re.compile(r"\\\s*\Z")
_VARIABLE = re.compile(r"(?:VLLM|NCCL|CUDA|UCX|HF|PYTORCH|TORCH|GLOO|OMP)_[A-Z0-9_]+=")
_QUOTED = re.compile(r"'.*'\Z", re.DOTALL)


class Token(NamedTuple):
    """A token with its path, the item itself, and the token before it in its list ("" for the first)."""

    path: Path
    node: Node
    text: str
    before: str


class TokenFault(NamedTuple):
    """What is wrong with a token: which message says it, and the tokens that would be right (none: no proposal)."""

    name: str
    right: tuple[str, ...] = ()


def tokens(tree: Tree) -> Iterator[Token]:
    """Every token that is text, in source order; the items of an aliased list stand where they are written."""
    for path, node in tree.walk():
        if not isinstance(node, Sequence) or not path or path[-1] not in ARGUMENTS:
            continue
        before = ""
        for index, item in enumerate(node.items):
            scalar = target(item)
            text = scalar.value if isinstance(scalar, Scalar) else ""
            if isinstance(scalar, Scalar) and isinstance(scalar_value(scalar), str):
                yield Token((*path, index), item, text, before)
            before = text


def token_fault(token: Token) -> TokenFault | None:
    """The first thing that is wrong with a token."""
    text = token.text
    if not text.strip():
        return TokenFault("empty")
    if text != text.strip():
        return TokenFault("blanks", (text.strip(),))
    if _SHELL.search(text):
        rest = _SHELL.sub("", text).strip()
        return TokenFault("continued", (rest,) if rest else ())
    if _DASHES.match(text):
        return TokenFault("dash", ("--" + _DASHES.sub("", text, count=1),))
    if fused := _FUSED.match(text):
        return TokenFault("fused", (fused["flag"], *_values(fused["value"])))
    if _ONE_DASH.match(text):
        return TokenFault("one-dash", (f"-{text}",))
    if _QUOTED.match(text) and len(text) > 2:
        return TokenFault("quoted", (text[1:-1],))
    if _VARIABLE.match(text):
        return TokenFault("variable")
    if text.startswith("{") and token.before.startswith("-") and not _is_json(text):
        return TokenFault("json")
    is_first = token.path[-1] == 0
    if is_first and not text.startswith(("-", "$")):
        return TokenFault("no-flag", (f"--{text}",) if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", text) else ())
    return None


def _is_json(text: str) -> bool:
    """Whether a value is JSON; one with a variable in it cannot be told."""
    if "$" in text or "<" in text:
        return True
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _values(text: str) -> list[str]:
    """The tokens that stand behind a flag: words, or one value where quotes make the words hard to tell."""
    if _QUOTED.match(text) and len(text) > 2:
        return [text[1:-1]]
    return [text] if "'" in text or '"' in text else text.split()
