#!/usr/bin/env bash
# Runs `reciplint check` once: annotations to the log, the reports to files, the summary to the step's page.
# In: INPUT_*, PULL_COMMENT, BASE_COMMIT, RECIPLINT. Outputs: errors, warnings, report, page, status (for the verdict).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "$INPUT_COMMENT" in
  true | false | "") ;;
  *) refuse "comment is true or false, not $INPUT_COMMENT" ;;
esac

split_lines "$INPUT_ARGS"
arguments=(${LINES[@]+"${LINES[@]}"})
for argument in ${arguments[@]+"${arguments[@]}"}; do
  if [[ "$argument" == -- ]]; then refuse "args may not hold --: name paths in paths"; fi
done
split_lines "$INPUT_PATHS"
paths=(${LINES[@]+"${LINES[@]}"})

reports="$(mktemp -d "$RUNNER_TEMP/reciplint-report.XXXXXX")"

# What is said last wins, so args cannot move the reports that the outputs name.
fixed=(--format github --output "json:$reports/report.json" --output "markdown:$reports/page")
if [[ -n "$INPUT_SARIF" ]]; then fixed+=(--output "sarif:$INPUT_SARIF"); fi
if [[ -n "$INPUT_PRESET" ]]; then fixed+=("--preset=$INPUT_PRESET"); fi
if [[ -n "$INPUT_FAIL_ON" ]]; then fixed+=("--fail-on=$INPUT_FAIL_ON"); fi
# The commit that is checked out, not the files on disk: reports name it, and deprecations are judged on its day.
if git rev-parse --verify --quiet 'HEAD^{commit}' >/dev/null; then fixed+=(--head HEAD); fi
if [[ -n "$BASE_COMMIT" ]]; then fixed+=("--base=$BASE_COMMIT"); fi
if [[ "${GITHUB_REF:-}" =~ ^refs/pull/([1-9][0-9]*)/ ]]; then fixed+=(--pr "${BASH_REMATCH[1]}"); fi

status=0
"$RECIPLINT" check ${arguments[@]+"${arguments[@]}"} "${fixed[@]}" -- ${paths[@]+"${paths[@]}"} \
  2>"$reports/said" || status=$?
# Text of the repository may be in it: with a prefix, no line of it is a workflow command.
sed 's/^/| /' "$reports/said"
if [[ ! -s "$reports/report.json" ]]; then
  say error "reciplint could not do its job: its log is above"
  exit "$((status == 0 ? 2 : status))"
fi

# What the change does to the benchmark, for a second workflow that comments from both files; no verdict hangs on it.
if [[ -n "$BASE_COMMIT" && "$PULL_COMMENT" != true ]]; then
  "$RECIPLINT" diff "$BASE_COMMIT" HEAD --format json >"$reports/diff.json" 2>/dev/null || rm -f "$reports/diff.json"
fi

# The counts stand in the report at a fixed place, whatever the findings say: read them as JSON.
python="$(dirname "$RECIPLINT")/python"
read -r errors warnings < <("$python" -I -c '
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    counts = json.load(file)["counts"]
print(int(counts["error"]), int(counts["warning"]))
' "$reports/report.json" | tr -d '\r')

# Where the bot comes after this, it writes the page or else shows this one.
if [[ "$PULL_COMMENT" != true ]]; then cat "$reports/page" >>"$GITHUB_STEP_SUMMARY"; fi

output errors "$errors"
output warnings "$warnings"
output report "$reports/report.json"
output page "$reports/page"
output status "$status"
