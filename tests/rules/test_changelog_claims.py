"""Claims of added entries against the files: true ones are silent, contradicted ones are shown with the evidence."""

from __future__ import annotations

import pytest

from reciplint.rules.finding import Finding
from support import CHANGELOG, MASTER, RECIPES, RUNNERS, changed, lint, multi, recipe, runners, single

ROWS = (
    "{ tp: 4, dp-attn: true, conc-start: 16, conc-end: 128 }",
    "{ tp: 4, conc-list: [1, 2, 32] }",
    "{ tp: 8, conc-list: [4, 2048] }",
)
KEY = "finch-fp8-b200-vllm"
DISAGG = "finch-fp8-gb200-dynamo-vllm"
FILE = f"{RECIPES}/vllm/finch/disagg.yaml"
OLD = changed("finch-fp8-b200-vllm")


def entry(*texts: str, keys: str = KEY, number: int = 12, extra: str = "") -> str:
    listed = "".join(f"  - {text}\n" for text in texts)
    return f"- config-keys: [{keys}]\n{extra}  description:\n{listed}  pr-link: https://github.com/example/bench/pull/{number}\n"


def master(
    image: str = "v0.11.0", rows: tuple[str, ...] = ROWS, reference: str = "recipes/vllm/finch/disagg.yaml"
) -> str:
    return (single(KEY, *rows) + multi(DISAGG, reference)).replace(":v0.11.0", f":{image}")


def check(
    *texts: str,
    keys: str = KEY,
    base: dict[str, str] | None = None,
    head: dict[str, str] | None = None,
    extra: str = "",
    history: str = OLD,
) -> list[Finding]:
    files = {MASTER: master(), RUNNERS: runners(), CHANGELOG: history, FILE: recipe(value=512)}
    after = {**files, CHANGELOG: f"{OLD}\n{entry(*texts, keys=keys, extra=extra)}", **(head or {})}
    return lint(after, {**files, **(base or {})}, select=["changelog-claims"], pull_request=12)


def ids(findings: list[Finding]) -> list[str]:
    return [finding.message_id for finding in findings]


def test_an_image_that_the_keys_do_not_run() -> None:
    (finding,) = check('"Bump image to vllm/vllm-openai:v0.12.0."')
    assert (finding.message_id, finding.severity, finding.path) == ("image-head", "warning", CHANGELOG)
    assert (finding.span.line, finding.span.column, finding.span.end_column) == (9, 20, 44)
    assert finding.arguments["found"] == ("vllm/vllm-openai:v0.11.0",)
    assert finding.subject == (KEY, "vllm/vllm-openai:v0.12.0")
    assert [(place.path, place.span.line) for place in finding.related] == [(MASTER, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "Image vllm/vllm-openai:v0.11.0",
        "Image docker.io/vllm/vllm-openai:v0.11.0",
        "Image docker://vllm/vllm-openai:v0.11.0.",
        "Image vllm#vllm-openai:v0.11.0",
        "Use the image v0.11.0",
        "Pull helper/tool:v3",
        "Re-pin the router image to helper/router:v3",
    ],
)
def test_an_image_that_is_so_or_is_no_key_s_image(text: str) -> None:
    assert check(f"'{text}'") == []


def test_both_sides_of_a_change_of_image() -> None:
    base = {MASTER: master("v0.10.0")}
    assert check("Update the vLLM image from v0.10.0 to v0.11.0", base=base) == []
    assert ids(check("Update the vLLM image from v0.9.0 to v0.11.0", base=base)) == ["image-base"]
    assert ids(check("Update the vLLM image from v0.10.0 to v0.12.0", base=base)) == ["image-head"]


def test_a_key_that_is_new_had_no_image() -> None:
    base = {MASTER: multi(DISAGG, "recipes/vllm/finch/disagg.yaml")}
    assert check("Update the vLLM image from v0.9.0 to v0.11.0", base=base) == []


def test_the_container_of_a_recipe_counts() -> None:
    head = {FILE: recipe().replace("v0.11.0", "v0.12.0")}
    assert check("Image vllm/vllm-openai:v0.12.0", keys=DISAGG, head=head) == []


def test_a_setting_of_a_recipe() -> None:
    base = {FILE: recipe(value=256)}
    assert check("max_num_seqs 256->512", keys=DISAGG, base=base) == []
    assert ids(check("max_num_seqs 256->1024", keys=DISAGG, base=base)) == ["setting-head"]
    assert ids(check("--max-num-seqs from 128 to 512", keys=DISAGG, base=base)) == ["setting-base"]
    (finding,) = check("max-num-seqs 256 → 1024", keys=DISAGG, base=base)
    assert finding.arguments["found"] == ("512",)
    assert [place.path for place in finding.related] == [FILE]


