"""Repaired files reach the disk whole, or not at all."""

from __future__ import annotations

import os
import re
import resource
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reciplint.fix.write import NotWritten, write_file, write_files


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
        monkeypatch.setattr(os, "access", lambda *_, **__: False)
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
    monkeypatch.setattr(os, "fsync", failing(28, 1))
    assert refused(tmp_path, "a.yaml") == "a.yaml: No space left on device"
    assert (tmp_path / "a.yaml").read_bytes() == b"old"
    assert names(tmp_path) == ["a.yaml"]


# ---- several files, all or none

OLD = {"a.yaml": b"a", "deep/b.yaml": b"b"}
NEW = {"a.yaml": b"A", "deep/b.yaml": b"B", "other/new.yaml": b"N"}


def failing(number: int, nth: int, real: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A function of the system that fails when it is called for the nth time, and does its work before and after."""
    calls = 0

    def function(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth:
            raise OSError(number, os.strerror(number))
        return real(*arguments, **named) if real is not None else None

    return function


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for path, data in OLD.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (tmp_path / "a.yaml").chmod(0o640)
    return tmp_path


def tree(top: Path) -> dict[str, bytes]:
    """Everything below a directory; directories end with a slash and hold nothing."""
    return {
        path.relative_to(top).as_posix() + "/" * path.is_dir(): b"" if path.is_dir() else path.read_bytes()
        for path in top.rglob("*")
    }


def written(top: Path) -> str:
    """What is said when several files are written; "" when they were. Nothing changes when something is said."""
    before = tree(top)
    try:
        write_files(top, NEW, OLD)
    except NotWritten as reason:
        assert tree(top) == before
        return str(reason)
    return ""


def test_several_files_are_written_and_made(top: Path) -> None:
    assert written(top) == ""
    assert tree(top) == {**NEW, "deep/": b"", "other/": b""}
    assert stat.S_IMODE((top / "a.yaml").stat().st_mode) == 0o640
    umask = os.umask(0o022)
    os.umask(umask)
    assert stat.S_IMODE((top / "other/new.yaml").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_disk_that_is_full_at_any_file_changes_none(top: Path, monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
    monkeypatch.setattr(os, "fsync", failing(28, nth, os.fsync))
    assert written(top) == f"{sorted(NEW)[nth - 1]}: No space left on device; none of the 3 files was changed"


def test_a_write_that_the_system_cuts_short_changes_nothing(top: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = tree(top)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, limits[1]))
    try:
        with pytest.raises(NotWritten) as error:
            write_files(top, {"a.yaml": b"A", "deep/b.yaml": bytes(1 << 20)}, OLD)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert str(error.value) == "deep/b.yaml: File too large; none of the 2 files was changed"
    assert tree(top) == before


@pytest.mark.parametrize(("name", "nth"), [("replace", 1), ("replace", 2), ("link", 3)])
def test_a_name_that_cannot_be_given_takes_all_back(
    top: Path, monkeypatch: pytest.MonkeyPatch, name: str, nth: int
) -> None:
    monkeypatch.setattr(os, name, failing(5, nth, getattr(os, name)))
    if name == "link":  # the first two keep the old texts; without links a new file is renamed
        monkeypatch.setattr(os, "rename", failing(5, 1))
    path = "other/new.yaml" if name == "link" else sorted(OLD)[nth - 1]
    assert written(top) == f"{path}: Input/output error; none of the 3 files was changed"
    assert stat.S_IMODE((top / "a.yaml").stat().st_mode) == 0o640


def test_a_file_system_without_links_does_as_well(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*paths: Any, **at: Any) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", failing(5, 1))
        assert written(top) == "other/new.yaml: Input/output error; none of the 3 files was changed"
    assert written(top) == ""
    assert tree(top) == {**NEW, "deep/": b"", "other/": b""}


def test_an_old_text_that_cannot_be_put_back_is_kept_and_named(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, calls = os.replace, 0

    def once(*paths: Any, **at: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(5, "Input/output error")
        replace(*paths, **at)

    monkeypatch.setattr(os, "replace", once)
    with pytest.raises(NotWritten) as error:
        write_files(top, NEW, OLD)
    told = re.fullmatch(
        r"deep/b\.yaml: Input/output error; (.*); a\.yaml is changed and could not be put back \(Input/output error\), "
        r"its old text is in (\S+)",
        str(error.value),
    )
    assert told is not None
    assert (top / told[2]).read_bytes() == b"a"
    assert (top / "deep/b.yaml").read_bytes() == b"b"


def test_ctrl_c_while_writing_changes_nothing(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, fsync = tree(top), os.fsync

    def interrupted(descriptor: int) -> None:
        fsync(descriptor)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files(top, NEW, OLD)
    assert tree(top) == before


def test_ctrl_c_while_names_are_given_waits_until_all_have_them(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def interrupted(*paths: Any, **at: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        replace(*paths, **at)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files(top, NEW, OLD)
    assert tree(top) == {**NEW, "deep/": b"", "other/": b""}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("path", sorted(OLD))
def test_a_file_that_changes_while_others_are_written_keeps_its_text(
    top: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    fsync = os.fsync

    def edited(descriptor: int) -> None:
        fsync(descriptor)
        (top / path).write_bytes(b"edited")

    monkeypatch.setattr(os, "fsync", edited)
    with pytest.raises(NotWritten) as error:
        write_files(top, NEW, OLD)
    assert str(error.value) == f"{path} changed while it was checked; none of the 3 files was changed"
    assert tree(top) == {**OLD, path: b"edited", "deep/": b""}


def test_a_new_file_is_written_over_none(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (top / "other").mkdir()
    (top / "other/new.yaml").write_bytes(b"mine")
    assert written(top) == "other/new.yaml has come into being meanwhile; none of the 3 files was changed"
    (top / "other/new.yaml").unlink()
    link = os.link

    def late(*paths: Any, **at: Any) -> None:
        if paths[1] == "new.yaml":
            (top / "other/new.yaml").write_bytes(b"mine")
        link(*paths, **at)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(NotWritten, match="has come into being meanwhile"):
        write_files(top, NEW, OLD)
    assert tree(top) == {**OLD, "deep/": b"", "other/": b"", "other/new.yaml": b"mine"}


def test_new_directories_are_made_below_no_link(top: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (top / "other").symlink_to(outside)
    assert written(top) == (
        "other/new.yaml is a link or leads outside of the repository; none of the 3 files was changed"
    )
    assert list(outside.iterdir()) == []


def test_a_directory_that_becomes_a_link_meanwhile_leads_nowhere_else(
    top: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside, fsync = tmp_path_factory.mktemp("outside"), os.fsync
    (outside / "b.yaml").write_bytes(b"b")

    calls = 0

    def swapped(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        fsync(descriptor)
        if calls == 2:  # deep/b.yaml waits for its name
            (top / "deep").rename(top / "moved")
            (top / "deep").symlink_to(outside)

    monkeypatch.setattr(os, "fsync", swapped)
    write_files(top, NEW, OLD)
    assert (outside / "b.yaml").read_bytes() == b"b"
    assert (top / "moved/b.yaml").read_bytes() == b"B"


def test_a_read_only_directory_is_left_alone(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (top / "deep").chmod(0o555)
    if os.access(top / "deep", os.W_OK):  # root may write anywhere
        opened, deep = os.open, (top / "deep").stat()

        def refusing(path: Any, flags: int, *mode: int, **at: Any) -> int:
            if flags & os.O_CREAT and os.path.samestat(os.fstat(at["dir_fd"]), deep):
                raise OSError(13, os.strerror(13))
            return opened(path, flags, *mode, **at)

        monkeypatch.setattr(os, "open", refusing)
    assert written(top) == "deep/b.yaml: Permission denied; none of the 3 files was changed"
