"""Hostile text, and readers that tell whether it acted: GitHub's own Markdown parser, a terminal, the runner's log."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options as Cmark
from hypothesis import strategies as st

from reciplint.cli.diff import compare_revisions
from reciplint.cli.reporting import Origin, Sources, build_report
from reciplint.cli.repository import Repository
from reciplint.domain.diff import Diff
from reciplint.engine.cache import Cache
from reciplint.engine.run import Request, run
from reciplint.engine.settings import Settings
from reciplint.repo.snapshot import Memory, Snapshot
from reciplint.report.model import Report
from support import CHANGELOG, MASTER, RECIPES, REVIEW_DATE, RULES, RUNNERS, changed, project, recipe, single

Files = dict[str, str]
ChangeOfFiles = tuple[dict[str, bytes], dict[str, bytes]]

MARKUP = (
    "@org/team", "@robin", "a@b.example", "#1", "org/repo#2", "GH-3", "deadbeefdeadbeef", ":tada:", "$x$", "-->",
    "<!-- x", "<!-- reciplint:summary v1 head=" + "0" * 40 + " -->", "<!-- reciplint:inline v1 key=" + "0" * 32 + "-->",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<details>", "</details>", "</summary>", "</code>",
    "<https://evil.example>", "https://evil.example/x", "www.evil.example", "[a](https://evil.example)",
    "[a](javascript:alert(1))", "![x](y)", "[a]: https://evil.example", "[^1]", "|", "\\|", "\\", "*b*", "_i_", "~~s~~",
    "# h", "- x", "1. x", "> q", "===", "---", "| - |", "- [x] t", "&lt;", "&#64;x", "`", "``", "```", "~~~", "`" * 8,
)  # fmt: skip
CONTROLS = (
    "::error::x", "::set-output name=a::b", "::stop-commands::t", "##[error]", "##[group]x", "#\ufe0f#[group]",
    "#\u200b#[group]", "##", "[", "%0A::error::y", "%", ":", "::", ",", "\n", "\r", "\r\n", "\t", "\x00", "\x1b[31m",
    "\x1b]8;;http://evil.example\x07x\x1b]8;;\x07", "\x1b]0;t\x1b\\", "\x9b2J", "\x9d0;t\x9c", "\x7f", "\x08", "\x85",
    "\u2028", "\u2029", "\u202e", "\u2066", "\u2069", "\u200b", "\u200f", "\ufeff", "\xad", "\ufe0f", "\U000e0041",
)  # fmt: skip
SURROGATES = ("\ud800", "\udc00", "\udcff")
PLAIN = ("名", "e\u0301", "{0}", "🚀", "עב", " ", "a", "x", "(", "),", "x" * 300, "\xa0")

unicode_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def hostile(*pieces: str, size: int = 8) -> st.SearchStrategy[str]:
    """Text of these pieces and of anything else, joined with and without blanks."""
    parts = st.lists(st.sampled_from(pieces) | unicode_text, min_size=1, max_size=size)
    start = st.sampled_from(["", "", "", "::error::", " ::add-mask::"])
    return st.builds(lambda first, joint, found: first + joint.join(found), start, st.sampled_from(["", " "]), parts)


TEXT = hostile(*MARKUP, *CONTROLS, *PLAIN)
"""What a YAML value may hold, escapes resolved."""

ANY_TEXT = hostile(*MARKUP, *CONTROLS, *PLAIN, *SURROGATES)
"""The same with code points that no encoding has."""

NAMES = (
    hostile(*MARKUP, *CONTROLS, *PLAIN, "\udcff")
    .map(lambda text: re.sub("[/\0]", "", text)[:40])
    .filter(lambda name: name not in ("", ".", ".."))
)
"""One name in a path, bytes that are no UTF-8 among its characters."""

# ---- the terminal and the runner

_INVISIBLE = re.compile("[\ufe0e\ufe0f]")


def assert_harmless(text: str) -> None:
    """Nothing in it moves a cursor, turns text round, hides, fails to encode, or commands GitHub's runner."""
    text.encode("utf-8")
    for char in set(text) - {"\n"}:
        assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp"), repr(char)
        assert unicodedata.bidirectional(char) not in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        assert char not in "\u200b\u200c\u200d\u200e\u200f\u061c\u2060\ufeff\xad"
    assert "##[" not in _INVISIBLE.sub("", text)


def commands(text: str) -> list[str]:
    """The lines that the runner obeys: it skips leading blanks and what is invisible."""
    return [line for line in text.split("\n") if _INVISIBLE.sub("", line).lstrip().startswith("::")]


# ---- GitHub's Markdown


