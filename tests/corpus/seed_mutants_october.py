"""Mutants of the seed in the October layout."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import wraps

import yaml
from seed_mutants_changelog import entry
from seed_october import (
    DIRECTORY,
    MASTER,
    October,
    dumped,
    idle,
    name_of,
    path_of,
    repeated,
    row_line,
    snake,
    unlisted,
)
from seed_scene import AGG, AGG_RECIPES, DISAGG, IDLE, KEYS, NOSPEC, OTHER, RECIPES, SNAKE, WIRED, Found, Mutants, Scene

MUTANTS = Mutants()
PERMITTED = " (non-spec-decode points remain eligible)"
KEBAB = SNAKE.replace("_", "-")
Change = Callable[[October], object]
Statement = Callable[[Scene], set[Found]]


def recipes(scene: Scene) -> set[Found]:
    return {found for path in RECIPES for found in (snake(scene, path), repeated(scene, path))}


def standard(scene: Scene) -> set[Found]:
    """The seed here: the arm without speculation is no fault, the idle recipe a hint."""
    return {*recipes(scene), idle(scene, IDLE), unlisted(scene, *KEYS)}


def _with(change: Change, statement: Statement = standard) -> Callable[[Scene], set[Found]]:
    @wraps(change)
    def mutant(scene: Scene) -> set[Found]:
        october = October(scene)
        assert set(KEYS) < set(october.entries)
        change(october)
        october.write()
        return statement(scene)

    return mutant


def add(statement: Statement = standard) -> Callable[[Change], Change]:
    """Register a change with the statement of what comes of it."""

    def register(change: Change) -> Change:
        MUTANTS.put(change.__name__.replace("_", "-"), _with(change, statement))
        return change

    return register


MUTANTS.put("as-it-is", _with(lambda october: None))

# ---- changelog


def _listed(*keys: str, scenarios: tuple[str, ...] = ()) -> Change:
    def change(october: October) -> None:
        october.changelog += f"\n{entry(*keys, scenarios=scenarios)}"

    return change


def _without_changelog(scene: Scene) -> set[Found]:
    return {*recipes(scene), idle(scene, IDLE)}


MUTANTS.put("listed", _with(_listed(*KEYS), _without_changelog))
MUTANTS.put("listed-by-wildcard", _with(_listed("kimik3-fp4-gb300-*"), _without_changelog))
MUTANTS.put("listed-for-another-scenario", _with(_listed(*KEYS, scenarios=("fixed-seq-len",))))
MUTANTS.put(
    "two-listed", _with(_listed(DISAGG, AGG), lambda scene: {*_without_changelog(scene), unlisted(scene, NOSPEC)})
)

# ---- flags


@add(lambda scene: {*standard(scene), *(snake(scene, path, nth=2) for path in RECIPES)})
def snake_in_both_roles(october: October) -> None:
    for path in RECIPES:
        october.recipe(path)["roles"]["decode"]["args"][SNAKE] = 16384


def _but(path: str, *rules: str) -> Callable[[Scene], set[Found]]:
    """The seed without some rules' findings on one recipe; here they are told by place alone."""

    def statement(scene: Scene) -> set[Found]:
        kept = {idle(scene, IDLE), unlisted(scene, *KEYS)}
        for one in RECIPES:
            if one != path or "kebab-case-keys" not in rules:
                kept.add(snake(scene, one))
            if one != path or "anchor-dedup" not in rules:
                kept.add(repeated(scene, one))
        return kept

    return statement


@add(lambda scene: {*_but(IDLE, "kebab-case-keys")(scene), snake(scene, IDLE, "maxNumBatchedTokens")})
def camel_case(october: October) -> None:
    flags = october.recipe(IDLE)["roles"]["prefill"]["args"]
    flags["maxNumBatchedTokens"] = flags.pop(SNAKE)


@add()
def both_spellings(october: October) -> None:
    october.recipe(IDLE)["roles"]["prefill"]["args"][KEBAB] = 8192


@add(_but(WIRED, "kebab-case-keys"))
def dashed(october: October) -> None:
    flags = october.recipe(WIRED)["roles"]["prefill"]["args"]
    flags[KEBAB] = flags.pop(SNAKE)


@add()
def snake_where_it_is_right(october: October) -> None:
    recipe = october.recipe(WIRED)
    recipe["roles"]["prefill"]["env"]["my_variable"] = "1"
    recipe["roles"]["prefill"]["kv_events"] = True
    recipe["engine"]["some_knob"] = 1


@add(lambda scene: {*standard(scene), snake(scene, WIRED, "router_mode")})
def snake_in_the_frontend(october: October) -> None:
    flags = october.recipe(WIRED)["frontend"]["args"]
    flags["router_mode"] = flags.pop("router-mode")


