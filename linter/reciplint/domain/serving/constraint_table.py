"""The table of serving constraints, `schemas/constraints.yaml`, as typed values.

A row says what must hold in one process, or between a prefill and a decode worker of one deployment. The language is
closed: settings, tests and finders that are named here or in the modules beside this one; nothing is evaluated. How a
row is written stands in `docs/serving.md` and in `schemas/constraints.schema.json`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from reciplint.domain.schemas import schemas_home, table_text
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.scalars import load

Plain = str | int | float | bool
Severity = Literal["error", "warning", "info"]


class Test(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True):
    """What a setting is tested for; all that is given must hold. `above`, `below`, `at-least`, `at-most`,
    `multiple-of` and `divides` take a number, or a setting to compare with; `in` and `not-in` a list of texts, which
    for a setting of several values (`connectors`) means any of them. Texts are compared in lower case."""

    set: bool | None = None
    enabled: bool | None = None
    is_: Plain | None = msgspec.field(default=None, name="is")
    not_: Plain | None = msgspec.field(default=None, name="not")
    in_: tuple[Plain, ...] | None = msgspec.field(default=None, name="in")
    not_in: tuple[Plain, ...] | None = None
    matches: str | None = None
    above: int | float | str | None = None
    below: int | float | str | None = None
    at_least: int | float | str | None = None
    at_most: int | float | str | None = None
    multiple_of: int | str | None = None
    divides: int | str | None = None


Conditions = dict[str, Test]
"""Setting to test; all must hold."""


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """One way to break a constraint, with its own severity and message.

    It speaks where `when` holds, `unless` is not known to hold, and `require` is known to fail (or nothing is
    required). `any` is a list of alternatives to `when`, of which one must hold as well. `same` compares settings
    between a prefill and a decode worker, `find` names a finder. `otherwise`: only where no case of the row before it
    spoke. `engines` are those of the row that it is about, all where none is named. `at` are the settings of which the
    first that is written is where the finding stands; `values` gives each field of the message a setting, `related`
    the settings that are shown beside it. `sets` is the setting that a fix writes, and its value.
    """

    name: str
    severity: Severity
    message: str
    message_zh: str
    when: Conditions = {}
    any: tuple[Conditions, ...] = ()
    unless: Conditions = {}
    require: Conditions = {}
    same: tuple[str, ...] = ()
    find: str = ""
    otherwise: bool = False
    engines: tuple[str, ...] = ()
    at: tuple[str, ...] = ()
    values: dict[str, str] = {}
    related: tuple[str, ...] = ()
    sets: dict[str, Plain] = {}

    @property
    def settings(self) -> Iterator[str]:
        """Every setting that `when`, `any`, `unless` and `require` name, in this order."""
        for conditions in (self.when, *self.any, self.unless, self.require):
            yield from conditions


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a constraint comes from: a public address, and what stands there in our words."""

    url: str
    says: str


class Constraint(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """A row: a rule of its own. `fires` and `silent` are the examples of its page, file name to text, with `«»` around
    what is found; `fixed` are the files of `fires` that a fix changes, as it leaves them."""

    id: str
    summary: str
    engines: tuple[str, ...]
    finds: str
    why: str
    repair: str
    cases: tuple[Case, ...]
    evidence: tuple[Evidence, ...]
    fires: dict[str, str]
    silent: dict[str, str]
    fixed: dict[str, str] = {}


class _Names(dict[str, str]):
    """Remembers every name that it is asked for."""

    def __missing__(self, name: str) -> str:
        base = name.partition(".")[0]
        found = self[name] = self[base] if base != name else f"--{name}"
        return found


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The whole table: the engines' defaults and other spellings of the flags that it names, the texts that mean the
    same, the rows. `lists` only holds anchors."""

    defaults: dict[str, Plain]
    spellings: dict[str, tuple[str, ...]]
    alike: dict[str, str]
    lists: list[Any]
    constraints: tuple[Constraint, ...]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The table's name of any flag: `tensor-parallel-size`, `tp` and `cc.mode` with dashes in front, and without
        members."""
        return _Names({other: name for name, others in self.spellings.items() for other in others})

    @cached_property
    def dated_variables(self) -> frozenset[str]:
        """The environment variables of which a row tells in which releases they are read."""
        cases = (case for row in self.constraints for case in row.cases if "version" in case.when)
        return frozenset(setting[1:] for case in cases for setting in case.when if setting.startswith("$"))

    def row(self, name: str) -> Constraint:
        """The row of an id. Raises `KeyError`."""
        return {row.id: row for row in self.constraints}[name]


class Made(msgspec.Struct, frozen=True):
    """The table as it ships besides, in a form that is read ten times as fast, with a digest of the text that it was
    made from."""

    digest: str
    table: Table


def made_file() -> Path:
    """Where that form lies; `tools/docs/rule_index.py` writes it."""
    return schemas_home() / "constraints.json"


@cache
def constraint_table() -> Table:
    """The table that ships with reciplint."""
    text = table_text("constraints.yaml")
    try:
        made = msgspec.json.decode(made_file().read_bytes(), type=Made)
    except (OSError, msgspec.MsgspecError):
        return read_table(text)
    return made.table if made.digest == text_digest(text) else read_table(text)


def text_digest(text: str) -> str:
    """A digest of the table's text."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def read_table(text: str) -> Table:
    """A table from its text. Raises `msgspec.ValidationError` for what is no table."""
    value: Mapping[str, Any] = load(parse_text(text).root)
    return msgspec.convert(value, Table)
