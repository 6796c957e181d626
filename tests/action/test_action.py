"""The Action: what its files promise, and its scripts under bash with hostile names and inputs."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from reciplint import __version__
from reciplint.cli.setup_files import workflow_text
from reciplint.engine.cache import code_digest
from support import commit, git, git_repo, project, single

TOP = Path(__file__).resolve().parent.parent.parent
SCRIPTS = TOP / "tools/action"
EXAMPLES = TOP / ".github/workflows/examples"
WORKFLOWS = sorted((TOP / ".github/workflows").rglob("*.yml"))
READ, WRITE = "read", "write"

by_workflow = pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)


def load(file: Path) -> Any:
    """A file with `on` as the word that it is for GitHub."""
    value = yaml.safe_load(file.read_text(encoding="utf-8"))
    if True in value:
        value["on"] = value.pop(True)
    return value


ACTION = load(TOP / "action.yml")
RUNS = {step["run"].rpartition("/")[2].rstrip('"'): step["run"] for step in ACTION["runs"]["steps"] if "run" in step}
"""What the action's steps say to the shell, by the script that they call."""


def steps_of(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The steps of an action or of every job of a workflow."""
    yield from document.get("runs", {}).get("steps", [])
    for job in document.get("jobs", {}).values():
        yield from job["steps"]


# What the files promise.


def test_the_action_has_the_inputs_and_outputs_of_its_page() -> None:
    assert list(ACTION["inputs"]) == [
        "paths",
        "base",
        "fail-on",
        "preset",
        "comment",
        "sarif",
        "lang",
        "version",
        "args",
    ]
    assert list(ACTION["outputs"]) == ["errors", "warnings", "report"]
    page = (TOP / "docs/action.md").read_text(encoding="utf-8")
    assert [name for name in [*ACTION["inputs"], *ACTION["outputs"]] if f"| `{name}` |" not in page] == []
    assert not any(value.get("required") for value in ACTION["inputs"].values())


@pytest.mark.parametrize("file", [TOP / "action.yml", *WORKFLOWS], ids=lambda file: file.stem)
def test_no_expression_reaches_a_shell(file: Path) -> None:
    assert [step["run"] for step in steps_of(load(file)) if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize("file", [TOP / "action.yml", *WORKFLOWS], ids=lambda file: file.stem)
def test_every_action_is_pinned_to_a_commit(file: Path) -> None:
    used = [step["uses"] for step in steps_of(load(file)) if step.get("uses", "./") != "./"]
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []


def test_the_action_says_its_shell_and_runs_only_its_own_scripts() -> None:
    runs = [step for step in ACTION["runs"]["steps"] if "run" in step]
    assert {step["shell"] for step in runs} == {"bash"}
    called = [re.fullmatch(r'bash "\$GITHUB_ACTION_PATH/(tools/action/\w+\.sh)"', step["run"]) for step in runs]
    assert [step["run"] for step, found in zip(runs, called, strict=True) if not found] == ['exit "$STATUS"']
    assert [found[1] for found in called if found and not os.access(TOP / found[1], os.X_OK)] == []


def test_every_input_reaches_a_script_that_reads_it() -> None:
    for step in ACTION["runs"]["steps"]:
        script = step.get("run", "").rpartition("/")[2].rstrip('"')
        for name in step.get("env", {}):
            text = step["run"] if name == "STATUS" else (SCRIPTS / script).read_text(encoding="utf-8")
            known = name in ("GITHUB_TOKEN", "RECIPLINT_CACHE_DIR")
            assert known or f"${name}" in text or f"${{{name}" in text, f"{script} does not read {name}"
    read = "".join(str(step) for step in ACTION["runs"]["steps"])
    assert [name for name in ACTION["inputs"] if f"inputs.{name}" not in read] == []


def test_only_the_step_that_comments_has_a_token() -> None:
    holders = [step["name"] for step in ACTION["runs"]["steps"] if "token" in str(step).lower()]
    assert holders == ["Comment"]


PERMISSIONS: dict[str, dict[str, str]] = {
    "ci": {"contents": READ},
    "code-scanning": {"contents": READ, "security-events": WRITE},
    "fork-comment": {"actions": READ, "contents": READ, "pull-requests": WRITE},
    "fork-lint": {"contents": READ},
    "same-repository": {"contents": READ, "pull-requests": WRITE},
    "site": {"contents": READ},
    "site deploy": {"pages": WRITE, "id-token": WRITE},
}
"""By workflow, and by job where one needs others."""


@by_workflow
def test_permissions_are_the_least(file: Path) -> None:
    document = load(file)
    for name, job in document["jobs"].items():
        allowed = PERMISSIONS.get(f"{file.stem} {name}", PERMISSIONS[file.stem])
        assert job.get("permissions", document["permissions"]) == allowed
        assert job["timeout-minutes"] <= 15


@by_workflow
def test_no_checkout_keeps_its_token(file: Path) -> None:
    for step in steps_of(load(file)):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@by_workflow
def test_what_a_stranger_wrote_is_never_run_with_rights(file: Path) -> None:
    assert "pull_request_target" not in load(file)["on"]


def test_the_commenting_half_checks_nothing_out() -> None:
    lint, comment = load(EXAMPLES / "fork-lint.yml"), load(EXAMPLES / "fork-comment.yml")
    assert list(comment["on"]) == ["workflow_run"]
    assert comment["on"]["workflow_run"]["workflows"] == [lint["name"]]
    used = [step["uses"].partition("@")[0] for step in steps_of(comment) if "uses" in step]
    assert used == ["actions/download-artifact"]
    ran = "\n".join(step.get("run", "") for step in steps_of(comment))
    assert not re.search(r"\bgit\b|gh (pr|repo)", ran)
    assert "--from-report" in ran
    uploaded = [step["with"]["name"] for step in steps_of(lint) if "upload-artifact" in step.get("uses", "")]
    assert uploaded == [step["with"]["name"] for step in steps_of(comment) if "uses" in step]
    assert f"name={uploaded[0]}" in ran


@pytest.mark.parametrize("name", ["same-repository", "fork-lint"])
def test_a_pull_request_is_linted_at_its_head(name: str) -> None:
    checkout = next(steps_of(load(EXAMPLES / f"{name}.yml")))
    assert checkout["with"]["ref"] == "${{ github.event.pull_request.head.sha }}"


def test_init_writes_the_example_for_one_repository_with_its_own_release() -> None:
    example = (EXAMPLES / "same-repository.yml").read_text(encoding="utf-8")
    wanted = yaml.safe_load(re.sub(r"(?<=reciplint/reciplint@)0{40}", f"v{__version__}", example))
    assert yaml.safe_load(workflow_text()) == wanted
    pins = [re.findall(r"(?<=uses: )actions/.*", text) for text in (example, workflow_text())]
    assert pins[0] == pins[1]


def test_what_is_to_be_copied_names_this_release() -> None:
    comment = (EXAMPLES / "fork-comment.yml").read_text(encoding="utf-8")
    assert re.findall(r"reciplint==(\S+)", comment) == [__version__]
    hooks = (TOP / "docs/hooks.md").read_text(encoding="utf-8")
    assert re.findall(r"rev: (\S+)", hooks) == [f"v{__version__}"]


# Other people's linters.


def tool(name: str) -> str:
    """A program beside this Python, or on the path; skips the test without it."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not installed: pip install -e '.[test]'")
    return found


