"""Which directories are projects, and what each path holds."""

from __future__ import annotations

import pytest

from reciplint.repo.kinds import Kind
from reciplint.repo.layout import Layout, glob_pattern, project_roots, vllm_roots

PROJECT = ("configs/nvidia-master.yaml", "configs/runners.yaml", "perf-changelog.yaml")


@pytest.mark.parametrize(
    ("paths", "roots"),
    [
        (PROJECT, ("",)),
        (("configs/amd-master.yaml", "perf-changelog.yaml"), ("",)),
        ((".github/configs/nvidia-master.yaml", "perf-changelog.yaml"), ("",)),
        (("configs/nvidia-master.yaml",), ()),
        (("configs/deprecated/nvidia-master.yaml", "perf-changelog.yaml"), ()),
        (("inner/configs/nvidia-master.yaml", "inner/perf-changelog.yaml"), ("inner",)),
        (tuple(f"a/b/{path}" for path in PROJECT) + PROJECT, ("a/b", "")),
        (tuple(f"{top}/{path}" for top in ("west", "east") for path in PROJECT), ("east", "west")),
        ((), ()),
    ],
)
def test_projects_are_recognised_by_their_files(paths: tuple[str, ...], roots: tuple[str, ...]) -> None:
    assert project_roots(paths) == roots


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("configs/nvidia-master.yaml", Kind.MASTER),
        (".github/configs/amd-master.yaml", Kind.MASTER),
        ("configs/deprecated/nvidia-master.yaml", Kind.ARCHIVE),
        ("configs/runners.yaml", Kind.RUNNERS),
        ("perf-changelog.yaml", Kind.CHANGELOG),
        ("docs/perf-changelog.yaml", Kind.YAML),
        ("configs/srt-recipes/agentic-multi.yaml", Kind.SHARED_BLOCK),
        ("benchmarks/multi_node/srt-slurm-recipes/vllm/finch/deep/agg.yaml", Kind.RECIPE),
        ("benchmarks/single_node/srt-slurm-recipes/finch/8k1k.yml", Kind.RECIPE),
        ("benchmarks/multi_node/llm-d-recipes/finch.yaml", Kind.LLMD_RECIPE),
        ("golden_al_distribution/finch.yaml", Kind.CURVE),
        ("infx/golden_al_distribution/finch.yaml", Kind.CURVE),
        ("MODELS.md", Kind.POLICY),
        ("docs/MODELS.md", Kind.POLICY),
        (".github/CODEOWNERS", Kind.OWNERS),
        (".github/workflows/sweep.yml", Kind.WORKFLOW),
        ("runners/launch_b200.sh", Kind.SCRIPT),
        ("utils/matrix.py", Kind.SCRIPT),
        ("setup.py", None),
        (".reciplint.yaml", Kind.SETTINGS),
        ("anything/else.yaml", Kind.YAML),
        ("README.md", Kind.MARKDOWN),
        ("configs/nvidia-master.json", None),
    ],
)
def test_the_kind_of_a_path(path: str, kind: Kind | None) -> None:
    assert Layout(PROJECT).kind_of(path) is kind


@pytest.mark.parametrize(
    "path",
    ["configs/amd-master.yaml", "benchmarks/multi_node/srt-slurm-recipes/finch/agg.yaml", "configs/runners.yaml"],
)
def test_a_project_in_a_subdirectory_has_the_same_kinds(path: str) -> None:
    below = Layout([f"inner/deep/{name}" for name in PROJECT])
    assert below.kind_of(f"inner/deep/{path}") is Layout(PROJECT).kind_of(path)
    assert below.root_of(f"inner/deep/{path}") == "inner/deep"


def test_what_stands_beside_a_project_keeps_its_kind() -> None:
    """Owners, policy and workflows lie at the top of the repository also when the project does not."""
    below = Layout([f"inner/{name}" for name in PROJECT])
    kinds = [below.kind_of(path) for path in (".github/CODEOWNERS", "MODELS.md", ".github/workflows/a.yml")]
    assert kinds == [Kind.OWNERS, Kind.POLICY, Kind.WORKFLOW]
    assert below.kind_of("configs/nvidia-master.yaml") is Kind.YAML
    assert below.root_of("MODELS.md") is None
    assert below.root_of("innermost/a.yaml") is None


def test_the_deepest_project_owns_a_path() -> None:
    layout = Layout([*PROJECT, *(f"inner/{name}" for name in PROJECT)])
    assert layout.root_of("inner/configs/a.yaml") == "inner"
    assert layout.root_of("configs/a.yaml") == ""


VLLM = ("taxonomy.yaml", "models/example/Finch.yaml")


