"""The wording of faults: a message id, typed arguments, and the subject that outlives edits elsewhere."""

from __future__ import annotations

from typing import Any

import msgspec

from reciplint.domain.faults import Fault, Path

Argument = str | int | float | tuple[str, ...]

MESSAGES: dict[str, str] = {
    "unknown-key": "{where}: unknown key {key}; did you mean {suggestion}?",
    "unknown-key-here": "{where}: unknown key {key}; known here: {known}",
    "missing-key": "{where}: {key} is missing here",
    "not-an-integer": "{where}: {field} is {found}; expected an integer",
    "not-a-number": "{where}: {field} is {found}; expected a number",
    "not-a-boolean": "{where}: {field} is {found}; expected true or false",
    "not-text": "{where}: {field} is {found}; expected text (quote it)",
    "not-a-list": "{where}: {field} is {found}; expected a list",
    "not-a-mapping": "{where}: {field} is {found}; expected a mapping",
    "converted-integer": "{where}: {field} is {found}; write it as an integer (readers convert it, tools may not)",
    "converted-number": "{where}: {field} is {found}; write it as a number (readers convert it, tools may not)",
    "converted-boolean": "{where}: {field} is {found}; write true or false (readers convert it, tools may not)",
    "below-minimum": "{where}: {field} is {found}; expected at least {limit}",
    "not-above": "{where}: {field} is {found}; expected more than {limit}",
    "above-maximum": "{where}: {field} is {found}; expected at most {limit}",
    "empty-value": "{where}: {field} is empty",
    "not-a-choice": "{where}: {field} is {found}; expected one of {choices}",
    "not-a-choice-near": "{where}: {field} is {found}; did you mean {suggestion}? Expected one of {choices}",
    "must-be": "{where}: {field} is {found}; expected {expected}",
    "version-is-image": "{where}: {field} is {found}; expected the component's own release, package version or commit",
    "not-relative-path": "{where}: {field} is {found}; expected a plain relative path (no leading /, no .., no :)",
    "not-owner-name": "{where}: {field} is {found}; expected owner/name",
    "not-a-date": "{where}: {field} is {found}; expected a date, YYYY-MM-DD",
    "comma-in-env": "{where}: {field} is {found}; a value exported by srun cannot hold a comma",
    "wildcard-key": "{key}: a key of a master config cannot hold *, which the changelog reads as a wildcard",
    "key-not-text": "{key}: a key of a master config is text; quote it",
    "range-and-list": "{where}: conc-list stands beside conc-start and conc-end; keep one of the two",
    "no-concurrency": "{where}: conc-list, or conc-start and conc-end, are missing here",
    "half-range": "{where}: {key} stands without {missing}",
    "range-reversed": "{where}: conc-start {start} is above conc-end {end}",
    "dcp-does-not-divide": "{where}: dcp-size {dcp} does not divide tp {tp}",
    "half-hardware": "{where}: {role} states hardware and {missing} does not; state it on both or on neither",
    "no-topology": "{where}: tp, or prefill and decode, are missing here",
    "no-topology-october": "{where}: tp, worker, or prefill and decode are missing here",
    "no-blocks-october": "{where}: worker, or prefill and decode, are missing here",
    "half-pair": "{where}: {key} stands without {missing}",
    "two-topologies": "{where}: {keys} exclude each other; keep one topology",
    "power-on-one-node": "{where}: power is measured on multi-node rows only",
    "size-beside-blocks": "{where}: {key} stands beside worker blocks; state it inside them",
    "backend-without-offloading": "{where}: kv-offload-backend stands beside kv-offloading: none",
    "backend-alone": "{where}: kv-offload-backend stands without kv-offloading",
    "no-backend": "{where}: kv-offloading: dram needs a kv-offload-backend",
    "no-dram-utilization": "{where}: dram-utilization is missing here; {rows:row says|rows say} kv-offloading: dram",
    "no-scenario": "{where}: neither fixed-seq-len nor agentic-coding holds anything",
    "runner-no-cluster": "{where}: runner is {found}; agentic-coding needs a cluster:<id> label",
    "two-scopes": "{where}: {key} stands at the top and on {rows:row|rows}; keep one scope",
    "transfer-on-one-node": "{where}: kv-p2p-transfer stands in an entry with multinode: false",
    "no-transfer": "{where}: kv-p2p-transfer is missing here; disagg: true needs it at the top or on every row",
    "no-transfer-here": "{where}: kv-p2p-transfer is missing here; other rows have it and disagg: true needs it on all",
    "agentic-under-fixed": "{where}: this is an agentic item (no isl, no osl, rows with kv-offloading); "
    "it belongs under agentic-coding",
    "fixed-under-agentic": "{where}: this is a fixed-sequence item (isl, osl); it belongs under fixed-seq-len",
    "mode-single-node": "{where}: worker blocks and num-nodes stand in an entry with multinode: false; expected tp",
    "mode-single-node-entry": "{where}: multinode is not true, but every row has worker blocks",
    "mode-multi-node": "{where}: a row of tp alone stands in an entry with multinode: true; expected worker blocks",
    "mode-multi-node-entry": "{where}: multinode is true, but every row has tp and no worker blocks",
    "mode-disagg": "{where}: {field} stands in an entry with disagg: true; expected prefill and decode alone",
    "mode-disagg-entry": "{where}: disagg is true, but every row is aggregate (worker or num-nodes)",
    "mode-aggregate": "{where}: prefill and decode stand in an entry without disagg: true; expected worker, num-nodes",
    "mode-aggregate-entry": "{where}: disagg is not true, but every row has prefill and decode",
    "mode-num-nodes": "{where}: num-nodes is missing here; an aggregate row states it",
    "recipe-on-llmd": "{where}: {key} stands in an llmd-vllm entry, which names its recipe by CONFIG_FILE",
    "bad-reference": "{where}: {field} is {found}; expected a file and at most :base, :override_<name> or :zip_…[i]",
    "eval-recipe-on-one-node": "{where}: eval-srt-recipe is for multi-node entries only",
    "recipe-in-settings": "{where}: {found} stands among the additional-settings; name the recipe by {key}",
    "label-without-cluster": "{where}: label {label} names a cluster that clusters does not have",
    "cluster-without-label": "{where}: cluster {cluster} has no label cluster:{cluster}",
    "runner-without-cluster": "{where}: runner {found} is in no cluster:<id> label",
    "runner-in-clusters": "{where}: runner {found} is in {count} cluster:<id> labels; expected one",
    "unknown-volume": "{where}: {field} is {found}; the cluster's volumes are {known}",
    "excludes-evals": "{where}: {key} excludes {others}",
}

