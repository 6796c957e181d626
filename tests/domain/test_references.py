"""Which file a row means: exact paths, copies of launchers, external ones, and what nothing names."""

from __future__ import annotations

import pytest

from reciplint.domain.master import MasterFile, read_master
from reciplint.domain.references import Resolver, uses
from reciplint.domain.script import Mentions, read_mentions
from reciplint.yamltree.parse import parse_text
from support import MASTER, RECIPES, RUNNERS, brief, lint, multi, recipe, runners


def resolver(text: str, *files: str, root: str = "", archived: str = "", scripts: str = "") -> Resolver:
    def used(master: str):  # type: ignore[no-untyped-def]
        return uses([MasterFile(MASTER, read_master(parse_text(master)).entries)])

    return Resolver(root, files, used(text), used(archived), {"run.sh": read_mentions(scripts.encode())})


def standing(found: Resolver) -> list[tuple[str, tuple[str, ...]]]:
    return [(resolved.standing, resolved.files) for _, resolved in found.resolved]


HERE = f"{RECIPES}/vllm/finch/agg.yaml"
OTHER = f"{RECIPES}/vllm/finch/other.yaml"


@pytest.mark.parametrize(
    ("written", "files", "expected"),
    [
        ("recipes/vllm/finch/agg.yaml", [HERE], ("local", (HERE,))),
        (HERE, [HERE], ("local", (HERE,))),
        ("recipes/vllm/./finch//agg.yaml", [HERE], ("local", (HERE,))),
        ("recipes/vllm/finch/agg.yaml", [OTHER], ("missing", ())),
        ("recipes/vllm/wren/agg.yaml", [OTHER], ("external", ())),
        # a launcher copies the folder of one fleet over the name of another
        (
            "recipes/vllm/finch-fp8/agg.yaml",
            [f"{RECIPES}/vllm/finch-b300-fp8/agg.yaml"],
            ("copied", (f"{RECIPES}/vllm/finch-b300-fp8/agg.yaml",)),
        ),
    ],
)
def test_config_file(written: str, files: list[str], expected: tuple[str, tuple[str, ...]]) -> None:
    assert standing(resolver(multi("k", written), *files)) == [expected]


def test_a_file_that_an_exact_path_names_is_no_copy() -> None:
    far = f"{RECIPES}/vllm/wren/agg.yaml"
    found = resolver(multi("k", "recipes/vllm/wren/agg.yaml", "recipes/vllm/finch/agg.yaml"), far, OTHER)
    assert standing(found) == [("local", (far,)), ("missing", ())]


def test_below_another_root() -> None:
    assert standing(resolver(multi("k", "recipes/vllm/finch/agg.yaml"), f"inner/{HERE}", root="inner")) == [
        ("local", (f"inner/{HERE}",))
    ]
    assert standing(resolver(multi("k", "recipes/vllm/finch/agg.yaml"), HERE, root="inner")) != [("local", (HERE,))]


def test_a_bare_name_of_llm_d() -> None:
    path = "benchmarks/multi_node/llm-d-recipes/agg.yaml"
    text = multi("k", "agg.yaml").replace("framework: dynamo-vllm", "framework: llmd-vllm")
    assert standing(resolver(text, path)) == [("local", (path,))]


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("srtctl apply -f recipes/vllm/finch/agg.yaml\n", True),
        ("FILE=agg.yaml\n", True),
        ('FILE="agg-${TP}.yaml"\n', False),
        ("echo aggregate\n", False),
    ],
)
def test_what_scripts_name_is_in_use(script: str, named: bool) -> None:
    found = resolver("{}", HERE, scripts=script)
    assert (HERE in found.mentioned) is named
    assert (found.unreferenced() == []) is named


def test_variables_in_scripts_stand_for_anything_if_enough_is_left() -> None:
    path = f"{RECIPES}/vllm/finch/disagg-4p1d.yaml"
    assert path in resolver("{}", path, scripts="F=disagg-${P}p1d.yaml\n").mentioned
    assert path not in resolver("{}", path, scripts="F=${A}-${P}.yaml\n").mentioned


def test_what_only_the_archive_names_is_not_idle() -> None:
    found = resolver("{}", HERE, archived=multi("k", "recipes/vllm/finch/agg.yaml"))
    assert (found.unreferenced(), list(found.active), list(found.archived)) == ([], [], [HERE])


def test_mentions_are_read_from_any_bytes() -> None:
    assert read_mentions(b"a.yaml \xff b/c.yml 'd-$X.yaml' e.yamlx .yaml") == Mentions(
        ("a.yaml", "b/c.yml", "d-$X.yaml")
    )


SINGLE = """\
finch-fp8-b200-vllm:
  image: vllm/vllm-openai:v0.11.0
  model: example/Finch
  model-prefix: finch
  srt-recipe-dir: finch/vllm/b200-fp8
  runner: b200
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - { tp: 4, conc-list: [8], srt-recipe: 8k1k.yaml }
"""
FOLDER = "benchmarks/single_node/srt-slurm-recipes/finch/vllm/b200-fp8"


@pytest.mark.parametrize(
    ("master", "files", "line", "message"),
    [
        (SINGLE, ["8k1k.yaml"], 0, ""),
        (SINGLE, ["8k1k.yml.yaml", "8k2k.yaml"], 15, "srt-recipe names 8k1k.yaml, which is not in this repository"),
        (SINGLE.replace("8k1k.yaml", "8k1k.yaml:override_x"), ["8k1k.yaml"], 15, "srt-recipe selects override_x"),
    ],
)
def test_missing_recipes_of_october(master: str, files: list[str], line: int, message: str) -> None:
    tree = {MASTER: master, RUNNERS: runners("b200"), **{f"{FOLDER}/{name}": recipe() for name in files}}
    found = lint(tree, select=["missing-recipe"])
    assert brief(found) == ([("missing-recipe", MASTER, line)] if line else [])
    assert all(finding.message.startswith(message) for finding in found)
