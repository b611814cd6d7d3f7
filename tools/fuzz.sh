#!/usr/bin/env bash
# Runs each fuzz target of the module for a while; go test takes only one at a time.
#
# usage: tools/fuzz.sh DURATION
set -euo pipefail
duration=${1:?usage: tools/fuzz.sh DURATION, such as 10s}

targets=0
for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...); do
  listed=$(go test -list '^Fuzz' "$package")
  for target in $(grep '^Fuzz' <<<"$listed" || true); do
    echo "== $package $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$duration" "$package"
    targets=$((targets + 1))
  done
done

if [ "$targets" = 0 ]; then
  echo "no fuzz target found: expected at least one func FuzzXxx in this module's tests" >&2
  exit 1
fi
