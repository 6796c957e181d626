"""Git, as reciplint asks it: names of every kind, history that is short or missing, and clear refusals."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reciplint.repo.git import Git, GitError
from support import commit, git, git_repo


def found(directory: Path) -> Git:
    repository = Git.find(directory)
    assert repository is not None
    return repository


def test_the_top_is_found_from_below(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a/b/c.yaml": "x: 1\n"})
    assert found(top / "a" / "b").top == top
    assert Git.find(tmp_path) is None


def test_a_directory_that_is_not_there_and_a_file_in_its_place(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="no such directory"):
        Git.find(tmp_path / "gone")
    (tmp_path / "file").touch()
    with pytest.raises(GitError, match="not a directory"):
        Git.find(tmp_path / "file")


def test_a_missing_git_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git is not installed"):
        Git.find(tmp_path)


def test_commits_by_any_name(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": ""})
    git(top, "tag", "-a", "v1", "-m", "one")
    head = git(top, "rev-parse", "HEAD")
    assert [found(top).commit(name) for name in ("HEAD", "main", "v1", head[:8])] == [head] * 4
    assert found(top).head() == head


@pytest.mark.parametrize("name", ["gone", "--all", "-n1", "HEAD~5", "HEAD:a.yaml", "", "a b"])
def test_an_unknown_revision_is_named(tmp_path: Path, name: str) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": ""})
    with pytest.raises(GitError, match="no commit is called") as error:
        found(top).commit(name)
    assert repr(name) in str(error.value)
    assert "shallow" not in str(error.value)


def test_an_unborn_head_is_none_and_its_files_are_listed(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top")
    (top / "new.yaml").write_text("x: 1\n")
    assert found(top).head() is None
    assert found(top).working_files() == ["new.yaml"]


def test_a_shallow_clone_says_what_to_fetch(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": "x: 1\n"})
    first = git(top, "rev-parse", "HEAD")
    commit(top, {"a.yaml": "x: 2\n"})
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{top}", "shallow")
    shallow = found(tmp_path / "shallow")
    assert shallow.is_shallow()
    with pytest.raises(GitError, match=r"git fetch --deepen=200 origin, or fetch-depth: 0"):
        shallow.commit(first)


def test_merge_bases(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": "x: 1\n"})
    first = git(top, "rev-parse", "HEAD")
    git(top, "checkout", "-q", "-b", "side")
    side = commit(top, {"b.yaml": ""})
    git(top, "checkout", "-q", "main")
    main = commit(top, {"c.yaml": ""})
    git(top, "checkout", "-q", "--orphan", "island")
    island = commit(top, {"d.yaml": ""})
    assert found(top).merge_base(main, side) == first
    assert found(top).merge_base(main, island) is None


def test_the_date_of_a_commit_is_its_day_in_utc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": ""})
    monkeypatch.setitem(os.environ, "GIT_AUTHOR_DATE", "2026-08-20T23:30:00-05:00")
    monkeypatch.setattr(
        "support._IDENTITY", {**git.__globals__["_IDENTITY"], "GIT_COMMITTER_DATE": "2026-08-20T23:30:00-05:00"}
    )
    monkeypatch.setenv("TZ", "America/Chicago")
    late = commit(top, {"b.yaml": ""})
    assert found(top).committed_on(late) == "2026-08-21"


ODD = ["a b.yaml", "tab\t.yaml", "line\nbreak.yaml", 'quote".yaml', "ünïcode/日本.yaml", "-dash.yaml", "star*.yaml"]


def test_names_of_every_kind(tmp_path: Path) -> None:
    """Every list is NUL-separated: a name may hold anything but NUL."""
    top = git_repo(tmp_path / "top", {name: f"x: {number}\n" for number, name in enumerate(ODD)})
    raw = os.fsencode(top) + b"/byte\xff.yaml"
    Path(os.fsdecode(raw)).write_bytes(b"x: 1\n")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "odd")
    names = sorted([*ODD, os.fsdecode(b"byte\xff.yaml")])
    assert found(top).working_files() == names
    assert sorted(file.path for file in found(top).tree("HEAD")) == names


def test_working_files_are_the_tracked_and_the_untracked_but_not_the_ignored(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {".gitignore": "ignored.yaml\n", "sub/tracked.yaml": ""})
    for name in ("ignored.yaml", "sub/new.yaml"):
        (top / name).touch()
    assert found(top / "sub").working_files() == [".gitignore", "sub/new.yaml", "sub/tracked.yaml"]


def test_links_and_submodules_are_no_files_of_a_revision(tmp_path: Path) -> None:
    inner = git_repo(tmp_path / "inner", {"a.yaml": ""})
    top = git_repo(tmp_path / "top", {"a.yaml": ""})
    (top / "link.yaml").symlink_to("a.yaml")
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "inner")
    commit(top, {"run.sh": "true\n"})
    assert sorted(file.path for file in found(top).tree("HEAD")) == [".gitmodules", "a.yaml", "run.sh"]


def test_renames_between_commits_and_to_the_working_tree(tmp_path: Path) -> None:
    text = "".join(f"key-{number}: {number}\n" for number in range(30))
    top = git_repo(tmp_path / "top", {"old.yaml": text, "gone.yaml": "x: 1\n"})
    git(top, "mv", "old.yaml", "new name.yaml")
    (top / "new name.yaml").write_text(text + "more: 1\n")
    git(top, "rm", "-q", "gone.yaml")
    assert found(top).renames("HEAD", None) == {"new name.yaml": "old.yaml"}
    moved = commit(top, {})
    assert found(top).renames("HEAD~1", moved) == {"new name.yaml": "old.yaml"}


def test_settings_of_the_user_change_no_answer(tmp_path: Path) -> None:
    text = "".join(f"key-{number}: {number}\n" for number in range(30))
    top = git_repo(tmp_path / "top", {"old.yaml": text})
    for name, value in (
        ("diff.renames", "false"),
        ("diff.noprefix", "true"),
        ("core.quotePath", "true"),
        ("status.showUntrackedFiles", "no"),
    ):
        git(top, "config", name, value)
    git(top, "mv", "old.yaml", "ü.yaml")
    (top / "sub").mkdir()
    (top / "sub" / "new.yaml").touch()
    assert found(top).renames("HEAD", None) == {"ü.yaml": "old.yaml"}
    assert found(top).working_files() == ["sub/new.yaml", "ü.yaml"]


def test_blobs_in_order_and_only_the_size_of_large_ones(tmp_path: Path) -> None:
    contents = {f"{number:03}.yaml": f"x: {number}\n" * (number + 1) for number in range(200)}
    top = git_repo(tmp_path / "top", {**contents, "big.yaml": "#" * 3_000_000, "empty.yaml": ""})
    files = found(top).tree("HEAD")
    read = dict(
        zip((file.path for file in files), found(top).blobs([file.blob for file in files], 1 << 20), strict=True)
    )
    assert read.pop("big.yaml") == 3_000_000
    assert read.pop("empty.yaml") == b""
    assert read == {name: text.encode() for name, text in contents.items()}


def test_a_missing_blob_is_said(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": ""})
    with pytest.raises(GitError, match=r"blob 0123.* is missing \(a partial or damaged clone\)"):
        list(found(top).blobs(["0123" * 10], 100))


def test_nothing_in_the_repository_is_changed(tmp_path: Path) -> None:
    """Not even the index is refreshed, which would disturb whoever else works there."""
    top = git_repo(tmp_path / "top", {"a.yaml": "x: 1\n"})
    os.utime(top / "a.yaml", (1, 1))
    before = (top / ".git" / "index").read_bytes()
    found(top).working_files()
    found(top).renames("HEAD", None)
    assert (top / ".git" / "index").read_bytes() == before
