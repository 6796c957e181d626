"""Files at one moment: of a revision, of the disk, and in memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reciplint.repo.git import Git
from reciplint.repo.snapshot import Directory, Memory, Revision, UnreadableFile, blob_id
from support import commit, git, git_repo, shut, write

LIMIT = 1000


def found(top: Path) -> Git:
    repository = Git.find(top)
    assert repository is not None
    return repository


def test_a_blob_id_is_the_one_of_git(tmp_path: Path) -> None:
    top = git_repo(tmp_path, {"a.yaml": "x: ü\n", "empty.yaml": ""})
    assert blob_id("x: ü\n".encode()) == git(top, "rev-parse", "HEAD:a.yaml")
    assert blob_id(b"") == git(top, "rev-parse", "HEAD:empty.yaml")


def test_a_revision_is_read_without_a_checkout(tmp_path: Path) -> None:
    top = git_repo(tmp_path, {"a.yaml": "x: 1\n", "b.yaml": "#" * (LIMIT + 1)})
    first = git(top, "rev-parse", "HEAD")
    commit(top, {"a.yaml": "x: 2\n", "c.yaml": ""})
    revision = Revision(found(top), first, LIMIT)
    assert revision.commit == first
    assert revision.paths() == ["a.yaml", "b.yaml"]
    read = revision.read(["b.yaml", "a.yaml", "c.yaml"])
    assert {path: content.data for path, content in read.items()} == {"b.yaml": b"", "a.yaml": b"x: 1\n"}
    assert read["b.yaml"].size == LIMIT + 1
    assert revision.blob_ids(["a.yaml", "gone"]) == {"a.yaml": blob_id(b"x: 1\n")}


def test_the_working_tree_is_what_lies_on_the_disk(tmp_path: Path) -> None:
    top = git_repo(tmp_path, {".gitignore": "no.yaml\n", "a.yaml": "x: 1\n", "gone.yaml": "x: 1\n"})
    write(top, {"a.yaml": "x: 2\n", "new.yaml": "", "no.yaml": ""})
    (top / "gone.yaml").unlink()
    tree = Directory.working_tree(found(top), LIMIT)
    assert tree.commit is None
    assert tree.paths() == [".gitignore", "a.yaml", "gone.yaml", "new.yaml"]
    assert {path: content.data for path, content in tree.read(tree.paths()).items()} == {
        ".gitignore": b"no.yaml\n",
        "a.yaml": b"x: 2\n",
        "new.yaml": b"",
    }


def test_a_file_is_read_once(tmp_path: Path) -> None:
    """A finding and its fix must speak of the same bytes, though an editor writes in between."""
    write(tmp_path, {"a.yaml": "x: 1\n"})
    tree = Directory.plain(tmp_path, LIMIT)
    assert tree.read(["a.yaml"])["a.yaml"].data == b"x: 1\n"
    write(tmp_path, {"a.yaml": "x: 2\n"})
    assert tree.read(["a.yaml"])["a.yaml"].data == b"x: 1\n"
    assert tree.blob_ids(["a.yaml"]) == {"a.yaml": blob_id(b"x: 1\n")}


def test_a_plain_directory_is_walked_without_tools_and_links(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "", "sub/b.yaml": "", "node_modules/c.yaml": "", ".git/d.yaml": "", ".venv/e.yaml": ""})
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "link.yaml").symlink_to("a.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    tree = Directory.plain(tmp_path, LIMIT)
    assert sorted(tree.read(tree.paths())) == ["a.yaml", "sub/b.yaml"]


def test_a_large_file_is_not_read_but_recognised(tmp_path: Path) -> None:
    with (tmp_path / "big.yaml").open("wb") as file:
        file.truncate(1 << 34)
    content = Directory.plain(tmp_path, LIMIT).read(["big.yaml"])["big.yaml"]
    assert (content.data, content.size) == (b"", 1 << 34)
    assert content.blob == Directory.plain(tmp_path, LIMIT).read(["big.yaml"])["big.yaml"].blob


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "", "shut/b.yaml": ""})
    shut(tmp_path / "a.yaml")
    with pytest.raises(UnreadableFile, match=r"a\.yaml: Permission denied"):
        Directory.plain(tmp_path, LIMIT).read(["a.yaml"])
    shut(tmp_path / "shut")
    with pytest.raises(UnreadableFile, match="shut: Permission denied"):
        Directory.plain(tmp_path, LIMIT)
    (tmp_path / "shut").chmod(0o700)


def test_memory_lies_over_what_is_below() -> None:
    below = Memory({"a.yaml": b"x: 1\n", "b.yaml": b"x: 1\n"})
    above = Memory({"b.yaml": b"x: 2\n", "c.yaml": b""}, below)
    assert above.paths() == ["a.yaml", "b.yaml", "c.yaml"]
    assert {path: content.data for path, content in above.read(["b.yaml", "a.yaml", "d.yaml"]).items()} == {
        "a.yaml": b"x: 1\n",
        "b.yaml": b"x: 2\n",
    }
    assert above.blob_ids(["b.yaml"]) == {"b.yaml": blob_id(b"x: 2\n")}
