#!/usr/bin/env bash
# Runs `reciplint check` once: annotations to the log, the reports to files, the summary to the step's page.
# In: INPUT_*, PULL_COMMENT, BASE_COMMIT, RECIPLINT. Outputs: errors, warnings, report, page, status (for the verdict).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# GitHub takes 1 MiB of a step's summary and drops more than that altogether.
summary_limit=1000000

case "$INPUT_COMMENT" in
  true | false | "") ;;
  *) refuse "comment is true or false, not $INPUT_COMMENT" ;;
esac
fail_on="$INPUT_FAIL_ON"
case "$INPUT_PRESET" in
  "") ;;
  advise) fail_on="${fail_on:-error}" ;;
  enforce) fail_on="${fail_on:-warning}" ;;
  *) refuse "preset is advise or enforce, not $INPUT_PRESET" ;;
esac

split_lines "$INPUT_ARGS"
arguments=(${LINES[@]+"${LINES[@]}"})
for argument in ${arguments[@]+"${arguments[@]}"}; do
  if [[ "$argument" == -- ]]; then refuse "args may not hold --: name paths in paths"; fi
done
split_lines "$INPUT_PATHS"
paths=(${LINES[@]+"${LINES[@]}"})

reports="$(mktemp -d "$RUNNER_TEMP/reciplint-report.XXXXXX")"
readable=text
if [[ "$("$RECIPLINT" check --help)" == *markdown* ]]; then readable=markdown; fi

# What is said last wins, so args cannot move the reports that the outputs name.
fixed=(--format github --output "json:$reports/report.json" --output "$readable:$reports/summary")
if [[ -n "$INPUT_SARIF" ]]; then fixed+=(--output "sarif:$INPUT_SARIF"); fi
if [[ -n "$fail_on" ]]; then fixed+=("--fail-on=$fail_on"); fi
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

# The counts stand in the report at a fixed place, whatever the findings say: read them as JSON.
python="$(dirname "$RECIPLINT")/python"
read -r errors warnings < <("$python" -I -c '
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    counts = json.load(file)["counts"]
print(int(counts["error"]), int(counts["warning"]))
' "$reports/report.json" | tr -d '\r')

{
  if [[ "$readable" == markdown ]]; then
    cat "$reports/summary"
  else
    echo '<pre>'
    sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g' "$reports/summary"
    echo '</pre>'
  fi
} >"$reports/page"
if (($(wc -c <"$reports/page") > summary_limit)); then
  head -c "$summary_limit" "$reports/page" | sed '$d' >"$reports/cut"
  printf '\n%s\n' 'The rest does not fit on this page: it is in the JSON report.' >>"$reports/cut"
  mv "$reports/cut" "$reports/page"
fi
# Where the bot comes after this, it writes the page or else shows this one.
if [[ "$PULL_COMMENT" != true ]]; then cat "$reports/page" >>"$GITHUB_STEP_SUMMARY"; fi

output errors "$errors"
output warnings "$warnings"
output report "$reports/report.json"
output page "$reports/page"
output status "$status"
