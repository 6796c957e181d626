"""What the catalogues say against the flags of a document: unknown, shortened, of another release, of a wrong value,
given twice.

Recipes set the same few hundred flags again and again, so a flag is judged once for each engine, release and value, and
a fault that many variants share is told once, where it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from reciplint.domain.catalogue import Catalogue, Match, catalogue
from reciplint.domain.document import Document
from reciplint.domain.releases import Version
from reciplint.domain.serving.config import Flag, Place, ServeConfig
from reciplint.domain.serving.flag_values import ValueFault, value_faults
from reciplint.domain.serving.json_values import JsonFault, fault_place, place_of
from reciplint.domain.serving.release_spans import lacking, told
from reciplint.domain.serving.written_arguments import Written, written_processes
from reciplint.domain.variant_places import locate
from reciplint.yamltree.tree import Tree

_OF_BRANCHES = frozenset(("choice", "key", "key-choice"))
"""What a build that is no release may take although no release does."""


_IDIOM = 2
"""As short as `--tp` and `--dp`, which the engines' own pages write."""

_UNSET = frozenset(("dropped", "false", "false-on"))


class Fault(msgspec.Struct, frozen=True):
    """A fault of the rule `rule`: its message and what the message says, where it is (`place`), and the key or word
    that holds it (`holder`). `subject` tells it from others. `rename` is the key that is right, `value` the value; ""
    for none. `keeps_meaning`: with the key spelled so, the engine is certainly told the same."""

    rule: str
    message: str
    values: dict[str, str]
    place: Place
    holder: Place
    subject: tuple[str, ...]
    is_advice: bool = False
    related: tuple[tuple[Place, str], ...] = ()
    rename: str = ""
    value: str = ""
    keeps_meaning: bool = False


class _Verdict(NamedTuple):
    """What is wrong with a flag wherever it stands: `name` as the engine has it ("" for an unknown one), `is_single`:
    of two, the last alone counts; `is_listed`: the release is one whose flags are known. `named` are faults of the name
    (rule, message, values), `valued` of the value."""

    name: str
    is_single: bool
    is_listed: bool
    named: tuple[tuple[str, str, dict[str, str]], ...] = ()
    valued: tuple[ValueFault, ...] = ()


_Key = tuple[str, type, int, str]
"""A flag as written, the type of its value, the number of words that a command gives it, and the value's text."""


class _Judge:
    """The flags that a program takes, in a release or in any: its engine's, and those of what the engine runs in."""

    def __init__(self, engines: tuple[str, ...], release: Version | None, is_command: bool) -> None:
        self.catalogues = [found for name in engines if (found := catalogue(name)) is not None]
        self.release = release
        self.known: dict[_Key, _Verdict] = {}
        self._engines = engines
        self.is_command = is_command

    @property
    def engine(self) -> str:
        """The engine."""
        return self._engines[0]

    @property
    def is_open(self) -> bool:
        """Whether there may be flags that no list names."""
        return any(found.open for found in self.catalogues)

    def verdict(self, flag: Flag) -> _Verdict:
        """What is wrong with a flag."""
        match, home = self._find(flag.name)
        if match is None or home is None:
            return _Verdict("", False, False, tuple(self._unknown(flag)))
        named = tuple(self._named(flag, match, home))
        release = self.release if home.engine == self.engine else None
        judged = not (home.open or named or flag.derived)
        faults = value_faults(match, home, flag, release, self.is_command) if judged else ()
        is_single = not match.path and match.entry.at(release).kind != "list"
        return _Verdict(match.name, is_single, home.covers(release), named, faults)

    def _find(self, name: str) -> tuple[Match | None, Catalogue | None]:
        """What a flag means, in the first catalogue that has it; as a whole name before it is taken for a prefix."""
        shortened: tuple[Match | None, Catalogue | None] = (None, None)
        for home in self.catalogues:
            at = self.release if home.engine == self.engine else None
            match = home.find(name, at) or _inverse(home, name)
            if match is not None and match.how != "abbreviation":
                return match, home
            if match is not None and shortened[0] is None and not home.open:
                shortened = match, home
        return shortened

    def _named(self, flag: Flag, match: Match, home: Catalogue) -> Iterator[tuple[str, str, dict[str, str]]]:
        whole = match.name.lstrip("-")
        if self.is_command and home.engine == "sglang" and "_" in flag.name.partition(".")[0] and "_" not in whole:
            yield "unknown-flag", "underscore", {"flag": flag.name, "engine": home.engine, "near": match.name}
            return
        if match.how == "abbreviation":
            yield "flag-abbreviation", "prefix", {"flag": flag.name, "whole": whole}
        elif home.engine == self.engine and (lack := lacking(match.span, self.release, home.versions)):
            values = {"flag": flag.name.partition(".")[0], "engine": home.engine, "since": told(match.span)}
            yield "flag-version", lack, values

    def _unknown(self, flag: Flag) -> Iterator[tuple[str, str, dict[str, str]]]:
        own = self.catalogues[0]
        values = {"flag": flag.name, "engine": own.engine}
        several = own.meant(flag.name, self.release)
        if self.is_open:
            yield "unknown-flag", "open", values
        elif len(several) > 1:
            yield (
                "flag-abbreviation",
                "several",
                {**values, "names": ", ".join(name.lstrip("-") for name in several[:6])},
            )
        else:
            near = own.close(flag.name)
            span = {"first": own.versions[0], "last": own.versions[-1]}
            message = "unknown" if own.covers(self.release) else "unsure"
            yield "unknown-flag", message, {**values, **span, "near": near[0].lstrip("-") if near else ""}