def told(*command: str | Path) -> str:
    """What a linter says of the files in the project; nothing where it finds nothing."""
    done = subprocess.run(list(map(str, command)), cwd=TOP, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


ZIZMOR = ("--offline", "--no-progress", "--persona=pedantic")


def test_zizmor_finds_nothing() -> None:
    assert told(tool("zizmor"), *ZIZMOR, "action.yml", *WORKFLOWS) == ""


def test_actionlint_finds_nothing() -> None:
    """In action.yml too, which it reads where a workflow uses "./"."""
    assert [step["uses"] for file in WORKFLOWS for step in steps_of(load(file)) if step.get("uses") == "./"]
    assert told(tool("actionlint"), f"-shellcheck={tool('shellcheck')}", *WORKFLOWS) == ""


def test_in_what_init_writes_they_find_only_the_tag(tmp_path: Path) -> None:
    """No release exists when its own commit would have to be written down: the user pins it."""
    workflow = tmp_path / "reciplint.yml"
    workflow.write_text(workflow_text(), encoding="utf-8")
    assert told(tool("actionlint"), f"-shellcheck={tool('shellcheck')}", workflow) == ""
    said = told(tool("zizmor"), *ZIZMOR, "--format=json-v1", workflow)
    found = json.loads(said[said.index("[") : said.rindex("]") + 1])
    assert [finding["ident"] for finding in found] == ["unpinned-uses"]


def test_shellcheck_finds_nothing() -> None:
    scripts = [*SCRIPTS.glob("*.sh"), ".ci/run", "tools/venv", "tests/hooks/try_repo.sh"]
    assert told(tool("shellcheck"), "-x", "-P", "SCRIPTDIR", *scripts) == ""


def test_these_linters_do_find_faults(tmp_path: Path) -> None:
    """One of each kind in a workflow, so that silence above means something."""
    workflow = tmp_path / "workflow.yml"
    faulty = (EXAMPLES / "fork-lint.yml").read_text(encoding="utf-8")
    faulty = faulty.replace("          persist-credentials: false\n", "").replace("id: reciplint", "id: other")
    workflow.write_text(f"{faulty}      - run: echo $HOME/*\n", encoding="utf-8")
    assert "artipacked" in told(tool("zizmor"), *ZIZMOR, workflow)
    said = told(tool("actionlint"), f"-shellcheck={tool('shellcheck')}", workflow)
    assert 'property "reciplint" is not defined' in said
    assert "SC2086" in said


# The scripts.


class Step:
    """A step of the action: a work directory, GitHub's files, and a stand-in for reciplint that notes its words."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.workspace = home / "work space"
        self.outputs_file, self.summary_file, self.words_file = home / "output", home / "summary", home / "words"
        self.temp = home / "runner's temp"
        self.bin = home / "the bin"
        self.action = home / 'it\'s "the" $action'
        self.action.symlink_to(TOP)
        for directory in (self.workspace, self.temp, self.bin):
            directory.mkdir()
        (self.bin / "python").symlink_to(sys.executable)
        self.stub("")

    def stub(self, body: str) -> None:
        """What stands in for reciplint."""
        self.program(f"printf '%s\\0' \"$@\" >{shlex.quote(str(self.words_file))}\n{body}\n")

    def real(self) -> None:
        """reciplint itself."""
        self.program(f'exec {shlex.quote(sys.executable)} -m reciplint "$@"\n')

    def program(self, text: str) -> None:
        file = self.bin / "reciplint"
        file.write_text(f"#!/bin/bash\n{text}", encoding="utf-8")
        file.chmod(0o755)

    def run(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a step as GitHub does, and stricter: unset variables are errors."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "INPUT_"))}
        for file in (self.outputs_file, self.summary_file):
            file.write_bytes(b"")
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-euo", "pipefail", "-c", RUNS[script]],
            cwd=self.workspace,
            env={
                **kept,
                "GITHUB_OUTPUT": str(self.outputs_file),
                "GITHUB_STEP_SUMMARY": str(self.summary_file),
                "GITHUB_ACTION_PATH": str(self.action),
                "RUNNER_TEMP": str(self.temp),
                "RECIPLINT": str(self.bin / "reciplint"),
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def outputs(self) -> dict[str, str]:
        lines = self.outputs_file.read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)

    @property
    def summary(self) -> str:
        return self.summary_file.read_text(encoding="utf-8")

    @property
    def words(self) -> list[str]:
        return self.words_file.read_text(encoding="utf-8").split("\0")[:-1]


@pytest.fixture
def step(tmp_path: Path) -> Step:
    return Step(tmp_path)


HOSTILE = "a b'c\"d$(touch pwned)`touch pwned`;&|*?[x]\\ ::error::é"

# base.sh


def remote_with(directory: Path, branch: str = "main", before: int = 2, after: int = 60) -> tuple[str, str]:
    """A bare repository whose `branch` and `change` parted `after` commits ago; its address and the merge base."""
    made = git_repo(directory / "made")
    (made / "file").write_text("x", encoding="utf-8")
    for number in range(before):
        merge_base = commit(made, {"file": str(number)})
    git(made, "branch", "change")
    for name in ("main", "change"):
        git(made, "checkout", "-q", name)
        tree, tip = git(made, "rev-parse", "HEAD^{tree}"), git(made, "rev-parse", "HEAD")
        for number in range(after):
            tip = git(made, "commit-tree", tree, "-p", tip, "-m", f"{name} {number}")
        git(made, "reset", "-q", "--hard", tip)
    if branch != "main":
        git(made, "branch", "-m", "main", branch)
    git(directory, "clone", "-q", "--bare", str(made), str(directory / "remote.git"))
    return f"file://{directory}/remote.git", merge_base


def clone(step: Step, address: str, *options: str) -> None:
    git(step.home, "clone", "-q", "-b", "change", *options, address, str(step.workspace))


def is_shallow(step: Step) -> bool:
    return git(step.workspace, "rev-parse", "--is-shallow-repository") == "true"


def merge_base(step: Step) -> str:
    return git(step.workspace, "merge-base", step.outputs["commit"], "HEAD")


def test_a_shallow_clone_is_deepened_until_the_merge_base_is_there(step: Step, tmp_path: Path) -> None:
    address, expected = remote_with(tmp_path, before=400)
    clone(step, address, "--depth=1", "--single-branch")
    ran = step.run("base.sh", INPUT_BASE="", GITHUB_BASE_REF="main")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert merge_base(step) == expected
    assert is_shallow(step), "it fetched more than was needed"


def test_a_detached_merge_commit_is_deepened_too(step: Step, tmp_path: Path) -> None:
    """What actions/checkout lays by default: the merge of head and base, alone."""
    address, _ = remote_with(tmp_path)
    bare = tmp_path / "remote.git"
    main = git(bare, "rev-parse", "main")
    merge = git(bare, "commit-tree", "main^{tree}", "-p", main, "-p", "change", "-m", "merge")
    git(bare, "update-ref", "refs/pull/7/merge", merge)
    git(step.workspace, "init", "-q")
    git(step.workspace, "remote", "add", "origin", address)
    git(step.workspace, "fetch", "-q", "--depth=1", "origin", f"+{merge}:refs/remotes/pull/7/merge")
    git(step.workspace, "checkout", "-q", "refs/remotes/pull/7/merge")
    assert step.run("base.sh", INPUT_BASE="", GITHUB_BASE_REF="main").returncode == 0
    assert merge_base(step) == main


@pytest.mark.parametrize("base", ["main", "origin/main", "refs/heads/main", "refs/remotes/origin/main", "SHA"])
def test_a_base_may_be_said_in_many_ways(step: Step, tmp_path: Path, base: str) -> None:
    address, expected = remote_with(tmp_path, after=20)
    tip = git(tmp_path / "remote.git", "rev-parse", "main")
    clone(step, address, "--depth=1", "--single-branch")
    assert step.run("base.sh", INPUT_BASE=tip if base == "SHA" else base).returncode == 0
    assert step.outputs == {"commit": tip}
    assert merge_base(step) == expected


def test_a_full_clone_needs_no_network(step: Step, tmp_path: Path) -> None:
    address, expected = remote_with(tmp_path)
    clone(step, address)
    shutil.rmtree(tmp_path / "remote.git")
    assert step.run("base.sh", INPUT_BASE="", GITHUB_BASE_REF="main").returncode == 0
    assert merge_base(step) == expected


def test_a_full_clone_of_one_branch_does_not_become_shallow(step: Step, tmp_path: Path) -> None:
    address, expected = remote_with(tmp_path, before=200)
    clone(step, address, "--single-branch")
    assert step.run("base.sh", INPUT_BASE="main").returncode == 0
    assert merge_base(step) == expected
    assert not is_shallow(step)


@pytest.mark.parametrize("base", ["", "-"])
def test_without_a_base_everything_is_linted(step: Step, base: str) -> None:
    environment = {"GITHUB_BASE_REF": "main"} if base else {}
    assert step.run("base.sh", INPUT_BASE=base, **environment).returncode == 0
    assert step.outputs == {"commit": ""}


@pytest.mark.parametrize(
    "branch", ["a'b\"c$(touch${IFS}pwned)`touch${IFS}pwned`;&|é", "%0A::error::x", "-x", "::error::x", "@", "a b"]
)
def test_a_branch_of_any_name_is_only_a_name(step: Step, tmp_path: Path, branch: str) -> None:
    legal = " " not in branch and ":" not in branch and branch[0] != "-"
    address, expected = remote_with(tmp_path, branch if legal else "main", after=20)
    clone(step, address, "--depth=1", "--single-branch")
    ran = step.run("base.sh", INPUT_BASE="", GITHUB_BASE_REF=branch)
    assert list(tmp_path.rglob("pwned*")) == []
    if legal:
        assert ran.returncode == 0, ran.stdout
        assert merge_base(step) == expected
    else:
        assert ran.returncode == 2
        assert step.outputs == {}


@pytest.mark.parametrize(
    "base", ["--upload-pack=touch pwned", "+main:refs/heads/x", "*", "^main", "main\n::error::x", "main:x", "no-such"]
)
def test_a_base_that_is_no_name_is_refused(step: Step, tmp_path: Path, base: str) -> None:
    address, _ = remote_with(tmp_path, after=1)
    clone(step, address, "--depth=1", "--single-branch")
    ran = step.run("base.sh", INPUT_BASE=base)
    assert ran.returncode == 2
    assert list(tmp_path.rglob("pwned*")) == []
    commands = [line for line in ran.stdout.splitlines() if line.startswith("::")]
    assert len(commands) == 1
    assert commands[0].startswith("::error title=reciplint::base ")


def test_no_common_history_is_said(step: Step, tmp_path: Path) -> None:
    address, _ = remote_with(tmp_path, after=3)
    bare = tmp_path / "remote.git"
    git(bare, "update-ref", "refs/heads/alien", git(bare, "commit-tree", "main^{tree}", "-m", "alone"))
    clone(step, address, "--depth=1", "--single-branch")
    ran = step.run("base.sh", INPUT_BASE="alien")
    assert ran.returncode == 2
    assert "alien: they share no history" in ran.stdout


def test_deepening_has_an_end(step: Step, tmp_path: Path) -> None:
    """With a remote that answers every fetch and never gives more."""
    address, _ = remote_with(tmp_path, after=40)
    clone(step, address, "--depth=1", "--single-branch")
    real = shutil.which("git")
    (step.bin / "git").write_text(
        f"#!/bin/bash\ncase \" $* \" in *' --deepen='*) echo x >>'{tmp_path}/fetched'; exit 0 ;; esac\n"
        f'exec {real} "$@"\n',
        encoding="utf-8",
    )
    (step.bin / "git").chmod(0o755)
    ran = step.run("base.sh", INPUT_BASE="main", PATH=f"{step.bin}{os.pathsep}{os.environ['PATH']}")
    assert ran.returncode == 2
    assert "in the last 21840 commits: check out with fetch-depth: 0" in ran.stdout
    assert (tmp_path / "fetched").read_text(encoding="utf-8").count("x") == 6


def test_nothing_checked_out_is_said(step: Step) -> None:
    git(step.workspace, "init", "-q")
    ran = step.run("base.sh", INPUT_BASE="main")
    assert ran.returncode == 2
    assert "run actions/checkout" in ran.stdout


# check.sh

NOTHING = {f"INPUT_{name}": "" for name in ("PATHS", "FAIL_ON", "PRESET", "COMMENT", "SARIF", "ARGS")} | {
    "BASE_COMMIT": "",
    "PULL_COMMENT": "false",
}
REPORTS = """
for word; do
  case "$word" in
    json:*) echo '{"counts": {"error": 3, "warning": 4}}' >"${word#json:}" ;;
    markdown:*) echo 'the summary' >"${word#markdown:}" ;;
  esac
