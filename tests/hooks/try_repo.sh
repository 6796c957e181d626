#!/usr/bin/env bash
# Runs the real pre-commit on an invented repository, with the hooks of this checkout as it stands: installs them,
# commits, and tells what should have been blocked and was not. Needs `pre-commit`, git and a package index; exit status
# 77 where the index does not answer.
set -euo pipefail

checkout="$(cd "$(dirname "$0")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export PRE_COMMIT_HOME="$work/pre-commit" RECIPLINT_CACHE_DIR="$work/cache"
export PIP_NO_COMPILE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Robin GIT_AUTHOR_EMAIL=robin@example.com
export GIT_COMMITTER_NAME=Robin GIT_COMMITTER_EMAIL=robin@example.com
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

# The checkout as it stands, as a repository of its own.
mkdir "$work/reciplint"
(
  cd "$checkout"
  git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do if [ -e "$file" ]; then printf '%s\0' "$file"; fi; done |
    tar --null -T - -cf -
) | tar -xf - -C "$work/reciplint"
git -C "$work/reciplint" init -q -b main
git -C "$work/reciplint" add -A
git -C "$work/reciplint" commit -q -m "the checkout"
revision="$(git -C "$work/reciplint" rev-parse HEAD)"

# The invented repository: the fixture of a pull request, before it.
mkdir "$work/top dir"
cd "$work/top dir"
cp -R "$checkout/fixtures/pull-request/base/." .
only="$(find benchmarks -name '*.yaml')"
cp "$only" "$(dirname "$only")/another.yaml" # a project without any recipe is not asked for one
git init -q -b main
git add -A
git commit -q -m first
recipe="$(git ls-files 'benchmarks/*disagg*.yaml')"
master="$(git ls-files 'configs/*-master.yaml' | head -n 1)"
named="${recipe#*srt-slurm-recipes/}"

failed=0
expect() { # expect <blocked|passed> <what> <text in the output> : the result of committing what is staged
  local wanted="$1" what="$2" text="$3" got=passed
  git commit -q -m "$what" >"$work/out" 2>&1 || got=blocked
  if [ "$got" = "$wanted" ] && grep -qF -- "$text" "$work/out"; then
    printf 'ok    %s: %s\n' "$what" "$got"
  else
    printf 'FAIL  %s: %s, expected %s with "%s"\n' "$what" "$got" "$wanted" "$text"
    cat "$work/out"
    failed=1
  fi
}
again() { # back to the start
  git reset -q --hard start
  git clean -qfd
}

cp -R "$checkout/fixtures/pull-request/head/." .
git add -A
if pre-commit try-repo "$work/reciplint" reciplint >"$work/out" 2>&1; then
  echo "FAIL  try-repo passes over the pull request as it was opened"
  failed=1
elif grep -qE 'Could not find a version|No matching distribution' "$work/out"; then
  echo "no package index answers"
  exit 77
fi
for rule in changelog-required deprecated-arm kebab-case-keys unreferenced-recipe; do
  if grep -qF " $rule: " "$work/out"; then
    printf 'ok    try-repo: %s\n' "$rule"
  else
    printf 'FAIL  try-repo is silent on %s\n' "$rule"
    cat "$work/out"
    failed=1
  fi
done
git reset -q --hard
git clean -qfd

cat >.pre-commit-config.yaml <<CONFIG
repos:
- repo: $work/reciplint
  rev: $revision
  hooks:
  - id: reciplint
  - id: reciplint-fix
  - id: reciplint-changelog
CONFIG
git add -A
git commit -q -m configuration
git tag start
pre-commit install >/dev/null

printf '\n# a remark\n' >>"$master"
git add -A
expect passed "a remark" "reciplint"
again

sed -i "s#$named#$named.gone.yaml#" "$master"
git add -A
expect blocked "a row whose recipe does not exist" missing-recipe
again

git rm -q "$recipe"
expect blocked "a commit that only deletes a recipe" missing-recipe
again

key="$(sed -n 's/^\([a-z0-9][^ :]*\):.*/\1/p' "$master" | head -n 1)"
printf '%s: {}\n' "$key" >>"$master"
git add -A
expect blocked "a key written twice" duplicate-key
again

cp "$master" "$work/good"
sed -i "s#$named#$named.gone.yaml#" "$master"
git add -A
cp "$work/good" "$master"
expect blocked "a fault staged, its repair not" missing-recipe
again

printf '\n# a remark\n' >>"$master"
git add -A
sed -i "s#$named#$named.gone.yaml#" "$master"
expect passed "a remark staged, a fault not" "reciplint"
grep -qF "$named.gone.yaml" "$master" || { echo "FAIL  the unstaged half is gone"; failed=1; }
again

sed "s#^name: .*#name: forgotten#" "$recipe" >"${recipe%.yaml}-new.yaml"
sed -i "s#$named#${named%.yaml}-new.yaml#" "$master"
git add "$master"
expect blocked "a row staged, its new recipe forgotten" missing-recipe
again

printf 'x: 1' >>"extra.yaml"
git add -A
expect blocked "a file without its last line break" "files were modified by this hook"
git add -A
expect passed "the same, fixed by the hook" reciplint
again

printf -- '- config-keys: [nothing\n' >>perf-changelog.yaml
git add -A
expect blocked "a changelog that cannot be parsed" yaml-syntax
again

exit "$failed"
