"""Shell read unrun: words, variables, every way through conditions, and where each letter is written."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reciplint.domain.serving.config import Source
from reciplint.domain.serving.shell import MAX_WORLDS, Command, read_commands
from reciplint.yamltree.spans import LineIndex


def commands(text: str, name: str = "run") -> list[Command]:
    found, _ = read_commands(Source("x.sh", LineIndex(text)), text)
    return [command for command in found if command.words[0].text == name]


def words(text: str) -> list[str]:
    return [word.text for word in commands(text)[0].words[1:]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('run a \'b  c\' "d\\"e\\n" f\\ g', ["a", "b  c", 'd"e\\n', "f g"]),
        ("run --a \\\n  --b=1 # c\n", ["--a", "--b=1"]),
        ("X='1 2'\nrun $X \"$X\" x${X}y", ["1", "2", "1 2", "x1", "2y"]),
        ('A=(--x 1)\nA+=(--y)\nrun "${A[@]}" z', ["--x", "1", "--y", "z"]),
        ('A=()\nrun "${A[@]}" z', ["z"]),
        ("run ${N:-8} ${E:-'a b'} ${F:+--f}", ["8", "a b"]),
        ("N=3\nrun ${N:-8} ${N:+--f} $((N * 2 + 1))", ["3", "--f", "7"]),
        ('run "$(seq -s, 1 4),$(seq -s, 6 2 10)"', ["1,2,3,4,6,8,10"]),
        ('run "$(nproc)" $1 "$U  $V"', ["$(nproc)", "${1}", "${U}  ${V}"]),
        ("A=1 B=2\nrun $A$B", ["12"]),
        ("X=a\nX+=b\nunset Y\nrun $X", ["ab"]),
        ("run $'a\\tb' \"é$X\" ü", ["a\tb", "é${X}", "ü"]),
        ('run "" x', ["", "x"]),
    ],
)
def test_words_are_what_bash_would_make_of_them(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_every_letter_remembers_where_it_is_written() -> None:
    text = 'é=1\nROLE=kv_producer\nX="{\\"kv_role\\":\\"$ROLE\\"}"\nrun --config "$X"\n'
    value = commands(text)[0].words[2]
    assert value.text == '{"kv_role":"kv_producer"}'
    start = value.text.index("kv_producer")
    place = value.place_at(start, start + len("kv_producer"))
    assert place is not None
    assert (place.span.line, place.span.column, place.span.end_column) == (2, 6, 17)
    key = value.place_at(2, 9)
    assert key is not None
    assert (key.span.line, key.span.column) == (3, 7)


def test_a_case_is_followed_arm_by_arm_and_remembered() -> None:
    text = """
ROLE=${1:?role}
case "$ROLE" in
  prefill) N=1 ;;
  decode|d) N=2 ;;
  *) exit 1 ;;
esac
if [ "$ROLE" = prefill ]; then N=9; fi
run $N
"""
    found = [(command.words[1].text, [tuple(item) for item in command.selectors]) for command in commands(text)]
    assert found == [("9", [("ROLE", "prefill")]), ("2", [("ROLE", "decode")]), ("2", [("ROLE", "d")])]


def test_a_condition_that_changes_nothing_leaves_one_way() -> None:
    assert len(commands('if [ -n "$DEBUG" ]; then echo on; fi\nrun x')) == 1


def test_the_same_open_condition_is_not_taken_both_ways() -> None:
    text = "[[ $A -gt 1 ]] && X=1\nif [[ $A -gt 1 ]]; then Y=1; else Y=2; fi\nrun ${X:-0} $Y"
    assert {tuple(word.text for word in command.words[1:]) for command in commands(text)} == {("1", "1"), ("0", "2")}


@pytest.mark.parametrize(
    ("condition", "taken"),
    [
        ('[ "$K" = v ]', True),
        ("[[ $K == v* ]]", True),
        ("[[ $K != v ]]", False),
        ('[ -z "$K" ]', False),
        ('test -n "$K"', True),
        ('! test "$K" = v', False),
        ('[ "$K" = v ] && [ "$K" != w ]', True),
        ('[ "$K" = w ] || false', False),
    ],
)
def test_known_conditions_are_decided(condition: str, taken: bool) -> None:
    found = commands(f"K=v\nif {condition}; then run yes; elif true; then run no; fi")
    assert [command.words[1].text for command in found] == ["yes" if taken else "no"]


def test_the_environment_is_what_was_exported_and_what_stands_in_front() -> None:
    text = 'A=1\nexport A B="$A" C\nexport -n D\nE=5 F="x y" run'
    env = [(item.name, item.value.text, item.place.span.line) for item in commands(text)[0].env]
    assert env == [("A", "1", 2), ("B", "1", 2), ("C", "${C}", 2), ("E", "5", 4), ("F", "x y", 4)]


def test_assignments_on_a_line_of_their_own_are_not_the_next_commands() -> None:
    (command,) = commands("A=1 B=2\nrun $A")
    assert command.env == ()


@pytest.mark.parametrize("text", ["exec run a\nrun b", "exit\nrun b", "if true; then exit 1; fi\nrun b"])
def test_nothing_runs_after_the_end(text: str) -> None:
    assert "b" not in [word.text for command in commands(text) for word in command.words]


@pytest.mark.parametrize("text", ['eval "run --n $N"', "srun -n 1 bash -c 'run --n ${N}'", "f() { run --n $N; }\nf"])
def test_scripts_within_words_and_functions_are_read(text: str) -> None:
    found = commands(f"N=4\n{text}")
    assert words_of(found) == [["--n", "4"]] or words_of(found) == [["--n", "4"]] * len(found)
    assert found[0].place.span.line == 2


def words_of(found: list[Command]) -> list[list[str]]:
    return [[word.text for word in command.words[1:]] for command in found]


def test_loops_and_redirections_are_followed() -> None:
    text = "for i in 1 2; do run $i > log.$i 2>&1 & done\nwhile read x; do run w; done < f\n"
    assert words_of(commands(text)) == [["${i}"], ["w"]]


def test_a_script_of_many_open_conditions_is_read_in_bounded_time() -> None:
    branches = "".join(f'if [ "$V{n}" = on ]; then A+=(--v{n}); fi\n' for n in range(40))
    began = time.perf_counter()
    found = commands(branches * 4 + 'run "${A[@]}"')
    assert 1 <= len(found) <= MAX_WORLDS
    assert time.perf_counter() - began < 20


def test_deep_nesting_ends() -> None:
    assert commands("if true; then " * 300 + "run x" + "; fi" * 300) == []


def pieces() -> Iterator[str]:
    yield from ("run", "if", "then", "fi", "case", "esac", "$(", ")", "${A", "}", '"', "'", "\\", "\n", "A=", "é", "[[")


@given(st.lists(st.sampled_from(list(pieces())), max_size=25))
def test_what_is_no_shell_is_read_without_a_fault(parts: list[str]) -> None:
    text = " ".join(parts)
    for command in read_commands(Source("x", LineIndex(text)), text)[0]:
        for word in command.words:
            assert word.place is None or word.place.span
