#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 1800
# Our unwinder compared with libdw's call frame engine, on real programs stopped at many points: every step from every
# frame must be equal; also on every row of some files. CHECK_LEVEL=long: at least 40,000 samples. Programs that are
# not installed are reported and left out.

set -u
cd "$(dirname "$0")/../.." || exit 1
oracle=${BUILD:-build}/tests/oracle/unwind
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [[ $(uname -m) != x86_64 ]]; then
	echo "skip unwind_oracle - its snapshots are x86-64"
	exit 77
fi
if [[ ! -x $oracle ]]; then
	echo "skip unwind_oracle - built only where libdw-dev is"
	exit 77
fi
if [[ ${CHECK_LEVEL:-check} = long ]]; then
	samples=5000 size=65536
else
	samples=150 size=32768
fi

. tests/oracle/programs.bash

unwind()
{
	local name=$1
	shift
	"$oracle" -n "$samples" -s "$size" "$name" "$@" ||
		{ (($? == 128 + 14)) && echo "not ok unwind_$name - no new sample for 300 s"; }
}

# every_row FILE...: compares each row of the call frame information of these files, on a made-up stack.
every_row()
{
	local file

	for file; do
		[[ -r $file ]] && prlimit --cpu=300 "$oracle" -f "rows_$(basename "$file" | tr -c 'a-zA-Z0-9\n' _)" "$file"
	done
}

libraries=/usr/lib/x86_64-linux-gnu
every_row "$libraries"/{libc.so.6,ld-linux-x86-64.so.2,libstdc++.so.6,libcrypto.so.3}
if [[ ${CHECK_LEVEL:-check} = long ]]; then
	every_row "$libraries/libLLVM-14.so.1" "$libraries/libgmp.so.10" "$(gcc -print-prog-name=cc1)" \
		"$(command -v node)" "$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')"
fi

for program in python3 perl git sqlite3 cc1 clang node rustc exceptions exceptions_static; do
	"program_$program" unwind
done
