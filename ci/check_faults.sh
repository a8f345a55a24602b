#!/usr/bin/env bash
# Checks that every row of properties/fault_catalogue.cc that says so has a seam in its file, that
# every seam has a row, and, given a build folder without faults, that nothing of them is in it.
# usage: check_faults.sh [BUILD]
set -euo pipefail
# shellcheck source=ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$root"
# A row a line: id, file, status.
rows=$(tr '\n' ' ' < properties/fault_catalogue.cc | grep -oE '\{"[A-EN][0-9]+", [0-9]+, [^{]*\}' |
  sed -E 's/^\{"([A-EN][0-9]+)".*"(([a-z]+\/)[a-z_/]+\.(cc|h))?", *"[^"]*", *k(Kernels|Rotating|Batches|Judges).*, *k(Seam|Equivalent|NoCode),.*/\1 \2 \6/')
seams=$(grep -rnE --include='*.h' --include='*.cc' 'SPILLWAY_(CONSTEXPR_)?FAULT\(' model sim traces properties |
  grep -v '^model/hw/fault.h' | cut -d: -f1 | sort -u | while read -r file; do
  tr '\n' ' ' < "$file" | grep -oE 'SPILLWAY_(CONSTEXPR_)?FAULT\( *[A-EN][0-9]+' | grep -oE '[A-EN][0-9]+$' |
    sort -u | sed "s|$| $file|"
done)
bad=0
count=0
while read -r id file status; do
  if [ -z "$status" ]; then status=$file file=; fi
  if [ "$status" = NoCode ]; then
    if grep -q "^$id " <<< "$seams"; then echo "faults: $id has a seam and says that it has no code" >&2; bad=1; fi
    continue
  fi
  count=$((count + 1))
  if ! grep -qx "$id $file" <<< "$seams"; then echo "faults: $id has no seam in $file" >&2; bad=1; fi
done <<< "$rows"
while read -r id file; do
  if ! grep -q "^$id " <<< "$rows"; then echo "faults: $file plants $id, which the catalogue doesn't have" >&2; bad=1; fi
done <<< "$seams"
if [ $# -gt 0 ]; then
  mapfile -t archives < <(find "$1" -name 'libspillway_*.a')
  [ ${#archives[@]} -gt 0 ] || die "no libraries in $1"
  # fault.cc itself is an empty object there; a seam would name what it asks.
  if nm -C "${archives[@]}" 2> /dev/null | grep -E 'spillway::(fault::|PlantFault|ActiveFault)' >&2; then
    echo "faults: the symbols above are in a build without faults" >&2
    bad=1
  fi
  if strings -a "${archives[@]}" | grep -E '^SPILLWAY_FAULT$' >&2; then
    echo "faults: a build without faults asks for \$SPILLWAY_FAULT" >&2
    bad=1
  fi
fi
[ "$bad" -eq 0 ] && echo "faults: $count rows with seams"
exit "$bad"
