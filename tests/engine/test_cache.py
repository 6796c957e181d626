"""The cache: keyed by code and content, shared between processes, and never a reason to fail."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from reciplint.engine import cache as module
from reciplint.engine.cache import Cache, cache_file, clear_cache
from reciplint.engine.registry import all_rules
from support import RULES, outcome, project


def test_what_is_stored_is_found_again_by_another(tmp_path: Path) -> None:
    one = Cache(tmp_path / "deep" / "facts.sqlite")
    key = one.key("a", "b")
    one.store({key: b"value"})
    one.close()
    assert Cache(tmp_path / "deep" / "facts.sqlite").fetch([key, b"other"]) == {key: b"value"}


def test_keys_part_what_differs() -> None:
    cache = Cache(None)
    assert cache.key("ab", "c") != cache.key("a", "bc")
    assert cache.key("a") != cache.key("a", "")


def test_a_key_changes_with_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Cache(tmp_path / "facts.sqlite").key("a")
    assert Cache(tmp_path / "facts.sqlite").key("a") == before
    monkeypatch.setattr(module, "code_digest", lambda: b"another version")
    assert Cache(tmp_path / "facts.sqlite").key("a") != before


def test_the_digest_of_the_code_sees_every_room_that_makes_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in ("yamltree", "repo", "domain", "rules", "engine"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "a.py").write_text("")
    monkeypatch.setattr(module.reciplint, "__file__", str(tmp_path / "__init__.py"))
    seen = {module.code_digest()}
    for room in ("yamltree", "repo", "domain", "rules", "engine"):
        (tmp_path / room / "a.py").write_text("# changed\n")
        seen.add(module.code_digest())
    assert len(seen) == 6


@pytest.mark.parametrize(
    "damage", [b"not a database at all, and longer than a header of one hundred bytes" * 4, b"\0" * 4096, b"x"]
)
def test_a_damaged_file_is_replaced(tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "facts.sqlite"
    file.write_bytes(damage)
    cache = Cache(file)
    key = cache.key("a")
    assert cache.fetch([key]) == {}
    cache.store({key: b"value"})
    cache.close()
    Cache(file).fetch([key])


def test_a_file_damaged_in_its_middle_costs_only_its_contents(tmp_path: Path) -> None:
    file = tmp_path / "facts.sqlite"
    cache = Cache(file)
    keys = [cache.key(str(number)) for number in range(500)]
    cache.store(dict.fromkeys(keys, b"v" * 200))
    cache.close()
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)
    broken = Cache(file)
    assert broken.fetch(keys) == {}
    broken.store({keys[0]: b"value"})


def test_a_table_of_another_shape_is_no_reason_to_fail(tmp_path: Path) -> None:
    file = tmp_path / "facts.sqlite"
    with sqlite3.connect(file) as connection:
        for table in ("entry", "facts"):
            connection.execute(f"CREATE TABLE {table} (something TEXT)")
    cache = Cache(file)
    assert cache.fetch([b"a"]) == {}
    cache.store({b"a": b"value"})


@pytest.mark.parametrize("obstacle", ["file in place of the directory", "directory in place of the file", "read-only"])
def test_where_nothing_can_be_written_nothing_is_cached(tmp_path: Path, obstacle: str) -> None:
    place = tmp_path / "place"
    file = place / "facts.sqlite"
    if obstacle.startswith("file"):
        place.touch()
    elif obstacle.startswith("directory"):
        file.mkdir(parents=True)
    else:
        place.mkdir()
        place.chmod(0o500)
    cache = Cache(file)
    cache.store({b"a": b"value"})
    assert cache.fetch([b"a"]) in ({}, {b"a": b"value"})  # root writes into a read-only directory
    cache.close()


def test_a_locked_file_is_not_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "facts.sqlite"
    Cache(file).close()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    cache = Cache(file)
    cache.store({b"a": b"value"})
    assert cache.fetch([b"a"]) == {}
    assert time.monotonic() - began < 5
    other.execute("ROLLBACK")
    other.close()


_WRITER = """
import sys
from pathlib import Path
from reciplint.engine.cache import Cache
for number in range(20):
    cache = Cache(Path(sys.argv[1]))
    keys = [cache.key(str(number), str(index)) for index in range(50)]
    cache.store({key: key * 10 for key in keys})
    assert all(value == key * 10 for key, value in cache.fetch(keys).items())
    cache.close()
