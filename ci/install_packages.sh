#!/usr/bin/env bash
# Installs the Debian packages of ci/packages.txt that are missing; needs no network if none is.
# usage: install_packages.sh [build|test|fuzz]...   (default: build test)
set -euo pipefail
# shellcheck source=ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

groups=" ${*:-build test} "
missing=()
while read -r group name _; do
  case "$group" in '' | '#'*) continue ;; esac
  [[ "$groups" == *" $group "* ]] || continue
  # A package may be provided by another one (pkg-config by pkgconf), so ask for any that fits.
  state=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$name")
done < "$root/ci/packages.txt"
if [ "${#missing[@]}" -eq 0 ]; then exit 0; fi

say "installing ${missing[*]}"
run=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo > /dev/null ||
    die "packages are missing and this is neither root nor a user with sudo; as root, run: apt-get install ${missing[*]}"
  run=(sudo)
  # Without a terminal nobody can type a password.
  [ -t 0 ] || run=(sudo -n)
fi
run+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "${run[@]}" update > "$log" 2>&1 ||
  ! "${run[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null > "$log" 2>&1; then
  cat "$log" >&2
  die "apt-get could not install: ${missing[*]}"
fi
