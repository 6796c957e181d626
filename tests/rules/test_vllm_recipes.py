"""The rules on vLLM recipes: what each says, where, and of what it keeps silent."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from variations import harmless

from reciplint.domain.vllm_argv import TokenFault, token_fault, tokens
from reciplint.domain.vllm_docker import is_reference, meant_reference
from reciplint.fix.session import fix_tree
from reciplint.rules.finding import Finding
from reciplint.yamltree.parse import parse_text
from support import RULES, Files, encoded, git_repo, lint, reciplint
from vllm_scene import FILES, FINCH, HERON, TAXONOMY

FINCH_PATH, HERON_PATH = "models/example/Finch-7B.yaml", "models/example/Heron-VL.yaml"
OWN = frozenset(name for name, r in RULES.items() if r.card.category == "vllm_recipes") | {"schema"}


def with_finch(old: str, new: str) -> dict[str, str]:
    assert FINCH.count(old) == 1, f"{old!r} stands {FINCH.count(old)} times"
    return {**FILES, FINCH_PATH: FINCH.replace(old, new)}


def with_heron(old: str, new: str) -> dict[str, str]:
    assert HERON.count(old) == 1, f"{old!r} stands {HERON.count(old)} times"
    return {**FILES, HERON_PATH: HERON.replace(old, new)}


def found(files: Files) -> list[Finding]:
    return lint(files, select=OWN)


def said(files: Files) -> list[str]:
    return [f"{f.severity} {f.rule}: {f.message}" for f in found(files)]


def without_taxonomy(files: Files) -> dict[str, str | bytes]:
    """The recipes as an engine keeps them: below `recipes/`, with a manifest and no vocabulary."""
    kept = {f"recipes/{path}": data for path, data in files.items() if path.startswith("models/")}
    return {**kept, "recipes/manifest.yaml": "schema_version: 1\n"}


# silence


@pytest.mark.parametrize("path", FILES)
def test_harmless_variations_stay_silent(path: str) -> None:
    """Other quotes, orders, blocks, comments, anchors and aliases say the same."""
    for seed in range(12):
        text = harmless(FILES[path], seed)
        assert said({**FILES, path: text}) == [], f"seed {seed}:\n{text}"


@pytest.mark.parametrize("files", [FILES, without_taxonomy(FILES)], ids=["with a taxonomy", "without"])
def test_what_is_right_is_silent(files: Files) -> None:
    assert said(files) == []


def test_without_a_taxonomy_no_word_of_it_is_judged() -> None:
    files = with_finch("    h200: verified", "    none_such: verified")
    assert said(files) != []
    assert said(without_taxonomy(files)) == []


def test_without_a_taxonomy_other_recipes_may_be_elsewhere_but_not_in_other_capitals() -> None:
    elsewhere = with_finch('    - "example/Heron-VL"', '    - "example/None-Such-9B"')
    assert said(without_taxonomy(elsewhere)) == []
    (finding,) = found(without_taxonomy(with_finch('    - "example/Heron-VL"', '    - "Example/heron-vl"')))
    assert (finding.rule, finding.arguments["near"]) == ("related-recipe", "example/Heron-VL")


def test_status_and_precision_are_judged_without_a_taxonomy() -> None:
    files = with_finch("    h200: verified", "    h200: supported")
    assert [f.rule for f in found(without_taxonomy(files))] == ["taxonomy-id"]


@pytest.mark.parametrize("precision", ["int2/4/8", "mxfp8", "awq", "fp8"])
def test_a_known_precision_and_a_mix_are_silent(precision: str) -> None:
    assert said(with_finch("    precision: bf16", f"    precision: {precision}")) == []


def test_later_recipes_name_hardware_by_architecture() -> None:
    assert said(with_heron("[b200, deskbox]", '["arch:sm100", b200]')) == []


def test_words_of_the_settings_are_known() -> None:
    files = with_finch("    h200: verified", "    h20: verified")
    files[".reciplint.yaml"] = "rules:\n  taxonomy-id: { words: [h20] }\n"
    assert said(files) == []


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("default_mode: mtp", "defualt_mode: mtp", "error"),
        ("default_mode: mtp", "default_hardwares: mtp", "warning"),
        ("default_mode: mtp", "novelty: mtp", "warning"),
        ('  provider: "Example"\n', "", "warning"),
        ('  title: "Finch 7B"\n', "", "error"),
        ('      TINY_FP8_PATH: "1"', "      TINY_FP8_PATH: 1", "warning"),
        ('      TINY_FP8_PATH: "1"', "      TINY_FP8_PATH:", "error"),
        ("date_updated: 2026-07-09", "date_updated: 2026-05-03", "info"),
    ],
)
def test_what_the_site_can_do_with_decides_the_severity(old: str, new: str, severity: str) -> None:
    assert [(f.rule, f.severity) for f in found(with_finch(old, new))] == [("schema", severity)]


def test_strategies_and_the_taxonomy_agree_about_names() -> None:
    """A file without a line in the taxonomy, and a line without a file."""
    shorter = {**FILES, "taxonomy.yaml": TAXONOMY.replace("  - multi_node_tp\n", "")}
    assert ("taxonomy-id", "strategies/multi_node_tp.yaml", "not-listed") in [
        (f.rule, f.path, f.message_id) for f in found(shorter)
    ]
    fewer = {path: text for path, text in FILES.items() if path != "strategies/multi_node_tp.yaml"}
    assert [(f.path, f.message_id) for f in found(fewer)] == [("taxonomy.yaml", "without-file")]


# tokens


@pytest.mark.parametrize(
    ("text", "before", "fault"),
    [
        ("--max-model-len", "", None),
        ("--block-size=64", "", None),
        ('--attention-config={"a": 1}', "", None),
        ("-cc.pass_config.fuse=True", "", None),
        ("-tp", "", None),
        ("$EXTRA", "", None),
        ('{"a":1}', "--speculative-config", None),
        ('{"a":$N}', "--speculative-config", None),
        ("org/Model Name", "--chat-template", None),
        ("--max-model-len auto", "", TokenFault("fused", ("--max-model-len", "auto"))),
        ("--a 1 --b 2", "", TokenFault("fused", ("--a", "1", "--b", "2"))),
        ("--config '{\"a\": 1}'", "", TokenFault("fused", ("--config", '{"a": 1}'))),
        ('--config {"a": "b c"}', "", TokenFault("fused", ("--config", '{"a": "b c"}'))),
        ("", "--port", TokenFault("empty")),
        (" ", "--port", TokenFault("empty")),
        (" --enforce-eager", "", TokenFault("blanks", ("--enforce-eager",))),
        ("8192\n", "--max-model-len", TokenFault("blanks", ("8192",))),
        ("--enforce-eager \\", "", TokenFault("continued", ("--enforce-eager",))),
        ("\\", "", TokenFault("continued")),
        ("—enforce-eager", "", TokenFault("dash", ("--enforce-eager",))),
        ("–-enforce-eager", "", TokenFault("dash", ("--enforce-eager",))),
        ("-max-model-len", "", TokenFault("one-dash", ("--max-model-len",))),
        ("'auto'", "--dtype", TokenFault("quoted", ("auto",))),
        ('{"a":1,}', "--speculative-config", TokenFault("json")),
        ("VLLM_TINY_MODE=1", "--port", TokenFault("variable")),
        ("trust-remote-code", "", TokenFault("no-flag", ("--trust-remote-code",))),
        ("8192", "", TokenFault("no-flag")),
    ],
)
def test_what_is_wrong_with_a_token(text: str, before: str, fault: TokenFault | None) -> None:
    items = [before, text] if before else [text]
    tree = parse_text("args: [" + ", ".join("'" + item.replace("'", "''") + "'" for item in items) + "]\n")
    if "\n" in text or "\\" in text:
        tree = parse_text("args:\n" + "".join(f"- {item!r}\n".replace("'", '"') for item in items))
    assert token_fault(list(tokens(tree))[-1]) == fault


def test_a_split_keeps_quotes_comments_and_the_rest() -> None:
    files = with_finch(
        '    - "--trust-remote-code"\n', '    - "--max-model-len 4096"  # as tested\n    - --seed\n    - "1"\n'
    )
    done = fix_tree(found(files), lambda path: encoded(files)[path], lambda new: found({**files, **new}), unsafe=True)
    assert done.refused == []
    expected = '    - "--max-model-len"\n    - "4096"  # as tested\n    - --seed\n    - "1"\n'
    assert expected in done.files[FINCH_PATH].decode()


def test_tokens_of_strategies_and_taxonomies_are_read_too() -> None:
    text = TAXONOMY.replace('args: ["--kv-transfer-config", \'{"kv_connector":"TinyTiers"}\']', 'args: ["--kv x"]')
    assert [(f.rule, f.path) for f in found({**FILES, "taxonomy.yaml": text})] == [("argv-token", "taxonomy.yaml")]


# images


@pytest.mark.parametrize(
    "text",
    [
        "vllm/vllm-openai:v0.22.0",
        "vllm-openai",
        "registry.example.com:5000/team/vllm-openai:v0.22.0-cu129",
        "vllm/vllm-openai@sha256:" + "0a" * 32,
        "vllm/vllm-openai:nightly-4c626633159887b0f2c962058c17c78f1434556d",
        "$IMAGE",
    ],
)
def test_image_references(text: str) -> None:
    assert is_reference(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("docker pull vllm/vllm-openai:v0.22.0", "vllm/vllm-openai:v0.22.0"),
        ("https://images.example.com/vllm:v1", "images.example.com/vllm:v1"),
        ("vllm/vLLM-OpenAI:v0.22.0", "vllm/vllm-openai:v0.22.0"),
        ("vllm/vllm-openai v0.22.0", ""),
        ("vllm/vllm-openai:", ""),
        ("vllm/vllm-openai:v1:v2", ""),
    ],
)
def test_what_is_no_image_reference(text: str, meant: str) -> None:
    assert not is_reference(text)
    assert meant_reference(text) == meant


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("vllm/vllm-openai:v0.21.0", "which holds vLLM 0.21.0; model.min_vllm_version is 0.22.0"),
        ("vllm/vllm-openai:v0.22.0-cu129", ""),
        ("vllm/vllm-openai:v0.100.0", ""),
        ("vllm/vllm-openai:heron", ""),
        ("example/heron:v0.1.0", ""),
        ("vllm/vllm-openai-rocm:v0.22.0", "which is built for amd; here it is used for nvidia"),
    ],
)
def test_an_image_is_as_new_as_the_recipe_needs_and_for_its_brand(image: str, message: str) -> None:
    told = said(with_heron("vllm/vllm-openai:v0.22.1", image))
    assert [message in one for one in told] == ([True] if message else [])


def test_a_variant_may_need_a_newer_image_than_the_recipe() -> None:
    """Also where the recipe alone would be content."""
    files = with_heron("    precision: nvfp4\n", '    precision: nvfp4\n    docker_image: "vllm/vllm-openai:v0.22.1"\n')
    (finding,) = found(files)
    assert finding.arguments["field"] == "variants.default.min_vllm_version"


# names


def test_a_recipe_that_is_not_readable_is_still_there_for_others() -> None:
    assert [f.rule for f in found({**FILES, HERON_PATH: "meta: [\n"})] == []


def test_a_recipe_at_another_depth_has_no_address() -> None:
    files = {**FILES, "models/Finch.yaml": FINCH.replace("finch-7b", "finch-9b").replace("Finch 7B", "Finch 9B")}
    assert [(f.rule, f.path, f.message_id) for f in found(files)] == [("recipe-path", "models/Finch.yaml", "depth")]


@pytest.mark.parametrize("slug", ["finch-7b", "finch7b", "finch_7b", "example-finch-7b", "finch"])
def test_a_slug_may_be_spelled_freely(slug: str) -> None:
    assert said(with_finch('slug: "finch-7b"', f'slug: "{slug}"')) == []


def test_a_slug_may_stand_for_a_recipe() -> None:
    assert said(with_finch('    - "example/Heron-VL"', '    - "heron-vl"')) == []


# what loses


def test_a_size_that_the_recommended_strategy_does_not_set_stays() -> None:
    """The Heron is served by tensor and expert parallelism first, which sets no data-parallel size."""
    assert said(with_heron("  base_args: []", '  base_args: ["--data-parallel-size", "2"]')) == []
    (finding,) = found(with_heron("  base_args: []", '  base_args: ["--tensor_parallel_size=4"]'))
    assert finding.message.startswith(
        "model.base_args: --tensor_parallel_size=4 is overridden: single_node_tep sets --tensor-parallel-size after it"
    )


def test_an_override_of_the_same_flag_in_another_list_is_what_lists_are_for() -> None:
    files = with_finch('      - "256"\n', '      - "256"\n      - "--kv-cache-dtype"\n      - "auto"\n')
    assert said(files) == []


@pytest.mark.parametrize(
    ("block", "lost"),
    [
        ('{ extra_args: ["--enforce-eager"] }', ("--max-num-seqs", "TINY_HOPPER_GEMM")),
        ('{ extra_args: ["--max-num-seqs", "8"], extra_env: { TINY_HOPPER_GEMM: "0" } }', ()),
        ("{ extra_args: [] }", ()),
        ("{}", ()),
    ],
)
def test_a_block_of_the_strategy_loses_what_it_does_not_repeat(block: str, lost: tuple[str, ...]) -> None:
    files = with_finch("    tp: 1\n", f"    tp: 1\n    hardware_overrides:\n      hopper: {block}\n")
    assert [f.arguments["lost"] for f in found(files)] == ([lost] if lost else [])


def test_nvidia_stands_for_every_generation_of_the_brand_that_has_no_block() -> None:
    block = '    tp: 1\n    hardware_overrides:\n      nvidia: { extra_args: ["--enforce-eager"] }\n'
    (finding,) = found(with_finch("    tp: 1\n", block))
    assert (finding.rule, finding.arguments["baseline"]) == ("baseline-dropped", "hopper")
    both = block + '      hopper: { extra_args: ["--max-num-seqs", "8"], extra_env: { TINY_HOPPER_GEMM: "0" } }\n'
    assert said(with_finch("    tp: 1\n", both)) == []


def test_one_gpu_is_added_to_the_baseline() -> None:
    block = '    tp: 1\n    hardware_overrides:\n      h200: { extra_args: ["--enforce-eager"] }\n'
    assert said(with_finch("    tp: 1\n", block)) == []


def test_a_preset_may_use_a_strategy_that_is_not_offered() -> None:
    files = with_heron("    strategy: single_node_tep\n", "    strategy: multi_node_tp\n")
    heron = str(files[HERON_PATH]).replace(
        "strategy_overrides:\n", "strategy_overrides:\n  multi_node_tp: { env: {} }\n"
    )
    assert said({**files, HERON_PATH: heron}) == []


# presets


def checked_out(tmp_path: Path, settings: str) -> Path:
    git_repo(tmp_path / "bench", {"configs/nvidia-master.yaml": "heron-fp4-b200-vllm: {}\n"})
    return git_repo(tmp_path / "recipes", {**FILES, ".reciplint.yaml": settings})


LINKED = "rules:\n  preset-link: { checkout: ../bench%s }\n"


def test_a_preset_names_a_key_of_the_checkout(tmp_path: Path) -> None:
    top = checked_out(tmp_path, LINKED % "")
    assert reciplint(top, "check", "--select", "preset-link").status == 0
    text = HERON.replace('key: "heron-fp4-b200-vllm"', 'key: "heron-fp4-b200-vllm-mtp"')
    (top / HERON_PATH).write_text(text, encoding="utf-8")
    ran = reciplint(top, "check", "--select", "preset-link", "--format", "json", "--fail-on", "warning")
    assert (ran.status, ran.places) == (
        1,
        [("preset-link", HERON_PATH, text[: text.index("vllm-mtp")].count("\n") + 1)],
    )
    assert ran.report["findings"][0]["message"] == (
        "b200_chat: heron-fp4-b200-vllm-mtp is no key of a master config in ../bench; did you mean heron-fp4-b200-vllm?"
    )


def test_a_key_of_the_settings_is_known(tmp_path: Path) -> None:
    top = checked_out(tmp_path, LINKED % ", keys: [heron-fp4-b200-vllm-mtp]")
    text = HERON.replace('key: "heron-fp4-b200-vllm"', 'key: "heron-fp4-b200-vllm-mtp"')
    (top / HERON_PATH).write_text(text, encoding="utf-8")
    assert reciplint(top, "check", "--select", "preset-link", "--fail-on", "info").status == 0


def test_a_checkout_that_is_not_there_is_said(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "recipes", {**FILES, ".reciplint.yaml": LINKED % "x"})
    ran = reciplint(top, "check")
    assert ran.status == 2
    assert "rules.preset-link: checkout is '../benchx', and no master config lies below it" in ran.err


# the whole


def test_findings_outlive_edits_above_them() -> None:
    """Subjects hold no line and no index."""
    files = with_finch('    - "--trust-remote-code"\n', '    - "--trust-remote-code"\n    - "--max-model-len auto"\n')
    (before,) = found(files)
    moved = str(files[FINCH_PATH]).replace("  base_args:\n", '  # first\n  base_args:\n    - "--seed"\n    - "1"\n')
    (after,) = found({**files, FINCH_PATH: moved})
    assert (before.subject, before.span.line + 3) == (after.subject, after.span.line)


def test_random_cuts_of_a_recipe_never_break_a_rule() -> None:
    chance = random.Random(7)
    lines = FINCH.splitlines(keepends=True)
    for _ in range(60):
        cut = [line for line in lines if chance.random() > 0.15]
        assert [f for f in found({**FILES, FINCH_PATH: "".join(cut)}) if f.rule == "internal-error"] == []