done
"""


def test_every_line_of_paths_and_args_is_one_word(step: Step) -> None:
    step.stub(REPORTS)
    given = {"INPUT_PATHS": f"{HOSTILE}\r\n\n--output=x\n  two  ", "INPUT_ARGS": f"--ignore\n{HOSTILE}\n"}
    assert step.run("check.sh", **NOTHING | given).returncode == 0
    words = step.words
    assert words[:3] == ["check", "--ignore", HOSTILE]
    assert words[words.index("--") + 1 :] == [HOSTILE, "--output=x", "  two  "]
    assert list(step.home.rglob("pwned*")) == []


def test_the_reports_cannot_be_moved_by_args(step: Step) -> None:
    step.stub(REPORTS)
    assert step.run("check.sh", **NOTHING | {"INPUT_ARGS": "--format\njson"}).returncode == 0
    assert step.words.index("json") < step.words.index("github")
    refused = step.run("check.sh", **NOTHING | {"INPUT_ARGS": "--"})
    assert refused.returncode == 2


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, []),
        ({"INPUT_PRESET": "enforce"}, ["--preset=enforce"]),
        ({"INPUT_PRESET": "enforce", "INPUT_FAIL_ON": "never"}, ["--preset=enforce", "--fail-on=never"]),
        ({"INPUT_FAIL_ON": HOSTILE, "INPUT_PRESET": HOSTILE}, [f"--preset={HOSTILE}", f"--fail-on={HOSTILE}"]),
    ],
)
def test_what_fails_the_job_is_handed_on(step: Step, given: dict[str, str], expected: list[str]) -> None:
    step.stub(REPORTS)
    assert step.run("check.sh", **NOTHING | given).returncode == 0
    assert [word for word in step.words if word.startswith(("--preset", "--fail-on"))] == expected


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({}, "0"),
        ({"INPUT_PRESET": "advise"}, "0"),
        ({"INPUT_PRESET": "enforce"}, "1"),
        ({"INPUT_PRESET": "enforce", "INPUT_FAIL_ON": "error"}, "0"),
        ({"INPUT_PRESET": "advise", "INPUT_FAIL_ON": "warning"}, "1"),
    ],
)
def test_what_fails_the_job(step: Step, given: dict[str, str], status: str) -> None:
    """With reciplint itself, on a repository that has a warning and no error."""
    step.real()
    shutil.rmtree(step.workspace)
    git_repo(step.workspace, {"a.yaml": "enabled: yes"})
    ran = step.run("check.sh", **NOTHING | given)
    assert ran.returncode == 0, ran.stdout
    assert (step.outputs["errors"], step.outputs["warnings"]) == ("0", "1")
    assert step.outputs["status"] == status


def test_a_preset_that_there_is_not_fails_the_job(step: Step) -> None:
    step.real()
    ran = step.run("check.sh", **NOTHING | {"INPUT_PRESET": "strict\n::error::"})
    assert ran.returncode == 2
    assert [line for line in ran.stdout.splitlines() if not line.startswith("| ")] == [
        "::error title=reciplint::reciplint could not do its job: its log is above"
    ]


def test_comment_is_true_or_false(step: Step) -> None:
    ran = step.run("check.sh", **NOTHING | {"INPUT_COMMENT": "True"})
    assert ran.returncode == 2
    assert len(ran.stdout.splitlines()) == 1
    assert not step.words_file.exists()


def test_counts_report_and_status_are_outputs(step: Step) -> None:
    step.stub(f"{REPORTS}\nexit 1")
    assert step.run("check.sh", **NOTHING | {"INPUT_SARIF": f"{HOSTILE}.sarif"}).returncode == 0
    found = step.outputs
    assert (found["errors"], found["warnings"], found["status"]) == ("3", "4", "1")
    assert json.loads(Path(found["report"]).read_text(encoding="utf-8"))["counts"]["error"] == 3
    assert f"sarif:{HOSTILE}.sarif" in step.words
    assert step.summary == "the summary\n"


def test_the_summary_is_left_to_the_bot_where_it_comments(step: Step) -> None:
    step.stub(REPORTS)
    assert step.run("check.sh", **NOTHING | {"INPUT_COMMENT": "true", "PULL_COMMENT": "true"}).returncode == 0
    assert step.summary == ""
    assert Path(step.outputs["page"]).read_text(encoding="utf-8") == "the summary\n"


def test_no_report_is_an_error(step: Step) -> None:
    step.stub('echo "::error::from a file" >&2; exit 2')
    ran = step.run("check.sh", **NOTHING)
    assert ran.returncode == 2
    assert "\n| ::error::from a file\n" in f"\n{ran.stdout}"
    assert "status" not in step.outputs


def test_a_pull_request_of_hostile_names_is_linted(step: Step) -> None:
    """All scripts in a row with reciplint itself: what the change broke is annotated, and nothing else happens."""
    shutil.rmtree(step.workspace)
    top = f"odd ' $(touch pwned) `x` dir/{'é'}"
    made = git_repo(step.workspace, {f"{top}/{name}": text for name, text in project().items()})
    git(made, "checkout", "-q", "-b", "it's$(touch${IFS}pwned)")
    broken = commit(made, {f"{top}/configs/nvidia-master.yaml": single(runner="b20")})
    step.real()
    assert step.run("base.sh", INPUT_BASE="main").returncode == 0
    given = {"BASE_COMMIT": step.outputs["commit"], "INPUT_PATHS": top, "INPUT_SARIF": "out dir/it's.sarif"}
    ran = step.run("check.sh", **NOTHING | given, GITHUB_REF="refs/pull/12/merge")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert step.outputs["status"] == "1"
    report = json.loads(Path(step.outputs["report"]).read_text(encoding="utf-8"))
    assert (report["base"], report["head"], report["pull_request"]) == (given["BASE_COMMIT"], broken, 12)
    assert "unknown-runner" in {finding["rule"] for finding in report["findings"]}
    assert int(step.outputs["errors"]) == report["counts"]["error"] > 0
    assert re.search(r"^::error file=odd ' \$\(touch pwned\)", ran.stdout, re.MULTILINE)
    assert "unknown-runner" in step.summary
    assert json.loads((step.workspace / "out dir/it's.sarif").read_text(encoding="utf-8"))["runs"]
    impact = json.loads(Path(step.outputs["report"]).with_name("diff.json").read_text(encoding="utf-8"))
    assert (impact["base"], impact["head"]) == (given["BASE_COMMIT"], broken)
    assert list(step.home.rglob("pwned*")) == []


# comment.sh


def pull_request(step: Step, tmp_path: Path, *options: str) -> dict[str, str]:
    """A clone of a pull request's head, and what the step is given."""
    address, _ = remote_with(tmp_path, after=20)
    clone(step, address, *options)
    bare = tmp_path / "remote.git"
    page = tmp_path / "page"
    page.write_text("the lint's page\n", encoding="utf-8")
    return {
        "INPUT_LANG": "en",
        "PULL_BASE": git(bare, "rev-parse", "main~1"),
        "PULL_HEAD": git(bare, "rev-parse", "change"),
        "LINT_PAGE": str(page),
    }


