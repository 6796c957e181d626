"""Invented releases of engines, of the form that the real ones have, packed as source distributions and wheels."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

PROSE = "A sentence that must not be kept."

VLLM_1 = {
    "vllm/engine/arg_utils.py": f'''
import argparse
from dataclasses import dataclass
from vllm.config.model import ModelConfig
from vllm.config.vllm import VllmConfig


def get_kwargs(cls):
    human_readable = {{"max_num_batched_tokens"}}


@dataclass
class EngineArgs:
    @staticmethod
    def add_cli_args(parser):
        model_kwargs = get_kwargs(ModelConfig)
        group = parser.add_argument_group(title="Model")
        group.add_argument("--tensor-parallel-size", "-tp", **model_kwargs["size"])
        group.add_argument("--enforce-eager", **model_kwargs["enforce_eager"])
        group.add_argument("--kv-cache-dtype", **model_kwargs["cache_dtype"])
        group.add_argument("--data-parallel-rank", "-dpn", type=int, help="{PROSE}")
        vllm_kwargs = get_kwargs(VllmConfig)
        group.add_argument("--compilation-config", "-cc", **vllm_kwargs["compilation"])


@dataclass
class AsyncEngineArgs(EngineArgs):
    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--log-requests", action=argparse.BooleanOptionalAction, default=False)
        parser.add_argument("--old-way", action="store_true", deprecated=True)
''',
    "vllm/config/model.py": f'''
from typing import Literal
from vllm.config.utils import config

CacheDType = Literal["auto", "fp8"]


@config
class ModelConfig:
    """{PROSE}"""

    size: int = 1
    """{PROSE}"""
    enforce_eager: bool = False
    cache_dtype: CacheDType = "auto"
''',
    "vllm/config/vllm.py": """
from dataclasses import field
from vllm.config.compilation import CompilationConfig
from vllm.config.utils import config


@config
class VllmConfig:
    compilation: CompilationConfig = field(default_factory=CompilationConfig)
""",
    "vllm/config/compilation.py": """
from dataclasses import field
from vllm.config.utils import config


@config
class PassConfig:
    fuse_norm: bool | None = None


@config(config=dict(extra="forbid"))
class CompilationConfig:
    level: int = 0
    pass_config: PassConfig = field(default_factory=PassConfig)
    counted: int = field(default=0, init=False)
    inductor: dict[str, int] = field(default_factory=dict)
""",
    "vllm/config/utils.py": "def config(cls=None, **words): ...\n",
    "vllm/entrypoints/openai/cli_args.py": """
import json
from dataclasses import field
from vllm.config.utils import config
from vllm.engine.arg_utils import AsyncEngineArgs, get_kwargs


@config
class FrontendArgs:
    host: str | None = None
    allowed_origins: list[str] = field(default_factory=list)

    @staticmethod
    def add_cli_args(parser):
        frontend_kwargs = get_kwargs(FrontendArgs)
        frontend_kwargs["allowed_origins"]["type"] = json.loads
        del frontend_kwargs["allowed_origins"]["nargs"]


def make_arg_parser(parser):
    parser.add_argument("model_tag", nargs="?")
    parser.add_argument("--headless", action="store_true")
""",
    "vllm/attention/backends/registry.py": """
import enum


class AttentionBackendEnum(enum.Enum):
    FLASH = "vllm.flash"
    OLD = "vllm.old"
""",
    "vllm/distributed/kv_transfer/kv_connector/factory.py": """
class KVConnectorFactory:
    @classmethod
    def register_connector(cls, name, module_path, class_name): ...


KVConnectorFactory.register_connector("PipeConnector", "vllm.pipe", "PipeConnector")
""",
    "vllm/envs.py": """
import os

environment_variables = {
    "VLLM_PORT": lambda: os.getenv("VLLM_PORT"),
    "VLLM_GONE": lambda: os.environ.get("VLLM_GONE"),
}
SCALE = os.environ["Q_SCALE"]
""",
    "csrc/layer.cu": 'const char* algo = std::getenv("VLLM_LAYER_ALGO");\n',
}

VLLM_2 = {
    **VLLM_1,
    "vllm/config/model.py": """
from typing import Literal
from vllm.config.utils import config

CacheDType = Literal["auto", "fp8", "nvfp4"]


@config
class ModelConfig:
    size: int = 1
    enforce_eager: bool = True
    cache_dtype: CacheDType = "auto"
    max_num_batched_tokens: int | None = None
    backend: "Literal['fast', 'slow_one']" = "fast"
