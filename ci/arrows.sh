#!/usr/bin/env bash
# Prints which folder includes which, a line a folder; with --check, compares that with the block
# of the README's Architecture section.
set -euo pipefail
# shellcheck source=ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

arrows() {
  (cd "$root" && grep -rE --include='*.h' --include='*.cc' '^#include "' model sim properties traces) |
    sed -E 's|^([^:]*)/[^/]*:#include "(.*)/[^/]*"$|\1 \2|; s|/detail( \|$)|\1|g' |
    awk '$1 != $2' | LC_ALL=C sort -u |
    awk '{ if ($1 != last) { if (last) print line; line = $1 " -> " $2; last = $1 } else line = line ", " $2 } END { print line }'
}

if [ "${1:-}" = --check ]; then
  drawn=$(sed -n '/^```arrows$/,/^```$/p' "$root/README.md" | grep -v '^```')
  if ! diff <(printf '%s\n' "$drawn") <(arrows); then
    die "README.md: the architecture's arrows (<) aren't the tree's (>); ci/arrows.sh prints the block"
  fi
  echo "arrows: the README's picture is the tree's"
else
  arrows
fi
