"""Catalogues of what engines accept: flags, JSON keys, registries and environment names, with first and last version.

    python -m tools.catalogues download FOLDER vllm==0.34.0 sglang==0.5.24
    python -m tools.catalogues build FOLDER
    python -m tools.catalogues check FOLDER

Releases are read as archives and by their syntax trees; nothing of an engine is ever imported or run. Only names,
kinds, choices, aliases and versions are kept, no prose. `docs/serving.md` tells the five steps of a refresh.
"""
