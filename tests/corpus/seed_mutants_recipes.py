"""Mutants of the seed's recipes: keys, roles, engines, spellings, repetition, comments and style."""

from __future__ import annotations

import re
from collections.abc import Callable

from seed_scene import (
    ADDED,
    AGG_RECIPES,
    IDLE,
    OTHER,
    RECIPES,
    SNAKE,
    WIRED,
    Found,
    Mutants,
    Scene,
    idle,
    of_master,
    repeated,
    snake,
    standard,
)

MUTANTS = Mutants()
KEBAB = SNAKE.replace("_", "-")
FLAG = f"      {SNAKE}: 16384\n"


def decode_at(text: str) -> int:
    """Where the flags of decode begin."""
    return text.index("\n    decode:\n", text.index("  vllm_config:\n")) + 1


def in_decode(text: str, line: str) -> str:
    """A line put first among the flags of decode."""
    at = decode_at(text) + len("    decode:\n")
    return f"{text[:at]}{line}{text[at:]}"


# ---- another spelling, another key, another role


def _spelled(key: str) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        for path in RECIPES:
            scene.edit(path, FLAG, f"      {key}: 16384\n")
        return {*_without_snake(scene), *(snake(scene, path, key) for path in RECIPES)}

    return mutant


def _without_snake(scene: Scene) -> set[Found]:
    return {*(repeated(scene, path) for path in RECIPES), idle(scene), *of_master(scene)}


for _key in ("max_num_seqs_per_rank", "maxNumBatchedTokens", "max-num_batched-tokens", "maxNum_batched_tokens", "a_b"):
    MUTANTS.put(f"key-{_key}", _spelled(_key))


def _flag_respelled(flag: str, spelled: str) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        for role, path in enumerate((WIRED, OTHER)):
            text = scene.head[path]
            at = decode_at(text) if role else 0
            scene.head[path] = text[:at] + text[at:].replace(f"      {flag}: ", f"      {spelled}: ", 1)
        return {*standard(scene), snake(scene, WIRED, spelled), snake(scene, OTHER, spelled)}

    return mutant


for _flag in ("tensor-parallel-size", "kv-cache-dtype", "enable-prefix-caching"):
    MUTANTS.put(f"flag-{_flag}", _flag_respelled(_flag, _flag.replace("-", "_")))
MUTANTS.put("flag-camel", _flag_respelled("stream-interval", "streamInterval"))


@MUTANTS.add
def snake_in_decode_only(scene: Scene) -> set[Found]:
    for path in RECIPES:
        scene.recipe_text(path, lambda text: in_decode(text.replace(FLAG, ""), FLAG))
    return standard(scene)


@MUTANTS.add
def snake_in_both_roles(scene: Scene) -> set[Found]:
    for path in RECIPES:
        scene.recipe_text(path, lambda text: in_decode(text, FLAG))
    return {*standard(scene), *(snake(scene, path, nth=2) for path in RECIPES)}


@MUTANTS.add
def snake_in_aggregated(scene: Scene) -> set[Found]:
    for path in AGG_RECIPES:
        scene.edit(path, f"      {KEBAB}: ", f"      {SNAKE}: ")
    return {*standard(scene), *(snake(scene, path) for path in AGG_RECIPES)}


@MUTANTS.add
def dashed_everywhere(scene: Scene) -> set[Found]:
    for path in RECIPES:
        scene.edit(path, SNAKE, KEBAB)
    return _without_snake(scene)


@MUTANTS.add
def both_spellings(scene: Scene) -> set[Found]:
    scene.edit(IDLE, FLAG, f"{FLAG}      {KEBAB}: 8192\n")
    return standard(scene)


@MUTANTS.add
def snake_twice(scene: Scene) -> set[Found]:
    scene.edit(IDLE, FLAG, FLAG + FLAG.replace("16384", "8192"))
    return {
        *standard(scene),
        snake(scene, IDLE, nth=2),
        Found("duplicate-key", "error", IDLE, scene.line(IDLE, SNAKE)),
    }


@MUTANTS.add
def quoted_key(scene: Scene) -> set[Found]:
    for path in RECIPES:
        scene.edit(path, f"      {SNAKE}:", f'      "{SNAKE}":')
    return {*_without_snake(scene), *(snake(scene, path, f'"{SNAKE}"') for path in RECIPES)}


@MUTANTS.add
def flow_style_prefill(scene: Scene) -> set[Found]:
    text = scene.head[WIRED]
    start = text.index("    prefill:\n", text.index("  vllm_config:\n"))
    lines = text[start : decode_at(text)].split("\n")[1:]
    pairs = ", ".join(line.strip() for line in lines if line.strip() and not line.strip().startswith("#"))
    scene.head[WIRED] = f"{text[:start]}    prefill: {{{pairs}}}\n{text[decode_at(text) :]}"
    return standard(scene)


