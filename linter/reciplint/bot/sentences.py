"""Every sentence that the bot says by itself, in English and in Chinese."""

from __future__ import annotations

from typing import Literal

Language = Literal["en", "zh"]

LANGUAGES: tuple[Language, ...] = ("en", "zh")

NAMES: dict[Language, str] = {"en": "English", "zh": "中文"}

SENTENCES: dict[str, tuple[str, str]] = {
    "nothing-new": ("nothing new", "没有新问题"),
    "errors": ("{n:error|errors}", "{n} 个错误"),
    "warnings": ("{n:warning|warnings}", "{n} 个警告"),
    "infos": ("{n} info", "{n} 条建议"),
    "error": ("error", "错误"),
    "warning": ("warning", "警告"),
    "info": ("info", "建议"),
    "and": (", ", "，"),
    "finding": ("finding", "问题"),
    "more-rows": (
        "and {n:more finding|more findings}: the step summary of the check has all",
        "另有 {n} 项：检查的步骤摘要中有全部内容",
    ),
    "evidence": ("Evidence", "依据"),
    "benchmark": ("Benchmark impact", "对基准测试的影响"),
    "by-fleet": ("By fleet", "按机群"),
    "uncovered": ("Keys that no changelog entry covers", "没有更新日志条目覆盖的键"),
    "signers": ("Code owners who may sign alone", "可单独批准的代码所有者"),
    "no-single-signer": ("No code owner may sign alone; asked are", "没有代码所有者可单独批准；需要"),
    "not-inline": ("Not shown inline", "未在行内显示"),
    "unchanged-file": (
        "{n}, because the file is not part of this change",
        "{n} 项，因为该文件不在本次改动中",
    ),
    "outside-hunks": (
        "{n}, because the line is outside of the shown diff",
        "{n} 项，因为该行不在显示的差异中",
    ),
    "severity-below": (
        "{n}, because only {least} and worse is shown inline",
        "{n} 项，因为行内只显示{least}及以上级别",
    ),
    "limit": (
        "{n}, because at most {most} are shown inline",
        "{n} 项，因为行内最多显示 {most} 项",
    ),
    "same-line": (
        "{n}, because another finding is shown on that line",
        "{n} 项，因为该行已显示另一项",
    ),
    "refused": ("{n}, because GitHub did not take the line", "{n} 项，因为 GitHub 不接受该行"),
    "checked": ("Checked: {head}", "检查的提交：{head}"),
    "not-vouched": (
        "From the report of a run that the fork controls: it may have been altered; values are quoted as they came.",
        "来自由复刻控制的运行报告：内容可能被改动，其中的值按原样显示。",
    ),
    "fixable": ("`reciplint fix` repairs this.", "`reciplint fix` 可修复此问题。"),
    "how-to-silence": ("Silence it here", "在此处忽略"),
    "cannot-silence": ("This rule cannot be silenced.", "此规则不能忽略。"),
    "silence": (
        "On the line, or alone on the line above, with your reason:",
        "写在该行，或单独写在上一行，并说明理由：",
    ),
    "fixed": ("Fixed in {head}.", "已在 {head} 中修复。"),
    "read-only": (
        "reciplint may not comment here (the token is read-only, as for every fork): the findings stand in the "
        "annotations and below",
        "reciplint 在此不能评论（令牌只读，来自复刻的请求都是如此）：问题见注释和下文",
    ),
    "no-token": (
        "reciplint has no token, so it did not comment: the findings stand in the annotations and below",
        "reciplint 没有令牌，因此没有评论：问题见注释和下文",
    ),
    "gave-up": (
        "reciplint could not finish commenting ({reason}): everything stands below",
        "reciplint 未能完成评论（{reason}）：全部内容见下文",
    ),
    "superseded": (
        "superseded: the pull request has moved on from {head}",
        "已被取代：合并请求已不在 {head}",
    ),
}
"""Id → English, Chinese. Fields in braces as in a rule's messages."""


def say(language: Language, sentence: str, **fields: str | int) -> str:
    """A sentence in a language."""
    from reciplint.rules.finding import render

    return render(SENTENCES[sentence][LANGUAGES.index(language)], dict(fields))
