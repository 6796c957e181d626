"""Near copies of one directory: the group, the file that is shown, the rows, and where none is offered."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from reciplint.domain import variant_rows
from reciplint.engine.pages import blocks, sections
from reciplint.rules.finding import Finding, render
from support import CHANGELOG, MASTER, RECIPES, RULES, RUNNERS, lint, multi, outcome, project, reciplint, runners, write

FOLDER = f"{RECIPES}/vllm/finch"
HERE = ("1p1d", "2p1d", "10p1d")


def text(
    name: str = "1p1d",
    prefill: int = 1,
    *,
    engine: str = "vllm",
    gpu: str = "gb200",
    comment: str = "",
    flags: str = "",
    rest: str = "",
) -> str:
    """A recipe of which the workers of prefill are a point's own."""
    return f"""\
{comment}name: finch-{name}
model:
  path: example/Finch
  container: "vllm/vllm-openai:v0.11.0"
  precision: fp8
resources:
  gpu_type: {gpu}
  gpus_per_node: 4
  prefill_nodes: {prefill}
  prefill_workers: {prefill}
  decode_nodes: 1
  decode_workers: 1
backend:
  type: {engine}
  prefill_environment:
    PYTHONHASHSEED: "0"
  {engine}_config:
    prefill:
      tensor-parallel-size: 4
    decode:
      tensor-parallel-size: 4{flags}
{rest}"""


def path(name: str) -> str:
    return f"{FOLDER}/disagg-{name}-tp4.yaml"


def three(**changes: str) -> dict[str, str]:
    return {path(name): text(name, int(name.partition("p")[0]), **changes) for name in HERE}


def found(files: dict[str, str], **options: int) -> list[Finding]:
    settings = "".join(f", {name.replace('_', '-')}: {value}" for name, value in options.items())
    named = {".reciplint.yaml": f"rules: {{near-copies: {{severity: info{settings}}}}}\n"}
    return lint({**named, **files}, select=["near-copies"])


def only(files: dict[str, str], **options: int) -> Finding:
    (finding,) = found(files, **options)
    return finding


def shown(finding: Finding) -> str:
    assert finding.fix is not None
    return finding.fix.shown


def rows(*names: str, more: str = "", framework: str = "dynamo-vllm", master: str = "") -> dict[str, str]:
    """Recipes with a row each that names them."""
    named = multi("finch-fp8-gb200-dynamo-vllm", *(f"recipes/vllm/finch/disagg-{name}-tp4.yaml" for name in names))
    named = named.replace("dynamo-vllm\n  kv", f"{framework}\n  kv").replace('-tp4.yaml"', f'-tp4.yaml{more}"')
    return {MASTER: master or named, RUNNERS: runners(), CHANGELOG: "[]\n"}


def test_one_finding_a_group_at_the_recipe_that_the_others_are_nearest_to() -> None:
    finding = only(three())
    assert (finding.path, finding.span.line, finding.severity) == (path("1p1d"), 1, "info")
    assert finding.message == (
        "3 recipes of this directory are near copies of one another: disagg-2p1d-tp4.yaml, disagg-10p1d-tp4.yaml"
        " within 2 settings of this one; 63 lines together, 37 in one file with a base and overrides"
    )
    assert [(each.path, each.span.line, each.message) for each in finding.related] == [
        (path("2p1d"), 1, "differs in 2 settings"),
        (path("10p1d"), 1, "differs in 2 settings"),
    ]


