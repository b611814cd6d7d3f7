#!/usr/bin/env bash
# Runs the command that makes the generated files, and fails when it changed one.
# It compares with the files as they stand, not with the last commit, so that it
# also tells the truth in the middle of a piece of work.
#
# usage: tools/fresh.sh COMMAND…
set -euo pipefail

# One line a file that is tracked, or new and not ignored: its hash and its name.
fingerprint() {
  git ls-files -z --cached --others --exclude-standard | sort -zu |
    while IFS= read -r -d '' file; do
      if [ -f "$file" ]; then printf '%s  %s\n' "$(git hash-object -- "$file")" "$file"; fi
    done
}

before=$(fingerprint)
"$@"
after=$(fingerprint)

if [ "$before" != "$after" ]; then
  echo "stale generated files; they are made anew now, review and commit them:" >&2
  diff <(echo "$before") <(echo "$after") | sed -n 's/^[<>] [0-9a-f]*  /  /p' | sort -u >&2
  exit 1
fi
