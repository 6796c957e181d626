"""Many releases of one engine as one catalogue: each name once, with its first and last version and its changes.

A *span* is `[]` where every release has a name, `[first]` where it came later and stayed, `[first, last]` where it is
gone again; `first` is null where the oldest release looked at has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from .forms import Form

Span = list[str | None]
Record = dict[str, object]


@dataclass
class Timeline:
    """The releases of an engine, oldest first, and the spans of names over them."""

    versions: Sequence[str]
    gaps: list[str] = field(default_factory=list)

    def span(self, name: str, present: Sequence[bool]) -> Span:
        """The span of a name from its presence in every release; a name that went and came back is noted as a gap."""
        there = [index for index, here in enumerate(present) if here]
        first, last = there[0], there[-1]
        if len(there) != last - first + 1:
            self.gaps.append(name)
        since = self.versions[first] if first else None
        if last < len(self.versions) - 1:
            return [since, self.versions[last]]
        return [since] if since else []

    def spans(self, label: str, sets: Sequence[Iterable[object]]) -> dict[str, Span]:
        """The span of every member of a set that each release has."""
        held = [{text(item) for item in items} for items in sets]
        return {
            name: self.span(f"{label} {name}", [name in items for items in held]) for name in sorted(set().union(*held))
        }

    def records(self, label: str, releases: Sequence[Mapping[str, Form]]) -> dict[str, Record]:
        """One record for every flag of an engine or key of a JSON configuration."""
        tables = unified(releases)
        names = sorted(set().union(*tables))
        return {name: self._record(f"{label}{name}", [table.get(name) for table in tables]) for name in names}

    def _record(self, label: str, forms: Sequence[Form | None]) -> Record:
        there = [(index, form) for index, form in enumerate(forms) if form is not None]
        newest = there[-1][1]
        record: Record = {**shape(newest)}
        span = self.span(label, [form is not None for form in forms])
        if span:
            record["span"] = span
        inside = Timeline([self.versions[index] for index, _ in there])
        for key, take in _SETS.items():
            held = inside.spans(label, [take(form) for _, form in there])
            if held:
                record[key] = held
        if not all(form.spelled for _, form in there):
            record["spelled"] = self.span(f"{label} by its name", [form is not None and form.spelled for form in forms])
        record |= _state(inside, [form for _, form in there])
        was = [
            {"until": self.versions[index], **shape(form)}
            for (index, form), (_, following) in pairwise(there)
            if shape(form) != shape(following)
        ]
        return {**record, "was": was} if was else record


_SETS: dict[str, Callable[[Form], Iterable[object]]] = {
    "aliases": lambda form: form.aliases,
    "choices": lambda form: form.choices or (),
    "known": lambda form: form.known,
}


def _state(timeline: Timeline, forms: Sequence[Form]) -> Record:
    """What holds in the newest release that has the name."""
    newest = forms[-1]
    record: Record = {}
    if newest.deprecated:
        first = next(index for index in range(len(forms) - 1, -1, -1) if not index or not forms[index - 1].deprecated)
        record["deprecated"] = timeline.versions[first]
    if newest.replacement:
        record["replacement"] = newest.replacement
    if newest.env:
        record["env"] = newest.env
    parts = sorted({part for form in forms for part in form.parts})
    return {**record, "parts": parts} if parts else record


def shape(form: Form) -> Record:
    """What may change between releases and bears on a value: left out where it says nothing."""
    found: Record = {"kind": form.kind}
    for key in ("element", "config", "default"):
        value = getattr(form, key)
        if value is not None:
            found[key] = value
    for key in ("nullable", "units"):
        if getattr(form, key):
            found[key] = True
    if form.words:
        found["words"] = list(form.words)
    if form.choices is not None:
        found["closed"] = True
    return found


def unified(releases: Sequence[Mapping[str, Form]]) -> list[dict[str, Form]]:
    """The releases with every flag under its newest canonical name, where an older one put an alias first."""
    canonical: dict[str, str] = {}
    tables: list[dict[str, Form]] = []
    for forms in reversed(releases):
        table: dict[str, Form] = {}
        for name, form in forms.items():
            spellings = (*([name] if form.spelled else []), *form.aliases)
            known = next((canonical[item] for item in spellings if item in canonical), name)
            final = known if known not in table and (known == name or known not in forms) else name
            table[final] = form if final == name else _renamed(form, name, final)
        for name, form in table.items():
            for spelling in (name, *form.aliases):
                canonical.setdefault(spelling, name)
        tables.append(table)
    return tables[::-1]


def _renamed(form: Form, name: str, final: str) -> Form:
    known = final in form.aliases
    return replace(form, aliases=tuple(sorted({name, *form.aliases} - {final})), spelled=known)


def text(item: object) -> str:
    """A choice as it is written on a command line."""
    return str(item)
