# How much of the history is there, and how to get more of it; sourced after common.sh, never run.
# shellcheck shell=bash disable=SC2034  # WHY is for the one who sources this

remote=origin
# Some 22,000 commits on each side; who has more sets fetch-depth: 0.
depths=(16 64 256 1024 4096 16384)
export GIT_TERMINAL_PROMPT=0

# What git says could be a workflow command at the start of a line: it gets a prefix.
fetch() {
  local said status=0
  said="$(git -c protocol.version=2 fetch --quiet --no-tags --no-recurse-submodules "$@" 2>&1)" || status=$?
  if [[ -n "$said" ]]; then printf 'git: %s\n' "${said//$'\n'/$'\n'git: }"; fi
  return "$status"
}

commit_of() { git rev-parse --verify --quiet --end-of-options "$1^{commit}"; }

has_merge_base() { git merge-base "$1" "$2" >/dev/null 2>&1; }

is_shallow() { [[ "$(git rev-parse --is-shallow-repository)" == true ]]; }

# Fetches something of the remote. The first look at it must not make a full clone shallow.
fetch_tip() {
  local depth=()
  if is_shallow; then depth=(--depth=1); fi
  fetch ${depth[@]+"${depth[@]}"} "$remote" "$1"
}

# Deepens a shallow clone until two commits that it holds have a merge base. Status 1, and why in WHY, if there is none.
deepen() {
  local step total=0
  for step in "${depths[@]}"; do
    if has_merge_base "$1" "$2"; then return 0; fi
    if ! is_shallow; then
      WHY="they share no history"
      return 1
    fi
    # Both sides; a head that no branch holds any more cannot be asked for, the base alone can.
    # The base is asked for by its id: a branch that moves meanwhile changes nothing.
    if ! fetch "--deepen=$step" "$remote" "$1" "$2" && ! fetch "--deepen=$step" "$remote" "$1"; then
      WHY="history could not be fetched: check out with fetch-depth: 0"
      return 1
    fi
    total=$((total + step))
  done
  if has_merge_base "$1" "$2"; then return 0; fi
  WHY="there is none in the last $total commits: check out with fetch-depth: 0"
  return 1
}
