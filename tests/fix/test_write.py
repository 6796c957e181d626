"""Repaired files reach the disk whole, or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from reciplint.fix.write import NotWritten, write_file


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"old")
    file.chmod(0o640)
    write_file(tmp_path, "a.yaml", b"old", b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert names(tmp_path) == ["a.yaml"]


def refused(root: Path, path: str, before: bytes = b"old") -> str:
    with pytest.raises(NotWritten) as error:
        write_file(root, path, before, b"new")
    return str(error.value)


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"changed by an editor")
    assert refused(tmp_path, "a.yaml") == "a.yaml changed while it was checked"
    assert (tmp_path / "a.yaml").read_bytes() == b"changed by an editor"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target.yaml").write_bytes(b"old")
    (tmp_path / "a.yaml").symlink_to("target.yaml")
    assert refused(tmp_path, "a.yaml") == "a.yaml is a link or leads outside of the repository"
    assert (tmp_path / "target.yaml").read_bytes() == b"old"


def test_a_linked_directory_that_leads_outside_is_not_entered(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (outside / "a.yaml").write_bytes(b"old")
    (root / "linked").symlink_to(outside)
    assert refused(root, "linked/a.yaml") == "linked/a.yaml is a link or leads outside of the repository"
    assert refused(root, "../outside/a.yaml") == "../outside/a.yaml is a link or leads outside of the repository"
    assert (outside / "a.yaml").read_bytes() == b"old"


def test_a_read_only_file_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"old")
    file.chmod(0o444)
    if os.access(file, os.W_OK):  # root may write anything
        monkeypatch.setattr(os, "access", lambda *_: False)
    assert refused(tmp_path, "a.yaml") == "a.yaml is read-only"
    assert file.read_bytes() == b"old"


def test_what_is_no_file_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    assert refused(tmp_path, "a.yaml") == "a.yaml is no regular file"
    assert refused(tmp_path, "pipe.yaml") == "pipe.yaml is no regular file"
    assert refused(tmp_path, "gone.yaml") == "gone.yaml: No such file or directory"


def test_a_disk_that_refuses_leaves_the_old_file_and_no_debris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yaml").write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert refused(tmp_path, "a.yaml") == "a.yaml: No space left on device"
    assert (tmp_path / "a.yaml").read_bytes() == b"old"
    assert names(tmp_path) == ["a.yaml"]