def test_the_shown_text_is_the_first_recipe_moved_in_what_differs_of_each_and_the_rows() -> None:
    files = {**three(), **rows(*HERE)}
    files[path("10p1d")] = files[path("10p1d")].replace("prefill_nodes: 10", "prefill_nodes: 10  # a whole rack")
    finding = only(files)
    assert finding.fix is not None
    assert (finding.fix.applicability, finding.fix.operations) == ("display", ())
    assert finding.fix.title == "write one file, disagg-tp4.yaml, and have 3 rows name its variants"
    base = "".join(f"  {line}\n" for line in text().splitlines())
    lines = {name: 1 + files[MASTER].splitlines().index(f'          - "CONFIG_FILE={_named(name)}"') for name in HERE}
    told = "".join(
        f"# {MASTER}:{lines[name]}: CONFIG_FILE={_named(name)}\n"
        f"#   becomes CONFIG_FILE=recipes/vllm/finch/disagg-tp4.yaml:override_{name}\n"
        for name in HERE
    )
    assert finding.fix.shown == (
        f"# {FOLDER}/disagg-tp4.yaml\n"
        "# instead of 3 files; 1 comment of theirs would be lost\n\n"
        f"base:\n{base}\n"
        "override_1p1d:\n  name: finch-1p1d\n\n"
        "override_2p1d:\n  name: finch-2p1d\n  resources:\n    prefill_nodes: 2\n    prefill_workers: 2\n\n"
        "override_10p1d:\n  name: finch-10p1d\n  resources:\n    prefill_nodes: 10\n    prefill_workers: 10\n\n"
        f"{told}"
    )


def _named(name: str) -> str:
    return f"recipes/vllm/finch/disagg-{name}-tp4.yaml"


def test_the_evaluation_of_a_row_and_a_retired_row_are_told_too() -> None:
    retired = "configs/deprecated/nvidia-old-master.yaml"
    files = {**three(), **rows("1p1d", "2p1d")}
    files[MASTER] = files[MASTER].replace(
        '- "CONFIG_FILE=', f'- "EVAL_CONFIG_FILE={_named("10p1d")}"\n          - "CONFIG_FILE=', 1
    )
    files[retired] = multi("finch-fp8-gb200-old", _named("10p1d"))
    told = [line for line in shown(only(files)).splitlines() if line.startswith("# configs")]
    assert [line.partition(": ")[2] for line in told] == [
        f"CONFIG_FILE={_named('10p1d')}",
        f"EVAL_CONFIG_FILE={_named('10p1d')}",
        f"CONFIG_FILE={_named('1p1d')}",
        f"CONFIG_FILE={_named('2p1d')}",
    ]


def test_a_row_of_the_later_layout_changes_its_srt_recipe() -> None:
    master = rows(*HERE)[MASTER].replace("  framework:", "  srt-recipe-dir: vllm/finch\n  framework:")
    for name in HERE:
        listed = f'          additional-settings:\n          - "CONFIG_FILE={_named(name)}"\n'
        master = master.replace(listed, "", 1).replace(
            "      - conc", f"      - srt-recipe: disagg-{name}-tp4.yaml\n        conc", 1
        )
    master = master.replace("gb200-dynamo", "gb200-dynamo")
    told = shown(only({**three(), **rows(*HERE, master=master)}))
    assert "srt-recipe: disagg-10p1d-tp4.yaml\n#   becomes srt-recipe: disagg-tp4.yaml:override_10p1d\n" in told


def test_recipes_that_differ_in_their_names_alone() -> None:
    finding = only({path(name): text(name) for name in HERE})
    assert finding.message == (
        "3 recipes of this directory are copies of one another: disagg-2p1d-tp4.yaml, disagg-10p1d-tp4.yaml like this"
        " one in all but the name; 63 lines together, 31 in one file with a base and overrides"
    )
    assert {each.message for each in finding.related} == {"differs in its name alone"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, 1), ({"least": 4}, 0), ({"most_differing": 2}, 1), ({"most_differing": 1}, 0), ({"least": 2}, 1)],
)
def test_the_options(options: dict[str, int], expected: int) -> None:
    assert len(found(three(), **options)) == expected


SWEPT = "sweep:\n  mode: grid\n"
BUNDLE = "override_more:\n  name: more\n"


@pytest.mark.parametrize(
    "other",
    [
        text("10p1d", 10, engine="sglang"),
        "schema: 2\n" + text("10p1d", 10),
        text("10p1d", 10).replace("decode", "agg").replace("agg:\n", "aggregated:\n"),
        text("10p1d", 10) + SWEPT,
        "base:\n" + "".join(f"  {line}\n" for line in text("10p1d").splitlines()) + BUNDLE,
        text("10p1d", 10) + "---\na: 1\n",
        text("10p1d", 10, flags="".join(f"\n      flag-{index}: 1" for index in range(7))),
        "name: [",
    ],
    ids=["engine", "schema", "roles", "sweep", "bundle", "documents", "settings", "syntax"],
)
def test_what_is_of_another_sort_is_no_copy(other: str) -> None:
    assert found({**three(), path("10p1d"): other}) == []


