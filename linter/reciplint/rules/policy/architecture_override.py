"""A flag that overrides the model's own configuration.

## What it finds

`hf-overrides`, `hf-config-path`, `model-class-overrides` (vLLM, the first one ATOM as well) and
`json-model-override-args`, `decrypted-config-file`, `decrypted-draft-config-file` (SGLang) in a recipe or a master
config: as a key, within the text of a command, or as a member of JSON such as that of `speculative-config`. Overrides
that only stretch the context (`rope_scaling`, `rope_parameters`, `max_position_embeddings`) compute as much as before
and are advice.

## Why it matters

An override can leave out layers, experts or an indexer's passes. The result is then of another model, and nothing in it
says so. Whoever reviews it needs the reason: what the override changes, and why the model computes as much as before.

## Bad

```yaml jobs/tiny.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      «hf-overrides: '{"num_hidden_layers": 12}'»
```

## Good

```yaml jobs/tiny.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      # reciplint: ignore[architecture-override] -- the checkpoint names its class wrongly; no layer is left out
      hf-overrides: '{"architectures": ["TinyForCausalLM"]}'
```

## Fix

None: drop the override, or say in an `ignore` comment why the model computes as much with it.

## Options

None.

## Source

The sign-off checks of the public benchmark repository, which refuse what reduces a model's computation; the engines'
options (August 2026).
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.document import Document
from reciplint.domain.forbidden import KINDS, Ban, Setting, banned
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.tree import key_path, pointer

RULE = Rule(
    id="architecture-override",
    summary="A flag that overrides the model's own configuration",
    severity="warning",
    source="the public benchmark repository's sign-off checks; the engines' options, August 2026",
    messages={
        "overrides": "{name} overrides the model's own configuration{keys:? ({keys})}:"
        " say why the model computes as much as before",
        "context": "{name} overrides the model's own configuration ({keys}): say why the context is stretched",
    },
    messages_zh={
        "overrides": "{name} 覆盖了模型自身的配置{keys:?（{keys}）}：请说明为何模型的计算量没有减少",
        "context": "{name} 覆盖了模型自身的配置（{keys}）：请说明为何要扩展上下文",
    },
    kinds=KINDS,
)

_FLAGS = tuple(
    Ban(name)
    for name in (
        "hf-overrides",
        "hf-config-path",
        "model-class-overrides",
        "json-model-override-args",
        "decrypted-config-file",
        "decrypted-draft-config-file",
    )
)
_CONTEXT = frozenset({"rope_scaling", "rope_parameters", "max_position_embeddings"})


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """One finding for each flag where it is written."""
    if document.tree is not None:
        for setting in banned(document.tree, _FLAGS):
            if setting.loaded not in (False, "", {}, "{}"):
                yield _finding(setting)


def _finding(setting: Setting) -> Finding:
    keys = tuple(map(str, setting.loaded)) if isinstance(setting.loaded, dict) else ()
    stretches = bool(keys) and _CONTEXT.issuperset(keys)
    return RULE.finding(
        "context" if stretches else "overrides",
        setting.span,
        severity="info" if stretches else "warning",
        subject=(*key_path(setting.path), setting.name, *keys),
        pointer=pointer(setting.path),
        name=setting.name,
        keys=", ".join(keys),
    )
