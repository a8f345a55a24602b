#!/usr/bin/env bash
# Checks that include lines respect the floors (ci/floors.awk has them).
# usage: check_floors.sh [ROOT] | check_floors.sh --self-test
set -euo pipefail
# shellcheck source=ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

check() {
  local folders
  mapfile -t folders < <(source_folders "$1")
  (cd "$1" && grep -rnE --include='*.h' --include='*.cc' '^[[:space:]]*#[[:space:]]*include' "${folders[@]}" |
    LC_ALL=C sort -t: -k1,1 -k2,2n | awk -f "$root/ci/floors.awk")
}

# Each line: the file to add a line to, the line, and what must be said about it.
plants='model/hw/units.h|#include "model/alloc/ir/kernel.h"|model/hw (floor 0) includes
model/hw/systemc/machine.h|#include "model/alloc/ir/kernel.h"|model/hw/systemc (floor 1) includes
model/alloc/sbuf/planted.cc|#include "model/hw/systemc/machine.h"|must not know the SystemC model
model/alloc/sbuf/planted.cc|#include "model/alloc/psum/planted.h"|model/alloc/sbuf (floor 2) includes
model/alloc/sbuf/planted.cc|  #  include <systemc>|only model/hw/systemc and model/hw/rtl include <systemc>
model/hw/systemc/planted.cc|#include <verilated.h>|only model/hw/rtl includes <verilated.h>
tests/planted.cc|#include <Vpsum_bank.h>|only model/hw/rtl includes <Vpsum_bank.h>
sim/exec/planted.cc|#include "model/hw/rtl/planted.h"|only tests use the RTL twins
tests/planted.cc|#include "model/hw/rtl/planted_outer.h"|brings SystemC along
model/alloc/ir/planted.h|#include "traces/reader.h"|model/alloc/ir (floor 1) includes
model/alloc/check/planted.cc|#include "model/alloc/sbuf/planted.h"|a checker shares no code
model/alloc/check/planted.cc|#include "model/alloc/planted.h"|a checker shares no code
traces/planted.h|#include <rapidjson/document.h>|stays in .cc files
sim/tool/planted.h|#include <CLI/CLI.hpp>|stays in .cc files
sim/values/planted.cc|#include "sim/lower/planted.h"|sim/values (floor 4) includes
sim/exec/planted.cc|#include "sim/tool/planted.h"|sim/exec (floor 4.4) includes
properties/planted.h|#include "tests/planted.h"|properties (floor 5) includes
model/alloc/planted.cc|#include "planted.h"|path from the root
model/extra/planted.cc|#include "model/hw/units.h"|model/extra has no floor
model/hw/units.h|#include "model/extra/units.h"|a folder without a floor
sim/exec/planted.cc|#include "model/hw/systemc/detail/planted.h"|private to model/hw/systemc
sim/exec/planted.cc|#include "model/hw/systemc/planted_outer.h"|brings SystemC along'

self_test() {
  local copy file line expected said planted=0
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' RETURN
  (cd "$root" && cpp_files "$root" | grep -v '^tests/compile_fail/' | xargs cp --parents -t "$copy")
  mkdir -p "$copy/model/hw/systemc"
  mkdir -p "$copy/model/hw/rtl"
  printf '%s\n' '#include <systemc>' > "$copy/model/hw/systemc/planted_inner.h"
  printf '%s\n' '#include "model/hw/systemc/planted_inner.h"' > "$copy/model/hw/systemc/planted_outer.h"
  printf '%s\n' '#include <Vplanted.h>' > "$copy/model/hw/rtl/planted_inner.h"
  printf '%s\n' '#include "model/hw/rtl/planted_inner.h"' > "$copy/model/hw/rtl/planted_outer.h"
  check "$copy" > /dev/null || die "self test: the tree breaks a rule before anything was planted"
  while IFS='|' read -r file line expected; do
    mkdir -p "$copy/$(dirname "$file")"
    [ ! -e "$copy/$file" ] || cp "$copy/$file" "$copy/saved"
    printf '%s\n' "$line" >> "$copy/$file"
    if said=$(check "$copy"); then die "self test: not caught: $file: $line"; fi
    [[ "$said" == *"$file:"*"$expected"* ]] || die "self test: $file: $line: expected '$expected', found: $said"
    [ "$(wc -l <<< "$said")" -eq 1 ] || die "self test: $file: $line: said more than one thing: $said"
    if [ -e "$copy/saved" ]; then mv "$copy/saved" "$copy/$file"; else rm "$copy/$file"; fi
    planted=$((planted + 1))
  done <<< "$plants"
  echo "floors: $planted planted violations, all caught"
}

case "${1:-}" in
  --self-test) self_test ;;
  *) check "${1:-$root}" ;;
esac
