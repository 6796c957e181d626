"""JSON that any consumer can read and any terminal can show: UTF-8, the same bytes every time."""

from __future__ import annotations

import json
import re

from reciplint.report.escape import HIDDEN_BEYOND_C0, RUNNER_COMMAND

_UNSAFE = re.compile(f"[{HIDDEN_BEYOND_C0}]|{RUNNER_COMMAND}")


def dumps(value: object) -> str:
    """The value as indented JSON with a line break at the end.

    Control and invisible characters are written as JSON escapes, which keeps a terminal safe. A lone surrogate, which
    stands for a byte of a file name that is no UTF-8, becomes the text of its escape (`\\udcff`, as people are shown
    it): many readers refuse a document that holds one. Outside strings JSON has none of these characters, so the text
    may be edited whole.
    """
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    return _UNSAFE.sub(lambda match: _escape(match[0]), text) + "\n"


def _escape(char: str) -> str:
    code = ord(char)
    if 0xD800 <= code < 0xE000:
        return f"\\\\u{code:04x}"
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
