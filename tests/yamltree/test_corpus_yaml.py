"""Every file of the shared corpus reads as PyYAML reads it, with exact spans, and the YAML rules find what is there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml
from yaml_documents import as_json

from reciplint.domain.document import Document
from reciplint.repo.kinds import Kind
from reciplint.rules.rule import Context
from reciplint.rules.yaml import ambiguous_scalar, duplicate_key, env_value_type, final_newline, yaml_syntax
from reciplint.yamltree.parse import parse
from reciplint.yamltree.scalars import load
from reciplint.yamltree.tree import Scalar, Tree

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def trees(corpus_repo: Path) -> dict[str, tuple[bytes, Tree]]:
    paths = sorted(
        path for path in corpus_repo.rglob("*.y*ml") if ".git" not in path.relative_to(corpus_repo).parts[:1]
    )
    contents = {path.relative_to(corpus_repo).as_posix(): path.read_bytes() for path in paths}
    return {path: (data, parse(data)) for path, data in contents.items()}


def test_every_file_loads_as_pyyaml_loads_it(trees: dict[str, tuple[bytes, Tree]]) -> None:
    assert len(trees) == 505
    for path, (data, tree) in trees.items():
        expected = [as_json(value) for value in yaml.load_all(data, yaml.CSafeLoader)]
        assert [load(document) for document in tree.documents] == expected, path


def reads_back(text: str, scalar: Scalar) -> bool:
    source = text[scalar.start : scalar.end]
    if scalar.style in ("'", '"'):
        return source[0] == source[-1] == scalar.style and yaml.load(source, yaml.CBaseLoader) == scalar.value
    if scalar.style in ("|", ">"):
        return source[0] == scalar.style and not text[scalar.end :].split("\n", 1)[0].strip()
    return source == scalar.value or ("\n" in source and " ".join(source.split()) == " ".join(scalar.value.split()))


def test_every_span_is_exact(trees: dict[str, tuple[bytes, Tree]]) -> None:
    count = 0
    for path, (_, tree) in trees.items():
        for scalar in tree.scalars:
            assert reads_back(tree.text, scalar), (path, tree.span(scalar))
            count += 1
    assert count == 164_429


def test_every_hash_is_in_a_scalar_or_begins_or_lies_in_a_comment(trees: dict[str, tuple[bytes, Tree]]) -> None:
    for path, (_, tree) in trees.items():
        covered = sum(comment.text.count("#") for comment in tree.comments)
        covered += sum(tree.text.count("#", scalar.start, scalar.end) for scalar in tree.scalars)
        headers = sum(
            comment.text.count("#")
            for comment in tree.comments
            for scalar in tree.scalars
            if scalar.start <= comment.start < scalar.end
        )
        assert covered - headers == tree.text.count("#"), path


def test_the_yaml_rules_find_what_was_counted(trees: dict[str, tuple[bytes, Tree]]) -> None:
    found: Counter[tuple[str, str]] = Counter()
    for path, (data, _) in trees.items():
        kind = Kind.RECIPE if "/srt-slurm-recipes/" in path else Kind.RUNNERS if "runners" in path else Kind.YAML
        document = Document(path, kind, data)
        for module in (yaml_syntax, duplicate_key, ambiguous_scalar, env_value_type, final_newline):
            if kind in module.RULE.kinds:
                found.update((f.rule, f.severity) for f in module.check_document(document, Context()))
    assert found == {
        ("duplicate-key", "error"): 7,
        ("duplicate-key", "warning"): 1,
        ("ambiguous-scalar", "info"): 16,
        ("final-newline", "info"): 6,
    }
