#!/usr/bin/env bash
# Installs reciplint into a virtual environment of the action's own, so that the job's Python stays as it was.
# In: INPUT_VERSION, PYTHON, GITHUB_ACTION_PATH, RUNNER_TEMP. Outputs: reciplint, version, cache.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

home="$RUNNER_TEMP/reciplint"
mkdir -p "$home/cache"

# -I: the current directory is the checked-out change, and must not be where Python looks for modules.
"$PYTHON" -I -m venv "$home/venv"
bin="$home/venv/bin"
if [[ -d "$home/venv/Scripts" ]]; then bin="$home/venv/Scripts"; fi

wanted="$GITHUB_ACTION_PATH"
if [[ -n "$INPUT_VERSION" ]]; then
  if [[ ! "$INPUT_VERSION" =~ ^[0-9]+(\.[0-9]+)*((a|b|rc|\.post|\.dev)[0-9]+)*$ ]]; then
    refuse "version is not a release's number: $INPUT_VERSION"
  fi
  wanted="reciplint==$INPUT_VERSION"
fi
export PIP_DISABLE_PIP_VERSION_CHECK=1
"$bin/python" -I -m pip install --quiet --no-compile "$wanted" || refuse "reciplint could not be installed"
digest="$("$bin/python" -I "$GITHUB_ACTION_PATH/tools/action/stamp.py")"

version="$("$bin/reciplint" --version)"
output reciplint "$bin/reciplint"
output version "${version#reciplint }-$digest"
output cache "$home/cache"
