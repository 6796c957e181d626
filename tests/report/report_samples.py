"""An invented report that holds one of everything, and the sources that it speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from reciplint.report.model import Counts, FileEdit, Options, Report, Reported
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Rule
from reciplint.yamltree.edit import RenameKey
from reciplint.yamltree.spans import Span

MASTER = "configs/nvidia-master.yaml"
RECIPE = "benchmarks/multi_node/srt-slurm-recipes/vllm/8k 1k/größe#1.yaml"

RULES = {
    rule.id: rule
    for rule in (
        Rule(
            id="missing-recipe",
            summary="A row names a recipe that does not exist.",
            severity="error",
            source="upstream launcher",
            messages={"gone": "no recipe {path}"},
            messages_zh={"gone": "没有配方 {path}"},
        ),
        Rule(
            id="kebab-case-keys",
            summary="A key is spelled with `_`.",
            severity="warning",
            source="house style",
            messages={"key": "{key} is spelled {right} elsewhere"},
            messages_zh={"key": "{key} 在别处写作 {right}"},
            fix="safe",
        ),
        Rule(
            id="anchor-dedup",
            summary="Two maps hold the same pairs.",
            severity="info",
            source="house style",
            messages={"same": "{n:key|keys}"},
            messages_zh={"same": "{n} 个键"},
            fix="display",
        ),
        Rule(
            id="yaml-syntax",
            summary="The file cannot be parsed.",
            severity="error",
            source="libyaml",
            messages={"bad": "{problem}"},
            messages_zh={"bad": "问题：{problem}"},
            suppressible=False,
        ),
    )
}
PAGES = {
    "missing-recipe": "# missing-recipe\n\nA row names a recipe\nthat does not exist.\n\n## Why\n\nThe job fails.\n"
}


@dataclass(frozen=True)
class Texts:
    """Sources from texts in memory."""

    files: Mapping[str, str]
    rule_meta: Mapping[str, Rule] = field(default_factory=lambda: RULES)
    pages: Mapping[str, str] = field(default_factory=lambda: PAGES)

    def lines(self, path: str) -> list[str] | None:
        return self.files[path].split("\n") if path in self.files else None


PLAIN = Options(width=80)
SOURCES = Texts(
    {
        MASTER: "k:\n" * 9 + "  row:\n    - CONFIG_FILE=recipes/a.yaml\n",
        RECIPE: "name: 名前\nbackend:\n\t名前: {max_model: 1} # 100%\n  decode:\n    a: 1\n    b: 2\nend: 1\n",
    }
)

MISSING = Reported(
    Finding(
        rule="missing-recipe",
        severity="error",
        path=MASTER,
        span=Span(11, 19, 11, 33),
        message="no recipe recipes/a.yaml, 50% like recipes/b.yaml",
        message_id="gone",
        arguments={"path": "recipes/a.yaml", "closest": ("b", "c"), "share": 0.5},
        subject=("k", "recipes/a.yaml"),
        pointer="/k/row/0",
        related=(Related(RECIPE, Span(1, 7, 1, 9), "this one exists"),),
        fix=Fix("name recipes/b.yaml", "unsafe", ()),
    ),
    "f1",
    RULES["missing-recipe"].url,
)
KEBAB = Reported(
    Finding(
        rule="kebab-case-keys",
        severity="warning",
        path=RECIPE,
        span=Span(3, 7, 3, 16),
        message="max_model is spelled max-model elsewhere",
        message_id="key",
        arguments={"right": "max-model", "key": "max_model"},
        subject=("max_model",),
        fix=Fix("rename it to max-model", "safe", (RenameKey(RECIPE, ("backend", "名前", "max_model"), "max-model"),)),
    ),
    "f2",
    RULES["kebab-case-keys"].url,
    (FileEdit(RECIPE, Span(3, 7, 3, 16), "max-model"),),
)
ANCHOR = Reported(
    Finding(
        rule="anchor-dedup",
        severity="info",
        path=RECIPE,
        span=Span(4, 3, 7, 1),
        message="8 keys are the same",
        message_id="same",
        arguments={"n": 8},
        subject=("prefill", "decode"),
        fix=Fix("fold them", "display", ()),
    ),
    "f3",
    RULES["anchor-dedup"].url,
)
FULL = Report(
    version="0.1.0",
    base=None,
    head="a" * 40,
    pull_request=None,
    findings=(KEBAB, ANCHOR, MISSING),
    counts=Counts(error=1, warning=1, info=1, suppressed=2, baselined=3, files=12),
    exit_code=1,
    compared=False,
)
COMPARED = msgspec.structs.replace(FULL, base="b" * 40, pull_request=7, compared=True)
CLEAN = Report("0.1.0", None, None, None, (), Counts(files=1), 0, False)


def finding(message: str = "m", **changes: object) -> Reported:
    """A finding of no interest but for what is changed."""
    plain = Finding("missing-recipe", "error", "a.yaml", Span(1, 1, 1, 2), message, "gone", {}, ())
    return Reported(msgspec.structs.replace(plain, **changes), "f", "https://example.org/rule")


def report_of(*findings: Reported, compared: bool = False) -> Report:
    """A report of the findings, its counts right."""
    severities = [reported.finding.severity for reported in findings]
    counts = Counts(severities.count("error"), severities.count("warning"), severities.count("info"), files=1)
    return Report("0.1.0", None, None, None, findings, counts, int(counts.error > 0), compared)
