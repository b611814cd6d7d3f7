#!/usr/bin/env bash
# Judges three clients with the whole default selection and prints what each keeps.
# A client that breaks a contract (exit status 1) was judged all the same; a run
# that could not judge (2) or was cut short (3) fails this script.
#
# usage: tools/verdicts.sh FAULTSRV
set -euo pipefail
faultsrv=${1:?usage: tools/verdicts.sh PATH-TO-FAULTSRV}
incomplete=0

judge() { # NAME ARGUMENT…
  local name=$1 status=0
  shift
  printf '\n== %s\n' "$name"
  "$faultsrv" test --out "out/verdicts/$name" "$@" || status=$?
  if [ "$status" -gt 1 ]; then
    echo "the run of $name did not complete: exit status $status, expected 0 or 1" >&2
    incomplete=1
  fi
}

judge resilient --client resilient
judge nethttp --client nethttp
judge curl -- curl -sS --retry '{retries}' '{url}'

exit "$incomplete"
