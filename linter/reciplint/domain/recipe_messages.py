"""The wording of the faults that only recipes have."""

from __future__ import annotations

MESSAGES: dict[str, str] = {
    "zip-without-list": "{where}: this zip group holds no list; expected at least one, a value for each variant",
    "zip-length": "{where}: {field} holds {count:value|values} and {other} {length}; expected the same number, or one",
    "not-nodes": "{where}: {field} is {found}; expected a number of nodes, or colocate",
    "not-for": "{where}: {field} is {found}; {because} needs {expected}",
    "missing-for": "{where}: {key} is missing here; {because} needs {expected}",
    "of-other-job": "{where}: {key} stands here; {because} takes only {others}",
    "exclusive": "{where}: {keys} exclude each other; keep one",
    "not-a-version": "{where}: {field} is {found}; expected a package version, no file name",
    "derived-flag": "{where}: srt-slurm derives {key} from profiling and refuses it here",
    "unused-mooncake": "{where}: mooncake_kv_store stands here, but no role's {flag} names Mooncake",
    "repeated": "{where}: {field} repeats {found}",
    "exporter-twice": "{where}: dcgm_exporter stands here and under telemetry, which shares its own; keep that one",
    "same-directory": "{where}: {field} is {found}, which telemetry writes to as well",
    "not-below-logs": "{where}: {field} is {found}; expected a path below the logs (no leading / or ~, no ..)",
    "engine-twice": "{where}: engine stands here and on {roles}; keep one of the two",
    "roles-without-frontend": "{where}: roles stand here, but frontend.type none serves none",
    "unknown-pool": "{where}: {field} is {found}; no service of this name owns nodes",
    "unknown-plugin": "{where}: {field} is {found}; expected one of the plugins: {known}",
}

MESSAGES_ZH: dict[str, str] = {
    "zip-without-list": "{where}：该 zip 组中没有列表；至少应有一个，每个变体一个值",
    "zip-length": "{where}：{field}有 {count} 个值，而 {other} 有 {length} 个；个数应相同，或为一个",
    "not-nodes": "{where}：{field}为{found}；应为节点数，或 colocate",
    "not-for": "{where}：{field}为{found}；{because} 需要 {expected}",
    "missing-for": "{where}：此处缺少 {key}；{because} 需要 {expected}",
    "of-other-job": "{where}：此处有 {key}；{because} 只接受 {others}",
    "exclusive": "{where}：{keys} 互斥；请只保留一个",
    "not-a-version": "{where}：{field}为{found}；应为软件包版本，而不是文件名",
    "derived-flag": "{where}：srt-slurm 由 profiling 得出 {key}，不接受写在此处",
    "unused-mooncake": "{where}：此处有 mooncake_kv_store，但没有任何角色的 {flag} 指向 Mooncake",
    "repeated": "{where}：{field}重复了 {found}",
    "exporter-twice": "{where}：dcgm_exporter 既在此处，又在 telemetry 下，后者会共用；请只保留后者",
    "same-directory": "{where}：{field}为{found}，telemetry 也写到那里",
    "not-below-logs": "{where}：{field}为{found}；应为日志目录之下的路径（不以 / 或 ~ 开头，不含 ..）",
    "engine-twice": "{where}：engine 既在此处，又在 {roles} 上；请只保留一处",
    "roles-without-frontend": "{where}：此处有 roles，但 frontend.type none 不为任何角色提供服务",
    "unknown-pool": "{where}：{field}为{found}；没有这个名称的服务拥有节点",
    "unknown-plugin": "{where}：{field}为{found}；应为以下插件之一：{known}",
}