def _inverse(home: Catalogue, name: str) -> Match | None:
    """`--disable-x` of a switch `--enable-x` and the reverse, which vLLM has come to take."""
    plain = name.lstrip("-").replace("_", "-")
    for one, other in (("enable-", "disable-"), ("disable-", "enable-")) if home.engine == "vllm" else ():
        found = home.find(f"--{other}{plain.removeprefix(one)}") if plain.startswith(one) else None
        if found is not None and found.how in ("exact", "alias") and found.entry.kind == "bool":
            return found._replace(how="negated", span=())
    return None


@lru_cache(maxsize=1024)
def _judge(engine: str, words: tuple[str, ...], release: Version | None, is_command: bool) -> _Judge | None:
    """The judge of a program; None for an engine without a catalogue."""
    engines = (engine, "vllm") if engine == "vllm-omni" else (engine,)
    if any(word.startswith("dynamo.") for word in words):
        engines = (*engines, "dynamo")
    judge = _Judge(engines, release, is_command)
    return judge if judge.catalogues and judge.catalogues[0].engine == engine else None


@lru_cache(maxsize=1)
def flag_faults(document: Document) -> dict[str, list[Fault]]:
    """The faults of a document's flags by rule, each once where it is written, in source order."""
    found: dict[tuple[Any, ...], Fault] = {}
    for written in written_processes(document):
        for fault in _of_process(written, document.tree if document.kind.is_yaml else None):
            found.setdefault((fault.rule, fault.message, fault.place.start, *fault.values.values()), fault)
    by_rule: dict[str, list[Fault]] = {}
    for fault in sorted(found.values(), key=lambda fault: fault.place.start):
        by_rule.setdefault(fault.rule, []).append(fault)
    return by_rule


def _of_process(written: Written, tree: Tree | None) -> Iterator[Fault]:
    process = written.process
    judge = _judge(process.engine, process.program.words, written.release, process.carrier != "recipe")
    if judge is None:
        return
    known = judge.known
    taken: dict[str, Flag] = {}
    for flag in process.flags:
        key = (flag.name, type(flag.value), len(flag.arguments) if judge.is_command else 0, str(flag.value))
        verdict = known.get(key)
        if verdict is None:
            verdict = known[key] = judge.verdict(flag)
        if verdict.is_single and flag.is_sent:
            earlier = taken.get(verdict.name)
            if earlier is not None and earlier.place != flag.place:
                yield from _repeated(process, earlier, flag)
            taken[verdict.name] = flag
        if verdict.named or verdict.valued:
            yield from _faults(written, flag, verdict, tree)


