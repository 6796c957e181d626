"""Hostile and broken input ends in a clear message, within limits; and changes without meaning charge nothing."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support import (
    CHANGELOG,
    MASTER,
    RECIPES,
    RUNNERS,
    Ran,
    brief,
    changed,
    commit,
    git,
    git_repo,
    lint,
    multi,
    outcome,
    project,
    recipe,
    reciplint,
    runners,
    shut,
    single,
    write,
)

MEMORY_KIB = 500 * 1024
RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"


def check(top: Path, *arguments: str) -> Ran:
    ran = reciplint(top, "check", *arguments, measured=True)
    assert "Traceback" not in ran.err + ran.out
    assert ran.peak_kib < MEMORY_KIB
    return ran


def billion_laughs() -> str:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    return "\n".join(lines) + "\n"


HOSTILE: dict[str, tuple[bytes, int, int, str]] = {  # with line and column, 0 where libyaml gives up at leisure
    "100 MB": (
        b"x: 1\n" * 20_000_000,
        1,
        1,
        "The file has 100000000 bytes, more than the limit of 1048576, and is not read",
    ),
    "10,000 deep, in brackets": (b"[" * 10_000, 1, 0, "Nested more than 100 levels deep"),
    "10,000 deep, closed": (b"[" * 10_000 + b"]" * 10_000, 1, 0, "Nested more than 100 levels deep"),
    "10,000 deep, in dashes": (b"- " * 10_000 + b"x\n", 1, 201, "Nested more than 100 levels deep"),
    "1,000 deep, in lines": (
        "".join(" " * n + f"k{n}:\n" for n in range(1_000)).encode(),
        101,
        101,
        "Nested more than 100 levels deep",
    ),
    "a billion laughs": (billion_laughs().encode(), 7, 0, "more than 1000000 values"),
    "an alias in its own anchor": (b"a: &a [*a]\n", 1, 8, "The alias `*a` stands inside its own anchor"),
    "latin-1": ("name: caf\xe9\n".encode("latin-1"), 1, 10, "The file is not UTF-8: byte 0xE9"),
    "UTF-16": ("name: x\n".encode("utf-16"), 1, 1, "The file is not UTF-8: byte 0xFF"),
    "NUL": (b"name: a\0b\n", 1, 8, "character U+0000 is not allowed in YAML"),
    "binary": (bytes(range(256)) * 10, 2, 0, "cannot be"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_a_finding_and_the_rest_is_checked(tmp_path: Path, name: str) -> None:
    data, line, column, message = HOSTILE[name]
    top = git_repo(tmp_path / "top", project())
    write(top, {"hostile.yaml": data, "other.yaml": "x: 1\nx: 2\n"})
    ran = check(top, "--format", "json", "--no-cache")
    assert ran.status == 1
    hostile, other = (
        next(f for f in ran.report["findings"] if f["path"] == path) for path in ("hostile.yaml", "other.yaml")
    )
    assert hostile["rule"] == "yaml-syntax"
    assert message in hostile["message"]
    assert (hostile["start"]["line"], hostile["start"]["column"] if column else 0) == (line, column)
    assert other["rule"] == "duplicate-key"


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("place", [MASTER, RUNNERS, CHANGELOG, RECIPE])
def test_a_hostile_file_in_a_place_that_others_refer_to(name: str, place: str) -> None:
    if name == "100 MB":
        pytest.skip("once on the disk is enough")
    found = lint({**project(), place: HOSTILE[name][0]}, project())
    assert "yaml-syntax" in {finding.rule for finding in found if finding.path == place}
    assert "internal-error" not in {finding.rule for finding in found}


@pytest.mark.parametrize("form", ["text", "concise", "json", "sarif", "github"])
def test_hostile_files_can_be_shown_in_every_format(tmp_path: Path, form: str) -> None:
    top = tmp_path / "top"
    write(top, {f"{number}.yaml": HOSTILE[name][0] for number, name in enumerate(HOSTILE) if name != "100 MB"})
    write(
        top, {"long.yaml": f"a: {{b: '{'x' * 100_000}', b: 1}}\n", "escape.yaml": '"\\e[31m": "\\e[0m"\n"\\e[31m": 1\n'}
    )
    ran = check(top, "--format", form)
    assert ran.status == 1
    assert "\x1b" not in ran.out
    assert "\0" not in ran.out


def test_one_hundred_megabytes_in_a_revision(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"big.yaml": HOSTILE["100 MB"][0]})
    ran = check(top, "--head", "HEAD", "--format", "json")
    assert ran.status == 1
    assert ran.places == [("yaml-syntax", "big.yaml", 1)]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ("\ufeffx: 1\nx: 2\n".encode(), [("duplicate-key", 1, 2)]),  # the mark is a code point
        (b"x: 1\r\ny: 1\r\ny: 2\r\n", [("duplicate-key", 2, 1)]),
        (b"", []),
        (b"\n\n", []),
        (b"---\n---\n...\n", []),
        ("\ufeff".encode(), []),
        (b"# only a comment", [("final-newline", 1, 17)]),
        ("x: \u2028\ny: \x85 1\nx: 2\n".encode(), [("duplicate-key", 1, 1)]),
    ],
)
def test_odd_but_legal_files(data: bytes, found: list[tuple[str, int, int]]) -> None:
    seen = [(f.rule, f.span.line, f.span.column) for f in lint({"a.yaml": data}) if f.rule != "env-value-type"]
    assert seen == found


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A loop, a link out of the repository, a link to a device: none is read."""
    top = git_repo(tmp_path / "top", {"a.yaml": "x: 1\n"})
    for name, target in (
        ("loop.yaml", "loop.yaml"),
        ("up", ".."),
        ("out.yaml", "/etc/hostname"),
        ("zero.yaml", "/dev/zero"),
    ):
        (top / name).symlink_to(target)
    for directory in (top, tmp_path):
        ran = check(directory)
        assert (ran.status, ran.err) == (0, "")
        assert "nothing found in 1 file" in ran.out
    commit(top, {})
    assert "nothing found in 1 file" in check(top, "--head", "HEAD").out


