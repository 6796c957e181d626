#!/usr/bin/env bash
# Comments on the pull request from the report that is there. What the lint found decides over the job, in a later
# step; that commenting failed is said and decides nothing.
# In: INPUT_LANG, REPORT, RECIPLINT, and what GitHub gives every step.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

status=0
"$RECIPLINT" bot "--from-report=$REPORT" "--lang=$INPUT_LANG" || status=$?
# 1 is the lint's own verdict.
if ((status > 1)); then say warning "reciplint could not comment: the log of this step says why"; fi
