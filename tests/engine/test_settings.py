"""The settings: read whole, or refused with the place and what would be right."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest

from reciplint.domain.forbidden import Ban
from reciplint.engine.settings import Settings, SettingsError, read_settings, rule_options
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
        ("a: &x [*x]\n", ".reciplint.yaml:1:8", "stands inside its own anchor"),
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


def test_the_policy_is_read() -> None:
    settings = read("""\
policy:
  acceptance-length: off
  image-sources:
  - {image: "example/*", reason: not released}
  golden-curves:
  - {model-prefix: finch, method: mtp, lengths: {1: 1.7, 2: 2.25}}
  runners:
    labels: {b200: [b200-0]}
    hardware: {b200: {gpus-per-node: 8}}
  owners:
  - {path: configs/, owners: ["@example/bench"]}
forbidden:
- {pattern: FINCH_*, value: [1, true], scope: recipe, beside: "draft-*", reason: so, link: here, since: "2026-08-01"}
- {pattern: heron, reason: so}
""")
    assert settings.acceptance_length == "off"
    assert settings.image_sources == ({"image": "example/*", "reason": "not released"},)
    (curve,) = settings.golden_curves
    assert (curve.prefix, curve.method, curve.measured) == ("finch", "mtp", (1, 2))
    assert settings.runners is not None
    assert [(label.name, label.span.line) for label in settings.runners.labels] == [("b200", 8)]
    assert settings.runners.hardware["b200"].gpus_per_node == 8
    assert settings.owners is not None
    assert settings.owners.owners_of("configs/a.yaml") == ("@example/bench",)
    assert settings.forbidden == (
        Ban("FINCH_*", ("1", "true"), "recipe", "draft-*", "so", "here", "2026-08-01"),
        Ban("heron", reason="so"),
    )


def test_the_options_of_rules_hold_what_the_policy_says_on_a_day() -> None:
    settings = read("""\
policy: {acceptance-length: pinned}
rules: {image-source: {frameworks: [vllm]}}
forbidden:
- {pattern: FINCH, reason: so, since: "2026-08-01"}
""")
    before, after = (rule_options(settings, datetime.date(2026, month, 31)) for month in (7, 12))
    assert before["golden-acceptance-length"] == {"mode": "pinned"}
    assert before["image-source"] == {"allowed": (), "frameworks": ["vllm"]}
    assert before["forbidden-setting"] == {"forbidden": ()}
    assert [ban.pattern for ban in after["forbidden-setting"]["forbidden"]] == [
        "SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE",
        "SGLANG_GLM_NEXTN_MOE_PTPC",
        "publish_events_and_metrics",
        "FINCH",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forbidden: [{pattern: A}]\n", "reason"),
        ("forbidden: [{reason: so}]\n", "pattern"),
        ("forbidden: [{pattern: A, reason: so, scope: scripts}]\n", "master"),
        ("forbidden: [{pattern: A, reason: so, since: soon}]\n", "YYYY-MM-DD"),
        ("forbidden: [{pattern: A, reason: so, values: [1]}]\n", "value"),
        ("forbidden: [{pattern: 'A*B*C*', reason: so}]\n", "at most 2 stars"),
        ("forbidden: [{pattern: '*', reason: so}]\n", "the letters of a name"),
        ("forbidden: [{pattern: A, beside: '--', reason: so}]\n", "the letters of a name"),
        ("policy: {acceptance-length: pin}\n", "pinned"),
        ("policy: {golden-curves: [{model-prefix: a, method: mtp, lengths: {one: 1.5}}]}\n", "'one': 1.5"),
        ("policy: {golden-curves: [{model-prefix: a, method: mtp, lengths: {1: .nan}}]}\n", "'1': nan"),
        ("policy: {golden-curves: [{model-prefix: a, method: mtp, lengths: {1: 0.5}}]}\n", "0.5"),
        ("policy: {golden-curves: [{model-prefix: a, method: ngram, lengths: {1: 1.5}}]}\n", "eagle3"),
        ("policy: {runners: {label: {}}}\n", "labels"),
        ("policy: {owners: [{path: a}]}\n", "owners"),
        ("rules: {golden-acceptance-length: {mode: pinned}}\n", "it takes none"),
    ],
)
def test_a_policy_that_cannot_be_used_is_refused(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        read(text)


def test_a_date_without_quotes_is_a_date_as_well() -> None:
    (ban,) = read("forbidden: [{pattern: A, reason: so, since: 2026-08-01}]\n").forbidden
    assert ban.since == "2026-08-01"


def test_the_examples_of_the_guide_are_valid() -> None:
    guide = Path(__file__).parents[2] / "docs" / "policy.md"
    examples = re.findall(r"```yaml\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 5
    assert [read(example) == Settings() for example in examples] == [False] * 5