def _repeated(process: ServeConfig, earlier: Flag, flag: Flag) -> Iterator[Fault]:
    """Two of one flag; those that one list of a vLLM recipe spells alike are told by the rule for such lists. What a
    script keeps in a variable and appends is meant to win."""
    if process.carrier == "vllm-recipe" and earlier.name == flag.name:
        return
    values = {"flag": flag.name, "earlier": earlier.name, "value": _shown(flag), "lost": _shown(earlier)}
    message = "same" if values["value"] == values["lost"] and flag.negated == earlier.negated else "differs"
    is_appended = process.carrier == "command" and flag.place.start < earlier.place.start
    related = ((earlier.place, "given here before"),)
    subject = (message, *values.values())
    yield Fault(
        "repeated-flag", message, values, flag.place, flag.place, subject, message == "same" or is_appended, related
    )


def _shown(flag: Flag) -> str:
    text = flag.text
    if not text and not isinstance(flag.value, str):
        text = "false" if flag.negated else str(flag.value).lower()
    return text if len(text) <= 40 else text[:39] + "…"


def _faults(written: Written, flag: Flag, verdict: _Verdict, tree: Tree | None) -> Iterator[Fault]:
    """A flag's faults at the place where it stands."""
    for rule, message, values in verdict.named:
        if flag.is_sent or rule == "unknown-flag":
            yield _named_fault(written, flag, rule, message, values, verdict.is_listed)
    for fault in verdict.valued:
        is_undone = fault.message in _UNSET and _unsets(flag, written.process, tree)
        is_token = fault.message == "json" and written.process.carrier == "vllm-recipe"  # argv-token tells it
        if not (is_undone or is_token):
            yield _valued_fault(written, flag, fault)


def _named_fault(
    written: Written, flag: Flag, rule: str, message: str, values: dict[str, str], is_listed: bool
) -> Fault:
    message = "dropped" if not flag.is_sent and message in ("unknown", "unsure") else message
    is_idiom = message == "prefix" and len(flag.normal) == _IDIOM
    subject = (message, flag.name, values.get("since", ""))
    fault = Fault(rule, message, values, flag.place, flag.place, subject, is_idiom or message in ("open", "dropped"))
    if rule == "flag-version":
        return _with_release(fault, written)
    if message == "prefix":
        return msgspec.structs.replace(fault, rename=_respelled(flag, values["whole"]), keeps_meaning=is_listed)
    return fault


def _valued_fault(written: Written, flag: Flag, fault: ValueFault) -> Fault:
    is_branch = fault.message in _OF_BRANCHES and _may_be_newer(written)
    values = {"flag": flag.name, "engine": written.process.engine, **fault.values}
    subject = (fault.message, flag.name, *fault.values.values())
    place = _place(flag, fault)
    made = Fault("flag-value", fault.message, values, place, flag.place, subject, fault.is_advice or is_branch)
    if fault.message == "choice" and written.process.carrier == "recipe":
        return msgspec.structs.replace(made, value=fault.values["near"])
    return _with_release(made, written) if fault.message.endswith("-version") else made


def _may_be_newer(written: Written) -> bool:
    """Whether what runs may know more than the releases that were looked at: a branch, or a later release."""
    known = catalogue(written.process.engine)
    newest = known.newest if known is not None else None
    return written.release is None or (newest is not None and newest < written.release)


def _with_release(fault: Fault, written: Written) -> Fault:
    """The fault with what says which release runs it."""
    related = ((written.said_at, "the release that runs it"),) if written.said_at is not None else ()
    return msgspec.structs.replace(fault, values={**fault.values, "said": written.said}, related=related)


def _respelled(flag: Flag, whole: str) -> str:
    """The whole name in the manner of the written one: with `no-`, with underscores."""
    name = f"no-{whole}" if flag.negated else whole
    return name.replace("-", "_") if "_" in flag.name and "-" not in flag.name else name


def _place(flag: Flag, fault: ValueFault) -> Place:
    if fault.json is not None:
        return fault_place(flag.arguments[0], JsonFault(fault.json)) or flag.value_place
    if fault.key is not None:
        return place_of(flag, fault.key, fault.is_key)
    return flag.value_place


def _unsets(flag: Flag, process: ServeConfig, tree: Tree | None) -> bool:
    """Whether a variant sets to `false` or `null` what the base sets otherwise: that is how one takes it back."""
    selector = process.selected("variant")
    if not selector or selector == "base" or tree is None:
        return False
    base = locate(tree, "base", flag.path)
    return base is not None and base.depth == len(flag.path) and base.key.start != flag.place.start
