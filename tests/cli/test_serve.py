"""`reciplint serve`: commands to read or paste, for every kind of file; what it refuses."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from serving_scene import FIXTURES, STRATEGIES, TAXONOMY
from serving_scene import RECIPE as PUBLISHED
from support import RECIPES, git_repo, project, reciplint, write

RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return git_repo(tmp_path / "top", project())


def test_the_roles_of_a_recipe_as_shell(top: Path) -> None:
    ran = reciplint(top, "serve", RECIPE)
    assert (ran.status, ran.out) == (
        0,
        """\
# prefill: of 4 GPUs (gb200)
# image vllm/vllm-openai:v0.11.0
python3 -m dynamo.vllm \\
  --model example/Finch \\
  --disaggregation-mode prefill \\
  --tensor-parallel-size 4

# decode: of 4 GPUs (gb200)
# image vllm/vllm-openai:v0.11.0
python3 -m dynamo.vllm \\
  --model example/Finch \\
  --disaggregation-mode decode \\
  --tensor-parallel-size 4 \\
  --max-num-seqs 64
""",
    )


def test_one_role_as_json(top: Path) -> None:
    ran = reciplint(top, "serve", RECIPE, "--role", "decode", "--format", "json")
    assert (ran.status, ran.err) == (0, "")
    (process,) = ran.report["processes"]
    assert ran.report["schema"] == "reciplint/serve-v1"
    assert process["argv"][:5] == ["python3", "-m", "dynamo.vllm", "--model", "example/Finch"]
    assert (process["role"], process["gpus"], process["hardware"], process["config"]) == ("decode", 4, "gb200", None)


def test_tensorrt_llm_gets_its_file(top: Path) -> None:
    text = """\