def test_copies_of_other_directories_are_no_group() -> None:
    files = three()
    moved = files.pop(path("10p1d"))
    assert found({**files, f"{FOLDER}-more/disagg-10p1d-tp4.yaml": moved}) == []


def test_two_groups_of_a_directory_are_offered_two_names() -> None:
    flags = "".join(f"\n      flag-{index}: 1" for index in range(9))
    more = {f"{FOLDER}/disagg-{name}-dep8-tp4.yaml": text(f"{name}-dep8", flags=flags) for name in HERE}
    first, second = found({**three(), **more})
    assert [shown(each).splitlines()[0] for each in (first, second)] == [
        f"# {FOLDER}/disagg-dep8-tp4.yaml",
        f"# {FOLDER}/disagg-tp4.yaml",
    ]
    taken = found({**three(), f"{FOLDER}/disagg-tp4.yaml": text("tp4", engine="sglang")})
    assert shown(taken[0]).splitlines()[0] == f"# {path('1p1d')}"


def test_a_null_that_only_one_recipe_has_cannot_be_said_and_it_is_left_out() -> None:
    files = three()
    files[path("2p1d")] += "frontend:\n"
    assert found(files) == []
    finding = only({**files, path("4p1d"): text("4p1d", 4)})
    assert [finding.path, *(related.path for related in finding.related)] == [
        path(name) for name in ("1p1d", "4p1d", "10p1d")
    ]
    assert only(three(rest="frontend:\n")).arguments["files"] == 3


SIMULATED = '"\n          - "SYNTHETIC_ACCEPTANCE=true'
SPECULATING = '\n      speculative-config: \'{{"method":"mtp","num_speculative_tokens":{}}}\''
HEALTH = "health_check:\n  max_attempts: {}\n  interval_seconds: 10\n"
POWER = "telemetry:\n  provider: dcgm-power\n  enabled: true\n"
FORCED = '\n  decode_environment:\n    TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: "{}"'
HEADERS = "a launcher looks for environments at their depth to simulate acceptance"


def _each(template: str) -> dict[str, str]:
    """Recipes of which each has a text of its own."""
    return {path(name): text(name, flags=template.format(index)) for index, name in enumerate(HERE)}


