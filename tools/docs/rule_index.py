"""Writes the index of the rules, `linter/reciplint/rules/index.json`: what a run may know without importing them.

    python tools/docs/rule_index.py

An index that is not current costs time and nothing else: then every rule is imported.
"""

from __future__ import annotations

import msgspec

from reciplint.engine.registry import INDEX, Shipped, made_cards, rules_digest


def index() -> bytes:
    """The bytes of the index, one card a line."""
    cards = ",\n".join(msgspec.json.encode(card).decode() for card in made_cards())
    return f'{{"digest":"{rules_digest()}","cards":[\n{cards}\n]}}\n'.encode()


def main() -> None:
    """Write the index."""
    msgspec.json.decode(index(), type=Shipped)
    INDEX.write_bytes(index())


if __name__ == "__main__":
    main()
