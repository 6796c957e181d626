"""Serve configurations of commands: programs, containers, pages, and the scripts of `fixtures/serving`."""

from __future__ import annotations

import pytest

from reciplint.domain.serving.from_command import (
    is_page_worth_reading,
    is_worth_reading,
    read_markdown_deployments,
    read_shell_deployments,
)
from reciplint.domain.serving.json_values import json_mapping, place_of
from serving_scene import FIXTURES, markdown, shell, written


@pytest.mark.parametrize(
    ("command", "engine", "model"),
    [
        ("vllm serve org/m --port 1", "vllm", "org/m"),
        ("nohup /opt/bin/vllm serve org/m", "vllm", "org/m"),
        ("python3 -m vllm.entrypoints.openai.api_server --model=org/m", "vllm", "org/m"),
        ("python -m sglang.launch_server --model-path org/m", "sglang", "org/m"),
        ("python3.12 -m dynamo.vllm --model org/m", "vllm", "org/m"),
        ("vllm serve org/m --omni", "vllm-omni", "org/m"),
        ("vllm-omni serve org/m", "vllm-omni", "org/m"),
        ("trtllm-serve serve org/m", "trtllm", "org/m"),
        ("vllm-router --port 1", "vllm-router", ""),
        ("numactl -N 0 env A=1 vllm serve org/m", "vllm", "org/m"),
    ],
)
def test_what_serves_is_recognised(command: str, engine: str, model: str) -> None:
    (config,) = shell(command)
    assert (config.engine, config.model) == (engine, model)
    assert is_worth_reading(command.encode())


@pytest.mark.parametrize("command", ["echo vllm serve m", "pkill -f vllm serve", "vllm bench serve", "ls vllm"])
def test_what_only_speaks_of_it_is_not(command: str) -> None:
    assert shell(command) == []


def test_flags_have_their_values_in_each_spelling() -> None:
    (config,) = shell('vllm serve m --a=1 --b 2 3 -tp 8 --no-c_d --e "$X" --f.g_h -1 --j')
    found = [(flag.name, flag.normal, flag.text, flag.negated) for flag in config.flags]
    assert found == [
        ("--a", "a", "1", False),
        ("--b", "b", "2 3", False),
        ("-tp", "tp", "8", False),
        ("--no-c_d", "c-d", "", True),
        ("--e", "e", "${X}", False),
        ("--f.g_h", "f.g_h", "-1", False),
        ("--j", "j", "", False),
    ]
    assert (config.flags[0].span.column, config.flags[0].value_span.column) == (14, 18)


def test_a_container_gives_image_environment_and_program() -> None:
    (by_entry, by_image) = shell(
        "export OUT=1\n"
        "docker run --rm -it --gpus all -e A=1 --env B=2 -p 1:1 --entrypoint vllm-router reg/r:v1 --port 5\n"
        "docker run --ipc=host vllm/vllm-openai:v0.20.1 --model org/m --x\n"
    )
    assert (by_entry.engine, by_entry.image, written(by_entry)) == ("vllm-router", "reg/r:v1", {"--port": "5"})
    assert [(variable.name, variable.text) for variable in by_entry.env] == [("A", "1"), ("B", "2")]
    assert (by_image.engine, by_image.model, by_image.image) == ("vllm", "org/m", "vllm/vllm-openai:v0.20.1")
    assert by_image.env == ()


def test_the_scripts_of_the_page_are_parsed_whole() -> None:
    """The disaggregated serving script: a router, prefill with two connectors, decode, and an aggregated one."""
    text = (FIXTURES / "disaggregated.sh").read_text()
    (deployment,) = read_shell_deployments(text, "disaggregated.sh")
    assert [process.role for process in deployment.processes] == ["router", "prefill", "decode"]
    router, prefill, decode = deployment.processes
    assert written(router)["--vllm-discovery-address"] == "0.0.0.0:36400"
    assert (len(router.flags), len(prefill.flags), len(decode.flags)) == (8, 25, 25)
    assert deployment.peers(prefill) == (router, decode)
    outer = json_mapping(prefill.flag("kv-transfer-config"))
    inner = outer["kv_connector_extra_config"]["connectors"]
    assert [connector["kv_connector"] for connector in inner] == ["MoRIIOConnector", "SimpleCPUOffloadConnector"]
    assert inner[1]["kv_connector_extra_config"]["cpu_bytes_to_use"] == 1_800_000_000_000
    assert json_mapping(decode.flag("kv-transfer-config"))["kv_role"] == "kv_consumer"
    sizes = json_mapping(decode.flag("compilation-config"))["cudagraph_capture_sizes"]
    assert (len(sizes), max(sizes)) == (76, 160)
    assert prefill.variable("PYTHONHASHSEED") is not None


def test_a_part_of_a_flag_leads_to_the_line_that_says_it() -> None:
    text = (FIXTURES / "disaggregated.sh").read_text()
    lines = text.split("\n")
    (deployment,) = read_shell_deployments(text, "disaggregated.sh")
    prefill, decode = deployment.processes[1:]
    transfer, graphs = decode.flag("kv-transfer-config"), decode.flag("compilation-config")
    assert transfer is not None
    assert graphs is not None
    role = place_of(transfer, ("kv_role",)).span
    assert lines[role.line - 1].strip() == "DIRECTION=kv_consumer"
    most = place_of(graphs, ("max_cudagraph_capture_size",)).span
    assert lines[most.line - 1][most.column - 1 : most.end_column - 1] == "160"
    nested = prefill.flag("kv-transfer-config")
    assert nested is not None
    path = ("kv_connector_extra_config", "connectors", 0, "kv_connector_extra_config", "handshake_port")
    port = place_of(nested, path).span
    assert lines[port.line - 1].startswith("TRANSFER=")
    assert lines[port.line - 1][port.column - 1 : port.end_column - 1] == "26100"