@pytest.mark.parametrize(
    ("paths", "roots"),
    [
        (VLLM, ("",)),
        (tuple(f"inner/{path}" for path in VLLM), ("inner",)),
        (("recipes/manifest.yaml", "recipes/models/example/Finch.yaml"), ("recipes",)),
        (("engine/recipes/manifest.yaml", "engine/recipes/models/example/Finch.yml"), ("engine/recipes",)),
        (("deploy/manifest.yaml", "deploy/models/example/Finch.yaml"), ()),
        (("manifest.yaml", "models/example/Finch.yaml"), ()),
        (("old-taxonomy.yaml", "models/example/Finch.yaml"), ()),
        (("taxonomy.yaml", "models/Finch.yaml"), ()),
        (("taxonomy.yaml", "inner/models/example/Finch.yaml"), ()),
        (PROJECT, ()),
    ],
)
def test_repositories_of_vllm_recipes_are_recognised_by_their_vocabulary(
    paths: tuple[str, ...], roots: tuple[str, ...]
) -> None:
    assert vllm_roots(paths) == roots
    assert Layout(paths).profile == ("vllm-recipes" if roots else "inferencex" if paths == PROJECT else "auto")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("models/example/Finch.yaml", Kind.VLLM_RECIPE),
        ("models/example/deep/Finch.yml", Kind.VLLM_RECIPE),
        ("models/Finch.yaml", Kind.VLLM_RECIPE),
        ("strategies/single_node_tp.yaml", Kind.VLLM_STRATEGY),
        ("strategies/old/single_node_tp.yaml", Kind.YAML),
        ("kv_store/tiny.yaml", Kind.VLLM_STRATEGY),
        ("taxonomy.yaml", Kind.VLLM_TAXONOMY),
        ("platforms.yaml", Kind.VLLM_PLATFORMS),
        ("Finch/Finch_Hopper.yaml", Kind.YAML),
        ("configs/nvidia-master.yaml", Kind.YAML),
        ("perf-changelog.yaml", Kind.YAML),
        (".github/workflows/build.yml", Kind.WORKFLOW),
        (".github/CODEOWNERS", Kind.OWNERS),
        ("scripts/info.sh", Kind.SCRIPT),
        (".reciplint.yaml", Kind.SETTINGS),
        ("scripts/build.mjs", None),
    ],
)
def test_the_kind_of_a_path_among_vllm_recipes(path: str, kind: Kind | None) -> None:
    assert Layout(VLLM).kind_of(path) is kind
    assert Layout([f"inner/{name}" for name in VLLM]).kind_of(f"inner/{path}") is kind


def test_both_sorts_of_projects_may_stand_in_one_repository() -> None:
    layout = Layout([*PROJECT, *(f"recipes/{name}" for name in VLLM)])
    assert (layout.roots, layout.profile) == (("recipes", ""), "inferencex")
    assert layout.kind_of("recipes/models/example/Finch.yaml") is Kind.VLLM_RECIPE
    assert layout.kind_of("models/example/Finch.yaml") is Kind.YAML
    assert layout.kind_of("configs/nvidia-master.yaml") is Kind.MASTER


def test_the_settings_replace_the_globs_of_a_kind() -> None:
    layout = Layout(PROJECT, {Kind.RECIPE: ("jobs/**/*.yaml",)})
    assert layout.kind_of("jobs/a/b.yaml") is Kind.RECIPE
    assert layout.kind_of("jobs/b.yaml") is Kind.RECIPE
    assert layout.kind_of("benchmarks/multi_node/srt-slurm-recipes/a.yaml") is Kind.YAML
    assert Layout(PROJECT, {Kind.SCRIPT: ()}).kind_of("runners/launch.sh") is None


@pytest.mark.parametrize(
    ("glob", "matched", "missed"),
    [
        ("*.yaml", ["a.yaml", ".a.yaml"], ["a/b.yaml", "a.yml"]),
        ("**/*.yaml", ["a.yaml", "a/b/c.yaml"], ["a.yaml.bak"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "ab/c"]),
        ("a?.yaml", ["ab.yaml"], ["a.yaml", "a/.yaml"]),
        ("[ab].yaml", ["a.yaml"], ["c.yaml"]),
        ("a+(b).yaml", ["a+(b).yaml"], ["aab.yaml"]),
        ("a\n*.yaml", ["a\nb.yaml"], ["a.yaml"]),
    ],
)
def test_globs(glob: str, matched: list[str], missed: list[str]) -> None:
    pattern = glob_pattern(glob)
    assert [path for path in (*matched, *missed) if pattern.match(path)] == matched


def test_a_profile_settles_what_the_files_do_not_tell() -> None:
    paths = ["configs/x-master.yaml", "configs/runners.yaml", "recipes/a.yaml"]
    assert Layout(paths).roots == ("",)
    assert Layout(paths, profile="srt-slurm").roots == ()
    assert Layout(["recipes/a.yaml"]).roots == ()
    assert Layout(["recipes/a.yaml"], profile="inferencex").roots == ("",)
    assert Layout(["models/a/b.yaml"], profile="vllm-recipes").kind_of("models/a/b.yaml") is Kind.VLLM_RECIPE
    assert Layout(VLLM, profile="inferencex").kind_of("models/example/Finch.yaml") is Kind.YAML
