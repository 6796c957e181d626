"""Mutants of the seed's changelog and of what its keys mean: which keys need an entry, and which entry counts."""

from __future__ import annotations

from collections.abc import Callable

from seed_scene import (
    ADDED,
    AGG,
    AGG_RECIPES,
    CHANGELOG,
    DISAGG,
    IDLE,
    KEYS,
    NOSPEC,
    NVIDIA,
    OTHER,
    WIRED,
    Found,
    Mutants,
    Scene,
    deprecated,
    idle,
    of_recipes,
    standard,
    unlisted,
)

MUTANTS = Mutants()
LINK = "https://github.com/SemiAnalysisAI/InferenceX/pull/2637"


def entry(*keys: str, scenarios: tuple[str, ...] = (), more: str = "") -> str:
    """A changelog entry."""
    lines = ["- config-keys:", *(f'    - "{key}"' if key.startswith("*") else f"    - {key}" for key in keys)]
    if scenarios:
        lines += ["  scenario-type:", *(f"    - {scenario}" for scenario in scenarios)]
    return "\n".join([*lines, "  description:", '    - "Add the points"', f"{more}  pr-link: {LINK}", ""])


def append(scene: Scene, text: str, *, base: bool = False) -> None:
    """Append an entry to the head's changelog, and to the base's if asked."""
    scene.head[CHANGELOG] += text
    if base:
        scene.base[CHANGELOG] += text


def _entry(uncovered: tuple[str, ...], *keys: str, scenarios: tuple[str, ...] = ()) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        append(scene, entry(*keys, scenarios=scenarios))
        left = {unlisted(scene, *uncovered)} if uncovered else set()
        return {*of_recipes(scene), idle(scene), deprecated(scene), *left}

    return mutant


AGENTIC = ("agentic-coding",)
FIXED = ("fixed-seq-len",)
for _name, _mutant in {
    "exact": _entry((), *KEYS),
    "wildcard-of-all": _entry((), "kimik3-fp4-gb300-dynamo-vllm-agentic-*"),
    "wildcard-of-everything": _entry((), "*"),
    "wildcard-inside": _entry((), "kimik3-*-dcp8-*agg"),
    "wildcard-of-two": _entry((DISAGG,), "kimik3-fp4-gb300-*-agg"),
    "wildcard-of-one": _entry((AGG, NOSPEC), "*dcp8-disagg"),
    "wildcard-matches-whole-keys-only": _entry(KEYS, "kimik3-fp4-gb300-dynamo-vllm-agentic"),
    "wildcard-starts-too-late": _entry(KEYS, "fp4-gb300-dynamo-vllm-agentic-*"),
    "question-mark-is-no-wildcard": _entry((NOSPEC,), DISAGG, AGG, NOSPEC.replace("kimik3", "kimik?")),
    "dot-is-no-wildcard": _entry((NOSPEC,), DISAGG, AGG, NOSPEC.replace("kimik3", "kimik.")),
    "scenario-right": _entry((), *KEYS, scenarios=AGENTIC),
    "scenario-wrong": _entry(KEYS, *KEYS, scenarios=FIXED),
    "scenario-both": _entry((), *KEYS, scenarios=(*FIXED, *AGENTIC)),
    "another-key": _entry(KEYS, "kimik3-fp4-gb200-dynamo-vllm-agentic"),
    "first-key-missing": _entry((DISAGG,), AGG, NOSPEC),
    "middle-key-missing": _entry((AGG,), DISAGG, NOSPEC),
    "last-key-missing": _entry((NOSPEC,), DISAGG, AGG),
}.items():
    MUTANTS.put(_name, _mutant)


@MUTANTS.add
def an_entry_for_each_key(scene: Scene) -> set[Found]:
    for key in KEYS:
        append(scene, f"\n{entry(key)}")
    return {*of_recipes(scene), idle(scene), deprecated(scene)}


@MUTANTS.add
def one_scenario_in_each_of_two_entries(scene: Scene) -> set[Found]:
    append(scene, entry(*KEYS, scenarios=FIXED) + "\n" + entry(DISAGG, scenarios=AGENTIC))
    return {*of_recipes(scene), idle(scene), deprecated(scene), unlisted(scene, AGG, NOSPEC)}


@MUTANTS.add
def entry_stood_in_the_base(scene: Scene) -> set[Found]:
    append(scene, entry(*KEYS), base=True)
    return standard(scene)


@MUTANTS.add
def entry_stood_in_the_base_and_is_added_again(scene: Scene) -> set[Found]:
    append(scene, entry(*KEYS), base=True)
    append(scene, f"\n{entry(*KEYS)}")
    return {*of_recipes(scene), idle(scene), deprecated(scene)}


@MUTANTS.add
def entry_of_the_base_is_only_reworded(scene: Scene) -> set[Found]:
    """Only text that git would call added counts; quoting and comments of an old entry add nothing."""
    append(scene, entry(*KEYS), base=True)
    scene.edit(CHANGELOG, '"Add the points"', "Add the points  # as measured")
    return standard(scene)


@MUTANTS.add
def entry_is_commented_out(scene: Scene) -> set[Found]:
    append(scene, "".join(f"# {line}\n" for line in entry(*KEYS).splitlines()))
    return standard(scene)


@MUTANTS.add
def entry_in_flow_style(scene: Scene) -> set[Found]:
    append(scene, f"- {{config-keys: [{', '.join(KEYS)}], description: [Add], pr-link: '{LINK}'}}\n")
    return {*of_recipes(scene), idle(scene), deprecated(scene)}