@pytest.mark.parametrize(
    ("files", "refused"),
    [
        ({**three(engine="sglang"), **rows(*HERE, more=SIMULATED)}, HEADERS),
        ({**three(), **rows(*HERE, more=SIMULATED)}, ""),
        ({**three(engine="sglang"), **rows(*HERE)}, ""),
        (
            {**_each(SPECULATING), **rows(*HERE, more=SIMULATED)},
            "a launcher reads one speculative-config for the whole file",
        ),
        ({**_each(SPECULATING), **rows(*HERE, more=f"{SIMULATED} SYNTHETIC_ACCEPTANCE_LENGTH=2.1")}, ""),
        ({**_each(SPECULATING), **rows(*HERE)}, ""),
        ({**_each(FORCED), **rows(*HERE)}, "a launcher deletes lines of TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"),
        (
            {**three(gpu="b200", rest=HEALTH.format(360)), **rows(*HERE)},
            "a launcher edits max_attempts where it stands",
        ),
        ({**three(gpu="b200", rest=HEALTH.format(720)), **rows(*HERE)}, ""),
        ({**three(gpu="b200"), **rows(*HERE)}, ""),
        (
            {**three(gpu="h200", rest=HEALTH.format(360)), **rows(*HERE)},
            "a launcher edits health_check where it stands",
        ),
        ({**three(gpu="h200"), **rows(*HERE)}, "a launcher edits health_check where it stands"),
        ({**three(gpu="h200", rest=HEALTH.format(720)), **rows(*HERE)}, ""),
        ({**three(gpu="h100"), **rows(*HERE)}, "a launcher edits the file by the name that a row gives"),
        ({**three(rest=POWER), **rows(*HERE)}, "a launcher edits telemetry where it stands"),
        (
            {**three(gpu="gb300", rest="infra:\n  orchestrator_placement: first_decode\n"), **rows(*HERE)},
            "a launcher edits orchestrator_placement where it stands",
        ),
        ({**three(gpu="b200", rest=HEALTH.format(360))}, ""),
        ({**three(), **rows(*HERE, framework="llmd-vllm")}, "llm-d opens the file that a row names"),
        (
            {**three(), "runners/launch.sh": f"srtctl apply -f {_named('2p1d')}\n", **rows("1p1d")},
            "a script names them",
        ),
        (
            {**three(), "runners/launch.sh": '[[ "$F" == recipes/vllm/finch/*.yaml ]]\n', **rows("1p1d")},
            "a script names them",
        ),
        ({**three(), "runners/launch.sh": "ls recipes/vllm/wren/*.yaml\n", **rows("1p1d")}, ""),
        ({**three(), "runners/launch.sh": "ls *.yaml\n", **rows("1p1d")}, ""),
        (
            {**three(), **{name.replace("finch/", "finch-gb200/"): each for name, each in three().items()}}
            | rows(*HERE, master=rows(*HERE)[MASTER].replace("vllm/finch/", "vllm/wren/")),
            "a row may mean files of several directories",
        ),
        (
            {name.replace("finch/", "finch-gb200/"): each for name, each in three().items()}
            | {path("1p1d"): "a: 1\n"}
            | rows("1p1d"),
            "launchers may copy files of these names over others",
        ),
    ],
)
def test_where_no_file_is_offered_the_message_says_why(files: dict[str, str], refused: str) -> None:
    for finding in found({RUNNERS: runners(), **files}):
        assert finding.arguments["refused"] == refused
        assert (finding.fix is None) is bool(refused)
        assert finding.message.endswith(f", which is not offered: {refused}" if refused else "base and overrides")
        break
    else:
        pytest.fail("nothing was found")


@pytest.mark.parametrize(
    ("script", "is_named"),
    [
        ("srtctl apply -f recipes/vllm/finch/disagg-2p1d-tp4.yaml", True),
        ("cp $HOME/benchmarks/multi_node/srt-slurm-recipes/vllm/finch/disagg-2p1d-tp4.yaml .", True),
        ("cat ${WHERE}/disagg-2p1d-tp4.yaml", True),
        ("cat disagg-${SHAPE}-tp4.yaml", True),
        ("cat recipes/vllm/wren/disagg-2p1d-tp4.yaml", False),
        ("cat recipes/vllm/finch/mtp/disagg-2p1d-tp4.yaml", False),
        ("cat recipes/vllm/finch/disagg-8p1d-tp4.yaml", False),
        ("case $F in recipes/vllm/finch/*-tp4.yaml) ;; esac", True),
        ("case $F in recipes/vllm/finch/*-tp8.yaml) ;; esac", False),
        ("cat $CONFIG.yaml *.yaml recipes/*.yaml", False),
    ],
)
def test_a_script_that_names_one_of_them(script: str, is_named: bool) -> None:
    finding = only({**three(), **rows("1p1d"), "runners/launch.sh": f"{script}\n"})
    assert finding.arguments["refused"] == ("a script names them" if is_named else "")


def test_a_row_on_one_node_names_no_variant() -> None:
    home = f"{RECIPES.replace('multi', 'single')}/finch"
    files = {path(name).replace(FOLDER, home): each for name, each in zip(HERE, three().values(), strict=True)}
    master = rows()[MASTER].replace("multinode: true\n  disagg: true", "multinode: false\n  srt-recipe-dir: finch")
    master += "      - { tp: 4, conc-list: [8], srt-recipe: disagg-2p1d-tp4.yaml }\n"
    finding = only({**files, **rows(master=master)})
    assert finding.arguments["refused"] == "a row on one node names no variant, its launcher chooses"


def test_nothing_runs_where_nobody_asks() -> None:
    files = {**project(), **three(), **rows(*HERE)}
    assert "near-copies" not in {item.finding.rule for item in outcome(files).findings}


