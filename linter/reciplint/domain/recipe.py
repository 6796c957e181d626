"""An srt-slurm recipe, schema 1 or 2, in one normal form: what it is called, what it runs, what it writes out twice.

These facts are kept of every recipe; the settings themselves are read when a rule asks for them (`recipe_maps`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import msgspec

from reciplint.domain.binding import Binding, read_binding
from reciplint.domain.comment_paths import PathMention, path_mentions
from reciplint.domain.launcher_edits import EDITED_KEYS
from reciplint.domain.name_claims import NameFault, recipe_faults
from reciplint.domain.placeholders import Placeholders, read_placeholders
from reciplint.domain.reading import canonical_size, digest, mapping_of, own_entries, text_of
from reciplint.domain.recipe_maps import MapPlace, engine_of, is_schema_2, map_places
from reciplint.domain.recipe_variant import Variant, recipe_variants
from reciplint.domain.spelling import is_foreign, kebab
from reciplint.domain.variant_places import span_of
from reciplint.repo.kinds import Kind
from reciplint.yamltree.scalars import same_value
from reciplint.yamltree.spans import FILE_START, Span
from reciplint.yamltree.tree import Alias, Concrete, Mapping, Scalar, Tree

LEAST_SHARED_KEYS = 4
LEAST_SHARED_BYTES = 100
"""Repetitions below both are not kept; no setting of `anchor-dedup` goes lower."""
LEAST_LONG = 80
"""Code points of a text that is worth an anchor of its own: the JSON of a connector has 100 to 900."""


class Repetition(msgspec.Struct, frozen=True, array_like=True):
    """Two role maps that share keys with equal values, each written out: how many keys and bytes of keys and values,
    which keys differ, and which only the first map has. `long` are the keys of long texts that both share and that no
    launcher edits."""

    section: str
    first: str
    first_place: tuple[str, ...]
    first_span: Span
    second: str
    second_place: tuple[str, ...]
    second_span: Span
    shared: int
    size: int
    differing: tuple[str, ...]
    first_only: tuple[str, ...]
    long: tuple[str, ...] = ()


class Folded(msgspec.Struct, frozen=True):
    """A role map that its author folded onto an anchor with `<<`."""

    section: str
    label: str
    span: Span


class ForeignKey(msgspec.Struct, frozen=True):
    """A key in snake_case or camelCase where dashes are the convention. `dashed` and `foreign` count the keys of
    either spelling in the file's maps of this section; `both`: the spelling with dashes stands beside it."""

    key: str
    span: Span
    section: str
    label: str
    place: tuple[str, ...]
    both: bool
    dashed: int
    foreign: int


class Recipe(msgspec.Struct, frozen=True, tag="recipe"):
    """The facts of a recipe file. `digests` maps each selector, and "" for the whole file, to its meaning; `variants`
    are what the file's variants come to, a plain recipe being one of selector "". `name_faults` are the words of its
    name that no variant agrees with, each with the place that it should agree with;
    `comment_paths` the files that comments name. `binding` and `placeholders` are those of schema 2."""

    name: str
    name_span: Span
    schema: int
    engine: str
    gpu_type: str
    container: str
    container_span: Span
    repetitions: tuple[Repetition, ...]
    folded: tuple[Folded, ...]
    foreign_keys: tuple[ForeignKey, ...]
    digests: dict[str, str]
    variants: tuple[Variant, ...]
    name_faults: tuple[tuple[NameFault, Span], ...] = ()
    comment_paths: tuple[PathMention, ...] = ()
    binding: Binding | None = None
    placeholders: Placeholders | None = None

    @property
    def runnable(self) -> tuple[Variant, ...]:
        """The variants that can be run: all but the base of a bundle, unless that is all there is."""
        return tuple(variant for variant in self.variants if variant.selector != "base") or self.variants


class RecipeFile(msgspec.Struct, frozen=True):
    """A recipe with the path where it stands."""

    path: str
    facts: Recipe


def is_recipe(root: Concrete | None) -> bool:
    """Whether a YAML file has the shape of a recipe: a name, resources, and an engine or a backend."""
    if not isinstance(root, Mapping):
        return False
    body = mapping_of(root, "base") or root
    names = set(body.effective())
    return {"name", "resources"} <= names and bool({"backend", "roles", "engine"} & names)


def sniff(kind: Kind, root: Concrete | None) -> Kind:
    """The kind of a file by its shape where its place does not tell."""
    return Kind.RECIPE if kind is Kind.YAML and is_recipe(root) else kind


