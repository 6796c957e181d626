"""Fetching releases with pip: wheels as they are, vLLM as a source distribution.

pip asks a source distribution's own `setup.py` for its name, and vLLM's imports torch there: a stub stands in for it,
in an environment of its own beside the releases.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FROM_SOURCE = frozenset({"vllm"})
BUILDER = (
    "setuptools>=77,<81",
    "setuptools-rust>=1.9",
    "setuptools-scm>=8",
    "packaging>=24",
    "wheel",
    "jinja2",
    "numpy",
)
_STUB = {
    "torch/__init__.py": '__version__ = "2.11.0"\n\n\nclass version:\n    cuda = hip = xpu = None\n',
    "torch/utils/__init__.py": "",
    "torch/utils/cpp_extension.py": "CUDA_HOME = ROCM_HOME = None\n",
}


def download(folder: Path, requirements: list[str]) -> list[str]:
    """Fetch `name==version` requirements into a folder; gives those that could not be had, having said why."""
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for requirement in requirements:
        name, _, version = requirement.partition("==")
        if not version:
            raise ValueError(f"{requirement}: give a version, as in vllm==0.33.0")
        source = name in FROM_SOURCE
        python = _builder(folder) if source else Path(sys.executable)
        how = ["--no-binary", ":all:", "--no-build-isolation"] if source else ["--prefer-binary"]
        command = [str(python), "-m", "pip", "download", "-q", "--no-deps", *how, "-d", str(folder), requirement]
        more = {"VLLM_TARGET_DEVICE": "empty", "VLLM_VERSION_OVERRIDE": version, "PIP_CONSTRAINT": ""}
        print(f"fetching {requirement}", file=sys.stderr)
        if subprocess.run(command, env={**os.environ, **more}, check=False).returncode:
            failed.append(requirement)
    return failed


def _builder(folder: Path) -> Path:
    """The interpreter of an environment that can tell the metadata of vLLM's sources, made on first use."""
    home = folder / ".builder"
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        command = [str(python), "-m", "pip", "install", "-q", *BUILDER]
        subprocess.run(command, env={**os.environ, "PIP_CONSTRAINT": ""}, check=True)
        packages = next(home.glob("lib/python*/site-packages"))
        for name, text in _STUB.items():
            file = packages / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (home / "ready").touch()
    return python
