"""The words of a recipe's name beside what its variants hold.

A word is wrong only where nothing that it may mean agrees: any variant, any role it may speak of, workers or nodes.
What a recipe leaves to its engine's default is not held against its name. Where one name says both that it drafts and
that it does not, as bundles of either do, neither is judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from reciplint.domain.name_tokens import Token, read_name, words_of
from reciplint.domain.reading import whole
from reciplint.domain.recipe_variant import RecipeRole, Variant
from reciplint.domain.topology import Topology


class NameFault(NamedTuple):
    """A word that nothing agrees with. `found` is what there is instead, in the words of names where these have one,
    and "" for no drafting; `selector` and `path` lead to where it is written in the variant."""

    token: Token
    found: str
    selector: str = ""
    path: tuple[str, ...] = ()


_LENGTH = 1000  # 1k1k is said of 1024 and of 1000 tokens
_PRECISIONS = {"fp4": ("fp4",), "fp8": ("fp8",), "bf16": ("bf16", "fp16"), "fp16": ("bf16", "fp16")}
_FIELDS = frozenset({"gpu", "precision", "serving", "lengths"})
"""Topics of one value: where a name has two words of one, as for what it was adapted from, one has to be right."""
_DRAFT_KEYS = {"sglang": "speculative-num-steps"}


def recipe_faults(name: str, variants: Sequence[Variant]) -> Iterator[NameFault]:
    """The words of a name that no variant agrees with; concurrencies are another matter (`concurrency_faults`)."""
    known = [variant for variant in variants if variant.roles]
    if not known:
        return
    tokens = judged_tokens(name)
    wrong = [token for token in tokens if not any(_agrees(token, variant) for variant in known)]
    for token in dict.fromkeys(wrong):
        alike = [other for other in tokens if other.topic == token.topic]
        if token.topic not in _FIELDS or all(other in wrong for other in alike):
            yield _fault(token, known[0])


def concurrency_faults(name: str, variants: Sequence[Variant], rows: AbstractSet[int]) -> Iterator[NameFault]:
    """The first concurrency of a name that neither `rows` nor a variant runs. One that opens the name is that of each
    decode worker, as in `c4_ctx1_gen11`, and is passed over."""
    words = [word for word in words_of(name)[1:] if word[:1] == "c" and whole(word[1:]) is not None]
    if not words:
        return
    own = {number for variant in variants if (number := whole(variant.concurrency)) is not None}
    run = own.union(rows, *(variant.concurrencies for variant in variants))
    absent = next((word for word in words if int(word[1:]) not in run), None)
    if absent and run:
        token = Token("concurrency", absent, numbers=(int(absent[1:]),))
        yield NameFault(token, ", ".join(map(str, sorted(run))), variants[0].selector, ("benchmark", "concurrencies"))


def judged_tokens(name: str) -> list[Token]:
    """The words of a name that are judged by contents, two shapes without a role being the prefill's and the
    decode's."""
    tokens = read_name(name)
    drafts = {token.word == "nodraft" for token in tokens if token.topic == "draft"}
    skipped = {"tier", "concurrency"} | ({"draft"} if len(drafts) > 1 else set())
    kept = [token for token in tokens if token.topic not in skipped]
    shapes = [index for index, token in enumerate(kept) if token.topic == "shape" and not token.role]
    if len(shapes) == 2:
        for index, role in zip(shapes, ("prefill", "decode"), strict=True):
            kept[index] = kept[index]._replace(role=role)
    return kept


def _agrees(token: Token, variant: Variant) -> bool:
    topic, number = token.topic, token.numbers[0] if token.numbers else None
    if topic == "workers":
        return all(
            count is None or _has_count(variant.role(name), count)
            for name, count in zip(("prefill", "decode"), token.numbers, strict=True)
        )
    if topic == "shape":
        return any(_has_shape(token, found) for found in _roles(variant, token.role))
    if topic == "draft":
        return _drafts(token, variant)
    if topic == "sequences":
        stated = [found.max_sequences for found in variant.roles]
        return number in stated or all(value is None for value in stated)
    return _field(token, variant) in ("", token.word)


def _has_count(role: RecipeRole | None, count: int) -> bool:
    if role is None:
        return False
    return count in (role.workers, role.nodes) or (role.workers is None and role.nodes is None)


def _roles(variant: Variant, role: str) -> list[RecipeRole]:
    found = variant.role(role) if role else None
    return [found] if found is not None else list(variant.roles)


def _has_shape(token: Token, role: RecipeRole) -> bool:
    return all(_has_size(kind, size, len(token.sizes) == 1, role) for kind, size in token.sizes)


def _has_size(kind: str, size: int, alone: bool, role: RecipeRole) -> bool:
    """Whether a worker has a size. SGLang may imply the expert size by its all-to-all backend: 1 says nothing there."""
    topology = role.topology
    if not topology.stated:
        return kind not in ("tp", "tep", "dep") or role.gpus in (None, size)
    implied = role.engine == "sglang" and topology.ep == 1
    if kind == "tp":
        return topology.tp == size and not (alone and (topology.dp_attention or topology.ep > 1))
    if kind == "dep":
        return topology.gpus == size and (topology.dp_attention or size == 1) and (topology.ep == size or implied)
    if kind == "tep":
        return topology.gpus == size and not topology.dp_attention and (topology.ep == size or implied)
    sizes = {"ep": topology.ep, "dp": topology.dp, "pp": topology.pp, "dcp": topology.dcp, "pcp": topology.pcp}
    return sizes[kind] == size or (kind == "ep" and implied)