name: finch
model: {path: finch, container: img, precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: trtllm
  trtllm_config:
    aggregated: {tensor_parallel_size: 8, kv_cache_config: {dtype: fp8}}
"""
    write(top, {"one.yaml": text})
    ran = reciplint(top, "serve", "one.yaml")
    assert ran.out.splitlines()[2:] == [
        "cat > agg.yaml <<'EOF'",
        "tensor_parallel_size: 8",
        "kv_cache_config:",
        "  dtype: fp8",
        "EOF",
        "python3 -m dynamo.trtllm \\",
        "  --model-path finch \\",
        "  --extra-engine-args agg.yaml",
    ]


def test_hostile_text_stays_text(top: Path) -> None:
    """Whatever a recipe holds, a pasted command has it as one argument, and no line of its own."""
    values = ["$(touch x)", "a'b", "`id`", "a\\\\nb; touch x", "\\x1b[2J", "–"]
    flags = "".join(f'      flag{number}: "{value}"\n' for number, value in enumerate(values))
    text = f"""\
name: finch
model: {{path: "m; touch x", container: "img\\nrm -rf y", precision: fp4}}
resources: {{gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}}
backend:
  type: vllm
  aggregated_environment: {{"A;touch": 1, B: "$(id)"}}
  vllm_config:
    aggregated:
{flags}"""
    write(top, {"one.yaml": text})
    ran = reciplint(top, "serve", "one.yaml", "--format", "shell")
    script = ran.out.replace("python3 -m dynamo.vllm", "printf '%s\\0' \"$B\"")
    done = subprocess.run(["bash", "-c", f"B='$(id)'\n{script}"], cwd=top, capture_output=True, check=True)
    assert not (top / "x").exists()
    assert done.stdout.decode().split("\0")[1:-1] == [
        *("--model", "m; touch x"),
        *(
            word
            for number, value in enumerate(values)
            for word in (f"--flag{number}", json.loads(f'"{value}"'.replace("\\x1b", "\\u001b")))
        ),
    ]
    assert "\x1b" not in ran.out
    assert "A;touch" not in ran.out


def test_variants_of_a_bundle(top: Path) -> None:
    body = project()[RECIPE].replace("\n", "\n  ")
    bundle = f"base:\n  {body.rstrip()}\noverride_wide: {{backend: {{vllm_config: {{decode: {{max-num-seqs: 9}}}}}}}}\n"
    bundle += "zip_override_n: {backend: {vllm_config: {decode: {max-num-seqs: [1, 2]}}}}\n"
    write(top, {"one.yaml": bundle})
    ran = reciplint(top, "serve", "one.yaml", "--variant", "zip_override_n", "--role", "decode")
    assert [line for line in ran.out.splitlines() if "max-num-seqs" in line] == [
        "  --max-num-seqs 1",
        "  --max-num-seqs 2",
    ]
    ran = reciplint(top, "serve", "one.yaml", "--variant", "override_wid")
    assert (ran.status, "did you mean override_wide?" in ran.err) == (2, True)


def test_a_script_comes_out_with_its_variables(top: Path) -> None:
    shutil.copy(FIXTURES / "disaggregated.sh", top / "run.sh")
    ran = reciplint(top, "serve", "run.sh", "--role", "decode")
    assert ran.status == 0
    assert ran.out.startswith('# decode; PART decode\nGLOO_SOCKET_IFNAME="${NET_DEVICE}" \\\n')
    words = shlex.split(ran.out, comments=True)
    assert json.loads(words[words.index("--kv-transfer-config") + 1])["kv_role"] == "kv_consumer"


@pytest.fixture
def published(tmp_path: Path) -> Path:
    files = {f"strategies/{name}.yaml": text for name, text in STRATEGIES.items()}
    files |= {"taxonomy.yaml": TAXONOMY, "models/example-labs/Finch.yaml": PUBLISHED}
    return git_repo(tmp_path / "published", files)


def test_a_vllm_recipe_shows_what_it_recommends_and_offers_the_rest(published: Path) -> None:
    ran = reciplint(published, "serve", "models/example-labs/Finch.yaml")
    assert ran.status == 0
    assert "--tensor-parallel-size 8" in ran.out
    assert "default on b300: single_node_tp of single_node_tp, single_node_dep, multi_node_tp, pd_cluster" in ran.err
    ran = reciplint(
        published,
        "serve",
        "models/example-labs/Finch.yaml",
        "--variant",
        "nvfp4",
        "--hardware",
        "gb200",
        "--strategy",
        "pd_cluster",
        "--role",
        "router",
    )
    assert (ran.status, "--prefill http://$PREFILL_NODE_1:8001" in ran.out.replace('"', "")) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--variant", "fp8"], "there is no variant 'fp8'"),
        (["--hardware", "h20"], "did you mean h200?"),
        (["--hardware", "h200"], "the variant default runs on no h200"),
        (["--strategy", "multi_node_dep"], "there is no strategy 'multi_node_dep'"),
        (["--role", "prefill"], "has no process of the role prefill; there are agg"),
    ],
)
def test_what_a_vllm_recipe_does_not_offer_is_a_fault_of_usage(
    published: Path, arguments: list[str], message: str
) -> None:
    ran = reciplint(published, "serve", "models/example-labs/Finch.yaml", *arguments)
    assert (ran.status, message in ran.err) == (2, True), ran.err


def test_files_that_serve_nothing_are_told_apart(top: Path) -> None:
    write(top, {"a.yaml": "a: 1\n", "b.yaml": "a: [\n", "c.sh": "echo hi\n"})
    messages = [reciplint(top, "serve", name).err for name in ("a.yaml", "b.yaml", "c.sh")]
    assert "is neither a recipe of srt-slurm" in messages[0]
    assert "is no readable YAML" in messages[1]
    assert "starts nothing that serves a model" in messages[2]
    ran = reciplint(top, "serve", RECIPE, "--hardware", "b300")
    assert (ran.status, "--strategy and --hardware choose" in ran.err) == (2, True)
