"""Attempts to mislead the five checks: odd but legal ways to write the seed, and look-alikes."""

from __future__ import annotations

from collections.abc import Callable

from seed_mutants_changelog import LINK, append, entry
from seed_mutants_recipes import FLAG
from seed_mutants_references import IDLE_SETTING, NOSPEC_SETTING, OTHER_SETTING, WIRED_SETTING, missing, rows_of
from seed_scene import (
    AGG,
    AGG_RECIPES,
    CHANGELOG,
    DISAGG,
    IDLE,
    KEYS,
    NOSPEC,
    NVIDIA,
    OTHER,
    RECIPES,
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
QUOTED = f'          - "{WIRED_SETTING}"\n'


def _setting(written: str, *silent: str) -> Callable[[Scene], set[Found]]:
    """The first row's CONFIG_FILE written otherwise; `silent` are rules of the seed that have nothing to say then."""

    def mutant(scene: Scene) -> set[Found]:
        scene.edit(NVIDIA, QUOTED, written)
        return {found for found in standard(scene) if found.rule not in silent}

    return mutant


for _name, _mutant in {
    "plain": _setting(f"          - {WIRED_SETTING}\n"),
    "in-single-quotes": _setting(f"          - '{WIRED_SETTING}'\n"),
    "between-others": _setting(f'          - "A=1 {WIRED_SETTING} B=2"\n'),
    "with-blanks": _setting(f'          - "  {WIRED_SETTING}  "\n'),
    "folded": _setting(f"          - >-\n            {WIRED_SETTING}\n"),
    "of-another-name": _setting(f'{QUOTED}          - "MY_{IDLE_SETTING}"\n'),
    "for-evaluation": _setting(f'{QUOTED}          - "EVAL_{IDLE_SETTING}"\n', "unreferenced-recipe"),
    "for-evaluation-after-another": _setting(f'{QUOTED}          - "A=1 EVAL_{IDLE_SETTING}"\n', "unreferenced-recipe"),
}.items():
    MUTANTS.put(f"setting-{_name}", _mutant)


@MUTANTS.add
def settings_shared_by_alias(scene: Scene) -> set[Found]:
    """Both rows of the first key run one recipe; the other one's is idle."""
    text = scene.head[NVIDIA]
    start, end = rows_of(scene, DISAGG)
    rows = text[start:end].replace("          additional-settings:\n", "          additional-settings: &settings\n", 1)
    second = rows.index("          additional-settings:\n")
    rows = f"{rows[:second]}          additional-settings: *settings\n{rows[rows.index('        decode:', second) :]}"
    scene.head[NVIDIA] = text[:start] + rows + text[end:]
    return {*standard(scene), idle(scene, OTHER)}


@MUTANTS.add
def workers_merged_from_a_shared_block(scene: Scene) -> set[Found]:
    text = scene.head[NVIDIA]
    start, end = rows_of(scene, NOSPEC)
    row = (
        text[start:end]
        .replace("        decode: {", "        decode: &sizes {")
        .replace(
            "          tp: 8\n          dcp-size: 8\n          ep: 1\n          dp-attn: false\n",
            "          <<: *base\n",
        )
    )
    agg = text.index("        prefill:\n", rows_of(scene, AGG)[0])
    text = text[:start] + row + text[end:]
    scene.head[NVIDIA] = text[:agg] + text[agg:].replace("        prefill:\n", "        prefill: &base\n", 1)
    return standard(scene)


@MUTANTS.add
def rows_of_two_keys_are_one_sequence(scene: Scene) -> set[Found]:
    """The second key repeats the first one's search space by alias: both are new, its own recipe is idle."""
    text = scene.head[NVIDIA]
    start, end = rows_of(scene, AGG)
    text = text[:start].rstrip().removesuffix("search-space:") + "search-space: *space\n" + text[end:]
    scene.head[NVIDIA] = text
    scene.edit_key(DISAGG, "      search-space:\n", "      search-space: &space\n")
    scene.edit_key(AGG, "disagg: false", "disagg: true\n  kv-p2p-transfer: nixl")
    return {*standard(scene), idle(scene, AGG_RECIPES[0])}


@MUTANTS.add
def byte_order_mark(scene: Scene) -> set[Found]:
    for path in RECIPES:
        scene.head[path] = f"\ufeff{scene.head[path]}"
    return standard(scene)


@MUTANTS.add
def document_marks(scene: Scene) -> set[Found]:
    for path in (*RECIPES, NVIDIA):
        scene.head[path] = f"%YAML 1.1\n---\n{scene.head[path]}"
    return standard(scene)


@MUTANTS.add
def tabs_after_values(scene: Scene) -> set[Found]:
    scene.edit(WIRED, FLAG, f"{FLAG[:-1]}\t# as measured\n")
    return standard(scene)


@MUTANTS.add
def explicit_keys(scene: Scene) -> set[Found]:
    scene.edit(WIRED, FLAG, f"      ? {FLAG.strip().split(':')[0]}\n      : 16384\n")
    line = scene.line(WIRED, "? max_num_batched_tokens")
    return {*(standard_less_snake(scene, WIRED)), Found("kebab-case-keys", "warning", WIRED, line)}


def standard_less_snake(scene: Scene, path: str) -> set[Found]:
    kept = {found for one in RECIPES for found in ((repeated(scene, one), snake(scene, one)) if one != path else ())}
    return {*kept, repeated(scene, path), idle(scene), unlisted(scene, *KEYS), deprecated(scene)}


@MUTANTS.add
def master_suppressions(scene: Scene) -> set[Found]:
    """A reason on the first line of a finding silences change rules too."""
    scene.edit(NVIDIA, f"\n{DISAGG}:\n", f"\n{DISAGG}:  # reciplint: ignore[changelog-required] -- no points yet\n")
    scene.edit_key(
        NOSPEC, "      - kv-offloading", "      # reciplint: ignore[deprecated-arm] -- agreed\n      - kv-offloading"
    )
    return {*of_recipes(scene), idle(scene)}


@MUTANTS.add
def file_suppression(scene: Scene) -> set[Found]:
    scene.head[IDLE] = (
        f"# reciplint: ignore-file[kebab-case-keys, unreferenced-recipe] -- kept for later\n{scene.head[IDLE]}"
    )
    return standard(scene) - {idle(scene), snake(scene, IDLE)}


@MUTANTS.add
def suppression_of_what_is_not_there(scene: Scene) -> set[Found]:
    scene.edit(WIRED, "  type: vllm\n", "  type: vllm  # reciplint: ignore[kebab-case-keys] -- not needed\n")
    return {*standard(scene), Found("unused-suppression", "warning", WIRED, scene.line(WIRED, "reciplint: ignore"))}


# ---- changelog look-alikes


@MUTANTS.add
def keys_as_one_scalar(scene: Scene) -> set[Found]:
    """Two keys in one text are no key."""
    append(scene, entry(DISAGG).replace(f"- {DISAGG}", f'- "{DISAGG}, {AGG}"'))
    return standard(scene)


@MUTANTS.add
def key_as_a_plain_value(scene: Scene) -> set[Found]:
    """`config-keys` must be a list: the schema says so, and the key is plainly meant."""
    append(scene, f"- config-keys: {DISAGG}\n  description:\n    - Add\n  pr-link: {LINK}\n")
    line = scene.line(CHANGELOG, f"config-keys: {DISAGG}")
    others = {*of_recipes(scene), idle(scene), deprecated(scene), unlisted(scene, AGG, NOSPEC)}
    return {*others, Found("schema", "error", CHANGELOG, line)}


@MUTANTS.add
def misspelled_field(scene: Scene) -> set[Found]:
    """`config_keys` is not read: said once, by the rule that knows the right spelling."""
    append(scene, entry(*KEYS).replace("config-keys", "config_keys"))
    line = scene.line(CHANGELOG, "config_keys")
    return {*standard(scene), Found("kebab-case-keys", "warning", CHANGELOG, line)}


@MUTANTS.add
def key_in_the_description_only(scene: Scene) -> set[Found]:
    append(scene, entry("kimik3-fp4-gb200-dynamo-vllm-agentic").replace("Add the points", f"Add {' and '.join(KEYS)}"))
    return standard(scene)


@MUTANTS.add
def key_in_another_case(scene: Scene) -> set[Found]:
    append(scene, entry(DISAGG, AGG, NOSPEC.upper()))
    return {*of_recipes(scene), idle(scene), deprecated(scene), unlisted(scene, NOSPEC)}


# ---- the same key twice, references to the same file


@MUTANTS.add
def row_twice(scene: Scene) -> set[Found]:
    """The same deprecated row written twice is two findings, at two places."""
    text = scene.head[NVIDIA]
    start, end = rows_of(scene, NOSPEC)
    scene.head[NVIDIA] = text[:end] + text[start:end] + text[end:]
    return {*standard(scene), deprecated(scene, nth=2)}


@MUTANTS.add
def typo_in_every_row(scene: Scene) -> set[Found]:
    for setting in (WIRED_SETTING, OTHER_SETTING, NOSPEC_SETTING):
        scene.edit(NVIDIA, setting, setting.replace("-mooncake", "-moon"))
    shapes = ("1p1d-dcp8-dcp8-dspark4-moon-", "1p2d-dcp8-dcp8-dspark4-moon-", "dcp8-nospec-moon-")
    lost = {missing(scene, f"-gb300-{shape}") for shape in shapes}
    return {*standard(scene), *lost, idle(scene, WIRED), idle(scene, OTHER), idle(scene, AGG_RECIPES[1])}


@MUTANTS.add
def null_speculation(scene: Scene) -> set[Found]:
    """`spec-decoding:` with nothing behind it is no method; the schema wants one of its words."""
    scene.edit_key(NOSPEC, "      - kv-offloading", "      - spec-decoding:\n        kv-offloading")
    line = scene.line(NVIDIA, "- spec-decoding:", after=scene.key_line(NOSPEC))
    return {*standard(scene), Found("schema", "error", NVIDIA, line)}
