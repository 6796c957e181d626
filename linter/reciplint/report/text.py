"""The report for people: each finding with its place in the source, its evidence and its fix, then the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reciplint.report.escape import MESSAGE_LIMIT, shown, shown_line, shown_path
from reciplint.report.excerpt import excerpt
from reciplint.report.model import last_line, printed
from reciplint.rules.finding import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reciplint.report.model import Options, Report, Reported, Sources
    from reciplint.rules.finding import Finding, Fix, Related
    from reciplint.rules.rule import Rule
    from reciplint.yamltree.spans import Span

_STYLES: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "info": {"fg": "cyan", "bold": True},
    "place": {"bold": True},
    "gutter": {"fg": "blue"},
    "fix": {"fg": "green"},
    "dim": {"dim": True},
    "clean": {"fg": "green", "bold": True},
}
_HOW = {"safe": "safe: `reciplint fix`", "unsafe": "unsafe: `reciplint fix --unsafe`", "display": "by hand"}
_RELATED_LIMIT = 5
_NARROWEST = 40


def render(report: Report, sources: Sources, options: Options) -> str:
    """The findings, the statistics if asked for, and the summary, with a blank line between."""
    blocks = [_Block(sources, options, reported.finding).text(reported) for reported in printed(report, options)]
    if options.statistics and report.findings:
        blocks.append(_statistics(report.findings))
    blocks.append(_summary(report, options))
    return "\n\n".join(blocks) + "\n"


def _paint(text: str, style: str, color: bool) -> str:
    if not color:
        return text
    import click

    return click.style(text, **_STYLES[style])


def headline(finding: Finding, color: bool) -> str:
    """The first line of a finding: place, severity, rule, message."""
    span = finding.span
    place = _paint(f"{shown_path(finding.path)}:{span.line}:{span.column}", "place", color)
    severity = _paint(finding.severity, finding.severity, color)
    return f"{place} {severity} {finding.rule}: {shown(finding.message, MESSAGE_LIMIT)}"


class _Block:
    """One finding being laid out: the gutter is as wide as its largest line number."""

    def __init__(self, sources: Sources, options: Options, finding: Finding) -> None:
        self.sources = sources
        self.options = options
        self.finding = finding
        self.related = finding.related if options.verbose else finding.related[:_RELATED_LIMIT]
        spans = [finding.span, *(related.span for related in self.related)]
        self.gutter = max(len(str(span.line)) for span in spans)
        self.width = max(options.width, _NARROWEST) - self.gutter - 3

    def text(self, reported: Reported) -> str:
        lines = [headline(self.finding, self.options.color), *self.source()]
        for related in self.related:
            lines += self.related_lines(related)
        hidden = len(self.finding.related) - len(self.related)
        if hidden:
            lines.append(f"  and {hidden} more {'places' if hidden > 1 else 'place'}: --verbose")
        if self.finding.fix:
            lines += self.fix_lines(self.finding.fix)
        if self.options.verbose:
            lines += self.verbose_lines(reported)
        return "\n".join(lines)

    def paint(self, text: str, style: str) -> str:
        return _paint(text, style, self.options.color)

    def source(self) -> list[str]:
        """The first line of the span with carets; a longer span says where it ends."""
        span = self.finding.span
        line = self.line_of(self.finding.path, span.line)
        if line is None:
            return []
        part = excerpt(line, span.column - 1, _end_in_line(span, line), self.width)
        carets = " " * part.start + self.paint("^" * part.width, self.finding.severity)
        lines = [self.row(str(span.line), part.text), self.row("", carets)]
        last = last_line(span)
        if last > span.line:
            lines.append(self.row("…", f"up to line {last}"))
        return lines

    def related_lines(self, related: Related) -> list[str]:
        place = self.paint(f"{shown_path(related.path)}:{related.span.line}", "place")
        lines = [f"  {place}: {shown(related.message, MESSAGE_LIMIT)}"]
        line = self.line_of(related.path, related.span.line)
        if line is not None:
            span = related.span
            part = excerpt(line, span.column - 1, _end_in_line(span, line), self.width)
            lines.append(self.row(str(span.line), part.text))
        return lines

    def row(self, number: str, content: str) -> str:
        return f"{self.paint(f'{number:>{self.gutter}} |', 'gutter')} {content}".rstrip()

    def line_of(self, path: str, number: int) -> str | None:
        lines = self.sources.lines(path)
        return lines[number - 1].rstrip("\r\n") if lines is not None and 1 <= number <= len(lines) else None

    def fix_lines(self, fix: Fix) -> Iterator[str]:
        """What the fix does, and its text if it has one."""
        yield f"  {self.paint('fix:', 'fix')} {shown(fix.title, MESSAGE_LIMIT)}, {_HOW[fix.applicability]}"
        text = fix.shown.removesuffix("\n").split("\n") if fix.shown else []
        if text and not self.options.verbose:
            yield f"  its text has {counted(len(text), 'line')}: --verbose"
            return
        yield from (f"  {self.paint('|', 'gutter')} {shown_line(line)}".rstrip() for line in text)

    def verbose_lines(self, reported: Reported) -> list[str]:
        lines = [f"  fingerprint: {shown(reported.fingerprint)}", f"  see: {shown(reported.url)}"]
        rule = self.sources.rule_meta.get(self.finding.rule)
        if rule is None:
            return lines
        return [f"  silence: {self.silence(rule)}", *lines]

    def silence(self, rule: Rule) -> str:
        """What silences the finding: a comment, which is read in YAML alone, else the settings."""
        if not rule.suppressible:
            return "this rule cannot be silenced"
        if self.finding.path.endswith((".yaml", ".yml")):
            return f"# reciplint: ignore[{rule.id}] -- reason"
        return "its fingerprint and a reason under `ignores` in .reciplint.yaml"


def _end_in_line(span: Span, line: str) -> int:
    return span.end_column - 1 if span.end_line == span.line else len(line)


def _statistics(findings: tuple[Reported, ...]) -> str:
    """Rules by number of findings, most first."""
    rules: dict[str, list[int]] = {}
    for reported in findings:
        finding = reported.finding
        row = rules.setdefault(finding.rule, [0] * 4)
        row[SEVERITIES.index(finding.severity)] += 1
        row[3] += _repaired(reported)
    width = max(len("rule"), *map(len, rules))
    lines = [f"{'rule':<{width}}  error  warning   info  fixable"]
    for rule, (error, warning, info, fixable) in sorted(rules.items(), key=lambda item: (-sum(item[1][:3]), item[0])):
        lines.append(f"{rule:<{width}}  {error:>5}  {warning:>7}  {info:>5}  {fixable:>7}")
    return "\n".join(lines)


def _repaired(reported: Reported) -> bool:
    return reported.finding.fix is not None and reported.finding.fix.applicability == "safe"


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _summary(report: Report, options: Options) -> str:
    counts = report.counts
    found = [counted(counts.error, "error")] if counts.error else []
    found += [counted(counts.warning, "warning")] if counts.warning else []
    found += [f"{counts.info} info"] if counts.info else []
    worst = next((severity for severity in SEVERITIES if getattr(counts, severity)), "clean")
    verdict = ", ".join(found) or ("nothing new" if report.compared else "nothing found")
    held = [f"{counts.suppressed} suppressed"] if counts.suppressed else []
    held += [f"{counts.baselined} in the baseline"] if counts.baselined else []
    text = f"{_paint(verdict, worst, options.color)} in {counted(counts.files, 'file')}"
    lines = [f"{text} ({', '.join(held)})" if held else text]
    repaired = sum(map(_repaired, report.findings))
    if repaired:
        lines.append(f"`reciplint fix` repairs {repaired} of them")
    hidden = len(report.findings) - len(printed(report, options))
    if hidden:
        lines.append(f"{hidden} info not printed: --verbose")
    return "\n".join(lines)
