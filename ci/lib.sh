# shellcheck shell=bash
# What the scripts of this folder share; sourced, never run.
# Needs bash with `set -euo pipefail`; defines $root.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "-- $*" >&2; }
die() {
  printf '%s\n' "error: $*" >&2
  exit 1
}

# Folders with the project's code that exist below the root given as argument: an empty one is in no
# clone.
source_folders() {
  local folder
  for folder in model sim properties traces tests; do
    if [ -d "$1/$folder" ]; then echo "$folder"; fi
  done
}

# C++ files of the project, relative to the root given as argument.
cpp_files() {
  local folders
  mapfile -t folders < <(source_folders "$1")
  (cd "$1" && find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cc' \) | LC_ALL=C sort)
}

# configure_and_build PRESET TARGET...: on a terminal Ninja's own progress, in a pipe a line now and
# then; the whole output stays in build/PRESET.log and is shown where it fails.
configure_and_build() {
  local preset=$1 log="$root/build/$1.log" target
  shift
  local targets=()
  for target in "$@"; do targets+=(--target "$target"); done
  mkdir -p "$root/build"
  say "configuring $preset"
  if ! (cd "$root" && cmake --preset "$preset") > "$log" 2>&1; then
    cat "$log" >&2
    die "the configuration failed"
  fi
  say "building $preset (log: $log)"
  if [ -t 2 ]; then
    (cd "$root" && cmake --build --preset "$preset" "${targets[@]}") >&2 || die "the build failed"
    return
  fi
  if ! (cd "$root" && cmake --build --preset "$preset" "${targets[@]}") 2>&1 | tee -a "$log" |
    awk '/^\[[0-9]+\/[0-9]+\]/ { if (++lines % 40 == 0) { print "   " $1; fflush() } }' >&2; then
    grep -A 25 -E 'FAILED|[Ee]rror' "$log" | head -n 120 >&2 || tail -n 60 "$log" >&2
    die "the build failed"
  fi
}
