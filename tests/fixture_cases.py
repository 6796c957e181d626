"""The miniature repositories of `fixtures/`: how they are read, run and written down.

`python tests/fixture_cases.py` writes every `expected.json` anew; read the difference before you commit it.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from reciplint.engine.cache import Cache
from reciplint.engine.registry import all_rules
from reciplint.engine.run import Outcome, Request, run
from reciplint.engine.settings import SETTINGS_FILE, read_settings
from reciplint.repo.snapshot import Memory

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
EXPECTED = "expected.json"


def cases() -> list[Path]:
    """Every case: a directory that says what is expected of it."""
    return sorted(path.parent for path in FIXTURES.glob(f"*/{EXPECTED}"))


def files(top: Path) -> dict[str, bytes]:
    """The files of a tree by their path in it."""
    return {
        path.relative_to(top).as_posix(): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if path.is_file() and path != top / EXPECTED
    }


def lint(case: Path, expected: dict[str, Any]) -> Outcome:
    """Run a case: its head against its base, or the one tree that it is."""
    head = files(case / "head" if (case / "head").is_dir() else case)
    base = Memory(files(case / "base")) if (case / "base").is_dir() else None
    rules = all_rules()
    request = Request(
        head=Memory(head),
        base=base,
        review_date=datetime.date.fromisoformat(expected["date"]),
        pull_request=expected.get("pull_request"),
    )
    return run(request, rules, read_settings(head.get(SETTINGS_FILE), rules), Cache(None))


def reduced(outcome: Outcome) -> list[dict[str, Any]]:
    """The findings as `expected.json` has them."""
    return [
        {
            "rule": item.finding.rule,
            "severity": item.finding.severity,
            "path": item.finding.path,
            "line": item.finding.span.line,
            "message": item.finding.message,
        }
        for item in outcome.findings
    ]


def main() -> None:
    """Write what is found now as what is expected."""
    for case in cases():
        file = case / EXPECTED
        expected = json.loads(file.read_text(encoding="utf-8"))
        expected["findings"] = reduced(lint(case, expected))
        file.write_text(json.dumps(expected, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
