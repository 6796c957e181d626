"""Serve commands in Markdown pages, checked as those of scripts are."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support import lint

PAGE = """# Serve

Text on `vllm serve m --no-such-flag`.

- first
  ```bash
  vllm serve org/model \\
    --tensor-paralel-size 8
  ```

```yaml
run: vllm serve org/model --tensor-paralel-size 8
```
"""


def test_a_flag_in_a_fence_is_judged_at_its_place() -> None:
    [finding] = lint({"docs/serve.md": PAGE})
    assert (finding.rule, finding.path) == ("unknown-flag", "docs/serve.md")
    assert (finding.span.line, finding.span.column, finding.span.end_column) == (8, 5, 26)


def test_a_session_shows_commands_only_after_its_prompt() -> None:
    page = "```console\n$ vllm serve m --tensor-paralel-size 8\nvllm serve m --other-misspelt-flag\n```\n"
    assert [finding.span.line for finding in lint({"x.md": page})] == [2]


@pytest.mark.parametrize(
    "page",
    [
        "```bash\nvllm serve m --seed 1 'open",
        "- " * 400 + "```bash\nvllm serve m\n",
        "> " * 2000 + "\n```sh\nvllm serve m\n```",
        "<div>\n```bash\nvllm serve m\n```\n</div>\n",
        "```bash\n" + "vllm serve m --seed 1 \\\n" * 3000,
        "```bash\nvllm serve <<<>>> <a<b>c> \ue000 \ue001 \ue000x '\ue000'\n```\n",
        "```bash\r\nvllm serve m --seed 1\r\n```\r\n",
        "[" * 5000 + "\n```bash\nvllm serve m\n```\n",
        "\0```bash\nvllm\0serve vllm serve\0\n```",
    ],
)
def test_a_hostile_page_is_no_fault_of_ours(page: str) -> None:
    assert [finding for finding in lint({"x.md": page}) if finding.rule == "internal-error"] == []


def test_a_page_without_a_serve_command_brings_in_no_parser() -> None:
    program = (
        "import sys\n"
        "from reciplint.domain.document import Document\n"
        "from reciplint.domain.serving.deployments import document_deployments\n"
        "from reciplint.repo.kinds import Kind\n"
        "page = b'vllm serve is described here\\n```bash\\nls\\n```\\n'\n"
        "assert document_deployments(Document('x.md', Kind.MARKDOWN, page)) == ()\n"
        "assert 'markdown_it' not in sys.modules and 'tree_sitter' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_settings_choose_the_pages() -> None:
    assert lint({"docs/x.md": PAGE, ".reciplint.yaml": "kinds:\n  markdown: []\n"}) == []
    assert lint({"docs/x.md": PAGE, ".reciplint.yaml": "serving: false\n"}) == []