@MUTANTS.add
def entry_put_first(scene: Scene) -> set[Found]:
    """A rule of its own judges where an entry stands; it counts wherever it was added."""
    scene.head[CHANGELOG] = f"{entry(*KEYS)}\n{scene.head[CHANGELOG]}"
    return {*of_recipes(scene), idle(scene), deprecated(scene)}


# ---- keys that stood in the base, and what changes their meaning


def _known(scene: Scene) -> None:
    """Move the seed into the base: what follows is the change."""
    scene.base.update({path: scene.head[path] for path in (*ADDED, NVIDIA)})


def _changed(*keys: str, edits: tuple[tuple[str, str, str, int], ...]) -> Callable[[Scene], set[Found]]:
    """Edits (file, old, new, how often) to a base that holds the seed; `keys` need an entry then."""

    def mutant(scene: Scene) -> set[Found]:
        _known(scene)
        for path, old, new, count in edits:
            scene.edit(path, old, new, count=count)
        altered = {deprecated(scene)} if NOSPEC in keys and any(path == NVIDIA for path, *_ in edits) else set()
        return {*({unlisted(scene, *keys)} if keys else set()), *altered}

    return mutant


for _name, _mutant in {
    "nothing-changed": _changed(edits=()),
    "recipe-changed": _changed(DISAGG, edits=((WIRED, "stream-interval: 10", "stream-interval: 20", 2),)),
    "both-recipes-of-a-key-changed": _changed(DISAGG, edits=((WIRED, "16384", "8192", 1), (OTHER, "16384", "8192", 1))),
    "recipe-of-the-deprecated-arm-changed": _changed(
        NOSPEC, edits=((AGG_RECIPES[1], "gpu-memory-utilization: 0.90", "gpu-memory-utilization: 0.92", 1),)
    ),
    "idle-recipe-changed": _changed(edits=((IDLE, "stream-interval: 10", "stream-interval: 20", 2),)),
    "recipe-comment-changed": _changed(edits=((WIRED, "# No-op in this recipe", "# Nothing in this recipe", 1),)),
    "recipe-quoting-changed": _changed(edits=((WIRED, "kv-cache-dtype: fp8", "kv-cache-dtype: 'fp8'", 2),)),
    "number-spelled-otherwise": _changed(edits=((WIRED, "stream-interval: 10", "stream-interval: 0xA", 2),)),
    "number-became-text": _changed(DISAGG, edits=((WIRED, "stream-interval: 10", "stream-interval: '10'", 2),)),
    "recipe-comment-at-its-end": _changed(edits=((WIRED, "    # MODEL, topology,", "    # The MODEL, topology,", 1),)),
}.items():
    MUTANTS.put(f"known-{_name}", _mutant)


def _key_changed(key: str, old: str, new: str, severity: str = "error") -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        _known(scene)
        scene.edit_key(key, old, new)
        altered = {deprecated(scene)} if key == NOSPEC else set()
        return {*altered, *({unlisted(scene, key, severity=severity)} if severity else set())}

    return mutant


for _name, _mutant in {
    "setting-of-a-row": _key_changed(DISAGG, "LENGTH=3.36", "LENGTH=3.84"),
    "concurrency-added": _key_changed(NOSPEC, "conc-list: [48, 64]", "conc-list: [48, 64, 74]"),
    "image": _key_changed(AGG, "75c2eef", "0000000"),
    "image-of-a-deprecated-arm": _key_changed(NOSPEC, "75c2eef", "0000000"),
    "dram": _key_changed(DISAGG, "dram-utilization: 0.1664", "dram-utilization: 0.2"),
    "router-only": _key_changed(DISAGG, "ba83080ecd31c1ce918559e576d3c5bc9e092ff1", "1.0.0", "warning"),
    "transfer-only": _key_changed(DISAGG, "kv-p2p-transfer: nixl", "kv-p2p-transfer: mooncake", "warning"),
    "points-removed": _key_changed(AGG, "conc-list: [1, 4]", "conc-list: [4]", ""),
    "points-reordered": _key_changed(AGG, "conc-list: [1, 4]", "conc-list: [4, 1]", ""),
    "range-for-list": _key_changed(AGG, "conc-list: [1, 4]", "conc-start: 1\n        conc-end: 4", "error"),
    "flow-for-block": _key_changed(DISAGG, "decode: { num-worker: 1, ", "decode: { 'num-worker': 1, ", ""),
    "comment-in-a-row": _key_changed(AGG, "        conc-list:", "        # why these\n        conc-list:", ""),
}.items():
    MUTANTS.put(f"known-{_name}", _mutant)


@MUTANTS.add
def known_router_only_with_entry(scene: Scene) -> set[Found]:
    _known(scene)
    scene.edit_key(DISAGG, "ba83080ecd31c1ce918559e576d3c5bc9e092ff1", "1.0.0")
    append(scene, entry(DISAGG))
    return set()


@MUTANTS.add
def known_key_renamed(scene: Scene) -> set[Found]:
    """A new name is a new key for those who publish; the deprecated arm under it is added anew."""
    _known(scene)
    scene.edit(NVIDIA, f"\n{NOSPEC}:\n", f"\n{NOSPEC}-v2:\n")
    return {unlisted(scene, f"{NOSPEC}-v2"), deprecated(scene, f"{NOSPEC}-v2")}


@MUTANTS.add
def known_key_removed(scene: Scene) -> set[Found]:
    """Removing points needs no entry; the recipe whose last row went is left idle."""
    _known(scene)
    text = scene.head[NVIDIA]
    start = text.index(f"\n{NOSPEC}:\n") + 1
    scene.head[NVIDIA] = text[:start] + text[text.index("\n\n\n# Kimi-K3 MXFP4 B200", start) + 2 :]
    return {idle(scene, AGG_RECIPES[1])}