@pytest.mark.parametrize(("status", "warned"), [(0, False), (1, False), (2, True), (70, True)])
def test_the_job_does_not_fail_because_commenting_did(step: Step, tmp_path: Path, status: int, warned: bool) -> None:
    step.stub(f"exit {status}")
    ran = step.run("comment.sh", **pull_request(step, tmp_path) | {"INPUT_LANG": HOSTILE})
    assert ran.returncode == 0
    assert step.words == ["bot", f"--lang={HOSTILE}"]
    assert ran.stdout.startswith("::warning ") is warned
    assert step.summary == "the lint's page\n"


def test_the_bots_page_goes_before_the_lints_and_nothing_is_annotated_twice(step: Step, tmp_path: Path) -> None:
    step.stub('echo "the bot\'s page" >>"$GITHUB_STEP_SUMMARY"; echo "::error::again"; echo "::error::too" >&2')
    ran = step.run("comment.sh", **pull_request(step, tmp_path))
    assert step.summary == "the bot's page\n"
    assert ran.stdout == "| ::error::again\n| ::error::too\n"


def test_the_bot_finds_both_commits_and_their_merge_base(step: Step, tmp_path: Path) -> None:
    """Though the clone holds the head alone, and the base branch has moved on since the event."""
    step.stub('git merge-base "$PULL_BASE" "$PULL_HEAD"')
    given = pull_request(step, tmp_path, "--depth=1", "--single-branch")
    ran = step.run("comment.sh", **given)
    expected = git(tmp_path / "remote.git", "merge-base", "main", "change")
    assert ran.stdout == f"| {expected}\n"


