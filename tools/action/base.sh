#!/usr/bin/env bash
# Finds the commit to compare with, and fetches history until its merge base with HEAD is there.
# In: INPUT_BASE, GITHUB_BASE_REF. Output: commit, empty for a full run.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

remote=origin
# Some 22,000 commits on each side; who has more sets fetch-depth: 0.
steps=(16 64 256 1024 4096 16384)
kept=refs/reciplint/base
export GIT_TERMINAL_PROMPT=0

# What git says could be a workflow command at the start of a line: it gets a prefix.
fetch() {
  local said status=0
  said="$(git -c protocol.version=2 fetch --quiet --no-tags --no-recurse-submodules "$@" 2>&1)" || status=$?
  if [[ -n "$said" ]]; then printf 'git: %s\n' "${said//$'\n'/$'\n'git: }"; fi
  return "$status"
}

commit_of() { git rev-parse --verify --quiet --end-of-options "$1^{commit}"; }

has_merge_base() { git merge-base "$1" HEAD >/dev/null 2>&1; }

is_shallow() { [[ "$(git rev-parse --is-shallow-repository)" == true ]]; }

finish() {
  echo "comparing with the merge base of $1"
  output commit "$1"
  exit 0
}

base="$INPUT_BASE"
if [[ -z "$base" && -n "${GITHUB_BASE_REF:-}" ]]; then base="refs/heads/$GITHUB_BASE_REF"; fi
if [[ -z "$base" || "$base" == - ]]; then
  output commit ""
  exit 0
fi
head="$(commit_of HEAD)" || refuse "nothing is checked out: run actions/checkout before reciplint"

# Where the base is on the remote (a refspec's source), and where a full clone already has it.
branch=""
if [[ "$base" =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]]; then
  source="$base"
else
  case "$base" in
    refs/heads/*) branch="${base#refs/heads/}" ;;
    "refs/remotes/$remote/"*) branch="${base#refs/remotes/"$remote"/}" ;;
    "$remote"/*) branch="${base#"$remote"/}" ;;
    refs/*) ;;
    *) branch="$base" ;;
  esac
  source="${branch:+refs/heads/$branch}"
  source="${source:-$base}"
fi
for name in ${branch:+"refs/remotes/$remote/$branch"} "$base"; do
  if commit="$(commit_of "$name")" && has_merge_base "$commit"; then finish "$commit"; fi
done

if [[ "$source" == refs/* ]] && ! git check-ref-format "$source"; then
  refuse "base is neither a branch nor a commit: $base"
fi
# The first look must not make a full clone shallow.
depth=()
if is_shallow; then depth=(--depth=1); fi
fetch ${depth[@]+"${depth[@]}"} "$remote" "+$source:$kept" ||
  refuse "base could not be fetched: $base (in a private repository, check out with fetch-depth: 0)"
commit="$(commit_of "$kept")" || refuse "base is no commit: $base"

for step in "${steps[@]}"; do
  if has_merge_base "$commit"; then finish "$commit"; fi
  if ! is_shallow; then refuse "HEAD shares no history with $base"; fi
  # Both sides; a head that no branch holds any more cannot be asked for, the base alone can.
  # The base is asked for by its id: a branch that moves meanwhile changes nothing.
  fetch "--deepen=$step" "$remote" "$commit" "$head" || fetch "--deepen=$step" "$remote" "$commit" ||
    refuse "history could not be fetched from $remote: check out with fetch-depth: 0"
done
if has_merge_base "$commit"; then finish "$commit"; fi
refuse "no merge base of HEAD and $base in the last $(IFS=+; echo $((${steps[*]}))) commits: check out with fetch-depth: 0"