@MUTANTS.add
def snake_in_places_that_have_other_conventions(scene: Scene) -> set[Found]:
    """Environment variables, fields of srt-slurm, JSON inside a string, the benchmark's environment."""
    for path in RECIPES:
        scene.edit(path, "    VLLM_RPC_TIMEOUT:", '    my_own_setting: "1"\n    VLLM_RPC_TIMEOUT:')
        scene.edit(path, "  dp_launch_mode: per_node\n", "  dp_launch_mode: per_node\n  some_field: 1\n")
        scene.edit(path, '    PORT: "8000"\n', '    PORT: "8000"\n    lower_case_name: "x"\n')
        scene.edit(path, '\'{"cudagraph_mode"', '\'{"snake_in_json":1,"cudagraph_mode"')
    return standard(scene)


def _snake_elsewhere(old: str, new: str, key: str) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        scene.edit(WIRED, old, new)
        return {*standard(scene), snake(scene, WIRED, key)}

    return mutant


MUTANTS.put("frontend-args", _snake_elsewhere("    router-mode:", "    router_mode:", "router_mode"))
MUTANTS.put("sbatch", _snake_elsewhere("  cpus-per-task:", "  cpus_per_task:", "cpus_per_task"))
MUTANTS.put("srun", _snake_elsewhere("  container-remap-root:", "  container_remap_root:", "container_remap_root"))


# ---- another engine


def _engine(name: str) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        for path in RECIPES:
            scene.edit(path, "  type: vllm\n", f"  type: {name}\n")
            scene.edit(path, "  vllm_config:\n", f"  {name}_config:\n")
        found = standard(scene)
        return {one for one in found if one.rule != "kebab-case-keys"} if name == "trtllm" else found

    return mutant


for _name in ("sglang", "trtllm"):
    MUTANTS.put(f"engine-{_name}", _engine(_name))


@MUTANTS.add
def engine_sglang_all_snake(scene: Scene) -> set[Found]:
    """A file whose flags are all written with underscores follows another convention."""

    def to_snake(text: str) -> str:
        start = text.index("  vllm_config:\n")
        end = text.index("\nsbatch_directives:")
        flags = re.sub(r"(?m)^(      [a-z]\S*?):", lambda m: m[1].replace("-", "_") + ":", text[start:end])
        return text[:start] + flags.replace("  vllm_config:", "  sglang_config:") + text[end:]

    scene.recipe_text(IDLE, lambda text: to_snake(text.replace("  type: vllm\n", "  type: sglang\n")))
    expected = standard(scene)
    return {found for found in expected if not (found.path == IDLE and found.rule == "kebab-case-keys")}


# ---- repetition


def folded(text: str, merge: str = "      <<: *kimi_config\n") -> str:
    """The flags of decode merged from prefill, with only what differs written out."""
    at, end = decode_at(text), text.index("\nsbatch_directives:")
    start = text.index("    prefill:\n", text.index("  vllm_config:\n"))
    first = text[start:at].split("\n")
    kept = [line for line in text[at:end].split("\n")[1:] if line not in first and not line.lstrip().startswith("#")]
    prefill = text[start:at].replace("    prefill:\n", "    prefill: &kimi_config\n", 1)
    return f"{text[:start]}{prefill}    decode:\n{merge}" + "\n".join(kept) + "\n" + text[end:]


@MUTANTS.add
def decode_folded_onto_an_anchor(scene: Scene) -> set[Found]:
    for path in RECIPES:
        scene.recipe_text(path, folded)
    return {found for found in standard(scene) if found.rule != "anchor-dedup"}


@MUTANTS.add
def one_recipe_folded(scene: Scene) -> set[Found]:
    scene.recipe_text(OTHER, folded)
    return {found for found in standard(scene) if (found.rule, found.path) != ("anchor-dedup", OTHER)}


@MUTANTS.add
def folded_with_a_list_of_merges(scene: Scene) -> set[Found]:
    scene.recipe_text(OTHER, lambda text: folded(text, "      <<: [*kimi_config]\n"))
    return {found for found in standard(scene) if (found.rule, found.path) != ("anchor-dedup", OTHER)}


@MUTANTS.add
def folded_and_still_repeated(scene: Scene) -> set[Found]:
    """A merge key does not hide the copies that stand beside it."""
    for path in RECIPES:
        scene.edit(path, "\n    prefill:\n", "\n    prefill: &kimi_config\n")
        scene.recipe_text(path, lambda text: in_decode(text, "      <<: *kimi_config\n"))
    return standard(scene)


@MUTANTS.add
def decode_is_an_alias(scene: Scene) -> set[Found]:
    def alias(text: str) -> str:
        at, end = decode_at(text), text.index("\nsbatch_directives:")
        anchored = text[:at].replace("\n    prefill:\n", "\n    prefill: &kimi_config\n")
        return f"{anchored}    decode: *kimi_config\n{text[end:]}"

    scene.recipe_text(OTHER, alias)
    return {found for found in standard(scene) if (found.rule, found.path) != ("anchor-dedup", OTHER)}


