"""The links of a changelog: the repository that they name, and how one is written."""

from __future__ import annotations

from collections import Counter

from reciplint.domain.changelog import Changelog
from reciplint.domain.changelog_bytes import LINK

PLACEHOLDER = "XXX"
"""What stands for a number or a link that is not known yet."""


def linked_repository(changelog: Changelog | None) -> str:
    """The repository that most links of a changelog name; "" where none does."""
    links = (LINK.fullmatch(entry.pr_link.text) for entry in (changelog.entries if changelog else ()) if entry.pr_link)
    names = Counter(match["repository"] for match in links if match).most_common(1)
    return names[0][0] if names else ""


def link_to(repository: str, number: int | None) -> str:
    """The link to a pull request, or as much of it as is known."""
    return f"https://github.com/{repository}/pull/{number or PLACEHOLDER}" if repository else PLACEHOLDER
