"""Writes what a run may know of the rules without making it anew: the index of the rules and the table of constraints.

    python tools/docs/rule_index.py

`linter/reciplint/rules/index.json` tells what can be told of a rule without importing it, `schemas/constraints.json` is
`schemas/constraints.yaml` in a form that is read faster. One that is not current costs time and nothing else.
"""

from __future__ import annotations

import msgspec

from reciplint.domain.schemas import table_text
from reciplint.domain.serving.constraint_table import Made, made_file, read_table, text_digest
from reciplint.engine.registry import INDEX, Shipped, made_cards, rules_digest


def index() -> bytes:
    """The bytes of the index, one card a line."""
    cards = ",\n".join(msgspec.json.encode(card).decode() for card in made_cards())
    return f'{{"digest":"{rules_digest()}","cards":[\n{cards}\n]}}\n'.encode()


def made_table() -> bytes:
    """The bytes of the table of constraints, one row a line."""
    text = table_text("constraints.yaml")
    table = read_table(text)
    rows = ",\n".join(msgspec.json.encode(row).decode() for row in table.constraints)
    head = msgspec.json.encode(Made(text_digest(text), msgspec.structs.replace(table, constraints=()))).decode()
    return head.replace('"constraints":[]', f'"constraints":[\n{rows}\n]').encode() + b"\n"


def main() -> None:
    """Write both."""
    msgspec.json.decode(index(), type=Shipped)
    INDEX.write_bytes(index())
    made_file().write_bytes(made_table())


if __name__ == "__main__":
    main()