def _drafts(token: Token, variant: Variant) -> bool:
    found = [role.speculation for role in variant.roles if role.speculation is not None]
    if token.word == "nodraft":
        return not found
    number = token.numbers[0]
    return any(
        (number is None or speculation.tokens in (None, number))
        and (token.word != "dspark" or speculation.method in ("", "dspark"))
        and (token.word != "eagle3" or speculation.method.startswith("eagle"))
        for speculation in found
    )


def _field(token: Token, variant: Variant) -> str:
    """What a variant says in the field that a word speaks of; "" where it is silent, the word itself where it agrees
    in another spelling."""
    if token.topic == "gpu":
        return variant.gpu_type.lower()
    if token.topic == "precision":
        precision = variant.precision.lower()
        return token.word if is_precision(token.word, precision) else precision
    if token.topic == "serving":
        return "agg" if variant.role("agg") else "disagg"
    if variant.isl is None or variant.osl is None or min(variant.isl, variant.osl) < _LENGTH:
        return ""
    return f"{variant.isl // _LENGTH}k{variant.osl // _LENGTH}k"


def is_precision(word: str, precision: str) -> bool:
    """Whether a field's precision is what a word calls it: `nvfp4` and `mxfp4` are fp4."""
    return any(precision.endswith(ending) for ending in _PRECISIONS.get(word, (word,)))


def _fault(token: Token, variant: Variant) -> NameFault:
    place = variant.selector
    if token.topic == "workers":
        return NameFault(token, _counts(variant), place, ("resources",))
    if token.topic == "shape":
        roles = _roles(variant, token.role)
        found = ", ".join(f"{one.name} {spell_shape(one.topology)}" for one in roles)
        return NameFault(token, found, place, roles[0].args_path)
    if token.topic == "draft":
        drafting = next((one for one in reversed(variant.roles) if one.speculation is not None), None)
        if drafting is None or drafting.speculation is None:
            return NameFault(token, "", place, variant.roles[-1].args_path)
        speculation = drafting.speculation
        key = _DRAFT_KEYS.get(drafting.engine, speculation.key)
        return NameFault(token, f"{speculation.method}{speculation.tokens or ''}", place, (*drafting.args_path, key))
    if token.topic == "sequences":
        stated = [f"{one.name} {one.max_sequences}" for one in variant.roles if one.max_sequences is not None]
        return NameFault(token, ", ".join(stated), place, variant.roles[-1].args_path)
    paths = {"gpu": ("resources", "gpu_type"), "precision": ("model", "precision"), "lengths": ("benchmark", "isl")}
    return NameFault(token, _field(token, variant), place, paths.get(token.topic, ("resources",)))


def _counts(variant: Variant) -> str:
    """Workers, and nodes where these are other numbers, in the words of names."""
    prefill, decode = variant.role("prefill"), variant.role("decode")
    if prefill is None or decode is None:
        return "agg"
    workers, nodes = f"{prefill.workers}p{decode.workers}d", f"{prefill.nodes}p{decode.nodes}d"
    return ", ".join(dict.fromkeys(text for text in (workers, nodes) if "None" not in text))


def spell_shape(topology: Topology) -> str:
    """Sizes of a worker in the words of names, as `dep8`, `tep4`, `tp8pp2dcp8`."""
    more = "".join(f"{kind}{size}" for kind, size in (("pp", topology.pp), ("dcp", topology.dcp)) if size > 1)
    if topology.dp_attention and topology.ep > 1:
        return f"dep{topology.gpus}{more}"
    if topology.dp_attention:
        return f"tp{topology.tp}dp{topology.dp}{more}"
    return f"{'tep' if topology.ep > 1 else 'tp'}{topology.tp}{more}"


def name_conflicts(first: str, second: str) -> Iterator[tuple[Token, Token]]:
    """Words of two names of one recipe that speak of the same and have nothing in common, as (of first, of second)."""
    for topic in ("tier", "workers", "draft", "lengths", "gpu", "serving"):
        mine = [token for token in read_name(first) if token.topic == topic]
        others = [token for token in read_name(second) if token.topic == topic]
        if mine and others and not {_said(token) for token in mine} & {_said(token) for token in others}:
            if topic == "workers" and not (_is_whole(mine) and _is_whole(others)):
                continue
            if topic == "draft" and not _differ(mine[0], others[0]):
                continue
            yield mine[0], others[0]


def _said(token: Token) -> tuple[object, ...]:
    return (token.word, token.numbers)


def _is_whole(tokens: Sequence[Token]) -> bool:
    return len(tokens) == 1 and None not in tokens[0].numbers


def _differ(token: Token, other: Token) -> bool:
    """Whether two words on drafting contradict: `mtp` and `eagle3` may be one thing, `mtp2` and `mtp3` may not."""
    if (token.word == "nodraft") != (other.word == "nodraft"):
        return True
    return None not in (token.numbers[0], other.numbers[0]) and token.numbers != other.numbers