@MUTANTS.add
def environments_written_out_too(scene: Scene) -> set[Found]:
    """Still one finding a file, on the pair that repeats most: here the environments."""

    def written_out(text: str) -> str:
        head, rest = text.split("  prefill_environment: &kimi_env\n")
        body, tail = rest.split("  decode_environment:\n    <<: *kimi_env\n")
        body += "".join(f'    FILLER_{n}: "{"x" * 40}"\n' for n in range(20))
        return f"{head}  prefill_environment:\n{body}  decode_environment:\n{body}{tail}"

    scene.recipe_text(WIRED, written_out)
    expected = {found for found in standard(scene) if (found.rule, found.path) != ("anchor-dedup", WIRED)}
    return {*expected, Found("anchor-dedup", "info", WIRED, scene.line(WIRED, "  prefill_environment:"))}


@MUTANTS.add
def too_little_repeated(scene: Scene) -> set[Found]:
    """Seven short shared keys, under 200 bytes, are no repetition."""

    def shortened(text: str) -> str:
        at, end = decode_at(text), text.index("\nsbatch_directives:")
        lines = text[at:end].split("\n")
        kept = [line for line in lines[1:] if not line.lstrip().startswith("#") and len(line) < 60][:7]
        return text[:at] + "\n".join([lines[0], *kept]) + "\n" + text[end:]

    scene.recipe_text(OTHER, shortened)
    return {found for found in standard(scene) if (found.rule, found.path) != ("anchor-dedup", OTHER)}


# ---- the base had it already; comments, order, quoting


@MUTANTS.add
def base_has_the_recipes(scene: Scene) -> set[Found]:
    for path in ADDED:
        scene.base[path] = scene.head[path]
    return {found for found in standard(scene) if found.rule in ("changelog-required", "deprecated-arm")}


@MUTANTS.add
def base_has_the_snake_key_of_one(scene: Scene) -> set[Found]:
    scene.base[WIRED] = scene.head[WIRED].replace("16384", "8192")
    return standard(scene) - {snake(scene, WIRED), repeated(scene, WIRED)}


@MUTANTS.add
def base_has_it_in_the_other_role(scene: Scene) -> set[Found]:
    scene.base[WIRED] = in_decode(scene.head[WIRED].replace(FLAG, ""), FLAG)
    return standard(scene) - {repeated(scene, WIRED)}


@MUTANTS.add
def base_has_it_under_another_name(scene: Scene) -> set[Found]:
    """A recipe that was renamed with a change is the same recipe."""
    old = WIRED.replace("disagg-gb300", "disagg-gb300-old")
    scene.base[old] = scene.head[WIRED].replace("16384", "8192")
    scene.renames[WIRED] = old
    return standard(scene) - {snake(scene, WIRED), repeated(scene, WIRED)}


@MUTANTS.add
def suppressed_with_a_reason(scene: Scene) -> set[Found]:
    scene.edit(IDLE, FLAG, f"      # reciplint: ignore[kebab-case-keys] -- as measured\n{FLAG}")
    scene.edit(OTHER, FLAG, f"{FLAG[:-1]}  # reciplint: ignore[kebab-case-keys] -- as measured\n")
    return standard(scene) - {snake(scene, IDLE), snake(scene, OTHER)}


@MUTANTS.add
def suppressed_without_a_reason(scene: Scene) -> set[Found]:
    scene.edit(OTHER, FLAG, f"{FLAG[:-1]}  # reciplint: ignore[kebab-case-keys]\n")
    return {*standard(scene), Found("missing-reason", "warning", OTHER, scene.line(OTHER, SNAKE))}


@MUTANTS.add
def windows_line_ends(scene: Scene) -> set[Found]:
    for path in ADDED:
        scene.recipe_text(path, lambda text: text.replace("\n", "\r\n"))
    return standard(scene)


@MUTANTS.add
def no_newline_at_the_end(scene: Scene) -> set[Found]:
    scene.recipe_text(IDLE, lambda text: text.rstrip("\n"))
    return {*standard(scene), Found("final-newline", "info", IDLE, len(scene.head[IDLE].split("\n")))}


@MUTANTS.add
def broken_recipe(scene: Scene) -> set[Found]:
    """One recipe cannot be read: the others are still checked, and a broken file that nothing names is idle."""
    scene.edit(IDLE, FLAG, "      max: [16384\n")
    after = scene.line(IDLE, "max: [16384") + 1
    return {
        *of_master(scene),
        *(found for path in (WIRED, OTHER) for found in (snake(scene, path), repeated(scene, path))),
        Found("yaml-syntax", "error", IDLE, after),
        Found("unreferenced-recipe", "warning", IDLE, 1),
    }
