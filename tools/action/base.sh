#!/usr/bin/env bash
# Finds the commit to compare with, and fetches history until its merge base with HEAD is there.
# In: INPUT_BASE, GITHUB_BASE_REF. Output: commit, empty for a full run.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/history.sh"

kept=refs/reciplint/base

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
  if commit="$(commit_of "$name")" && has_merge_base "$commit" "$head"; then finish "$commit"; fi
done

if [[ "$source" == refs/* ]] && ! git check-ref-format "$source"; then
  refuse "base is neither a branch nor a commit: $base"
fi
fetch_tip "+$source:$kept" ||
  refuse "base could not be fetched: $base (in a private repository, check out with fetch-depth: 0)"
commit="$(commit_of "$kept")" || refuse "base is no commit: $base"
deepen "$commit" "$head" || refuse "no merge base of HEAD and $base: $WHY"
finish "$commit"