def test_a_setting_of_a_row() -> None:
    base = {MASTER: master(rows=("{ tp: 2, conc-list: [4] }",))}
    assert check("'tp: 2 -> 4'", base=base) == []
    assert ids(check("'tp: 2 -> 16'", base=base)) == ["setting-head"]
    assert check("'tp: 3 -> 4'", base=base) == []  # a row of the branch may have had it


@pytest.mark.parametrize("text", ["unknown-flag 1->2", "tp4 faster from 2 to 3 workers"])
def test_what_no_file_says_is_no_contradiction(text: str) -> None:
    assert check(text, keys=DISAGG) == []


def test_recipes_that_lie_elsewhere_may_have_the_setting() -> None:
    head = {MASTER: master(reference="recipes/other/elsewhere.yaml")}
    assert check("max-num-seqs 512->1024", keys=DISAGG, head=head) == []


def test_equal_numbers_are_equal_however_written() -> None:
    head = {FILE: recipe(flag="gpu-memory-utilization", value="0.90")}
    base = {FILE: recipe(flag="gpu-memory-utilization", value=0.85)}
    assert check("gpu-memory-utilization 0.85->0.9", keys=DISAGG, base=base, head=head) == []


def test_settings_inside_json_text() -> None:
    head = {FILE: recipe(flag="speculative-config", value="'{\"num_speculative_tokens\": 3}'")}
    assert check("num_speculative_tokens 1->3", keys=DISAGG, base=head, head=head) != []
    assert ids(check("num_speculative_tokens 3->4", keys=DISAGG, base=head, head=head)) == ["setting-head"]


@pytest.mark.parametrize(
    "text",
    [
        "TP4 dp-attn (conc 16-128)",
        "TP8 at conc [4, 2048]",
        "conc 1/2/4",
        "at concurrency 1, 2, and 2048 for both",
        "DPA conc 16..64",
        "TP2 at conc 77",
        "validated at conc 77",
        "Concurrency sweep up to 2048.",
    ],
)
def test_concurrencies_that_are_so_or_cannot_be_told(text: str) -> None:
    assert check(text) == []


@pytest.mark.parametrize(
    ("text", "message", "lines"),
    [
        ("TP4 dp-attn sweep (conc 32–2048)", "concurrency-head", [14]),
        ("TP4 at conc [1, 2, 48]", "concurrency-head", [14, 15]),
        ("conc 77", "concurrency-head", [14, 15, 16]),
        ("Concurrency sweep up to 1024.", "limit-head", [16]),
        ("Replace the TP8 concurrency list [4, 2048] with [4, 14]", "concurrency-head", [16]),
        ("Replace the TP8 concurrency list [4, 96] with [4, 2048]", "concurrency-base", [16]),
    ],
)
def test_concurrencies_that_the_rows_do_not_run(text: str, message: str, lines: list[int]) -> None:
    (finding,) = check(text)
    assert finding.message_id == message
    assert [place.span.line for place in finding.related] == lines


def test_any_key_of_the_entry_makes_a_claim_true() -> None:
    assert check("conc 2048", keys="finch-*") == []
    assert ids(check("conc 2048", keys=DISAGG)) == ["concurrency-head"]


def test_a_key_that_does_not_exist_may_have_it() -> None:
    assert check("conc 77", keys=f"{KEY}, finch-fp4-b200-vllm") == []


def test_an_entry_of_one_scenario_is_held_against_that_one() -> None:
    assert check("conc 77", extra="  scenario-type: [agentic-coding]\n") == []


def test_old_entries_and_rewritten_ones_are_left_alone() -> None:
    old = OLD + "\n" + entry("conc 77", number=3)
    assert check("conc 16", history=old) == []
    assert check("conc 77", history=OLD + "\n" + entry("conc 77", number=3)) == []
    assert check("conc 78", history=OLD + "\n" + entry("conc 77")) == []


def test_a_description_over_lines_or_with_escapes_is_marked_whole() -> None:
    (folded,) = check(">-\n    Sweep at\n    conc 77")
    assert (folded.span.line, folded.span.column) == (9, 5)
    (escaped,) = check(r'"Sweep \u0061t conc 77"')
    assert (escaped.span.line, escaped.span.column) == (9, 5)


def test_a_wide_character_before_counts_as_one_column() -> None:
    (finding,) = check("🚀 → conc 77")
    assert finding.span.column == 14


def test_without_a_base_nothing_is_added() -> None:
    files = {MASTER: master(), RUNNERS: runners(), CHANGELOG: entry("conc 77"), FILE: recipe()}
    assert lint(files, select=["changelog-claims"]) == []


def test_an_unreadable_master_silences_the_rule() -> None:
    assert check("conc 77", head={"configs/amd-master.yaml": "a: [\n"}) == []
