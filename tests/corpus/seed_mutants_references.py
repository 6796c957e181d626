"""Mutants of the seed's references: names, folders, selectors, wiring, runners, and how the rows are written."""

from __future__ import annotations

from collections.abc import Callable

from seed_mutants_changelog import append, entry
from seed_scene import (
    AGG,
    AGG_RECIPES,
    DISAGG,
    FOLDER,
    IDLE,
    KEYS,
    NAMES,
    NOSPEC,
    NVIDIA,
    OTHER,
    RECIPES,
    RUNNERS,
    SNAKE,
    VENDORED,
    WIRED,
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
SETTING = f"CONFIG_FILE=recipes/{FOLDER}"
WIRED_SETTING, IDLE_SETTING, OTHER_SETTING = (f"{SETTING}{name}" for name in NAMES)
NOSPEC_SETTING = f"{SETTING}agg-gb300-dcp8-nospec-mooncake-agentic.yaml"


def missing(scene: Scene, written: str, path: str = NVIDIA) -> Found:
    """A reference that comes to nothing: reported where it is written."""
    return Found("missing-recipe", "error", path, scene.line(path, written))


def rows_of(scene: Scene, key: str) -> tuple[int, int]:
    """Where the rows of a key's search space begin and end, as offsets."""
    text = scene.head[NVIDIA]
    start = text.index("      - ", text.index("search-space:\n", text.index(f"\n{key}:\n")))
    return start, text.index("\n\n", start) + 1


def wire(scene: Scene, setting: str = IDLE_SETTING) -> None:
    """Add a row for the idle recipe at the end of the first key."""
    text = scene.head[NVIDIA]
    start, end = rows_of(scene, DISAGG)
    first = text[start : text.index("\n      - ", start) + 1]
    row = first.replace(WIRED_SETTING, setting).replace("conc-list: [64]", "conc-list: [1, 2]").replace("3.36", "3.84")
    scene.head[NVIDIA] = text[:end] + row + text[end:]


# ---- wiring


@MUTANTS.add
def idle_recipe_wired(scene: Scene) -> set[Found]:
    wire(scene)
    return standard(scene) - {idle(scene)}


@MUTANTS.add
def idle_recipe_wired_and_all_listed(scene: Scene) -> set[Found]:
    wire(scene)
    append(scene, entry(*KEYS))
    return {*of_recipes(scene), deprecated(scene)}


@MUTANTS.add
def idle_recipe_wired_and_everything_right(scene: Scene) -> set[Found]:
    """What the reviewers asked for: nothing is left but the advice."""
    wire(scene)
    append(scene, entry(*KEYS, scenarios=("agentic-coding",)))
    for path in RECIPES:
        scene.edit(path, SNAKE, SNAKE.replace("_", "-"))
    scene.edit_key(NOSPEC, "      - kv-off", "      - spec-decoding: mtp\n        kv-off")
    return {repeated(scene, path) for path in RECIPES}


@MUTANTS.add
def idle_recipe_for_evaluation_only(scene: Scene) -> set[Found]:
    scene.edit(NVIDIA, f'- "{WIRED_SETTING}"\n', f'- "{WIRED_SETTING}"\n          - "EVAL_{IDLE_SETTING}"\n')
    return standard(scene) - {idle(scene)}


@MUTANTS.add
def idle_recipe_wired_by_its_full_path(scene: Scene) -> set[Found]:
    wire(scene, f"CONFIG_FILE={IDLE}")
    return standard(scene) - {idle(scene)}


@MUTANTS.add
def idle_recipe_named_in_an_archive(scene: Scene) -> set[Found]:
    text = scene.head[NVIDIA]
    start = text.index(f"\n{DISAGG}:\n") + 1
    archived = text[start : rows_of(scene, DISAGG)[1]].replace(WIRED_SETTING, IDLE_SETTING)
    scene.head["configs/deprecated/nvidia-kimik3-master.yaml"] = archived
    return standard(scene) - {idle(scene)}


@MUTANTS.add
def idle_recipe_named_by_a_script(scene: Scene) -> set[Found]:
    scene.head["runners/launch_gb300.sh"] = f"#!/bin/bash\nsrtctl apply -f recipes/{FOLDER}{NAMES[1]}\n"
    return standard(scene) - {idle(scene)}


@MUTANTS.add
def idle_recipe_named_in_a_comment_only(scene: Scene) -> set[Found]:
    scene.edit(NVIDIA, f'- "{WIRED_SETTING}"\n', f'- "{WIRED_SETTING}"\n          # {IDLE_SETTING}\n')
    return standard(scene)


@MUTANTS.add
def two_keys_share_one_recipe(scene: Scene) -> set[Found]:
    text = scene.head[NVIDIA]
    scene.head[NVIDIA] = text.replace(NOSPEC_SETTING, f"{SETTING}agg-gb300-dcp8-dspark4-maxseq2-mooncake-agentic.yaml")
    return {*standard(scene), idle(scene, AGG_RECIPES[1])}


# ---- names and folders


def _named(new: str) -> Callable[[Scene], set[Found]]:
    """The first row names its recipe otherwise, and nothing else is named so."""

    def mutant(scene: Scene) -> set[Found]:
        scene.edit(NVIDIA, WIRED_SETTING, new)
        return {*standard(scene), missing(scene, new), idle(scene, WIRED)}

    return mutant


for _name, _new in {
    "typo": WIRED_SETTING.replace("dspark4", "dspark5"),
    "no-extension": WIRED_SETTING.removesuffix(".yaml"),
    "other-extension": WIRED_SETTING.replace(".yaml", ".yml"),
    "upper-case": WIRED_SETTING.replace("disagg", "DISAGG"),
    "full-path-typo": f"CONFIG_FILE={WIRED}".replace("dspark4", "dspark5"),
}.items():
    MUTANTS.put(f"name-{_name}", _named(_new))


@MUTANTS.add
def name_of_a_folder_that_a_launcher_copies(scene: Scene) -> set[Found]:
    """The folder is not vendored and the file of that name is: it is the one meant."""
    scene.edit(NVIDIA, WIRED_SETTING, WIRED_SETTING.replace("agentic/", "agentic-copied/"))
    return standard(scene)


@MUTANTS.add
def name_of_the_external_repository(scene: Scene) -> set[Found]:
    """Nothing is known of that folder; the row's own recipe is left idle."""
    scene.edit(NVIDIA, WIRED_SETTING, "CONFIG_FILE=recipes/elsewhere/kimi-k3/unknown-file.yaml")
    return {*standard(scene), idle(scene, WIRED)}


@MUTANTS.add
def name_with_a_dot_segment(scene: Scene) -> set[Found]:
    scene.edit(NVIDIA, WIRED_SETTING, WIRED_SETTING.replace("recipes/vllm", "recipes/./vllm"))
    return standard(scene)


@MUTANTS.add
def folder_renamed(scene: Scene) -> set[Found]:
    scene.edit(NVIDIA, f"{SETTING}disagg-gb300", "CONFIG_FILE=recipes/vllm/kimi-k3/agentic-gb300/disagg-gb300", count=2)
    moved = [f"{VENDORED}vllm/kimi-k3/agentic-gb300/{name}" for name in NAMES]
    for old, new in zip(RECIPES, moved, strict=True):
        scene.head[new] = scene.head.pop(old)
    recipes = {found for path in moved for found in (snake(scene, path), repeated(scene, path))}
    return {*recipes, idle(scene, moved[1]), unlisted(scene, *KEYS), deprecated(scene)}


@MUTANTS.add
def folder_of_its_own_engine(scene: Scene) -> set[Found]:
    """Another top folder: the siblings there are others, the file's own dashes are evidence enough."""
    scene.edit(NVIDIA, f"{SETTING}disagg-gb300", "CONFIG_FILE=recipes/kimi-new/disagg-gb300", count=2)
    moved = [f"{VENDORED}kimi-new/{name}" for name in NAMES]
    for old, new in zip(RECIPES, moved, strict=True):
        scene.head[new] = scene.head.pop(old)
    recipes = {found for path in moved for found in (snake(scene, path), repeated(scene, path))}
    return {*recipes, idle(scene, moved[1]), unlisted(scene, *KEYS), deprecated(scene)}


# ---- selectors


def bundle(text: str) -> str:
    """The recipe as a base with two overrides, the base as before."""
    at = text.index('name: "')
    body = "".join(f"  {line}" if line.strip() else line for line in text[at:].splitlines(keepends=True))
    more = "override_c64:\n  backend:\n    vllm_config:\n      decode:\n        max-num-seqs: 64\n"
    zipped = "zip_override_rates:\n  backend:\n    vllm_config:\n      decode:\n        max-num-seqs: [32, 48]\n"
    return f"{text[:at]}base:\n{body}{more}{zipped}"


def _selected(selector: str, known: bool) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        scene.recipe_text(WIRED, bundle)
        scene.edit(NVIDIA, WIRED_SETTING, f"{WIRED_SETTING}:{selector}")
        return {*standard(scene), *(() if known else (missing(scene, WIRED_SETTING),))}

    return mutant


for _name, (_selector, _known) in {
    "override": ("override_c64", True),
    "base": ("base", True),
    "zip": ("zip_override_rates[1]", True),
    "zip-past-its-end": ("zip_override_rates[2]", False),
    "unknown-override": ("override_c65", False),
    "unknown-zip": ("zip_override_other[0]", False),
}.items():
    MUTANTS.put(f"selector-{_name}", _selected(_selector, _known))


@MUTANTS.add
def selector_of_a_plain_recipe(scene: Scene) -> set[Found]:
    scene.edit(NVIDIA, WIRED_SETTING, f"{WIRED_SETTING}:override_c64")
    return {*standard(scene), missing(scene, WIRED_SETTING)}


@MUTANTS.add
def snake_in_an_override(scene: Scene) -> set[Found]:
    scene.recipe_text(WIRED, bundle)
    scene.edit(WIRED, "        max-num-seqs: 64\n", "        max_num_seqs: 64\n")
    scene.edit(NVIDIA, WIRED_SETTING, f"{WIRED_SETTING}:override_c64")
    return {*standard(scene), snake(scene, WIRED, "max_num_seqs")}


# ---- other key names, runners


@MUTANTS.add
def other_key_names(scene: Scene) -> set[Found]:
    names = tuple(key.replace("gb300", "gb300x").replace("dcp8", "dcp-eight") for key in KEYS)
    for old, new in zip(KEYS, names, strict=True):
        scene.edit(NVIDIA, f"\n{old}:\n", f"\n{new}:\n")
    return {*of_recipes(scene), idle(scene), unlisted(scene, *names), deprecated(scene, names[2])}


def _quoted_key(quote: str) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        scene.edit(NVIDIA, f"\n{NOSPEC}:\n", f"\n{quote}{NOSPEC}{quote}:\n")
        return standard(scene)

    return mutant


MUTANTS.put("key-in-double-quotes", _quoted_key('"'))
MUTANTS.put("key-in-single-quotes", _quoted_key("'"))


@MUTANTS.add
def runner_unknown(scene: Scene) -> set[Found]:
    scene.edit_key(AGG, "cluster:gb300-nv\n", "cluster:gb300-nw\n")
    return {*standard(scene), Found("unknown-runner", "error", NVIDIA, scene.line(NVIDIA, "cluster:gb300-nw"))}


@MUTANTS.add
def runner_label_removed(scene: Scene) -> set[Found]:
    """Every key of the label is charged, though the change touches no line of theirs."""
    text = scene.head[RUNNERS]
    start = text.index("  cluster:gb300-nv:\n")
    end = text.index("\n  cluster:", start) + 1
    scene.head[RUNNERS] = text[:start] + text[end:]
    lines = scene.head[NVIDIA].split("\n")
    users = [n for n, line in enumerate(lines, 1) if line.rstrip() == "  runner: cluster:gb300-nv"]
    assert len(users) > len(KEYS)
    return {*standard(scene), *(Found("unknown-runner", "error", NVIDIA, line) for line in users)}


# ---- how the rows are written


@MUTANTS.add
def row_in_flow_style(scene: Scene) -> set[Found]:
    text = scene.head[NVIDIA]
    start, end = rows_of(scene, NOSPEC)
    row = (
        "      - {kv-offloading: dram, kv-offload-backend: {name: mooncake, version: 0.3.12.post1},\n"
        "         conc-list: [48, 64], prefill: {num-worker: 1, tp: 8, dcp-size: 8, ep: 1, dp-attn: false,\n"
        f"         additional-settings: [{NOSPEC_SETTING}]}},\n"
        "         decode: {num-worker: 0, tp: 8, dcp-size: 8, ep: 1, dp-attn: false}}\n"
    )
    scene.head[NVIDIA] = text[:start] + row + text[end:]
    return standard(scene)


@MUTANTS.add
def worker_is_an_alias(scene: Scene) -> set[Found]:
    """The second row repeats the first one's workers, so it runs the first one's recipe and its own is idle."""
    text = scene.head[NVIDIA]
    start, end = rows_of(scene, DISAGG)
    rows = text[start:end].replace("        prefill:\n", "        prefill: &first\n", 1)
    second = rows.index("        prefill:\n")
    rows = rows[:second] + "        prefill: *first\n" + rows[rows.index("        decode:", second) :]
    scene.head[NVIDIA] = text[:start] + rows + text[end:]
    return {*standard(scene), idle(scene, OTHER)}


@MUTANTS.add
def entry_merged_from_another(scene: Scene) -> set[Found]:
    text = scene.head[NVIDIA]
    start, end = text.index(f"\n{NOSPEC}:\n"), text.index("  scenarios:\n", text.index(f"\n{NOSPEC}:\n"))
    merged = f"\n{NOSPEC}:\n  <<: *agg\n"
    text = text[:start] + merged + text[end:]
    scene.head[NVIDIA] = text.replace(f"\n{AGG}:\n", f"\n{AGG}: &agg\n")
    return standard(scene)


@MUTANTS.add
def key_twice(scene: Scene) -> set[Found]:
    """PyYAML keeps the last: the arm of the first one is never run, the key is judged as it is read."""
    text = scene.head[NVIDIA]
    start = text.index(f"\n{NOSPEC}:\n") + 1
    end = rows_of(scene, NOSPEC)[1]
    copy = text[start:end].replace("conc-list: [48, 64]", "conc-list: [48]")
    scene.head[NVIDIA] = text[:end] + copy + text[end:]
    first, second = (scene.line(NVIDIA, f"{NOSPEC}:", nth=nth) for nth in (1, 2))
    return {
        *of_recipes(scene),
        idle(scene),
        Found("duplicate-key", "error", NVIDIA, first),
        unlisted(scene, *KEYS),
        Found("deprecated-arm", "error", NVIDIA, scene.line(NVIDIA, "      - kv-offloading: dram", after=second)),
    }


@MUTANTS.add
def spelled_with_underscores_in_the_master(scene: Scene) -> set[Found]:
    scene.edit_key(AGG, "          dp-attn: false\n", "          dp_attn: false\n")
    return {*standard(scene), Found("kebab-case-keys", "error", NVIDIA, scene.line(NVIDIA, " dp_attn:"))}
