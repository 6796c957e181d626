"""The wording of the faults that only vLLM recipes have."""

from __future__ import annotations

ADVICE = frozenset(("updated-before-added",))
"""Faults that are worth a note only."""

MESSAGES: dict[str, str] = {
    "not-a-release": "{where}: {field} is {found}; expected a vLLM release as 0.21.0, or nightly",
    "not-a-model-id": "{where}: {field} is {found}; expected <org>/<repo>, or an absolute path",
    "not-a-flag": "{where}: {field} is {found}; expected a flag, with its dashes",
    "no-such-day": "{where}: {field} is {found}; no calendar has this day",
    "updated-before-added": "{where}: date_updated {found} is before date_added {added}",
    "unknown-name": "{where}: {field} is {found}; no {what} of this recipe is called so{near:?; did you mean {near}?}",
    "unknown-name-key": "{where}: no {what} of this recipe is called {found}{near:?; did you mean {near}?}",
    "not-for-variant": "{where}: {field} is {found}; that mode is for the variants {known} only",
    "args-and-modes": "{where}: args and modes exclude each other, and modes win; keep one",
    "empty-feature": "{where}: this feature adds nothing: it has no args, modes, env, companion or hardware_overrides",
    "nothing-offered": "{where}: no serving strategy is offered, so no command can be built",
    "not-offered": "{where}: {field} is {found}, which compatible_strategies does not offer, so it is ignored",
    "hardware-ruled-out": "{where}: {field} is {found}, which meta.hardware calls unsupported, so it is ignored",
    "no-omni-block": "{where}: omni is a task of this recipe, but no omni block says how it is served",
    "no-omni-task": "{where}: this block is only read for recipes with the task omni; the tasks here are {known}",
    "active-above-all": "{where}: active_parameters is {found}, above parameter_count {total}",
    "not-a-variable": "{where}: {found} is no name that an environment variable can have",
    "no-context": "{where}: {field} is 0, which only models that read no tokens have",
    "not-a-parallelism": "{where}: {field} is {found}; expected tp, tep or dep",
}

MESSAGES_ZH: dict[str, str] = {
    "not-a-release": "{where}：{field}为{found}；应为 vLLM 的发布版本（如 0.21.0），或 nightly",
    "not-a-model-id": "{where}：{field}为{found}；应为 <org>/<repo>，或绝对路径",
    "not-a-flag": "{where}：{field}为{found}；应为带横线的参数名",
    "no-such-day": "{where}：{field}为{found}；日历上没有这一天",
    "updated-before-added": "{where}：date_updated {found} 早于 date_added {added}",
    "unknown-name": "{where}：{field}为{found}；本配方中没有这个名称的 {what}{near:?；是否应为 {near}？}",
    "unknown-name-key": "{where}：本配方中没有名为 {found} 的 {what}{near:?；是否应为 {near}？}",
    "not-for-variant": "{where}：{field}为{found}；该 mode 只用于 variant {known}",
    "args-and-modes": "{where}：args 与 modes 互斥，且 modes 优先；请只保留一个",
    "empty-feature": "{where}：该 feature 没有任何作用：没有 args、modes、env、companion 或 hardware_overrides",
    "nothing-offered": "{where}：没有提供任何 serving strategy，因此无法生成命令",
    "not-offered": "{where}：{field}为{found}，而 compatible_strategies 并未提供它，因此被忽略",
    "hardware-ruled-out": "{where}：{field}为{found}，而 meta.hardware 称其为 unsupported，因此被忽略",
    "no-omni-block": "{where}：本配方的任务中有 omni，但没有 omni 块说明如何提供服务",
    "no-omni-task": "{where}：只有任务中有 omni 的配方才读取该块；此处的任务为 {known}",
    "active-above-all": "{where}：active_parameters 为 {found}，大于 parameter_count {total}",
    "not-a-variable": "{where}：{found} 不能作为环境变量的名称",
    "no-context": "{where}：{field}为 0，而只有不读取 token 的模型才是 0",
    "not-a-parallelism": "{where}：{field}为{found}；应为 tp、tep 或 dep",
}
