"""The reports for machines: in full, and against their schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from published import sarif_faults
from report_samples import CLEAN, COMPARED, FULL, MISSING, PLAIN, RECIPE, SOURCES, Texts, finding, report_of

from reciplint.report import github, jsonreport, sarif
from reciplint.report.model import FileEdit, Options
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.yamltree.spans import Span

ROOT = Path(__file__).parents[2]
PLACE = {
    "artifactLocation": {
        "uri": "benchmarks/multi_node/srt-slurm-recipes/vllm/8k%201k/gr%C3%B6%C3%9Fe%231.yaml",
        "uriBaseId": "SRCROOT",
    },
    "region": {"startLine": 3, "startColumn": 7, "endLine": 3, "endColumn": 16},
}


@pytest.fixture(scope="module")
def report_schema() -> jsonschema.Draft202012Validator:
    schema = json.loads((ROOT / "schemas/report.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def sarif_run(report: Any, sources: Any = SOURCES) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(sarif.render(report, sources, PLAIN))
    return log["runs"][0]


JSON_ONE = """\
{
 "schema": "reciplint/report-v1",
 "tool": {
  "name": "reciplint",
  "version": "0.1.0"
 },
 "base": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
 "head": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
 "pull_request": 7,
 "findings": [
  {
   "rule": "missing-recipe",
   "severity": "error",
   "message": "no recipe recipes/a.yaml, 50% like recipes/b.yaml",
   "message_id": "gone",
   "arguments": {
    "closest": [
     "b",
     "c"
    ],
    "path": "recipes/a.yaml",
    "share": 0.5
   },
   "path": "configs/nvidia-master.yaml",
   "start": {
    "line": 11,
    "column": 19
   },
   "end": {
    "line": 11,
    "column": 33
   },
   "pointer": "/k/row/0",
   "fingerprint": "f1",
   "related": [
    {
     "path": "benchmarks/multi_node/srt-slurm-recipes/vllm/8k 1k/größe#1.yaml",
     "start": {
      "line": 1,
      "column": 7
     },
     "end": {
      "line": 1,
      "column": 9
     },
     "message": "this one exists"
    }
   ],
   "fix": {
    "applicability": "unsafe",
    "title": "name recipes/b.yaml",
    "edits": []
   },
   "url": "https://reciplint.github.io/reciplint/rules/missing-recipe/"
  }
 ],
 "counts": {
  "error": 1,
  "warning": 1,
  "info": 1,
  "suppressed": 2,
  "baselined": 3
 },
 "exit_code": 1
}
"""


def test_full_json() -> None:
    report = msgspec.structs.replace(COMPARED, findings=(MISSING,))
    assert jsonreport.render(report, SOURCES, PLAIN) == JSON_ONE


def test_json_fix_has_its_edits() -> None:
    assert json.loads(jsonreport.render(FULL, SOURCES, PLAIN))["findings"][0]["fix"] == {
        "applicability": "safe",
        "title": "rename it to max-model",
        "edits": [
            {
                "path": RECIPE,
                "start": {"line": 3, "column": 7},
                "end": {"line": 3, "column": 16},
                "replacement": "max-model",
            }
        ],
    }


def test_json_fix_has_the_text_that_it_shows(report_schema: jsonschema.Draft202012Validator) -> None:
    shown = finding(fix=Fix("write one file", "display", (), shown="base:\n  name: a\n"))
    told = json.loads(jsonreport.render(report_of(shown), SOURCES, PLAIN))
    assert told["findings"][0]["fix"] == {
        "applicability": "display",
        "title": "write one file",
        "edits": [],
        "shown": "base:\n  name: a\n",
    }
    assert [error.message for error in report_schema.iter_errors(told)] == []


@pytest.mark.parametrize("report", [FULL, COMPARED, CLEAN])
def test_json_keeps_its_schema(report: Any, report_schema: jsonschema.Draft202012Validator) -> None:
    assert [e.message for e in report_schema.iter_errors(json.loads(jsonreport.render(report, SOURCES, PLAIN)))] == []


def test_json_is_exact_and_safe_to_print() -> None:
    message = "\x1b[31m\x9b\u202e\ud800 \U000e0041 ##[error] 名\n" + "x" * 5000
    out = jsonreport.render(report_of(finding(message)), SOURCES, PLAIN)
    out.encode("utf-8")
    assert r"\u001b[31m\u009b\u202e\\ud800 \udb40\udc41 \u0023#[error] 名\nx" in out
    assert json.loads(out)["findings"][0]["message"] == message.replace("\ud800", r"\ud800")


def test_numbers_json_does_not_know_are_named(report_schema: jsonschema.Draft202012Validator) -> None:
    out = jsonreport.render(report_of(finding(arguments={"a": float("nan"), "b": float("inf")})), SOURCES, PLAIN)
    assert json.loads(out)["findings"][0]["arguments"] == {"a": "nan", "b": "inf"}
    assert report_schema.is_valid(json.loads(out))


@pytest.mark.parametrize(
    ("where", "key", "value"),
    [
        ("finding", "path", "../x"),
        ("finding", "path", "a/../x"),
        ("finding", "path", "a/.."),
        ("finding", "path", "/etc/passwd"),
        ("finding", "path", ""),
        ("finding", "rule", "x](y)"),
        ("finding", "severity", "fatal"),
        ("finding", "url", "javascript:alert(1)"),
        ("finding", "pointer", "a"),
        ("finding", "start", {"line": 0, "column": 1}),
        ("finding", "arguments", {"x": {"y": 1}}),
        ("finding", "more", 1),
        ("report", "schema", "reciplint/report-v2"),
        ("report", "head", "main"),
        ("report", "more", 1),
        ("report", "exit_code", 3),
    ],
)
def test_schema_is_strict(where: str, key: str, value: Any, report_schema: jsonschema.Draft202012Validator) -> None:
    document = jsonreport.document(FULL)
    plain = json.loads(json.dumps(document))
    assert report_schema.is_valid(plain)
    (plain if where == "report" else plain["findings"][0])[key] = value
    assert not report_schema.is_valid(plain)


def test_sarif_frame() -> None:
    assert json.loads(sarif.render(CLEAN, Texts({}, {}, {}), PLAIN)) == {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "reciplint",
                        "version": "0.1.0",
                        "informationUri": "https://github.com/reciplint/reciplint",
                        "rules": [],
                    }
                },
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the repository."}}},
                "columnKind": "unicodeCodePoints",
                "results": [],
            }
        ],
    }


def test_sarif_rules() -> None:
    rules = sarif_run(FULL)["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["anchor-dedup", "kebab-case-keys", "missing-recipe", "yaml-syntax"]
    page = "# missing-recipe\n\nA row names a recipe\nthat does not exist.\n\n## Why\n\nThe job fails."
    assert rules[2] == {
        "id": "missing-recipe",
        "shortDescription": {"text": "A row names a recipe that does not exist."},
        "fullDescription": {"text": "A row names a recipe that does not exist."},
        "help": {"text": page, "markdown": page},
        "helpUri": "https://reciplint.github.io/reciplint/rules/missing-recipe/",
        "defaultConfiguration": {"level": "error"},
    }


def test_sarif_result_with_a_safe_fix() -> None:
    replacement = {"deletedRegion": PLACE["region"], "insertedContent": {"text": "max-model"}}
    change = {"artifactLocation": PLACE["artifactLocation"], "replacements": [replacement]}
    assert sarif_run(FULL)["results"][0] == {
        "ruleId": "kebab-case-keys",
        "ruleIndex": 1,
        "level": "warning",
        "message": {"text": "max_model is spelled max-model elsewhere"},
        "locations": [{"physicalLocation": PLACE}],
        "partialFingerprints": {"reciplint/v1": "f2"},
        "fixes": [{"description": {"text": "rename it to max-model"}, "artifactChanges": [change]}],
    }


def test_sarif_related_and_unsafe_fix() -> None:
    result = sarif_run(FULL)["results"][2]
    assert "fixes" not in result
    region = {"startLine": 1, "startColumn": 7, "endLine": 1, "endColumn": 9}
    location = {"artifactLocation": PLACE["artifactLocation"], "region": region}
    assert result["relatedLocations"] == [
        {"id": 0, "physicalLocation": location, "message": {"text": "this one exists"}}
    ]
    assert [r["level"] for r in sarif_run(FULL)["results"]] == ["warning", "note", "error"]


def test_sarif_rule_without_a_file_of_its_own() -> None:
    report = report_of(finding(rule="internal-error"))
    run = sarif_run(report)
    assert run["tool"]["driver"]["rules"][run["results"][0]["ruleIndex"]]["id"] == "internal-error"
    assert sarif_faults(sarif.render(report, SOURCES, PLAIN)) == []


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/c%d.yaml", "a%20b/c%25d.yaml"),
        ("a#b?c[0].yaml", "a%23b%3Fc%5B0%5D.yaml"),
        ("c:d/e.yaml", "c%3Ad/e.yaml"),
        ("名.yaml", "%E5%90%8D.yaml"),
        ("\udcff.yaml", "%FF.yaml"),
    ],
)
def test_sarif_paths_are_uris(path: str, uri: str) -> None:
    result = sarif_run(report_of(finding(path=path)))["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_sarif_message_makes_no_link() -> None:
    result = sarif_run(report_of(finding("see [here](https://evil.example) a[0]")))["results"][0]
    assert result["message"]["text"] == "see \\[here\\](https://evil.example) a\\[0\\]"


def test_sarif_fix_in_two_files_groups_them() -> None:
    edits = tuple(FileEdit(path, Span(1, 1, 1, 1), "x") for path in ("a", "b", "a"))
    reported = msgspec.structs.replace(finding(fix=Fix("t", "safe", ())), edits=edits)
    changes = sarif_run(report_of(reported))["results"][0]["fixes"][0]["artifactChanges"]
    assert [(c["artifactLocation"]["uri"], len(c["replacements"])) for c in changes] == [("a", 2), ("b", 1)]


def test_sarif_keeps_the_most_severe_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "RESULT_LIMIT", 3)
    severities = ("info", "warning", "info", "error", "warning")
    report = report_of(*(finding(str(n), severity=severity) for n, severity in enumerate(severities)))
    assert [r["message"]["text"] for r in sarif_run(report)["results"]] == ["1", "3", "4"]


def test_full_github() -> None:
    recipe = "benchmarks/multi_node/srt-slurm-recipes/vllm/8k 1k/größe#1.yaml"
    assert github.render(COMPARED, SOURCES, PLAIN) == (
        "::error file=configs/nvidia-master.yaml,line=11,endLine=11,col=19,endColumn=33,title=reciplint missing-recipe"
        f"::no recipe recipes/a.yaml, 50%25 like recipes/b.yaml%0A{recipe}:1: this one exists"
        "%0Afix: name recipes/b.yaml\n"
        f"::warning file={recipe},line=3,endLine=3,col=7,endColumn=16,title=reciplint kebab-case-keys"
        "::max_model is spelled max-model elsewhere%0Afix: rename it to max-model\n"
        f"::notice file={recipe},line=4,endLine=6,title=reciplint anchor-dedup::8 keys are the same%0Afix: fold them\n"
    )
    assert github.render(CLEAN, SOURCES, PLAIN) == ""


def test_github_leaves_advice_out_of_a_full_run() -> None:
    assert "::notice" not in github.render(FULL, SOURCES, PLAIN)
    assert "::notice" in github.render(FULL, SOURCES, Options(verbose=True))


def test_github_escapes_properties_and_text() -> None:
    out = github.render(report_of(finding("::stop\r\n##[error]%", path="a,b:c%\n.yaml")), SOURCES, PLAIN)
    assert out == (
        "::error file=a%2Cb%3Ac%25\\n.yaml,line=1,endLine=1,col=1,endColumn=2,title=reciplint missing-recipe"
        "::::stop\\r\\n\\x23#[error]%25\n"
    )


def test_github_says_how_many_it_cannot_annotate() -> None:
    findings = [finding(f"w{n}", severity="warning") for n in range(11)] + [finding(f"e{n}") for n in range(12)]
    lines = github.render(report_of(*findings), SOURCES, PLAIN).splitlines()
    assert [line.partition(" ")[0] for line in lines[:20]] == ["::error"] * 10 + ["::warning"] * 10
    assert lines[20:] == [
        "a.yaml:1:1 error missing-recipe: e10",
        "a.yaml:1:1 error missing-recipe: e11",
        "a.yaml:1:1 warning missing-recipe: w10",
        "reciplint: 2 errors, 1 warning not annotated: GitHub keeps 10 of each severity a step",
    ]


def test_github_names_few_related_places() -> None:
    related = tuple(Related("b.yaml", Span(n, 1, n, 2), "p") for n in range(1, 8))
    out = github.render(report_of(finding(related=related)), SOURCES, PLAIN)
    assert out.endswith("%0Ab.yaml:5: p%0Aand 2 more places\n")


def test_argument_order_does_not_show() -> None:
    one, two = ({"a": 1, "b": "x"}, {"b": "x", "a": 1})
    assert list(one) != list(two)
    rendered = {jsonreport.render(report_of(finding(arguments=each)), SOURCES, PLAIN) for each in (one, two)}
    assert len(rendered) == 1


def test_findings_survive_msgspec() -> None:
    """Findings come out of the cache with lists where tuples were: they must print alike."""
    decoded = msgspec.json.decode(msgspec.json.encode(MISSING.finding), type=Finding)
    again = msgspec.structs.replace(MISSING, finding=decoded)
    for render in (jsonreport.render, github.render, sarif.render):
        assert render(report_of(again), SOURCES, PLAIN) == render(report_of(MISSING), SOURCES, PLAIN)