def test_an_array_of_flags_is_read_into_the_command() -> None:
    text = (FIXTURES / "aggregated.sh").read_text()
    found = [process for deployment in read_shell_deployments(text, "a.sh") for process in deployment.processes]
    assert [process.role for process in found] == ["agg"]
    assert written(found[0])["--tool-call-parser"] == "kimi_k3"
    assert found[0].env[0].name == "VLLM_ENGINE_READY_TIMEOUT_S"


PAGE = """\
# Finch

- first:

  ```bash
  IMAGE=reg/router:v1
  ```

## Pools

```console
$ docker run --entrypoint vllm-router "$IMAGE" \\
>   --port 5
listening
```

```sh
vllm serve é --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_producer"}'
```

## Alone

```python
print("vllm serve x")
```

```bash
vllm serve m --port 8
vllm serve n --port 8
```
"""


def test_a_page_is_read_fence_by_fence_at_its_own_lines() -> None:
    found = markdown(PAGE)
    assert [[(process.role, process.place.span.line) for process in item.processes] for item in found] == [
        [("router", 12), ("prefill", 18)],
        [("agg", 28)],
        [("agg", 29)],
    ]
    router = found[0].processes[0]
    assert (router.image, written(router)) == ("reg/router:v1", {"--port": "5"})
    assert router.flags[0].span.line == 13
    assert found[0].processes[1].flags[0].span.column == 14


@pytest.mark.parametrize(
    "script",
    [
        "vllm serve org/model --tensor-parallel-size 8",
        'ENGINE=vllm\nnumactl --all $ENGINE serve org/model --tensor-parallel-size "8"',
        'CMD="vllm serve org/model"\nCMD+=" --tensor-parallel-size 8"\nnohup $CMD',
        "CMD=(vllm serve org/model)\nCMD+=(--tensor-parallel-size 8)\nsudo ${CMD[@]}",
        "TP=8\nrun_client --tp $TP\nbash -c 'vllm serve org/model --tensor-parallel-size 8'",
        'INNER="vllm serve org/model --tensor-parallel-size 8"\nssh node bash -c "$INNER"',
        "eval TP=8\ncurl_all $TP\nvllm serve org/model --tensor-parallel-size $TP",
    ],
)
def test_a_server_is_found_wherever_its_program_is_named(script: str) -> None:
    [deployment] = read_shell_deployments(script, "x.sh")
    assert deployment.processes[0].text("tensor-parallel-size") == "8"


def test_letters_of_several_bytes_do_not_move_places() -> None:
    script = "echo 'é漢字😀'\nvllm serve org/modèle --tensor-parallel-size 8 # 😀\n"
    [deployment] = read_shell_deployments(script, "x.sh")
    [flag] = deployment.processes[0].flags
    assert script[flag.place.start : flag.place.end] == "--tensor-parallel-size"
    assert script[flag.value_place.start : flag.value_place.end] == "8"


@pytest.mark.parametrize(
    "written",
    ["--port <http_port>", '--port "<http port>"', "--port '<http.port>'", "--port=<http-port>", "--port <http/port>"],
)
def test_what_a_reader_of_a_page_fills_in_is_a_variable(written: str) -> None:
    page = f"# é\n\n```bash\nvllm serve org/model {written} --seed 1 > log.txt\n```\n"
    [deployment] = read_markdown_deployments(page, "x.md")
    port, seed = deployment.processes[0].flags
    assert port.text == "${http_port}"
    assert page[port.value_place.start : port.value_place.end] == written[len("--port ") :].strip("\"'")
    assert page[seed.place.start : seed.place.end] == "--seed"


def test_a_blank_to_fill_in_json_is_a_variable() -> None:
    page = '```sh\nvllm serve m --speculative-config \'{"model": <draft>, "method": "eagle3"}\'\n```\n'
    [deployment] = read_markdown_deployments(page, "x.md")
    [argument] = deployment.processes[0].flags[0].arguments
    assert argument.variables == ("draft",)


def test_redirections_of_a_page_stay_redirections() -> None:
    page = "```bash\nvllm serve m --seed 1 < in.txt > out.txt\n```\n"
    [deployment] = read_markdown_deployments(page, "x.md")
    assert [(flag.name, flag.text) for flag in deployment.processes[0].flags] == [("--seed", "1")]


@pytest.mark.parametrize(
    "page",
    [
        b"```bash\nvllm serve m\n```\n",
        b"1. x\n   - ~~~~ {.sh}\n     vllm serve m\n     ~~~~\n",
        b"> ```console\n> $ vllm serve m\n> ```\n",
        b"```Bash\nvllm serve m",
    ],
)
def test_every_page_with_a_serve_command_is_worth_reading(page: bytes) -> None:
    assert read_markdown_deployments(page.decode(), "x.md")
    assert is_page_worth_reading(page)


@pytest.mark.parametrize("page", [b"run vllm serve m\n", b"```bash\nls\n```\n", b"vllm serve m\n```bash\nls\n```\n"])
def test_a_page_without_one_is_not(page: bytes) -> None:
    assert not is_page_worth_reading(page)