def test_an_event_without_commits_is_refused(step: Step, tmp_path: Path) -> None:
    given = pull_request(step, tmp_path)
    assert step.run("comment.sh", **given | {"PULL_HEAD": "--upload-pack=x"}).returncode == 2


# install.sh

MAKES_AN_ENVIRONMENT = """#!/bin/bash
[[ "$*" == "-I -m venv "* ]] || exit 9
mkdir -p "$4/bin"
cat >"$4/bin/python" <<'END'
#!/bin/bash
printf '%s\\0' "$@" >>"$WORDS"
[[ "$2" == *stamp.py ]] && echo 0123456789ab
exit 0
END
printf '#!/bin/bash\\necho reciplint 0.1.0\\n' >"$4/bin/reciplint"
chmod +x "$4/bin/"*
"""


@pytest.mark.parametrize("version", ["", "0.1.0", "1.0rc1"])
def test_a_release_or_the_actions_own_checkout_is_installed(step: Step, version: str) -> None:
    python = step.home / "python"
    python.write_text(MAKES_AN_ENVIRONMENT, encoding="utf-8")
    python.chmod(0o755)
    ran = step.run("install.sh", INPUT_VERSION=version, PYTHON=str(python), WORDS=str(step.words_file))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    words = step.words
    assert words[:3] == ["-I", "-m", "pip"]
    assert words[6] == (f"reciplint=={version}" if version else str(step.action))
    assert step.outputs == {
        "reciplint": f"{step.temp}/reciplint/venv/bin/reciplint",
        "version": "0.1.0-0123456789ab",
        "cache": f"{step.temp}/reciplint/cache",
    }