def read_recipe(tree: Tree) -> Recipe:
    """The facts of a recipe; what is missing is empty."""
    root = tree.root
    if not isinstance(root, Mapping):
        return Recipe("", FILE_START, 1, "", "", "", FILE_START, (), (), (), {}, ())
    body = mapping_of(root, "base") or root
    model = mapping_of(body, "model")
    resources = mapping_of(body, "resources")
    container = model.get("container") if model else None
    name = body.get("name")
    places = list(map_places(root))
    plain = tree.plain
    variants = recipe_variants(tree)
    expanded = [(variant.selector, body) for variant, body in variants]
    title = text_of(body, "name") or ""
    facts = Recipe(
        name=title,
        name_span=tree.span(name) if name else FILE_START,
        schema=2 if is_schema_2(root, body) else 1,
        engine=engine_of(body),
        gpu_type=(text_of(resources, "gpu_type") or "") if resources else "",
        container=container.value if isinstance(container, Scalar) else "",
        container_span=tree.span(container) if container else FILE_START,
        repetitions=tuple(_repetitions(tree, places, plain)),
        folded=tuple(_folded(tree, places)),
        foreign_keys=tuple(_foreign_keys(tree, [place for place in places if place.convention == "kebab"])),
        digests=_digests(plain, expanded),
        variants=tuple(variant for variant, _ in variants),
    )
    faults = ((fault, span_of(tree, fault.selector, fault.path)) for fault in recipe_faults(title, facts.runnable))
    is_new = facts.schema == 2
    return msgspec.structs.replace(
        facts,
        name_faults=tuple(faults),
        comment_paths=path_mentions(tree),
        binding=read_binding(tree) if is_new else None,
        placeholders=read_placeholders(tree, plain, expanded) if is_new else None,
    )


def _digests(plain: object, expanded: list[tuple[str, dict[str, Any]]]) -> dict[str, str]:
    if not isinstance(plain, dict):
        return {}
    return {"": digest(plain)} | {selector: digest(variant) for selector, variant in expanded if selector}


def _foreign_keys(tree: Tree, places: list[MapPlace]) -> Iterator[ForeignKey]:
    if not any(is_foreign(name) for place in places for name in place.node.named):
        return
    keys = [(place, entry) for place in places for entry in own_entries(place.node)]
    dashed = Counter(place.section for place, entry in keys if "-" in (entry.name or ""))
    foreign = Counter(place.section for place, entry in keys if is_foreign(entry.name or ""))
    for place, entry in keys:
        name = entry.name or ""
        if kebab(name) != name:
            yield ForeignKey(
                key=name,
                span=tree.span(entry.key),
                section=place.section,
                label=place.label,
                place=place.place,
                both=any(other.name == kebab(name) for other in place.node.entries),
                dashed=dashed[place.section],
                foreign=foreign[place.section],
            )


def _folded(tree: Tree, places: list[MapPlace]) -> Iterator[Folded]:
    for place in places:
        if place.section in ("args", "env") and place.node.is_merging:
            yield Folded(place.section, place.label, tree.span(place.key))


def _repetitions(tree: Tree, places: list[MapPlace], plain: Any) -> Iterator[Repetition]:
    by_sort: dict[tuple[str, ...], list[tuple[MapPlace, dict[str, Any]]]] = {}
    for place in places:
        if place.role and place.section in ("args", "env"):
            by_sort.setdefault(_body_and_sort(place), []).append((place, _own_values(place, plain)))
    for found in by_sort.values():
        for (first, left), (second, right) in combinations(found, 2):
            kept = EDITED_KEYS if _is_folded(first.node, second.node) else frozenset()
            alike = (key for key, value in left.items() if key in right and same_value(value, right[key]))
            shared = {key: left[key] for key in alike if key not in kept and _is_written_out(second.node, key)}
            separators = len("[]") + len(shared) - 1
            size = sum(len(key.encode()) for key in shared) + canonical_size([*shared.values()]) - separators
            if len(shared) >= LEAST_SHARED_KEYS or size >= LEAST_SHARED_BYTES:
                yield Repetition(
                    section=first.section,
                    first=first.label,
                    first_place=first.place,
                    first_span=tree.span(first.key),
                    second=second.label,
                    second_place=second.place,
                    second_span=tree.span(second.key),
                    shared=len(shared),
                    size=size,
                    differing=tuple(key for key in right if key in left and key not in shared),
                    first_only=tuple(key for key in left if key not in right),
                    long=tuple(_long(shared)),
                )


def _is_written_out(node: Mapping, key: str) -> bool:
    entry = node.named.get(key)
    return entry is None or type(entry.value) is not Alias


def _long(shared: dict[str, Any]) -> Iterator[str]:
    for key, value in shared.items():
        if isinstance(value, str) and len(value) >= LEAST_LONG and key not in EDITED_KEYS:
            yield key


def _own_values(place: MapPlace, plain: Any) -> dict[str, Any]:
    """What a map sets itself, of the file as it is loaded, by the keys as written: merge keys bring other values in,
    and `on` is loaded as `true`."""
    loaded = _at(plain, place.place)
    if not place.node.is_merging and loaded.keys() == place.node.named.keys():
        return loaded
    return {name: loaded.get(name) for entry in own_entries(place.node) if (name := entry.name) is not None}


def _is_folded(first: Mapping, second: Mapping) -> bool:
    """Whether one mapping stands for both, or the second merges the first or what the first merges: what a launcher
    edits by pattern then stands in both on purpose."""
    sources = [first, *first.merged()]
    return any(source is mapping for source in sources for mapping in (second, *second.merged()))


def _at(plain: Any, place: tuple[str, ...]) -> dict[str, Any]:
    for name in place:
        plain = plain.get(name) if isinstance(plain, dict) else None
    return plain if isinstance(plain, dict) else {}


def _body_and_sort(place: MapPlace) -> tuple[str, ...]:
    """Maps are compared within one body of the file, flags with flags of the same engine, variables with variables."""
    label = place.label.partition(".")[0] if place.section == "args" else ""
    return (place.place[0] if place.place[0] not in ("backend", "roles") else "", place.section, label)
