#!/usr/bin/env bash
# All C++ files as .clang-format says (clang-format 14, Debian 12's). `--fix [FILE...]` rewrites.
set -euo pipefail
# shellcheck source=ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

formatter=$(command -v clang-format-14 || command -v clang-format) || die "clang-format is missing: ci/install_packages.sh test"
cd "$root"
mode=(--dry-run -Werror)
if [ "${1:-}" = --fix ]; then
  mode=(-i)
  shift
fi
if [ $# -gt 0 ]; then files=("$@"); else mapfile -t files < <(cpp_files "$root"); fi
printf '%s\0' "${files[@]}" | xargs -0 -n 16 -P "$(nproc)" "$formatter" "${mode[@]}" ||
  die "these files aren't formatted; ci/check_format.sh --fix rewrites them"
echo "format: ${#files[@]} files"
