"""Mutants that move things or only look different, and files that cannot be read: nothing false is charged."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from seed_mutants_references import rows_of
from seed_scene import (
    ADDED,
    AGG_RECIPES,
    CHANGELOG,
    DISAGG,
    FOLDER,
    IDLE,
    KEYS,
    NOSPEC,
    NVIDIA,
    POLICY,
    RECIPES,
    RUNNERS,
    VENDORED,
    Found,
    Mutants,
    Scene,
    deprecated,
    idle,
    of_recipes,
    repeated,
    snake,
    standard,
    unlisted,
)

MUTANTS = Mutants()


def known(scene: Scene) -> None:
    """Move the seed into the base."""
    scene.base.update({path: scene.head[path] for path in (*ADDED, NVIDIA)})


def cut(text: str, key: str) -> tuple[str, str]:
    """A master config without a key, and the text of the key."""
    start = text.index(f"\n{key}:\n") + 1
    end = re.compile(r"(?m)^[A-Za-z0-9#].*$").search(text, text.index("\n", start) + 1)
    stop = end.start() if end else len(text)
    return text[:start] + text[stop:], text[start:stop].rstrip("\n") + "\n"


# ---- comments, order, quoting


def _comments(seed: int) -> Callable[[Scene], set[Found]]:
    """Comment lines at random places of the recipes and of the new keys."""

    def mutant(scene: Scene) -> set[Found]:
        chance = random.Random(seed)
        for path in ADDED:
            lines = scene.head[path].split("\n")
            folded = next(n for n, line in enumerate(lines) if line.endswith(">-"))
            for _ in range(12):
                at = chance.randrange(len(lines))
                if at not in (folded + 1, folded + 2):
                    lines.insert(at, f"{' ' * chance.randrange(9)}# note {chance.randrange(99)}: of no meaning")
                    folded += at <= folded
            scene.head[path] = "\n".join(lines)
        lines = scene.head[NVIDIA].split("\n")
        first = lines.index(f"{KEYS[0]}:")
        for _ in range(20):
            lines.insert(first + chance.randrange(-40, 110), f"{' ' * chance.randrange(12)}# note: of no meaning")
        scene.head[NVIDIA] = "\n".join(lines)
        return standard(scene)

    return mutant


for _seed in range(8):
    MUTANTS.put(f"comments-{_seed}", _comments(_seed))


def _quotes(quote: str) -> Callable[[Scene], set[Found]]:
    """Every plain text value of the new keys in quotes."""

    def mutant(scene: Scene) -> set[Found]:
        text = scene.head[NVIDIA]
        start, end = text.index(f"\n{DISAGG}:\n"), rows_of(scene, NOSPEC)[1]
        quoted = re.sub(r"(?m)^(  [a-z-]+: )([a-z][\w./:-]*)$", rf"\g<1>{quote}\g<2>{quote}", text[start:end])
        quoted = re.sub(r"(?m)^(  (?:multinode|disagg): )[\"'](\w+)[\"']$", r"\1\2", quoted)
        assert quoted != text[start:end]
        scene.head[NVIDIA] = text[:start] + quoted + text[end:]
        return standard(scene)

    return mutant


MUTANTS.put("values-in-double-quotes", _quotes('"'))
MUTANTS.put("values-in-single-quotes", _quotes("'"))


def _shuffled_flags(seed: int) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        chance = random.Random(seed)
        for path in RECIPES:
            text = scene.head[path]
            start = text.index("    prefill:\n", text.index("  vllm_config:\n")) + len("    prefill:\n")
            end = text.index("    decode:\n", start)
            flags = [line for line in text[start:end].split("\n") if line.strip()]
            chance.shuffle(flags)
            scene.head[path] = text[:start] + "\n".join(flags) + "\n" + text[end:]
        return standard(scene)

    return mutant


for _seed in range(3):
    MUTANTS.put(f"flags-shuffled-{_seed}", _shuffled_flags(_seed))


@MUTANTS.add
def keys_in_reverse(scene: Scene) -> set[Found]:
    text = scene.head[NVIDIA]
    blocks = []
    for key in KEYS:
        text, block = cut(text, key)
        blocks.append(block)
    scene.head[NVIDIA] = text.rstrip("\n") + "\n\n" + "\n".join(reversed(blocks))
    return {*of_recipes(scene), idle(scene), unlisted(scene, *reversed(KEYS)), deprecated(scene)}


@MUTANTS.add
def keys_in_a_file_of_their_own(scene: Scene) -> set[Found]:
    own = "configs/kimi-master.yaml"
    text = scene.head[NVIDIA]
    blocks = []
    for key in KEYS:
        text, block = cut(text, key)
        blocks.append(block)
    scene.head[NVIDIA], scene.head[own] = scene.base[NVIDIA], "\n".join(blocks)
    arm = Found("deprecated-arm", "error", own, scene.row_line(NOSPEC, path=own))
    return {*of_recipes(scene), idle(scene), unlisted(scene, *KEYS, path=own), arm}


@MUTANTS.add
def deeper_indentation(scene: Scene) -> set[Found]:
    def deeper(text: str) -> str:
        return re.sub(r"(?m)^( +)", lambda match: match[1] * 2, text)

    for path in RECIPES:
        scene.head[path] = deeper(scene.head[path])
    lines = {found for path in RECIPES for found in _deep(scene, path)}
    return {*lines, idle(scene), unlisted(scene, *KEYS), deprecated(scene)}


def _deep(scene: Scene, path: str) -> set[Found]:
    at = scene.line(path, "vllm_config:")
    return {
        Found("kebab-case-keys", "warning", path, scene.line(path, " max_num_batched_tokens:")),
        Found("anchor-dedup", "info", path, scene.line(path, "        prefill:", after=at)),
    }


# ---- moves of what stood in the base


@MUTANTS.add
def key_moved_to_another_master(scene: Scene) -> set[Found]:
    known(scene)
    scene.head[NVIDIA], block = cut(scene.head[NVIDIA], DISAGG)
    scene.head["configs/kimi-master.yaml"] = block
    return set()


@MUTANTS.add
def deprecated_key_moved_to_another_master(scene: Scene) -> set[Found]:
    """The arm stood in the base: moving its key makes nothing worse."""
    known(scene)
    scene.head[NVIDIA], block = cut(scene.head[NVIDIA], NOSPEC)
    scene.head["configs/kimi-master.yaml"] = block
    return set()


@MUTANTS.add
def key_archived(scene: Scene) -> set[Found]:
    known(scene)
    scene.head[NVIDIA], block = cut(scene.head[NVIDIA], NOSPEC)
    scene.head["configs/deprecated/nvidia-kimik3-master.yaml"] = block
    return set()


@MUTANTS.add
def key_archived_and_its_recipe_deleted(scene: Scene) -> set[Found]:
    known(scene)
    scene.head[NVIDIA], block = cut(scene.head[NVIDIA], NOSPEC)
    scene.head["configs/deprecated/nvidia-kimik3-master.yaml"] = block
    del scene.head[AGG_RECIPES[1]]
    return set()


@MUTANTS.add
def key_taken_out_of_the_archive(scene: Scene) -> set[Found]:
    """What the archive holds is not active: a key that comes back is new."""
    known(scene)
    scene.base[NVIDIA], block = cut(scene.base[NVIDIA], NOSPEC)
    scene.base["configs/deprecated/nvidia-kimik3-master.yaml"] = block
    return {unlisted(scene, NOSPEC), deprecated(scene)}


@MUTANTS.add
def recipes_moved_with_their_rows(scene: Scene) -> set[Found]:
    """Moving a recipe unchanged, and naming it where it is now, charges nothing."""
    known(scene)
    scene.edit(NVIDIA, f"recipes/{FOLDER}disagg-gb300", "recipes/vllm/kimi-k3/gb300/disagg-gb300", count=2)
    for path in RECIPES:
        scene.head[path.replace("/agentic/", "/gb300/")] = scene.head.pop(path)
    return set()


@MUTANTS.add
def recipe_moved_without_its_row(scene: Scene) -> set[Found]:
    """A file of that name that no exact path names counts as the one meant."""
    known(scene)
    scene.head[f"{VENDORED}vllm/kimi-k3/gb300/{RECIPES[0].rsplit('/', 1)[1]}"] = scene.head.pop(RECIPES[0])
    return set()


@MUTANTS.add
def recipe_deleted_without_its_row(scene: Scene) -> set[Found]:
    known(scene)
    del scene.head[RECIPES[0]]
    return {Found("missing-recipe", "error", NVIDIA, scene.line(NVIDIA, RECIPES[0].rsplit("/", 1)[1]))}


@MUTANTS.add
def row_put_first(scene: Scene) -> set[Found]:
    known(scene)
    text = scene.base[NVIDIA]
    start = rows_of(scene, DISAGG)[0]
    first = text[start : text.index("\n      - ", start) + 1]
    scene.head[NVIDIA] = text[:start] + first.replace("conc-list: [64]", "conc-list: [8]") + text[start:]
    return {unlisted(scene, DISAGG)}


@MUTANTS.add
def project_moved_into_a_folder(scene: Scene) -> set[Found]:
    """The whole project under `inferencex-e2e/`, and the seed with it."""
    for tree in (scene.base, scene.head):
        moved = {_below(path): text for path, text in tree.items()}
        tree.clear()
        tree.update(moved)
    return _standard_below(scene)


@MUTANTS.add
def project_moved_by_the_change(scene: Scene) -> set[Found]:
    """The head moves the project and brings the seed: only the seed is charged."""
    moved = {_below(path): text for path, text in scene.head.items()}
    scene.renames = {_below(path): path for path in scene.base if path != _below(path)}
    scene.head.clear()
    scene.head.update(moved)
    return _standard_below(scene)


def _below(path: str) -> str:
    return path if path.startswith(".github/") else f"inferencex-e2e/{path}"


def _standard_below(scene: Scene) -> set[Found]:
    inside = {path.removeprefix("inferencex-e2e/"): text for path, text in scene.head.items()}
    found = standard(Scene({}, inside))
    return {one._replace(path=_below(one.path)) for one in found}


# ---- files that cannot be read: the fault is said, and nothing is concluded from what is not seen


def _broken(path: str, keep: Callable[[Found], bool]) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        expected = {found for found in standard(scene) if keep(found)}
        scene.head[path] += "\n]\n"
        line = scene.head[path].count("\n")
        return {*expected, Found("yaml-syntax", "error", path, line)}

    return mutant


MUTANTS.put("broken-changelog", _broken(CHANGELOG, lambda found: found.rule != "changelog-required"))
MUTANTS.put("broken-runners", _broken(RUNNERS, lambda found: True))
MUTANTS.put("broken-master", _broken(NVIDIA, lambda found: found.rule in ("kebab-case-keys", "anchor-dedup")))
MUTANTS.put("broken-amd-master", _broken("configs/amd-master.yaml", lambda found: found.rule != "unreferenced-recipe"))


@MUTANTS.add
def policy_deleted_by_the_change(scene: Scene) -> set[Found]:
    del scene.head[POLICY]
    return standard(scene) - {deprecated(scene)}


@MUTANTS.add
def nothing_at_all(scene: Scene) -> set[Found]:
    scene.head.clear()
    scene.head.update(scene.base)
    return set()


@MUTANTS.add
def seed_reverted(scene: Scene) -> set[Found]:
    """The other way round: removing points and recipes needs nothing."""
    scene.base, scene.head = scene.head, scene.base
    return set()


@MUTANTS.add
def only_the_idle_recipe(scene: Scene) -> set[Found]:
    idle_text = scene.head[IDLE]
    scene.head.clear()
    scene.head.update({**scene.base, IDLE: idle_text})
    return {snake(scene, IDLE), repeated(scene, IDLE), idle(scene)}