@add(lambda scene: {*standard(scene), snake(scene, AGG_RECIPES[1])})
def snake_in_agg(october: October) -> None:
    flags = october.recipe(AGG_RECIPES[1])["roles"]["agg"]["args"]
    flags[SNAKE] = flags.pop(KEBAB)


def _engine(name: str, on_roles: bool) -> Change:
    def change(october: October) -> None:
        recipe = october.recipe(OTHER)
        if not on_roles:
            recipe["engine"] = name if name == "sglang" else {"type": name}
            return
        del recipe["engine"]
        for role in recipe["roles"].values():
            role["engine"] = name

    return change


for _name in ("sglang", "tilert", "trtllm", "atom"):
    for _on_roles in (False, True):
        _statement = standard if _name in ("sglang", "tilert") else _but(OTHER, "kebab-case-keys")
        MUTANTS.put(f"engine-{_name}{'-on-roles' if _on_roles else ''}", _with(_engine(_name, _on_roles), _statement))


@add(_but(WIRED, "anchor-dedup"))
def decode_is_prefill(october: October) -> None:
    """One mapping under an anchor and its alias is nothing written twice."""
    roles = october.recipe(WIRED)["roles"]
    roles["decode"]["args"] = roles["prefill"]["args"]


@add(_but(WIRED, "anchor-dedup"))
def decode_is_small(october: October) -> None:
    october.recipe(WIRED)["roles"]["decode"]["args"] = {"tensor-parallel-size": 8, "max-num-seqs": 256}


@add(lambda scene: {*_but(WIRED, "anchor-dedup")(scene), _env(scene)})
def environments_written_out(october: October) -> None:
    """Still one finding a file, on the pair that repeats most."""
    roles = october.recipe(WIRED)["roles"]
    roles["prefill"]["env"] |= {f"FILLER_{n}": "x" * 40 for n in range(20)}
    roles["decode"]["env"] = dict(roles["prefill"]["env"])


def _env(scene: Scene) -> Found:
    path = path_of(WIRED)
    return Found("anchor-dedup", "info", path, scene.line(path, "    env:", after=scene.line(path, "  prefill:")))


def _base_had_it(october: October) -> None:
    october.base_has |= {path_of(path) for path in RECIPES}


MUTANTS.put("base-has-the-recipes", _with(_base_had_it, lambda scene: {unlisted(scene, *KEYS)}))

# ---- references


@add(lambda scene: {*recipes(scene), unlisted(scene, *KEYS)})
def idle_recipe_wired(october: October) -> None:
    rows = october.rows(DISAGG)
    rows.append({**rows[0], "srt-recipe": name_of(IDLE), "conc-list": [1, 2]})


@add(lambda scene: {*recipes(scene), unlisted(scene, *KEYS)})
def idle_recipe_for_evaluation(october: October) -> None:
    october.rows(DISAGG)[0]["eval-srt-recipe"] = name_of(IDLE)


def _missing(scene: Scene, needle: str) -> Found:
    return Found("missing-recipe", "error", MASTER, scene.line(MASTER, needle))


@add(lambda scene: {*standard(scene), idle(scene, WIRED), _missing(scene, "dspark5")})
def recipe_typo(october: October) -> None:
    october.rows(DISAGG)[0]["srt-recipe"] = name_of(WIRED).replace("dspark4", "dspark5")


@add(lambda scene: {*standard(scene), idle(scene, WIRED), idle(scene, OTHER), _missing(scene, "agentz")})
def folder_typo(october: October) -> None:
    """Nothing copies folders here: one finding for the folder."""
    october.entries[DISAGG]["srt-recipe-dir"] = "kimik3/vllm/gb300-fp4/agentz"


@add(lambda scene: {*standard(scene), _missing(scene, f"{name_of(WIRED)}:override_a")})
def selector_of_a_plain_recipe(october: October) -> None:
    october.rows(DISAGG)[0]["srt-recipe"] += ":override_a"


def _bundled(selector: str) -> Change:
    def change(october: October) -> None:
        old = october.recipe(WIRED)
        schema = old.pop("schema")
        seqs = {"roles": {"decode": {"args": {"max-num-seqs": [32, 64]}}}}
        october.recipes[path_of(WIRED)] = {"schema": schema, "base": old, "zip_override_a": seqs}
        october.rows(DISAGG)[0]["srt-recipe"] += f":{selector}"

    return change


MUTANTS.put("selector-known", _with(_bundled("zip_override_a[1]")))
MUTANTS.put(
    "selector-past-the-end",
    _with(_bundled("zip_override_a[2]"), lambda scene: {*standard(scene), _missing(scene, "zip_override_a[2]")}),
)
MUTANTS.put(
    "selector-unknown",
    _with(_bundled("override_b"), lambda scene: {*standard(scene), _missing(scene, "override_b")}),
)


@add()
def full_paths(october: October) -> None:
    """Era B beside era C: each entry is read as it is written."""
    del october.entries[DISAGG]["srt-recipe-dir"]
    for row in october.rows(DISAGG):
        row["srt-recipe"] = f"recipes/kimik3/vllm/gb300-fp4/agentx/{row['srt-recipe']}"


