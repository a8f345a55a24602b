#!/usr/bin/env bash
# No source file over 500 lines; the file that lists the passes at most 120.
set -euo pipefail
# shellcheck source=ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly limit=500 driver=model/alloc/allocate.cc driver_limit=120
cd "${1:-$root}"
mapfile -t folders < <(source_folders .)
find "${folders[@]}" ci .ci -type f \
  \( -name '*.h' -o -name '*.cc' -o -name '*.cmake' -o -name '*.sh' -o -name '*.py' -o -name 'CMakeLists.txt' \) -print0 |
  xargs -0 awk -v limit="$limit" -v driver="$driver" -v driver_limit="$driver_limit" '
    function check() {
      allowed = name == driver ? driver_limit : limit
      if (lines > allowed) { printf "%s: %d lines, at most %d\n", name, lines, allowed; bad = 1 }
    }
    FNR == 1 { if (name) check(); name = FILENAME; files++ }
    { lines = FNR }
    END { check(); printf "sizes: %d files\n", files; exit bad }'