@pytest.mark.parametrize("version", ["1.0 --index-url=x", "-r x", "1;touch pwned", "1.0\n::error::x", "@x", "$(x)"])
def test_a_version_is_a_number(step: Step, version: str) -> None:
    python = step.home / "python"
    python.write_text(MAKES_AN_ENVIRONMENT, encoding="utf-8")
    python.chmod(0o755)
    ran = step.run("install.sh", INPUT_VERSION=version, PYTHON=str(python), WORDS=str(step.words_file))
    assert ran.returncode == 2
    assert len(ran.stdout.splitlines()) == 1
    assert not step.words_file.exists()


def test_equal_code_has_equal_times_and_other_code_has_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes one job's cache worth anything in the next: the cache knows its code by these times."""
    home = tmp_path / "reciplint"
    told, digests = [], []
    monkeypatch.setattr("reciplint.__file__", str(home / "__init__.py"))
    for day, text in ((1, "a = 1\n"), (2, "a = 1\n"), (3, "a = 2\n")):
        shutil.rmtree(home, ignore_errors=True)
        for name in ("__init__.py", "rules/one.py"):
            file = home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            os.utime(file, (day, day))
        done = subprocess.run(
            [sys.executable, "-I", str(SCRIPTS / "stamp.py"), str(home)], check=True, capture_output=True, text=True
        )
        told.append(done.stdout)
        digests.append(code_digest())
    assert told[0] == told[1] != told[2]
    assert digests[0] == digests[1] != digests[2]
