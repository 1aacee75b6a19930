#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# The cache of names: reports are the same with a cold cache, a warm one and none; the second one reads no DWARF. Root leaves
# nothing in a user's home. tests/unit/report/file/ has full disks, others that use it, and what may lie in its place.

set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
build=$PWD/${BUILD:-build}
report=$build/rwalker-report
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# A trace with the address of one function of the reporter, which has DWARF.
id=$(readelf -n "$report" | awk '/Build ID/ { print $3 }')
named_trace "$dir/t.rwk" "0x$(nm "$report" | awk '$3 == "main" { print $1 }')" "$report" "$id"

tree() { "$report" --tree --color=never "$@" "$dir/t.rwk" >"$dir/out" 2>"$dir/err"; }
same() { verdict "cache-$1" "$(diff "$dir/none" "$dir/out" | head -n 3) $(head -n 2 "$dir/err")" cmp -s "$dir/none" "$dir/out"; }

tree --no-cache && cp "$dir/out" "$dir/none"
verdict cache-lines "$(tail -n 3 "$dir/none")" grep -q 'main\.c:[0-9]' "$dir/none"
for how in cold warm; do
	tree --cache "$dir/names.sqlite"
	same $how
	verdict "cache-$how-is-silent" "$(cat "$dir/err")" [ ! -s "$dir/err" ]
done
verdict cache-filled 'it does not name the file' grep -qaF "$report" "$dir/names.sqlite"
forks() { strace -f -e trace=clone,clone3,fork,vfork "$report" --tree --no-pager "$@" "$dir/t.rwk" 2>&1 >/dev/null | grep -cE '(clone3?|fork|vfork)\('; }
if command -v strace >/dev/null; then
	cold=$(forks --no-cache) warm=$(forks --cache "$dir/names.sqlite")
	verdict cache-reads-no-dwarf "$warm processes, $cold without a cache" [ "$warm" -lt "$cold" ]
fi

mkdir "$dir/home"
if ((EUID == 0)); then
	chown 65534 "$dir/home"
	for variables in "HOME=$dir/home XDG_CACHE_HOME=" "HOME= XDG_CACHE_HOME=$dir/home/.cache"; do
		# shellcheck disable=SC2086 # two variables
		env $variables "$report" --tree "$dir/t.rwk" >"$dir/out" 2>/dev/null
		same home
		verdict cache-home-of-another "$(ls -A "$dir/home")" [ -z "$(ls -A "$dir/home")" ]
	done
	HOME=$dir XDG_CACHE_HOME='' "$report" --tree "$dir/t.rwk" >/dev/null 2>&1
	verdict cache-home 'it is not there' [ -s "$dir/.cache/rwalker/names.sqlite" ]
fi