@add()
def settings_name_a_recipe(october: October) -> None:
    """Era A beside era C."""
    del october.entries[DISAGG]["srt-recipe-dir"]
    for row in october.rows(DISAGG):
        setting = f"CONFIG_FILE=recipes/kimik3/vllm/gb300-fp4/agentx/{row.pop('srt-recipe')}"
        row["prefill"]["additional-settings"] = [setting]


@add(lambda scene: {*standard(scene), Found("unknown-runner", "error", MASTER, scene.line(MASTER, "cluster:gb300-nw"))})
def runner_unknown(october: October) -> None:
    october.entries[AGG]["runner"] = "cluster:gb300-nw"


# ---- policy


def _deprecated(scene: Scene, key: str = NOSPEC, severity: str = "error") -> Found:
    return Found("deprecated-arm", severity, MASTER, row_line(scene, key))


@add()
def none_said(october: October) -> None:
    for row in october.rows(NOSPEC):
        row["spec-decoding"] = "none"


@add(lambda scene: {*standard(scene), _deprecated(scene, AGG)})
def retired_model(october: October) -> None:
    october.entries[AGG]["model-prefix"] = "kimik2.5"


@add()
def prefix_that_the_policy_has_not(october: October) -> None:
    october.entries[AGG]["model-prefix"] = "kimik2.6"


def _day_zero(october: October) -> None:
    october.policy = october.policy.replace(
        "Standalone non-DSpark A/B baseline (not required from day 0)",
        "Agentic coding non-DSpark arm (deprecated from day 0)",
    )
    for permitted in (PERMITTED, " Speculative decoding may be on or off; a separate baseline is not required."):
        october.policy = october.policy.replace(permitted, "")


MUTANTS.put("policy-of-august", _with(_day_zero, lambda scene: {*standard(scene), _deprecated(scene)}))


def _scenario(isl: int) -> Change:
    def change(october: October) -> None:
        arms = october.entries[NOSPEC]["scenarios"].pop("agentic-coding")
        row = {name: value for name, value in arms[0]["search-space"][0].items() if not name.startswith("kv-off")}
        october.entries[NOSPEC]["scenarios"]["fixed-seq-len"] = [{"isl": isl, "osl": 1024, "search-space": [row]}]

    return change


MUTANTS.put("scenario-8k1k", _with(_scenario(8192)))
MUTANTS.put("scenario-1k1k", _with(_scenario(1024), lambda scene: {*standard(scene), _deprecated(scene)}))


def _retired_on(day: datetime.date, severity: str) -> Callable[[Scene], set[Found]]:
    def change(october: October) -> None:
        october.entries[AGG]["model-prefix"] = "kimik2.5"
        october.policy = october.policy.replace("2026-08-07", day.isoformat())

    def mutant(scene: Scene) -> set[Found]:
        found = _with(change)(scene)
        return {*found, *({_deprecated(scene, AGG, severity)} if severity else set())}

    return mutant


for _offset, _severity in ((-1, "error"), (0, "error"), (1, "")):
    _day = datetime.date(2026, 8, 18) + datetime.timedelta(days=_offset)
    MUTANTS.put(f"retired-on-{_day}", _retired_on(_day, _severity))


# ---- how it is written


@MUTANTS.add
def flow_style(scene: Scene) -> set[Found]:
    """A recipe in flow style, all of it on few lines."""
    october = October(scene)
    october.write()
    path = path_of(WIRED)
    scene.head[path] = yaml.dump(october.recipe(WIRED), sort_keys=False, width=10**6, default_flow_style=True)
    others = _but(WIRED, "kebab-case-keys", "anchor-dedup")(scene)
    return {*others, Found("kebab-case-keys", "warning", path, 1), Found("anchor-dedup", "info", path, 1)}


@MUTANTS.add
def meaning_of_a_known_recipe(scene: Scene) -> set[Found]:
    """Everything stood in the base; one flag of a recipe changes."""
    october = October(scene)
    october.write()
    scene.base.update(scene.head)
    october.recipe(OTHER)["roles"]["decode"]["args"]["max-num-seqs"] = 128
    scene.head[path_of(OTHER)] = dumped(october.recipe(OTHER))
    return {unlisted(scene, DISAGG)}


@MUTANTS.add
def known_and_moved(scene: Scene) -> set[Found]:
    """Everything stood in the base; the folder is renamed, and the rows follow."""
    october = October(scene)
    october.write()
    scene.base.update(scene.head)
    scene.edit(MASTER, f"{DIRECTORY}\n", f"{DIRECTORY}-moved\n", count=3)
    for path in [path for path in scene.head if f"/{DIRECTORY}/" in path]:
        scene.head[path.replace("/agentx/", "/agentx-moved/")] = scene.head.pop(path)
    return set()