""",
    "vllm/engine/arg_utils.py": VLLM_1["vllm/engine/arg_utils.py"]
    .replace('parser.add_argument("--old-way", action="store_true", deprecated=True)', "pass")
    .replace(
        "vllm_kwargs = get_kwargs(VllmConfig)\n",
        """vllm_kwargs = get_kwargs(VllmConfig)
        group.add_argument("--max-num-batched-tokens", **{**model_kwargs["max_num_batched_tokens"], "default": None})
        backend_kwargs = model_kwargs["backend"]
        backend_kwargs["type"] = lambda text: text.lower().replace("-", "_")
        group.add_argument("--moe-backend", **backend_kwargs)
""",
    ),
    "vllm/envs.py": """
import os

environment_variables = {"VLLM_PORT": lambda: os.getenv("VLLM_PORT")}
FAMILY = {name: value for name, value in os.environ.items() if name.startswith("VLLM_CACHE_")}
""",
}

SGLANG_1 = {
    "sglang/srt/server_args.py": f'''
import argparse
import dataclasses
from sglang.srt.names import PARSERS

BACKENDS = ["triton", "fa3"]


class DeprecatedAction(argparse.Action):
    def __init__(self, option_strings, dest, nargs=0, **kwargs): ...


@dataclasses.dataclass
class ServerArgs:
    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--tensor-parallel-size", "--tp-size", type=int, help="{PROSE}")
        parser.add_argument("--attention-backend", type=str, choices=BACKENDS)
        parser.add_argument("--tool-parser", choices=["auto"] + list(PARSERS.keys()))
        parser.add_argument("--lora-paths", type=str, nargs="*")
        parser.add_argument("--hybrid-ratio", action=DeprecatedAction)
''',
    "sglang/srt/names.py": 'PARSERS = {"qwen": object, "llama": object}\n',
    "sglang/srt/environ.py": "class Envs:\n    SGLANG_LOG_GC = EnvBool(False)\n",
}

SGLANG_2 = {
    "sglang/srt/server_args.py": """
class ServerArgs:
    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--config", type=str)
        parser.add_argument("--enable-dp", action=DeprecatedStoreTrueAction, new_flag="--attn-dp-size <n>")


ServerArgs = assemble(ServerArgs)


class DeprecatedStoreTrueAction(argparse.Action):
    def __init__(self, option_strings, dest, new_flag=None, nargs=0, const=True): ...
""",
    "sglang/srt/arg_groups/fields/parallel.py": """
import argparse
from typing import Literal, Optional

BACKENDS = ["triton", "fa3", "fa4"]


class Parallel(msgspec.Struct):
    tp_size: A[int, Arg(help="How many ranks.", aliases=["--tensor-parallel-size"])] = 1
    attention_backend: A[Optional[str], Arg(help="Which.", choices=BACKENDS)] = None
    split: A[Optional[Literal["zigzag", "interleave"]], "How."] = None
    overlap: A[bool, "Whether."] = False
    sharing: A[Optional[bool], Arg(help="Whether.", action=argparse.BooleanOptionalAction)] = None
    resolved: A[bool, Arg(help="Derived.", no_cli=True)] = False
    labels: A[Optional[dict], Arg(help="JSON.", type_parser=json.loads)] = None
    plain: int = 3
""",
    "sglang/srt/environ.py": "class Envs:\n    SGLANG_LOG_GC = EnvBool(False)\n    SGLANG_NEW = EnvInt(1)\n",
}

DYNAMO = {
    "dynamo/frontend/frontend_args.py": """
class Group:
    def add_arguments(self, parser):
        add_argument(parser, flag_name="--router-mode", env_var="DYN_ROUTER_MODE", default="rr", choices=["rr", "kv"])
        add_negatable_bool_argument(parser, flag_name="--kv-events", env_var="DYN_KV_EVENTS", default=True, help="x")
""",
    "dynamo/vllm/args.py": """
def parse(parser):
    parser.add_argument("--router-mode", type=str)
    parser.add_argument("--connector", nargs="*", default=["nixl"])
""",
    "dynamo/sglang/args.py": 'TABLE = {"limit": {"flags": ["--migration-limit"], "type": int, "help": "x"}}\n',
    "dynamo/vllm/tests/test_args.py": 'parser.add_argument("--only-in-a-test")\n',
}


def sdist(folder: Path, name: str, version: str, files: Mapping[str, str]) -> None:
    """A source distribution."""
    with tarfile.open(folder / f"{name}-{version}.tar.gz", "w:gz") as archive:
        for path, text in files.items():
            data = text.encode()
            member = tarfile.TarInfo(f"{name}-{version}/{path}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def wheel(folder: Path, name: str, version: str, files: Mapping[str, str | bytes]) -> None:
    """A wheel."""
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