@dataclass
class Gfm(HTMLParser):
    """Markdown as GitHub's parser reads it: what a browser would be given, before any of it is sanitised away."""

    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    running: list[str] = field(default_factory=list)
    """Text outside of code, as GitHub's filters for mentions and the like see it: node by node."""
    rows: list[list[str]] = field(default_factory=list)
    """The whole text of each cell of each row of each table."""
    headings: list[str] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._code = 0
        self._open: list[str] = []
        """Where text is added to: the cells of a row, or the headings."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._code += tag in ("code", "pre")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._open = self.rows[-1]
        elif re.fullmatch("h[1-6]", tag):
            self._open = self.headings
        else:
            return
        self._open.append("")

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in ("code", "pre")
        if re.fullmatch("t[dh]|h[1-6]", tag):
            self._open = []

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._open:
            self._open[-1] += data
        if not self._code:
            self.running.append(data)

    @property
    def tags(self) -> set[str]:
        """The elements that there are."""
        return {tag for tag, _ in self.elements}

    @property
    def links(self) -> list[str]:
        """Where links lead."""
        return [attributes.get("href") or "" for tag, attributes in self.elements if tag == "a"]

    def attributes(self) -> Iterator[str]:
        """Every attribute of every element."""
        yield from (name for _, attributes in self.elements for name in attributes)


def read_gfm(markdown: str) -> Gfm:
    """Markdown read by cmark-gfm with all extensions, raw HTML let through."""
    options = Cmark.CMARK_OPT_UNSAFE | Cmark.CMARK_OPT_FOOTNOTES | Cmark.CMARK_OPT_GITHUB_PRE_LANG
    names = ["table", "autolink", "strikethrough", "tasklist"]
    page = Gfm()
    page.feed(cmarkgfm.markdown_to_html_with_extensions(markdown, options=options, extensions=names))
    page.close()
    return page


ACTING = re.compile(r"@\w|#\d|\bgh-\d|://|\bwww\.\w|:[\w+-]+:|\$\S|\b[0-9a-f]{7,40}\b", re.IGNORECASE)
"""What GitHub makes links, pictures or formulas of, in text that Markdown left alone."""


def assert_only_ours(page: Gfm, tags: set[str], links: tuple[str, ...]) -> None:
    """No element but these, no link but to these, and no text that GitHub would make more of."""
    assert page.tags <= tags, page.tags - tags
    assert set(page.attributes()) <= {"href", "align", "lang"}
    assert all(link.startswith(links) for link in page.links), page.links
    for text in page.running:
        assert not ACTING.search(text), text
    assert_harmless("".join(page.text.split("\n")))


def letters(text: str) -> str:
    """What is compared of a text and its rendering: no blanks, and no backticks, which may delimit code."""
    return re.sub(r"[\s`]|\(blank\)", "", text.replace("\\x7c", "|"))


# ---- a project with hostile text in it


def quoted(text: str) -> str:
    """Text as a double-quoted scalar of YAML, on one line."""
    return '"' + "".join(f"\\U{ord(char):08x}" if _is_escaped(char) else char for char in text) + '"'


def _is_escaped(char: str) -> bool:
    return char in '"\\' or not char.isprintable()


def _line(text: str) -> str:
    return re.sub("[\r\n\x85\u2028\u2029]", " ", text)


def _as_key(files: Files, text: str) -> Files:
    return {**files, MASTER: f"{files[MASTER]}{single(quoted(text), '{ tp: 4, conc-list: [4] }', prefix='finch')}"}


def _as_raw_key(files: Files, text: str) -> Files:
    return {**files, MASTER: f"{files[MASTER]}{text}:\n  image: {text}\n"}


def _as_values(files: Files, text: str) -> Files:
    said = quoted(text)
    master = single("finch-fp8-b200-sglang", f"{{ tp: {said}, {said}: 1, conc-list: [2], spec-decoding: {said} }}")
    for name in ("b200", "vllm/vllm-openai:v0.11.0", "fp8\n"):
        master = master.replace(f": {name}", f": {said}" + "\n" * name.endswith("\n"))
    return {**files, MASTER: f"{files[MASTER]}{master}", RUNNERS: f"{files[RUNNERS]}  {said}: [{said}]\n"}


def _as_repeated_key(files: Files, text: str) -> Files:
    return {**files, MASTER: f"{files[MASTER]}  {quoted(text)}: 1\n  {quoted(text)}: 1\n"}


def _as_scenario(files: Files, text: str) -> Files:
    return {**files, MASTER: files[MASTER].replace("fixed-seq-len:", f"{quoted(text)}:", 1)}


def _as_row(files: Files, text: str) -> Files:
    named = quoted(f"CONFIG_FILE=recipes/vllm/finch/{text.replace('/', '')}.yaml")
    return {**files, MASTER: files[MASTER].replace('"CONFIG_FILE=recipes/vllm/finch/disagg-1p1d-tp4.yaml"', named)}


def _as_comment(files: Files, text: str) -> Files:
    lines = f"# {_line(text)}\n# reciplint: ignore[schema,{_line(text)}] -- {_line(text)}\n# reciplint: {_line(text)}\n"
    return {**files, MASTER: f"{lines}{files[MASTER]}", CHANGELOG: f"{lines}{files[CHANGELOG]}"}


def _as_recipe(files: Files, text: str) -> Files:
    said = quoted(text)
    made = f"{recipe(said, said, said)}      env_{_line('x')}: yes\n  {said}: {{ {said}: {said} }}\n{said}: {said}\n"
    return {**files, f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml": made}


def _as_changelog(files: Files, text: str) -> Files:
    made = changed(quoted(text)).replace('"Measure', quoted(text)[:-1]).replace("pr-link: ", f"{quoted(text)}: ")
    return {**files, CHANGELOG: f"{files[CHANGELOG]}{made}{changed(quoted(text + '*'))}"}


def _as_policy(files: Files, text: str) -> Files:
    cell = _line(text)
    table = f"| Scenario | Status |\n| --- | --- |\n| 8k1k | deprecated since {cell} |\n| {cell} | deprecated |\n"
    return {**files, "MODELS.md": f"# Models\n\n{table}\n## Deprecation, {cell}\n\n{text} is deprecated.\n"}


def _as_owner(files: Files, text: str) -> Files:
    return {**files, ".github/CODEOWNERS": f"* {text}\n/configs/ @{text}\n"}


_CARRIERS = (
    _as_key, _as_raw_key, _as_values, _as_repeated_key, _as_scenario, _as_row, _as_comment, _as_recipe, _as_changelog,
    _as_policy, _as_owner,
)  # fmt: skip


def _with_names(files: Files, name: str) -> Files:
    """Files whose names are hostile: a recipe nobody names, a master config, and one that is no YAML."""
    return {
        **files,
        f"{RECIPES}/{name}/{name}.yaml": recipe(),
        f"configs/{name}-master.yaml": single("finch-fp8-b200-trt"),
        f"{name}.yaml": "a: [\n",
    }


@st.composite
def changes(draw: st.DrawFn) -> ChangeOfFiles:
    """A project before and after a change that plants hostile text in it: the head, the base."""
    head: Files = project()
    for carrier in draw(st.lists(st.sampled_from(_CARRIERS), min_size=1, max_size=3, unique=True)):
        head = carrier(head, draw(TEXT))
    if draw(st.booleans()):
        head = _with_names(head, draw(NAMES))
    base = draw(st.sampled_from([project(), {}, head]))
    data = {path: text.encode("utf-8", "surrogatepass") for path, text in head.items()}
    return data, {path: text.encode("utf-8", "surrogatepass") for path, text in base.items()}


def megabyte() -> ChangeOfFiles:
    """A change that adds lines of a megabyte: values, a row, a comment, the changelog, the policy, and a path."""
    text = "@x ::error::" * 80_000
    files = _as_policy(_as_row(project(), text), text[:30_000])
    files["configs/amd-master.yaml"] = single().replace("runner: b200", f"runner: {quoted(text)}")
    files["configs/cpu-master.yaml"] = f"a: &a {text}: [\n"
    files[RUNNERS] = f"# reciplint: ignore[schema] -- {text}\n{files[RUNNERS]}"
    files[CHANGELOG] += changed("finch").replace("https://github.com/example/bench/pull/1", quoted(text))
    files[f"{RECIPES}/vllm/{text}.yaml"] = recipe(value=quoted(text))
    return {path: data.encode() for path, data in files.items()}, {}


BASE, HEAD = "b" * 40, "a" * 40


def linted(change: ChangeOfFiles) -> tuple[Report, Sources]:
    """What the linter says of a change."""
    head, base = map(Memory, change)
    found = run(Request(head=head, base=base, review_date=REVIEW_DATE), RULES, Settings(), Cache(None))
    return build_report(found, Origin(BASE, HEAD, 7), "error", head, with_edits=True), Sources(head, RULES)


class _Renames:
    """As much of git as a comparison in memory asks for."""

    def renames(self, base: str, head: str | None) -> dict[str, str]:
        return {}


class _InMemory(Repository, frozen=True, kw_only=True):
    sides: dict[str | None, Snapshot]

    def snapshot(self, revision: str | None) -> Snapshot:
        return self.sides[revision]


def compared(change: ChangeOfFiles) -> Diff:
    """What `diff` says of a change."""
    head, base = map(Memory, change)
    repository = _InMemory(Path(), _Renames(), Settings(), RULES, sides={None: head, BASE: base})
    return compare_revisions(repository, BASE, None, Cache(None))[0]
