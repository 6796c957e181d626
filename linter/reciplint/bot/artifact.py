"""A report from an untrusted run: what a fork's own workflow uploaded, and its author could have written by hand.

Two things are held apart. What no run of reciplint would have written refuses the whole report, with a reason: too
large, another schema, another version, commit or pull request, no base, rules, messages or fields that are not the
rules' own, a message that its fields do not make, a place or an edit in a file that neither the pull request's diff
nor the tree of its head has. What an honest run writes is believed as far as it can be said in the bot's own words:

- a finding outside of the diff is one (a recipe that the change orphans, a label that it removes): it goes to the
  summary as it does without a report. Only its path is asked for: GitHub lists the head's tree, once, and only if some
  path is not in the diff. So no path is free text;
- messages are rendered from the rule's template, in which each value is a code span of bounded length (`quoting.py`);
- places, severity, fingerprint (hashed where it is written) and whether `reciplint fix` has a repair are typed;
- the words about related places, the title and the text of a fix are free, so they are not kept: a suggestion is code
  that a maintainer commits by one click, and nothing here can tell what a rule would have suggested.

What stays possible: a report that is silent, or holds findings that are not true, in the bot's words. The comment says
so, and the merge must not depend on it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import msgspec

from reciplint import __version__
from reciplint.bot.diffmap import DiffMap
from reciplint.bot.quoting import quoted
from reciplint.report.escape import shown
from reciplint.report.model import Counts, Report, Reported
from reciplint.rules.finding import Argument, Finding, Fix, Related, render
from reciplint.rules.rule import Rule
from reciplint.yamltree.spans import Span

LARGEST = 10 << 20
_MOST_FINDINGS = 5000
_MOST_FIELDS = 50
_DEEPEST = 50
_LARGEST_NUMBER = 10**12
_LAST_LINE = 10_000_000


class ArtifactRefused(Exception):
    """The report is not believed; the text is for people."""


@dataclass(frozen=True)
class Expected:
    """What is known without the report: the pull request, its head, the diff, how to list the head's files (None where
    they cannot be had)."""

    head: str
    number: int
    diff: DiffMap
    list_paths: Callable[[], frozenset[str] | None]

    @cached_property
    def _paths(self) -> frozenset[str] | None:
        return self.list_paths()

    def check_path(self, path: str) -> None:
        """Raise `ArtifactRefused` for a path that no file of the change or of its head has."""
        if self.diff.touches(path):
            return
        named = shown(path, 200)
        if self._paths is None:
            raise ArtifactRefused(
                f"{named} is not part of the pull request's diff, and the files of its head could not be listed (they "
                "are too many, or the token lacks `contents: read`)"
            )
        if path not in self._paths:
            raise ArtifactRefused(f"{named} is neither in the pull request's diff nor among the files of its head")


def read_json(path: Path) -> object:
    """The value in a file of bounded size and depth. Raises `ArtifactRefused`."""
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
    if not _is_shallow(value):
        raise ArtifactRefused(f"it is nested more than {_DEEPEST} levels deep")
    return cast("object", value)


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


def checked_report(
    value: object, conforms: Callable[[object], bool], rules: Mapping[str, Rule], expected: Expected
) -> Report:
    """The report, of which only ids, places and typed fields are kept. Raises `ArtifactRefused`."""
    if not conforms(value):
        raise ArtifactRefused("it does not fulfil the schema reciplint/report-v1")
    told = cast("dict[str, Any]", value)
    if told["head"] != expected.head:
        raise ArtifactRefused(f"it is about another commit than {expected.head[:12]}, on which the pull request stands")
    if told["pull_request"] not in (None, expected.number):
        raise ArtifactRefused(f"it is about another pull request than #{expected.number}")
    if told["base"] is None:
        raise ArtifactRefused("it compares with no base, so it charges the change with what was there before")
    version = told["tool"]["version"]
    if version != __version__:
        raise ArtifactRefused(
            f"reciplint {shown(version, 20)} made it, and this is {__version__}: use one version in both workflows"
        )
    if len(told["findings"]) > _MOST_FINDINGS:
        raise ArtifactRefused(f"it has more than {_MOST_FINDINGS} findings")
    found = tuple(_reported(item, rules, expected) for item in told["findings"])
    severities = [item.finding.severity for item in found]
    counts = Counts(severities.count("error"), severities.count("warning"), severities.count("info"))
    return Report(
        __version__, told["base"], expected.head, expected.number, found, counts, told["exit_code"], compared=True
    )


def _reported(item: dict[str, Any], rules: Mapping[str, Rule], expected: Expected) -> Reported:
    rule = rules.get(item["rule"])
    if rule is None:
        raise ArtifactRefused(f"no rule is called {shown(item['rule'], 100)}")
    for place in (item, *item["related"], *(item["fix"]["edits"] if item["fix"] else ())):
        expected.check_path(place["path"])
    arguments = {name: _argument(given) for name, given in item["arguments"].items()}
    finding = Finding(
        rule=rule.id,
        severity=item["severity"],
        path=item["path"],
        span=_span(item),
        message=_message(rule, item, arguments),
        message_id=item["message_id"],
        arguments=arguments,
        subject=(),
        related=tuple(Related(place["path"], _span(place), "") for place in item["related"]),
        fix=_fix(rule, item["fix"]),
    )
    return Reported(finding, item["fingerprint"], rule.url)


def _message(rule: Rule, item: dict[str, Any], arguments: dict[str, Argument]) -> str:
    """The message with its values quoted; the report's own has to be what the rule makes of the fields."""
    template = rule.messages.get(item["message_id"])
    if template is None:
        raise ArtifactRefused(f"{rule.id} has no message {shown(item['message_id'], 100)}")
    if len(arguments) > _MOST_FIELDS:
        raise ArtifactRefused(f"a message of {rule.id} has more than {_MOST_FIELDS} fields")
    try:
        if render(template, arguments) != item["message"]:
            raise ArtifactRefused(f"a message of {rule.id} is not what the rule says")
        return quoted(template, arguments)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError):
        raise ArtifactRefused(f"the fields of a message of {rule.id} are not those it takes") from None


def _argument(value: Any) -> Argument:
    if isinstance(value, list):
        return tuple(map(str, value))
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (int, float)) and abs(value) > _LARGEST_NUMBER:
        raise ArtifactRefused("a number in it is too large to be one that a rule counts")
    return cast("Argument", value)


def _fix(rule: Rule, told: dict[str, Any] | None) -> Fix | None:
    """That there is a repair, and how safe: never more than the rule offers."""
    if told is None or rule.fix is None or (told["applicability"] == "safe" and rule.fix != "safe"):
        return None
    return Fix("", told["applicability"], ())


def _span(place: dict[str, Any]) -> Span:
    start, end = place["start"], place["end"]
    span = Span(start["line"], start["column"], end["line"], end["column"])
    if (span.end_line, span.end_column) < (span.line, span.column):
        raise ArtifactRefused("a place ends before it starts")
    if span.end_line > _LAST_LINE or max(span.column, span.end_column) > LARGEST:
        raise ArtifactRefused("a place lies beyond the end of any file")
    return msgspec.structs.replace(span, end_line=min(span.end_line, span.line + 100_000))