"""


def test_several_processes_share_one_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(tmp_path / "facts.sqlite")]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(4)]
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [(b"", 0)] * 4
    with sqlite3.connect(tmp_path / "facts.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_writer_that_dies_leaves_no_half_of_its_entries(tmp_path: Path) -> None:
    file = tmp_path / "facts.sqlite"
    cache = Cache(file)
    entries = {cache.key(str(number)): b"v" for number in range(10)}

    class Dies(dict[bytes, bytes]):
        def items(self):  # type: ignore[no-untyped-def, override]
            yield from list(super().items())[:5]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.store(Dies(entries))
    assert Cache(file).fetch(entries) == {}


def test_what_nobody_used_for_a_month_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "facts.sqlite")
    now = time.time()
    for day, key in ((0, b"old"), (29, b"late")):
        monkeypatch.setattr(time, "time", lambda day=day: now + day * 86400)
        cache.store({key: b"value"})
    monkeypatch.setattr(time, "time", lambda: now + 31 * 86400)
    cache.store({b"new": b"value"})
    assert set(cache.fetch([b"old", b"late", b"new"])) == {b"late", b"new"}


def test_use_keeps_an_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "facts.sqlite")
    now = time.time()
    cache.store({b"used": b"value"})
    monkeypatch.setattr(time, "time", lambda: now + 20 * 86400)
    cache.fetch([b"used"])
    monkeypatch.setattr(time, "time", lambda: now + 40 * 86400)
    cache.store({b"new": b"value"})
    assert cache.fetch([b"used"]) == {b"used": b"value"}


def test_a_file_grown_too_large_starts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECIPLINT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(module, "_MOST_BYTES", 50_000)
    Cache(cache_file()).store({b"big": b"v" * 100_000})
    assert not cache_file().exists()
    cache = Cache(cache_file())
    cache.store({b"small": b"v"})
    assert cache.fetch([b"small"]) == {b"small": b"v"}


def test_more_keys_than_one_question_may_hold(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "facts.sqlite")
    entries = {cache.key(str(number)): str(number).encode() for number in range(3000)}
    cache.store(entries)
    assert cache.fetch(entries) == entries


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RECIPLINT_CACHE_DIR", str(tmp_path))
    assert cache_file() == tmp_path / "facts.sqlite"
    monkeypatch.delenv("RECIPLINT_CACHE_DIR")
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert cache_file() == tmp_path / "xdg" / "reciplint" / "facts.sqlite"
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert cache_file() == tmp_path / ".cache" / "reciplint" / "facts.sqlite"


def test_clearing_removes_the_file_and_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RECIPLINT_CACHE_DIR", str(tmp_path))
    Cache(cache_file()).store({b"a": b"v"})
    assert clear_cache() == [tmp_path / "facts.sqlite"]
    assert list(tmp_path.iterdir()) == []
    assert clear_cache() == []


def test_a_run_from_the_cache_finds_what_a_run_without_finds(tmp_path: Path) -> None:
    files = {**project(runners="labels:\n  b200: [a]\n"), "a.yaml": "x: 1\nx: 2\n", "b.yaml": "x: 1\nx: 2\n"}
    plain = outcome(files)
    cache = Cache(tmp_path / "facts.sqlite")
    cold, warm = outcome(files, cache=cache), outcome(files, cache=cache)
    assert plain.findings == cold.findings == warm.findings
    assert {item.finding.path for item in warm.findings} == {"a.yaml", "b.yaml", "configs/nvidia-master.yaml"}


class Nonsense(Cache):
    """A cache that holds something else under every key."""

    def fetch(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        return dict.fromkeys(keys, b"\x93nonsense")


def test_an_entry_of_another_shape_is_read_anew() -> None:
    found = outcome({"a.yaml": "x: 1\nx: 2\n"}, cache=Nonsense(None)).findings
    assert [item.finding.rule for item in found] == ["duplicate-key"]
    assert sorted(all_rules(Nonsense(None))) == sorted(RULES)


def test_options_of_a_rule_are_part_of_the_key(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "facts.sqlite")
    files: dict[str, str | bytes] = {"a.yaml": f"text: {'x' * 200}\n"}
    assert outcome(files, cache=cache).findings == ()
    smaller = {**files, ".reciplint.yaml": "limits: {file-bytes: 100}\n"}
    assert [item.finding.message_id for item in outcome(smaller, cache=cache).findings] == ["too-large"]
