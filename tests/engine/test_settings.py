"""The settings: read whole, or refused with the place and what would be right."""

from __future__ import annotations

import pytest

from reciplint.engine.settings import Settings, SettingsError, read_settings
from reciplint.repo.kinds import Kind
from reciplint.yamltree.problem import Limits
from support import MASTER, RULES, brief, lint, project


def read(text: str) -> Settings:
    return read_settings(text.encode(), RULES)


def test_without_a_file_and_with_an_empty_one_the_defaults_hold() -> None:
    assert read_settings(None, RULES) == Settings()
    assert read("").fail_on == "error"
    assert read("# nothing yet\n") == Settings()


def test_everything_is_read() -> None:
    settings = read("""\
profile: inferencex
preset: enforce
rules:
  final-newline: off
  duplicate-key: warning
  anchor-dedup: {severity: warning, min-keys: 4}
paths:
- path: old/**
  ignore: [schema]
  reason: kept for the record
kinds:
  recipe: ["jobs/**/*.yaml"]
limits: {file-bytes: 5000, depth: 20}
policy:
  repository: example/bench
""")
    assert (settings.profile, settings.preset, settings.fail_on) == ("inferencex", "enforce", "warning")
    assert settings.is_off("final-newline")
    assert settings.severity("duplicate-key", "error") == "warning"
    assert settings.severity("schema", "error") == "error"
    assert settings.options["anchor-dedup"] == {"min-keys": 4}
    assert settings.paths[0].covers("old/a/b.yaml", "schema")
    assert not settings.paths[0].covers("older/a.yaml", "schema")
    assert settings.globs == {Kind.RECIPE: ("jobs/**/*.yaml",)}
    assert settings.limits == Limits(file_bytes=5000, depth=20)
    assert settings.repository == "example/bench"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("rulez: {}\n", ".reciplint.yaml:1:1", "rules"),
        ("preset: strict\n", ".reciplint.yaml:1:9", "advise"),
        ("rules:\n  schema: fatal\n", ".reciplint.yaml:2:11", "warning"),
        ("- a\n", ".reciplint.yaml:1:1", ""),
        ("a: [\n", ".reciplint.yaml:2:1", "did not find expected node content"),
        ("a: &x [*x]\n", ".reciplint.yaml:1:8", "alias-cycle"),
        ("rules:\n  schemas: error\n", ".reciplint.yaml: rules", "no rule is called 'schemas'; did you mean schema?"),
        ("rules:\n  anchor-dedup: {least: 1}\n", ".reciplint.yaml: rules.anchor-dedup", "it takes min-bytes, min-keys"),
        ("rules:\n  final-newline: {least: 1}\n", "rules.final-newline", "it takes none"),
        (
            "paths:\n- path: a\n  ignore: [nonsense]\n  reason: so\n",
            ".reciplint.yaml: paths",
            "`reciplint rules` lists them",
        ),
        ("paths:\n- path: a\n  ignore: [schema]\n", ".reciplint.yaml:2:3", "reason"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(text: str, place: str, message: str) -> None:
    with pytest.raises(SettingsError) as error:
        read(text)
    assert place in str(error.value)
    assert message in str(error.value)


def test_the_word_off_is_off_though_yaml_reads_it_as_false() -> None:
    for spelling in ("off", "false", '"off"'):
        assert read(f"rules:\n  schema: {spelling}\n").is_off("schema")


def test_settings_reach_the_rules() -> None:
    files = {**project(), "a.yaml": "x: 1\nx: 2\n", "b.yaml": "x: 1"}
    assert brief(lint(files)) == [("duplicate-key", "a.yaml", 1), ("final-newline", "b.yaml", 1)]
    settings = "rules:\n  duplicate-key: off\n  final-newline: error\n"
    found = lint({**files, ".reciplint.yaml": settings})
    assert [(f.rule, f.severity) for f in found] == [("final-newline", "error")]


def test_the_head_s_settings_judge_both_trees() -> None:
    """Raising a severity, or switching a rule on, charges nobody with what stood before."""
    files = {"b.yaml": "x: 1"}
    assert lint({**files, ".reciplint.yaml": "rules:\n  final-newline: error\n"}, files) == []
    assert lint(files, {**files, ".reciplint.yaml": "rules:\n  final-newline: off\n"}) == []


def test_other_globs_make_another_project() -> None:
    files = {path.replace("benchmarks/multi_node/srt-slurm-recipes", "jobs"): text for path, text in project().items()}
    settings = 'kinds:\n  recipe: ["jobs/**/*.yaml"]\n'
    odd = next(path for path in files if path.startswith("jobs/"))
    files[odd] = files[odd].replace("max-num-seqs", "max_num_seqs")
    found = lint({**files, ".reciplint.yaml": settings})
    assert ("kebab-case-keys", odd, 11) in brief(found)
    assert MASTER not in {finding.path for finding in found}
