"""The kinds of fault that are planted into vLLM recipe files, with the rule that should find each."""

from __future__ import annotations

import re
from typing import Any

import yaml
from vllm_planting import Plant, Planted, Planter, Sheet, adds, renames, sets


def _token(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"--[a-z][a-z-]+", value) is not None


def _word(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9]*", value) is not None


def _listed(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and _token(value[0])


def _fused(sheet: Sheet) -> Planted | None:
    """A flag and its value drawn together into one item."""
    for path in sheet.paths("*.*.args"):
        tokens = sheet.at(path)
        pairs = [index for index, token in enumerate(tokens[:-1]) if _token(token) and _word(tokens[index + 1])]
        if pairs and not sheet.node(path).flow_style:
            flag = (*path, pairs[0])
            text, line = sheet.written(flag, f'"{sheet.at(flag)} {tokens[pairs[0] + 1]}"') or ("", 0)
            lines = text.splitlines(keepends=True)
            del lines[sheet.node((*path, pairs[0] + 1)).start_mark.line]
            return "".join(lines), line
    return None


def _twice(sheet: Sheet) -> Planted | None:
    """A flag that stands again further down its list."""
    path = sheet.first("*.*.args.*", _token)
    return None if path is None else sheet.added(path[:-1], f'- "{sheet.at(path)}"')


def _other_case(sheet: Sheet) -> Planted | None:
    """A related recipe in capitals."""
    names = {path[len("models/") : -len(".yaml")] for path in sheet.others}
    path = sheet.first("meta.related_recipes.*", lambda value: value in names and value.swapcase() not in names)
    return None if path is None else sheet.written(path, f'"{sheet.at(path).swapcase()}"')


def _itself(sheet: Sheet) -> Planted | None:
    return sheet.written(sheet.first("meta.related_recipes.*"), f'"{sheet.path[len("models/") : -len(".yaml")]}"')


def _twin_slug(sheet: Sheet) -> Planted | None:
    """The slug of a recipe that comes earlier."""
    first = next(iter(sorted(path for path in sheet.others if path.startswith("models/"))))
    if first >= sheet.path:
        return None
    slug = yaml.load(sheet.others[first], Loader=yaml.CSafeLoader)["meta"].get("slug")
    return sheet.written(sheet.first("meta.slug"), f'"{slug}"') if slug else None


def _unoffered_override(sheet: Sheet) -> Planted | None:
    offered = sheet.value.get("compatible_strategies") or []
    if "multi_node_tep" in offered or not offered or "strategy_hardware" in sheet.value:
        return None
    return sheet.renamed(sheet.first("strategy_overrides.single_node_tp"), "multi_node_tep")


def _unoffered_default(sheet: Sheet) -> Planted | None:
    offered = sheet.value.get("compatible_strategies") or []
    if not offered or "multi_node_tep" in offered or "default_strategy" in sheet.value:
        return None
    return sheet.added((), "default_strategy: multi_node_tep")


def _ruled_out(sheet: Sheet) -> Planted | None:
    """A default hardware that the recipe rules out."""
    path = sheet.first("meta.hardware.*", lambda value: value == "unsupported")
    if path is None or "default_hardware" in sheet.value["meta"]:
        return None
    return sheet.added(("meta",), f"default_hardware: {path[-1]}")


def _unsupported_variant(sheet: Sheet) -> Planted | None:
    """A variant's hardware taken from its list, its override kept."""
    for path in sheet.paths("variants.*.hardware_overrides.*"):
        listed = sheet.at((*path[:2], "supported_hardware")) or []
        others = [name for name in listed if name != path[-1]]
        node = None if path[-1] not in listed else sheet.node((*path[:2], "supported_hardware"))
        if others and node is not None and node.flow_style:
            text, _ = sheet.put(node, f"[{', '.join(others)}]")
            return text, sheet.key(path).start_mark.line + 1
    return None


def _dropped_baseline(sheet: Sheet) -> Planted | None:
    """A strategy's block for a generation that has less than the recipe's."""
    generation = sheet.first("hardware_overrides.*", lambda value: _listed((value or {}).get("extra_args")))
    strategy = sheet.first("strategy_overrides.single_node_tp", lambda value: isinstance(value, dict))
    if generation is None or strategy is None or "hardware_overrides" in sheet.at(strategy):
        return None
    block = f'hardware_overrides: {{{generation[-1]}: {{extra_env: {{TINY_MODE: "1"}}}}}}'
    return sheet.added(strategy, block)


def _deeper(sheet: Sheet) -> Planted | None:
    """A feature's modes beside its args."""
    path = sheet.first("features.*", lambda value: isinstance(value, dict) and "args" in value)
    if path is None or sheet.node(path).flow_style:
        return None
    text, _ = sheet.added(path, 'modes: {plain: {args: ["--enforce-eager"]}}') or ("", 0)
    return (text, sheet.key((*path, "args")).start_mark.line + 2) if text else None


def _older_image(sheet: Sheet) -> Planted | None:
    minimum = sheet.at(("model", "min_vllm_version"))
    if not isinstance(minimum, str) or not minimum[:1].isdigit() or "docker_image" in sheet.value["model"]:
        return None
    return sheet.added(("model",), 'docker_image: "vllm/vllm-openai:v0.3.0"')


def _image(raw: str) -> Plant:
    def plant(sheet: Sheet) -> Planted | None:
        return None if "docker_image" in sheet.value["model"] else sheet.added(("model",), f"docker_image: {raw}")

    return plant


def _duplicate(sheet: Sheet) -> Planted | None:
    """A key that stands twice: the first one is what is reported."""
    return sheet.added(("model",), f'architecture: "{sheet.at(("model", "architecture"))}"')


def _tab(sheet: Sheet) -> Planted | None:
    """A tab where spaces should indent."""
    lines = sheet.text.splitlines(keepends=True)
    number = sheet.key(("model", "model_id")).start_mark.line
    lines[number] = "\t" + lines[number].lstrip()
    return "".join(lines), number + 1


def _pool(sheet: Sheet) -> Planted | None:
    return sheet.written(sheet.first("strategy_overrides.pd_cluster.decode.parallelism", _word), "ep")


def _json(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("{")


def _as_text(sheet: Sheet) -> Planted | None:
    """A list of one strategy written as that strategy; such recipes only, so that nothing else refers to it."""
    listed = sheet.value["compatible_strategies"]
    node = sheet.node(("compatible_strategies",))
    if len(listed) != 1 or not node.flow_style:
        return None
    return sheet.written(("compatible_strategies",), listed[0])


def _ruled_out_hardware(sheet: Sheet) -> Planted | None:
    """Hardware of another generation among that of an NVFP4 variant."""
    for path in sheet.paths("variants.*.supported_hardware"):
        variant = sheet.at(path[:-1])
        if variant.get("precision") == "nvfp4" and "precision_hardware" not in variant and sheet.node(path).flow_style:
            return sheet.written((*path, 0), "h200")
    return None


ANY_STRATEGY = r"strategies/[^/]+\.yaml\Z"
TAXONOMY = r"taxonomy\.yaml\Z"

PLANTERS = (
    # keys and types
    Planter("top-key", "schema", renames("compatible_strategies", "compatible_stratgies")),
    Planter("meta-key", "schema", renames("meta.title", "titel")),
    Planter("model-key", "schema", renames("model.base_args", "base_arg")),
    Planter("variant-key", "schema", renames("variants.*.precision", "precison")),
    Planter("feature-key", "schema", renames("features.*.args", "arguments")),
    Planter("no-slug", "schema", lambda sheet: sheet.removed(sheet.first("meta.slug"))),
    Planter("no-model-id", "schema", lambda sheet: sheet.removed(("model", "model_id"))),
    Planter("no-default-variant", "schema", lambda sheet: _no_default(sheet)),
    Planter("vram-in-words", "schema", sets("variants.*.vram_minimum_gb", '"lots"')),
    Planter("context-in-words", "schema", sets("model.context_length", "128K")),
    Planter("version-as-number", "schema", sets("model.min_vllm_version", "0.21")),
    Planter("version-with-v", "schema", sets("model.min_vllm_version", '"v0.21.0"')),
    Planter("architecture", "schema", sets("model.architecture", "mixture")),
    Planter("difficulty", "schema", sets("meta.difficulty", "expert")),
    Planter("flag-in-words", "schema", adds("model", 'supports_dcp: "often"', lambda v: "supports_dcp" not in v)),
    Planter("token-as-number", "schema", adds("*.*.args", "- 8192", lambda value: _listed(value))),
    Planter("env-as-null", "schema", sets("*.*.extra_env.*", "null")),
    Planter("no-calendar-day", "schema", sets("meta.date_updated", "2026-02-30")),
    Planter("date-with-slashes", "schema", sets("meta.date_added", "2026/07/01")),
    Planter("variable-with-dash", "schema", renames("*.*.extra_env.*", "TINY-MODE")),
    Planter("more-active-than-all", "schema", sets("model.active_parameters", '"9000B"')),
    Planter("strategies-as-text", "schema", _as_text),
    Planter("bare-variant-model", "schema", sets("variants.*.model_id", '"Finch-FP8"')),
    Planter("pool-parallelism", "schema", _pool),
    # names within a recipe
    Planter("opt-in-feature", "schema", sets("opt_in_features.*", "spec_decodng")),
    Planter("default-mode", "schema", sets("features.*.default_mode", "eagel9")),
    Planter("mode-variant", "schema", sets("features.*.modes.*.variants.*", "fp9")),
    Planter("variant-mode", "schema", sets("variants.*.default_modes.*", "eagel9")),
    Planter("args-and-modes", "schema", _deeper),
    Planter("default-strategy", "schema", _unoffered_default),
    Planter("default-hardware", "schema", _ruled_out),
    # the file as YAML
    Planter("duplicate-key", "duplicate-key", _duplicate),
    Planter("tab", "yaml-syntax", _tab),
    # tokens
    Planter("fused-token", "argv-token", _fused),
    Planter("empty-token", "argv-token", sets("*.*.args.*", '""', _word)),
    Planter("blank-token", "argv-token", sets("*.*.args.*", '" --enforce-eager"', _token)),
    Planter("dash-token", "argv-token", sets("*.*.args.*", '"–enforce-eager"', _token)),
    Planter("one-dash-token", "argv-token", sets("*.*.args.*", '"-enforce-eager"', _token)),
    Planter("continued-token", "argv-token", sets("*.*.args.*", '"--enforce-eager \\\\"', _token)),
    Planter("quoted-token", "argv-token", sets("*.*.args.*", "\"'auto'\"", _word)),
    Planter("broken-json", "argv-token", sets("*.*.*.*.args.*", '\'{"method":"mtp",}\'', _json)),
    Planter("variable-as-token", "argv-token", sets("*.*.args.*", '"VLLM_TINY_MODE=1"', _word)),
    Planter("bare-token", "argv-token", adds("*.*.args", "- enforce-eager", _listed)),
    # images
    Planter("image-command", "docker-image", _image('"docker pull vllm/vllm-openai:nightly"')),
    Planter("image-address", "docker-image", _image('"https://images.example.com/vllm:nightly"')),
    Planter("image-capitals", "docker-image", _image('"vllm/vLLM-OpenAI:nightly"')),
    Planter("image-of-another-brand", "docker-image", _image('"vllm/vllm-openai-rocm:v99.1.0"')),
    Planter("image-older", "docker-image", _older_image),
    # other recipes, and the path
    Planter("related-case", "related-recipe", _other_case),
    Planter("related-missing", "related-recipe", sets("meta.related_recipes.*", '"example/None-Such-9B"')),
    Planter("related-itself", "related-recipe", _itself),
    Planter("model-of-another", "recipe-path", sets("model.model_id", '"example/None-Such-9B"')),
    Planter("slug-of-another", "recipe-path", _twin_slug),
    Planter("slug-of-none", "recipe-path", sets("meta.slug", '"none-such-9b"')),
    # the vocabulary
    Planter("hardware-id", "taxonomy-id", renames("meta.hardware.*", "h209")),
    Planter("hardware-status", "taxonomy-id", sets("meta.hardware.*", "tested")),
    Planter("task", "taxonomy-id", sets("meta.tasks.*", "txt")),
    Planter("strategy", "taxonomy-id", sets("compatible_strategies.*", "multi_node_tpx", lambda v: "multi" in v)),
    Planter("omni-task", "taxonomy-id", sets("omni.tasks.*.id", "t2x")),
    Planter("offload-strategy", "taxonomy-id", adds("kv_offload.*.strategies", "- single_node_xp"), TAXONOMY),
    Planter("precision", "taxonomy-id", sets("variants.*.precision", "bfloat")),
    Planter("generation", "taxonomy-id", renames("hardware_overrides.*", "blackwel", lambda value: bool(value))),
    Planter("supported-hardware", "taxonomy-id", sets("variants.*.supported_hardware.*", "h209")),
    Planter("strategy-status", "taxonomy-id", sets("strategy_hardware.*.*", "never", lambda v: v == "unsupported")),
    Planter("kv-offload", "taxonomy-id", renames("kv_offload_support.*", "offloading_gpu")),
    Planter("brand", "taxonomy-id", sets("dependencies.*.brand", "NVIDEA")),
    Planter("platform", "taxonomy-id", sets("meta.platforms.*.id", "none-such")),
    Planter("strategy-name", "taxonomy-id", sets("name", "none_such"), ANY_STRATEGY),
    Planter("strategy-without-file", "taxonomy-id", adds("strategies", "- single_node_xp"), TAXONOMY),
    # what loses to something else
    Planter("tensor-size", "overridden-flag", lambda sheet: _sized(sheet, '"--tensor-parallel-size"')),
    Planter("short-tensor-size", "overridden-flag", lambda sheet: _sized(sheet, '"-tp"')),
    Planter("same-flag-twice", "overridden-flag", _twice),
    Planter("strategy-not-offered", "unused-override", _unoffered_override),
    Planter("arguments-of-no-pool", "unused-override", adds("strategy_overrides.pd_cluster", "extra_args: []")),
    Planter("pool-of-one-engine", "unused-override", adds("strategy_overrides.single_node_tp", "prefill: {nodes: 1}")),
    Planter("one-gpu", "unused-override", renames("hardware_overrides.*", "h100", lambda value: bool(value))),
    Planter("variant-not-there", "unused-override", _unsupported_variant),
    Planter("lower-minimum", "unused-override", lambda sheet: _lower(sheet)),
    Planter("above-node", "unused-override", sets("strategy_overrides.single_node_tp.tp", "64")),
    Planter("precision-rules-out", "unused-override", _ruled_out_hardware),
    Planter("image-of-no-brand", "unused-override", renames("model.docker_image.*", "rocm")),
    Planter("baseline", "baseline-dropped", _dropped_baseline),
    Planter("preset-number", "preset-link", sets("presets.*.source.label", '"Bench #987654"')),
)


def _no_default(sheet: Sheet) -> Planted | None:
    names = {str(name) for path in sheet.paths("features.*.modes.*.variants") for name in sheet.at(path)}
    usual = sheet.at(("variants", "default"))
    if "default" in names or usual is None or "extra_args" in usual:
        return None
    text, _ = sheet.renamed(("variants", "default"), "usual") or ("", 0)
    return text, sheet.key(("variants",)).start_mark.line + 1


def _unsized(value: Any) -> bool:
    return _listed(value) and not any("-parallel-size" in str(token) for token in value)


def _sized(sheet: Sheet, flag: str) -> Planted | None:
    tasks, offered = sheet.at(("meta", "tasks")) or [], sheet.at(("compatible_strategies",)) or []
    if "omni" in tasks or "single_node_tp" not in offered or "default_strategy" in sheet.value:
        return None
    node = sheet.first("variants.*.extra_args", _unsized) or sheet.first("model.base_args", _unsized)
    if node is None:
        return None
    planted = sheet.added(node, f"- {flag}")
    if planted is None:
        return None
    lines = planted[0].splitlines(keepends=True)
    lines.insert(planted[1], lines[planted[1] - 1].replace(flag, '"4"'))
    return "".join(lines), planted[1]


def _lower(sheet: Sheet) -> Planted | None:
    minimum = sheet.at(("model", "min_vllm_version"))
    path = sheet.first("variants.*", lambda value: isinstance(value, dict) and "min_vllm_version" not in value)
    if not isinstance(minimum, str) or not minimum[:1].isdigit() or path is None:
        return None
    return sheet.added(path, 'min_vllm_version: "0.3.0"')
