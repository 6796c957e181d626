"""A rule that runs only where it is asked for."""

from __future__ import annotations

import msgspec
import pytest

from reciplint.engine.cache import Cache
from reciplint.engine.registry import Registered
from reciplint.engine.run import Request, run
from reciplint.engine.settings import SETTINGS_FILE, read_settings
from reciplint.repo.snapshot import Memory
from support import RULES, brief

OPTIONAL = {
    name: Registered(msgspec.structs.replace(registered.card, is_optional=name == "final-newline"))
    for name, registered in RULES.items()
}
FAULT = ("final-newline", "a.yaml", 1)


@pytest.mark.parametrize(
    ("settings", "select", "expected"),
    [
        ("{}", None, []),
        ("{}", ["final-newline"], [FAULT]),
        ("{}", ["duplicate-key"], []),
        ("rules: {final-newline: warning}", None, [FAULT]),
        ("rules: {final-newline: {severity: warning}}", None, [FAULT]),
        ("rules: {final-newline: {}}", None, []),
        ("rules: {final-newline: off}", None, []),
        ("rules: {final-newline: off}", ["final-newline"], []),
        ("rules: {final-newline: warning}", ["duplicate-key"], []),
    ],
)
def test_an_optional_rule_runs_where_it_is_selected_or_has_a_severity(
    settings: str, select: list[str] | None, expected: list[tuple[str, str, int]]
) -> None:
    files = {"a.yaml": b"a: 1", SETTINGS_FILE: f"{settings}\n".encode()}
    request = Request(head=Memory(files), select=None if select is None else frozenset(select))
    found = run(request, OPTIONAL, read_settings(files[SETTINGS_FILE], OPTIONAL), Cache(None))
    assert brief([item.finding for item in found.findings]) == expected


def test_a_comment_that_silences_a_rule_that_did_not_run_is_not_called_unneeded() -> None:
    files = {"a.yaml": b"a: 1  # reciplint: ignore[final-newline] -- it is meant\n"}
    found = run(Request(head=Memory(files)), OPTIONAL, read_settings(None, OPTIONAL), Cache(None))
    assert found.findings == ()
