# What the action's scripts share; sourced, never run.
# shellcheck shell=bash

# An annotation on the job: say COMMAND MESSAGE. The message may be anyone's text.
say() {
  local text="${2//'%'/%25}"
  text="${text//$'\r'/%0D}"
  printf '::%s title=reciplint::%s\n' "$1" "${text//$'\n'/%0A}"
}

# Ends the job as what reciplint calls usage: status 2.
refuse() {
  say error "$1"
  exit 2
}

# Splits text at line ends into the array LINES. A line is one element as it stands: no quoting, no globbing, no
# trimming but the carriage return of Windows. Empty lines are left out.
split_lines() {
  LINES=()
  local line
  while IFS= read -r line || [[ -n "$line" ]]; do
    line="${line%$'\r'}"
    if [[ -n "$line" ]]; then LINES+=("$line"); fi
  done <<<"$1"
}

# A step's output. Refuses a value that would end its line and so begin another output.
output() {
  if [[ "$2" == *[$'\r\n']* ]]; then refuse "the $1 holds a line end: $2"; fi
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}
