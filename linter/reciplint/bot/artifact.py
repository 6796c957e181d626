"""A report from an untrusted run: checked, and everything that is shown rendered again from ids and typed fields."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from reciplint import __version__
from reciplint.bot.diffmap import DiffMap
from reciplint.report.escape import shown
from reciplint.report.model import Counts, Report, Reported
from reciplint.rules.finding import Argument, Finding, Related, render
from reciplint.rules.rule import Rule
from reciplint.yamltree.spans import Span

LARGEST = 10 << 20
_MOST_FINDINGS = 5000
_DEEPEST = 50


class ArtifactRefused(Exception):
    """The report is not believed; the text is for people."""


def read_artifact(path: Path, conforms: Callable[[object], bool]) -> dict[str, Any]:
    """The report in a file, by its schema. Raises `ArtifactRefused`."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise ArtifactRefused(f"it cannot be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise ArtifactRefused(f"it has more than {LARGEST >> 20} MB")
    try:
        value = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise ArtifactRefused("it is no JSON") from None
    if not _is_shallow(value) or not conforms(value):
        raise ArtifactRefused("it does not fulfil the schema reciplint/report-v1")
    return cast("dict[str, Any]", value)


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _is_shallow(value: object) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [child for item in level for child in _children(item)]
        if not level:
            return True
    return False


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def trusted_report(value: dict[str, Any], rules: Mapping[str, Rule], head: str, number: int, diff: DiffMap) -> Report:
    """The report, of which only ids, places and typed fields are kept. Raises `ArtifactRefused`."""
    if value["head"] != head:
        raise ArtifactRefused(f"it is about another commit than {head[:12]}, on which the pull request stands")
    if value["pull_request"] not in (None, number):
        raise ArtifactRefused(f"it is about another pull request than #{number}")
    if value["base"] is None:
        raise ArtifactRefused("it compares with no base, so it charges the change with what was there before")
    if len(value["findings"]) > _MOST_FINDINGS:
        raise ArtifactRefused(f"it has more than {_MOST_FINDINGS} findings")
    is_own_version = value["tool"]["version"] == __version__
    found = tuple(_reported(item, rules, diff, is_own_version) for item in value["findings"])
    severities = [item.finding.severity for item in found]
    counts = Counts(severities.count("error"), severities.count("warning"), severities.count("info"))
    return Report(__version__, value["base"], head, number, found, counts, value["exit_code"], True)


def _reported(item: dict[str, Any], rules: Mapping[str, Rule], diff: DiffMap, is_own_version: bool) -> Reported:
    """A finding; its fix and the words about related places are left out, for nothing vouches for them."""
    rule = rules.get(item["rule"])
    if rule is None:
        raise ArtifactRefused(f"no rule is called {shown(item['rule'], 100)}")
    if not any(diff.touches(place["path"]) for place in (item, *item["related"])):
        raise ArtifactRefused(f"{shown(item['path'], 200)} is not part of the pull request's diff")
    if item["fix"] and not all(diff.touches(edit["path"]) for edit in item["fix"]["edits"]):
        raise ArtifactRefused("it would edit a file that is not part of the pull request's diff")
    arguments = {name: _argument(given) for name, given in item["arguments"].items()}
    message = _message(rule, item["message_id"], arguments)
    if is_own_version and message != item["message"]:
        raise ArtifactRefused(f"a message of {rule.id} is not what the rule says")
    related = tuple(
        Related(place["path"], _span(place), "") for place in item["related"] if diff.touches(place["path"])
    )
    finding = Finding(
        rule=rule.id,
        severity=item["severity"],
        path=item["path"],
        span=_span(item),
        message=message,
        message_id=item["message_id"],
        arguments=arguments,
        subject=(),
        pointer=item["pointer"],
        related=related,
    )
    return Reported(finding, item["fingerprint"], rule.url)


def _message(rule: Rule, message_id: str, arguments: dict[str, Argument]) -> str:
    template = rule.messages.get(message_id)
    if template is None:
        raise ArtifactRefused(f"{rule.id} has no message {shown(message_id, 100)}")
    try:
        return render(template, arguments)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError):
        raise ArtifactRefused(f"the fields of a message of {rule.id} are not those it takes") from None


def _argument(value: Any) -> Argument:
    if isinstance(value, list):
        return tuple(map(str, value))
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return cast("Argument", value)


def _span(place: dict[str, Any]) -> Span:
    start, end = place["start"], place["end"]
    span = Span(start["line"], start["column"], end["line"], end["column"])
    if (span.end_line, span.end_column) < (span.line, span.column):
        raise ArtifactRefused("a place ends before it starts")
    return msgspec.structs.replace(span, end_line=min(span.end_line, span.line + 100_000))