_CONVERTED = {
    "not-an-integer": "converted-integer",
    "not-a-number": "converted-number",
    "not-a-boolean": "converted-boolean",
}


class Description(msgspec.Struct, frozen=True):
    """What a finding says of a fault."""

    message_id: str
    arguments: dict[str, Argument]
    subject: tuple[str, ...]


def describe(kind: str, root: Any, fault: Fault) -> Description:
    """The words and the subject of a fault in a loaded file of a kind."""
    names = [part for part in fault.path if isinstance(part, str)]
    container = fault.path if fault.place == "owner" else _container(fault.path)
    field = names[-1] if names else "the file"
    if names and isinstance(last := fault.path[-1], int):
        field = f"{field} item {last + 1}"
    arguments: dict[str, Argument] = {"where": _where(kind, root, container), "field": field}
    arguments.update(fault.arguments)
    message = _CONVERTED.get(fault.name, fault.name) if fault.tolerated else fault.name
    detail = next((str(fault.arguments[name]) for name in ("key", "found") if name in fault.arguments), "")
    return Description(message, arguments, (*_subject(kind, root, fault.path), fault.name, detail))


def _container(path: Path) -> Path:
    """The path of the mapping in which the last key stands."""
    end = max((index for index, part in enumerate(path) if isinstance(part, str)), default=0)
    return path[:end]


def _where(kind: str, root: Any, path: Path) -> str:
    if kind == "master":
        return ", ".join(_master_place(root, path)) or "the file"
    if kind == "changelog":
        return f"entry {path[0] + 1}{_link(root, path)}" if path and isinstance(path[0], int) else "the changelog"
    dotted = ".".join(str(part) for part in path if isinstance(part, str))
    return dotted or {"runners": "the runners", "settings": "the settings"}.get(kind, "the file")


def _master_place(root: Any, path: Path) -> list[str]:
    """An entry's key, its scenario (with lengths), the row's number, and the block in it."""
    place = [str(path[0])] if path else []
    if len(path) > 3 and path[1] == "scenarios":
        item = _at(root, path[:4])
        ends = [item.get(key) for key in ("isl", "osl")] if isinstance(item, dict) else []
        lengths = f" {ends[0]}/{ends[1]}" if ends and all(isinstance(end, int) for end in ends) else ""
        place.append(f"{path[2]}{lengths}")
        if len(path) > 5 and isinstance(path[5], int):
            place.append(f"row {path[5] + 1}")
        place += [str(part) for part in path[6:] if isinstance(part, str)]
    else:
        place += [str(part) for part in path[1:] if isinstance(part, str)]
    return place


def _at(root: Any, path: Path) -> Any:
    """The loaded value at a path; None where keys are written in another case."""
    for part in path:
        if isinstance(root, dict):
            root = root.get(str(part))
        elif isinstance(root, list) and isinstance(part, int) and part < len(root):
            root = root[part]
        else:
            return None
    return root


def _link(root: Any, path: Path) -> str:
    entry = _at(root, path[:1])
    link = entry.get("pr-link") if isinstance(entry, dict) else None
    return f" (#{link.rstrip('/').rsplit('/', 1)[-1]})" if isinstance(link, str) and "/pull/" in link else ""


def _subject(kind: str, root: Any, path: Path) -> tuple[str, ...]:
    names = [str(part) for part in path if isinstance(part, str) and part != "search-space"]
    if kind == "master":
        scenario = names[2] if len(names) > 2 and names[1] == "scenarios" else ""
        return (names[0] if names else "", scenario, ".".join(names[3:] if scenario else names[1:]))
    if kind == "changelog":
        entry = _at(root, path[:1]) if path else {}
        entry = entry if isinstance(entry, dict) else {}
        keys = entry.get("config-keys")
        identity = entry.get("pr-link") or (keys[0] if isinstance(keys, list) and keys else "")
        return (str(identity), ".".join(names))
    return (kind, ".".join(names))
