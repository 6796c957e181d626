"""A rule or a reader of reciplint failed on a file.

## What it finds

A crash inside reciplint: the rule that failed, the kind of error and the line of reciplint where it happened. The
run goes on with every other rule and file, and ends with exit status 2, so that a crash is never taken for a pass.

## Why it matters

What the failed rule would have said is unknown.

## Bad

Nothing that you write should cause this.

## Good

Report it with the file, at the address that `reciplint --version` prints.

## Fix

None in your files. `--ignore RULE` leaves the failing rule out until it is mended.

## Options

None. It cannot be suppressed.

## Source

reciplint's own contract: nothing crashes the run.
"""

from __future__ import annotations

from reciplint.rules.rule import Rule

RULE = Rule(
    id="internal-error",
    summary="A rule or a reader of reciplint failed on a file",
    severity="error",
    source="reciplint's own contract: a crash is a finding, never an end of the run",
    messages={"raised": "{failed} failed here ({place}: {reason}); this is a fault of reciplint, please report it"},
    messages_zh={"raised": "{failed} 在此处出错（{place}：{reason}）；这是 reciplint 自身的缺陷，请报告"},
    suppressible=False,
)