def test_a_link_named_on_the_command_line_is_no_file(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": "x: 1\n"})
    (top / "loop.yaml").symlink_to("loop.yaml")
    ran = check(top, "loop.yaml")
    assert (ran.status, ran.err) == (2, "reciplint: loop.yaml: no file there that reciplint reads")


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "x: 1\n"})
    os.mkfifo(tmp_path / "pipe.yaml")
    assert check(tmp_path).status == 0


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": "x: 1\n"})
    shut(top / "a.yaml")
    ran = check(top)
    assert (ran.status, ran.err) == (2, "reciplint: a.yaml: Permission denied")
    plain = tmp_path / "plain"
    write(plain, {"shut/a.yaml": "x: 1\n"})
    shut(plain / "shut")
    ran = check(plain)
    (plain / "shut").chmod(0o700)
    assert ran.status == 2
    assert "shut: Permission denied" in ran.err


def test_a_directory_that_cannot_be_read_is_said_also_to_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk itself is told to refuse; here in place of the file system."""
    from reciplint.repo import snapshot

    def walk(top: object, onerror: Callable[[OSError], None]):  # type: ignore[no-untyped-def]
        onerror(PermissionError(13, "Permission denied", "shut"))
        yield from ()

    monkeypatch.setattr(snapshot.os, "walk", walk)
    with pytest.raises(snapshot.UnreadableFile, match="shut: Permission denied"):
        snapshot.Directory.plain(tmp_path, 100)


def test_a_shallow_clone_says_what_to_fetch(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": "x: 1\n"})
    first = git(top, "rev-parse", "HEAD")
    commit(top, {"a.yaml": "x: 2\n"})
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{top}", "shallow")
    ran = check(tmp_path / "shallow", "--base", first)
    assert ran.status == 2
    assert ran.err == (
        f"reciplint: no commit is called '{first}' in this repository; this clone is shallow, fetch it: "
        "git fetch --deepen=200 origin, or fetch-depth: 0 in a workflow"
    )
    assert check(tmp_path / "shallow").status == 0


def test_a_shallow_clone_without_the_merge_base_compares_and_says_so(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": "x: 1\n"})
    git(top, "checkout", "-q", "-b", "side")
    commit(top, {"a.yaml": "x: 1\nx: 2\n"})
    git(top, "checkout", "-q", "main")
    commit(top, {"b.yaml": "x: 2\n"})
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", "-b", "side", f"file://{top}", "shallow")
    ran = check(tmp_path / "shallow", "--base", "origin/main", "--format", "concise")
    assert ran.err == (
        "reciplint: no merge base of origin/main and the head (the clone is shallow); comparing with origin/main itself"
    )
    assert ran.status == 1
    assert ran.out.startswith("a.yaml:1:1")


@pytest.mark.parametrize("option", ["--base", "--head"])
def test_an_unknown_revision_is_named(tmp_path: Path, option: str) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": "x: 1\n"})
    ran = check(top, option, "feature/gone")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "reciplint: no commit is called 'feature/gone' in this repository"


def test_a_repository_without_commits(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top")
    ran = check(top)
    assert (ran.status, ran.out, ran.err) == (0, "nothing found in 0 files\n", "")
    write(top, {"a.yaml": "x: 1\nx: 2\n"})
    ran = check(top, "--format", "json")
    assert ran.status == 1
    assert (ran.places, ran.report["head"]) == ([("duplicate-key", "a.yaml", 1)], None)
    assert check(top, "--base", "HEAD").err == "reciplint: nothing is committed yet: everything is new"
    assert check(top, "--base", "gone").err == "reciplint: no commit is called 'gone' in this repository"


def test_an_empty_repository_with_a_commit(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {})
    assert (check(top).status, check(top, "--base", "HEAD").out) == (0, "nothing new in 0 files\n")


def test_a_damaged_repository_is_said(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": "x: 1\n"})
    blob = git(top, "rev-parse", "HEAD:a.yaml")
    (top / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    ran = check(top, "--head", "HEAD", "--no-cache")
    assert (ran.status, ran.err) == (2, f"reciplint: blob {blob} is missing (a partial or damaged clone)")


def test_names_that_no_terminal_shows(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top")
    for name in (b"byte\xff.yaml", b"line\nbreak.yaml", b"\x1b[31mred.yaml", b"\xe2\x80\xaertl.yaml"):
        Path(os.fsdecode(os.fsencode(top) + b"/" + name)).write_bytes(b"x: 1\nx: 2\n")
    for form in ("text", "concise", "json", "sarif", "github"):
        ran = check(top, "--format", form)
        assert ran.status == 1
        assert "\x1b" not in ran.out
        assert "\u202e" not in ran.out or form in ("json", "sarif")


# no exception, whatever the text

KINDS = [
    MASTER,
    "configs/deprecated/nvidia-master.yaml",
    RUNNERS,
    CHANGELOG,
    RECIPE,
    "configs/srt-recipes/agentic-multi.yaml",
    "benchmarks/multi_node/llm-d-recipes/finch.yaml",
    "golden_al_distribution/finch.yaml",
    "MODELS.md",
    ".github/workflows/sweep.yml",
    ".github/CODEOWNERS",
    "runners/launch.sh",
    "values.yaml",
]
WORDS = re.findall(
    r"[\w.<*&!|>\[\]{}:#-]+|\n *", single() + multi("k", "recipes/a.yaml:override_x[1]") + recipe() + changed("k")
)

tokens = st.sampled_from(
    [
        *sorted(set(WORDS)),
        "<<",
        ": ",
        "- ",
        "&a ",
        "*a",
        "!!str ",
        "? ",
        "|\n  ",
        "'",
        '"',
        "# reciplint: ignore[schema] -- x",
        "base:",
        "override_x:",
        "null",
        "~",
        "\t",
        "|",
        "---\n",
    ]
)
texts = st.one_of(
    st.text(max_size=80),
    st.lists(tokens, max_size=40).map(" ".join),
    st.lists(tokens, max_size=40).map("".join),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 9), st.floats(), st.sampled_from(sorted(set(WORDS)))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(sorted(set(WORDS))), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = [
    "image",
    "runner",
    "multinode",
    "disagg",
    "scenarios",
    "framework",
    "model-prefix",
    "router",
    "srt-recipe-dir",
    "precision",
]
ROW = [
    "tp",
    "ep",
    "prefill",
    "decode",
    "worker",
    "conc-list",
    "conc-start",
    "conc-end",
    "spec-decoding",
    "kv-offloading",
    "srt-recipe",
    "dp_attn",
]


@given(
    st.dictionaries(
        st.sampled_from(KINDS), st.one_of(texts.map(str.encode), st.binary(max_size=40)), min_size=1, max_size=3
    ),
    st.booleans(),
)
@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow])
def test_no_text_in_any_file_raises(replaced: dict[str, bytes], as_base: bool) -> None:
    whole = project()
    files = {**whole, **replaced}
    result = outcome(whole, files) if as_base else outcome(files, whole)
    assert [item.finding.message for item in result.findings if item.finding.rule == "internal-error"] == []


@given(
    st.sampled_from([MASTER, RUNNERS, CHANGELOG, RECIPE, "values.yaml"]),
    values,
    st.sampled_from(FIELDS),
    st.sampled_from(ROW),
)
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_no_value_in_any_place_raises(path: str, value: object, field: str, row_field: str) -> None:
    import yaml

    whole = project()
    loaded = yaml.safe_load(whole.get(path, "{}"))
    variants = [value]
    if isinstance(loaded, dict) and loaded:
        first = next(iter(loaded))
        variants += [{**loaded, first: value}, {**loaded, str(value): value}]
        if path == MASTER:
            scenario = {"isl": 8192, "osl": 1024, "search-space": [{"tp": 4, "conc-list": [1], row_field: value}]}
            variants += [
                {first: {**loaded[first], field: value}},
                {first: {**loaded[first], "scenarios": {"fixed-seq-len": [scenario], "agentic-coding": value}}},
            ]
        elif path == RECIPE:
            variants += [{"base": loaded, "override_x": value, "zip_override_y": {"backend": value}}]
    for variant in variants:
        text = yaml.safe_dump(variant, allow_unicode=True)
        result = outcome({**whole, path: text}, whole)
        assert [item.finding.message for item in result.findings if item.finding.rule == "internal-error"] == [], text


# what has the same meaning charges nothing

FAULTY_RECIPE = f"{RECIPES}/vllm/finch/disagg-2p1d-tp4.yaml"
IDLE_RECIPE = f"{RECIPES}/vllm/finch/idle.yaml"


def faulty() -> dict[str, str]:
    """A project with standing findings of many rules, in master, runners, recipes and beside them."""
    master = (
        single(
            "finch-fp8-b200-vllm", "{ tp: 4, conc-list: [8, 16] }", "{ tp: 8, spec-decoding: eagle, conc-list: [8] }"
        )
        + single("finch-fp8-b100-vllm", runner="b100")
        + multi(
            "finch-fp8-gb200-dynamo-vllm",
            "recipes/vllm/finch/disagg-1p1d-tp4.yaml",
            "recipes/vllm/finch/disagg-2p1d-tp4.yaml",
            "recipes/vllm/finch/gone-9p9d.yaml",
        )
        + single("wren-fp8-b200-vllm", "{ tp: 2, conc-list: [4], dp_attn: true }", prefix="wren")
    )
    files = project(master=master, runners=runners("b200", "gb200", "h100"))
    files[FAULTY_RECIPE] = recipe("finch-disagg-2p", "max_num_seqs").replace(
        "  type: vllm\n", "  type: vllm\n  decode_environment:\n    FINCH_SLOTS: 4\n    FINCH_MODE: 1\n"
    )
    files[IDLE_RECIPE] = recipe("finch-idle") + "limit: 010\nlimit: 8\n"
    files["MODELS.md"] = """\
