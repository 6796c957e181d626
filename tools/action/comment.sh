#!/usr/bin/env bash
# Comments on the pull request. What the lint found decides over the job, in a later step; that commenting failed is
# said and decides nothing.
# In: INPUT_LANG, PULL_BASE, PULL_HEAD, LINT_PAGE (the lint's summary), RECIPLINT, and what GitHub gives every step.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/history.sh"

# The bot tells what lies between the pull request's own two commits, of which the clone may hold neither.
for commit in "$PULL_BASE" "$PULL_HEAD"; do
  if [[ ! "$commit" =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]]; then refuse "the event names no commit: $commit"; fi
  if ! commit_of "$commit" >/dev/null; then fetch_tip "$commit" || true; fi
done
if commit_of "$PULL_BASE" >/dev/null && commit_of "$PULL_HEAD" >/dev/null; then
  deepen "$PULL_BASE" "$PULL_HEAD" || say warning "no merge base of the pull request: $WHY"
fi

# The lint has annotated: what the bot prints is for the log. Its page goes before the lint's, which it says more than.
told="$(mktemp "$RUNNER_TEMP/reciplint-bot.XXXXXX")"
page="$(mktemp "$RUNNER_TEMP/reciplint-page.XXXXXX")"
status=0
GITHUB_STEP_SUMMARY="$page" "$RECIPLINT" bot "--lang=$INPUT_LANG" >"$told" 2>&1 || status=$?
sed 's/^/| /' "$told"
if [[ ! -s "$page" ]]; then page="$LINT_PAGE"; fi
cat "$page" >>"$GITHUB_STEP_SUMMARY"
# 1 is the lint's own verdict.
if ((status > 1)); then say warning "reciplint could not comment: the log of this step says why"; fi