REASONS = [
    value for name, value in vars(variant_rows).items() if name.isupper() and isinstance(value, str) and " " in value
]


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_said_in_chinese(reason: str) -> None:
    rule = RULES["near-copies"].rule
    key = "health_check"
    told = {"files": 3, "others": "a.yaml and 2 more", "most": 2, "before": 60, "after": 30}
    said = render(rule.messages_zh["copies"], {**told, "refused": reason.format(key=key)})
    left = said.replace("a.yaml", "").replace("base", "").replace("override", "")
    for name in (key, "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS", "speculative-config", "llm-d"):
        left = left.replace(name, "")
    assert re.findall("[a-z]+", left) == []


def test_the_text_and_the_json_report_show_the_file(tmp_path: Path) -> None:
    write(tmp_path, {**three(), **rows(*HERE)})
    asked = ("check", ".", "--select", "near-copies")
    told = reciplint(tmp_path, *asked, "--format", "json").report["findings"]
    assert told[0]["fix"] == {
        "applicability": "display",
        "title": "write one file, disagg-tp4.yaml, and have 3 rows name its variants",
        "edits": [],
        "shown": shown(only({**three(), **rows(*HERE)})),
    }
    text = reciplint(tmp_path, *asked, "--verbose").out
    assert "  | override_2p1d:\n  |   name: finch-2p1d\n" in text
    again = reciplint(tmp_path, *asked, "--format", "json").report["findings"]  # from the cache
    assert again == told
    assert reciplint(tmp_path, "fix", "--select", "near-copies", "--unsafe").status == 0
    assert not (tmp_path / FOLDER / "disagg-tp4.yaml").exists()


OF_ROWS = (
    "missing-recipe",
    "topology-mismatch",
    "concurrency-mismatch",
    "container-mismatch",
    "component-mismatch",
    "capacity-below-concurrency",
    "resource-arithmetic",
    "golden-acceptance-length",
    "deprecated-arm",
    "schema",
)
"""Rules on a row beside the variant that it runs."""


@pytest.mark.corpus
def test_a_repository_that_takes_every_offer_runs_the_same(corpus_repo: Path) -> None:
    """Every file written, every row changed as told, the copies gone: what is found of rows and variants stays."""
    files = {
        each.relative_to(corpus_repo).as_posix(): each.read_bytes()
        for folder in ("benchmarks", "configs", "golden_al_distribution")
        for each in (corpus_repo / folder).rglob("*")
        if each.is_file()
    }
    offers = [finding for finding in lint(files, select=["near-copies"]) if finding.fix is not None]
    assert len(offers) > 30
    after, masters = dict(files), {}
    for offer in offers:
        for path in (offer.path, *(related.path for related in offer.related)):
            del after[path]
    for offer in offers:
        head, _, rest = shown(offer).partition("\n\n")
        whole, _, told = rest.rpartition("\n\n")
        after[head.splitlines()[0].removeprefix("# ")] = f"{whole}\n".encode()
        lines = told.splitlines()
        for now, then in zip(lines[::2], lines[1::2], strict=len(lines) > 1):
            path, number, said = now.removeprefix("# ").split(":", 2)
            master = masters.setdefault(path, files[path].decode().split("\n"))
            assert said.strip() in master[int(number) - 1]
            master[int(number) - 1] = master[int(number) - 1].replace(said.strip(), then.removeprefix("#   becomes "))
    after |= {path: "\n".join(lines).encode() for path, lines in masters.items()}
    assert len(after) < len(files)
    assert _counted(after) == _counted(files)


def _counted(files: dict[str, bytes]) -> Counter[tuple[str, str]]:
    return Counter((finding.rule, finding.severity) for finding in lint(files, select=OF_ROWS))


def test_the_page_shows_what_the_fix_of_its_example_is() -> None:
    page = sections(RULES["near-copies"].page)
    bad, good = ({block.path: block.text for block in blocks(page[title])} for title in ("Bad", "Good"))
    (head_and_tail,) = (block.text for block in blocks(page["Fix"]))
    (finding,) = lint(bad)
    head, tail = head_and_tail.rstrip("\n").split("\n\n")
    assert shown(finding) == f"{head}\n\n{good['benchmarks/tiny/agg-b200-tp8.yaml']}\n{tail}\n"
