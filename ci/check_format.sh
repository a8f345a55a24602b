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
said=$(printf '%s\0' "${files[@]}" | xargs -0 -n 16 -P "$(nproc)" "$formatter" "${mode[@]}" 2>&1) || {
  printf '%s\n' "$said" | sed -nE 's/^([^:]+):[0-9]+:[0-9]+: (error|warning): .*/\1/p' | sort | uniq -c >&2
  die "the files above aren't formatted (lines in front); ci/check_format.sh --fix FILE... rewrites them"
}
echo "format: ${#files[@]} files"
