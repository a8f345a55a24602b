#!/usr/bin/env bash
# Words that say that something isn't finished don't go into the tree; nor do paths of one machine.
set -euo pipefail
# shellcheck source=ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

shopt -s nullglob
cd "${1:-$root}"
mapfile -t folders < <(source_folders .)
words='TODO|FIXME|XXX|HACK|for now|placeholder|not yet implemented|/home/|/root/'
if grep -rnIE --include='*.h' --include='*.cc' --include='*.cmake' --include='CMakeLists.txt' --include='*.md' --include='*.py' \
  "$words" "${folders[@]}" ci -- *.md; then
  echo "words: the lines above hold words that don't belong into a finished tree" >&2
  exit 1
fi
echo "words: none of $words"
