#!/usr/bin/env bash
# clang-tidy over every compiled source, in parallel. A file whose preprocessed text, command and
# configuration haven't changed since it was clean is skipped.
# usage: check_tidy.sh [BUILD_DIR] [PATH_PREFIX...]   (default: build/release, all)
set -euo pipefail
# shellcheck source=ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v clang-tidy > /dev/null || die "clang-tidy is missing: apt-get install clang-tidy"
command -v python3 > /dev/null || die "python3 is missing: apt-get install python3"
build=${1:-$root/build/release}
[ $# -gt 0 ] && shift
[ -f "$build/compile_commands.json" ] || die "no $build/compile_commands.json: configure first"
exec python3 "$root/ci/run_tidy.py" "$root" "$build" "$@"