| Model | Prefix | Active | Deprecated |
|---|---|---|---|
| Wren | `wren` | None (retired 2026-08-01) | Single-turn 8k1k |
"""
    return files


STANDING = {
    "ambiguous-scalar",
    "deprecated-arm",
    "duplicate-key",
    "env-value-type",
    "kebab-case-keys",
    "missing-recipe",
    "schema",
    "unknown-runner",
    "unreferenced-recipe",
    "unused-runner-label",
}


def test_the_standing_faults_are_there() -> None:
    assert {finding.rule for finding in lint(faulty())} == STANDING


def reindented(text: str) -> str:
    """Twice as far in: blanks are doubled, and so is what a dash takes."""
    return re.sub(r"^( *)((?:- )*)", lambda line: line[1] * 2 + line[2].replace("- ", "-   "), text, flags=re.MULTILINE)


def commented(text: str) -> str:
    lines = [
        f"# a word before\n{line}"
        if line and line[0] not in " -"
        else f"{line}  # a word after"
        if line and not line.rstrip().endswith(("|", ">"))
        else line
        for line in text.split("\n")
    ]
    return "\n".join(lines)


def reordered(text: str) -> str:
    """Every mapping and the top level in the opposite order, dumped by PyYAML."""
    import yaml

    def turned(value: object) -> object:
        if isinstance(value, dict):
            return {key: turned(item) for key, item in reversed(value.items())}
        return [turned(item) for item in value] if isinstance(value, list) else value

    return yaml.safe_dump(turned(yaml.safe_load(text)), sort_keys=False)


def on_yaml(change: Callable[[str], str], files: dict[str, str], *but: str) -> dict[str, str]:
    return {path: change(text) if path.endswith(".yaml") and path not in but else text for path, text in files.items()}


# The changelog stays as it is: it is append-only, byte by byte.
SAME: dict[str, Callable[[dict[str, str]], dict[str, str]]] = {
    "moved into a subdirectory": lambda files: {f"deep/inner/{path}": text for path, text in files.items()},
    "moved, and every file touched": lambda files: {
        f"inner/{path}": text if path == CHANGELOG else text + "\n" for path, text in files.items()
    },
    "re-indented": lambda files: on_yaml(reindented, files, CHANGELOG),
    "comments added": lambda files: on_yaml(commented, files, CHANGELOG),
    "keys reordered": lambda files: on_yaml(reordered, files, CHANGELOG, IDLE_RECIPE),
    "blank lines on top": lambda files: on_yaml(lambda text: "\n\n\n" + text, files, CHANGELOG),
    "CRLF": lambda files: on_yaml(lambda text: text.replace("\n", "\r\n"), files, CHANGELOG),
    "BOM": lambda files: on_yaml(lambda text: "\ufeff" + text, files, CHANGELOG),
    "quoted": lambda files: on_yaml(
        lambda text: re.sub(r"(name|image|model): ([\w./:-]+)$", r'\1: "\2"', text, flags=re.MULTILINE),
        files,
        CHANGELOG,
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_what_means_the_same_charges_nothing(name: str) -> None:
    changed_files = SAME[name](faulty())
    assert changed_files != faulty()
    assert [(f.rule, f.path, f.span.line, f.message) for f in lint(changed_files, faulty())] == []
    assert {finding.rule for finding in lint(changed_files)} >= STANDING - {"duplicate-key", "ambiguous-scalar"}


@pytest.mark.parametrize("at", range(4))
def test_a_row_at_the_top_of_a_search_space_makes_no_row_below_it_new(at: int) -> None:
    head = faulty()
    rows = {0: "{ tp: 16, conc-list: [2] }", 1: "{ tp: 16, conc-list: [2] }", 3: "{ tp: 1, conc-list: [2] }"}
    spaces = head[MASTER].split("      search-space:\n")
    key = re.findall(r"^[\w-]+(?=:\n)", head[MASTER], re.MULTILINE)[at]
    prefill = "{ num-worker: 1, tp: 2, ep: 1, dp-attn: false }"
    row = rows.get(at, f"{{ conc-list: [2], prefill: {prefill}, decode: {prefill} }}")
    spaces[at + 1] = f"      - {row}\n" + spaces[at + 1]
    head[MASTER] = "      search-space:\n".join(spaces)
    head[CHANGELOG] += "\n" + changed(key, 2)
    found = lint(head, faulty())
    if at == 3:  # the new row is itself an arm of a retired model
        assert [(f.rule, f.severity, f.span.line) for f in found] == [
            ("deprecated-arm", "error", head[MASTER][: head[MASTER].index("{ tp: 1,")].count("\n") + 1)
        ]
    else:
        assert [(f.rule, f.path, f.span.line, f.message) for f in found] == []


def test_a_recipe_inserted_above_others_charges_none_of_them() -> None:
    head = faulty()
    head[f"{RECIPES}/vllm/finch/a-first.yaml"] = recipe("a-first")
    found = lint(head, faulty())
    assert brief(found) == [("unreferenced-recipe", f"{RECIPES}/vllm/finch/a-first.yaml", 1)]


def test_removing_a_label_or_a_last_reference_is_charged_though_the_faults_lie_elsewhere() -> None:
    base = faulty()
    head = {**base, RUNNERS: runners("b200", "h100")}
    gb200 = base[MASTER][: base[MASTER].index("runner: gb200")].count("\n") + 1
    assert brief(lint(head, base)) == [("unknown-runner", MASTER, gb200)]
    kept = re.sub(r"      - conc-list: \[32\]\n(?:        .*\n|          .*\n)*", "", base[MASTER])
    assert kept != base[MASTER]
    found = lint({**base, MASTER: kept}, base)
    assert brief(found) == [("unreferenced-recipe", FAULTY_RECIPE, 1)]


def test_the_same_in_a_real_repository(tmp_path: Path) -> None:
    """The whole way through git: a rename of everything, in a commit and in the working tree."""
    top = git_repo(tmp_path / "top", faulty())
    first = git(top, "rev-parse", "HEAD")
    (top / "inner").mkdir()
    for path in ("configs", "benchmarks", CHANGELOG):
        git(top, "mv", path, "inner")
    write(top, {f"inner/{MASTER}": commented(faulty()[MASTER])})
    ran = check(top, "--base", first, "--format", "json", "--date", "2026-08-20")
    assert (ran.status, ran.places) == (0, [])
    second = commit(top, {})
    ran = check(top, "--base", first, "--head", second, "--format", "json")
    assert (ran.status, ran.places) == (0, [])


@pytest.fixture
def own_corpus(corpus_repo: Path, tmp_path: Path) -> Path:
    """A clone of the corpus that may be changed."""
    subprocess.run(["git", "clone", "-q", "--shared", str(corpus_repo), str(tmp_path / "own")], check=True)
    return tmp_path / "own"


@pytest.mark.corpus
def test_the_corpus_moved_and_rewritten_charges_nothing(own_corpus: Path) -> None:
    (own_corpus / "inner").mkdir()
    for path in git(own_corpus, "ls-tree", "--name-only", "HEAD").split("\n"):
        git(own_corpus, "mv", path, "inner")
    ran = check(own_corpus, "--base", "HEAD", "--format", "json", "--date", "2026-08-22")
    assert ran.places == []
    for file in sorted((own_corpus / "inner" / "configs").glob("*-master.yaml")):
        file.write_text(reindented(commented(file.read_text())))
    ran = check(own_corpus, "--base", "HEAD", "--format", "json", "--date", "2026-08-22")
    assert ran.places == []


@pytest.mark.corpus
def test_rows_inserted_everywhere_in_the_corpus_charge_only_their_keys(own_corpus: Path) -> None:
    """A row on three GPUs, which no key has, at the top of every single-node space of fixed length."""
    keys: dict[str, None] = {}
    for file in sorted((own_corpus / "configs").glob("*-master.yaml")):
        lines, key, fixed, new = file.read_text().split("\n"), "", False, []
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if match := re.match(r"([\w.-]+):", line):
                key = match[1]
            if match := re.match(r"\s+(fixed-seq-len|agentic-coding):", line):
                fixed = match[1] == "fixed-seq-len"
            new.append(line)
            row = re.match(r"( *- \{ ?)tp: \d+.*conc-", following)
            if fixed and line.strip() == "search-space:" and row:
                new.append(f"{row[1]}tp: 3, conc-list: [7] }}")
                keys[key] = None
        file.write_text("\n".join(new))
    assert keys
    changelog = own_corpus / CHANGELOG
    link = re.findall(r"pr-link: .*/pull/\d+", changelog.read_text())[-1]
    named = "".join(f"  - {key}\n" for key in keys)
    entry = f"\n- config-keys:\n{named}  description:\n  - Measure three GPUs\n  {link}\n"
    changelog.write_text(changelog.read_text() + entry)
    ran = check(own_corpus, "--base", "HEAD", "--format", "json", "--date", "2026-08-22", "--ignore", "deprecated-arm")
    assert ran.places == []


@pytest.mark.corpus
def test_a_label_removed_from_the_corpus_is_charged(own_corpus: Path) -> None:
    file = own_corpus / RUNNERS
    used = re.findall(r"^ +runner: ([\w-]+)$", (own_corpus / MASTER).read_text(), re.MULTILINE)
    label = next(name for name in used if re.search(rf"^  {name}:$", file.read_text(), re.MULTILINE))
    file.write_text(re.sub(rf"^  {label}:$", f"  {label}-gone:", file.read_text(), flags=re.MULTILINE))
    ran = check(own_corpus, "--base", "HEAD", "--format", "json", "--date", "2026-08-22")
    charged = [item for item in ran.report["findings"] if item["rule"] == "unknown-runner"]
    assert {item["arguments"]["label"] for item in charged} == {label}
    assert RUNNERS not in {item["path"] for item in charged}
