#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 1800
# gdb stops a program at many points and unwinds it there; our unwinder gets the registers and stack bytes of the same
# stops: at least 99.5 % of the chains are the same, or one is the exact beginning of the other. CHECK_LEVEL=long: all
# programs, 50 stops each.

set -u
cd "$(dirname "$0")/../.." || exit 1
oracle=${BUILD:-build}/tests/oracle/against_gdb
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [[ $(uname -m) != x86_64 ]]; then
	echo "skip gdb_oracle - its snapshots are x86-64"
	exit 77
fi
if [[ ! -x $oracle ]]; then
	echo "skip gdb_oracle - built only where libdw-dev is"
	exit 77
fi
if ! gdb -batch -nx -ex 'python 1' 2>/dev/null; then
	echo "skip gdb_oracle - 'gdb' is not installed, or has no Python"
	exit 77
fi
if [[ ${CHECK_LEVEL:-check} = long ]]; then
	stops=60 stack=1048576 seconds=240
	programs='python3 perl git sqlite3 cc1 clang node rustc exceptions exceptions_static'
else
	stops=40 stack=32768 seconds=60
	programs='perl exceptions exceptions_static'
fi

. tests/oracle/programs.bash

# The program itself, if NAME is a script or starts another one.
real()
{
	case $1 in
	python3) python3 -c 'import sys; print(sys.executable)' ;;
	cc1) gcc -print-prog-name=cc1 ;;
	rustc) rustup which rustc 2>/dev/null || command -v rustc ;;
	*) command -v "$2" ;;
	esac
}

gdb()
{
	local name=$1 command=("${@:2}")

	command[0]=$(real "$name" "$2")
	[[ $name = cc1 ]] && command=("${command[0]}" -quiet -O2 "$dir/busy.c" -o /dev/null)
	ORACLE_OUT=$dir/$name.stops ORACLE_STOPS=$stops ORACLE_STACK=$stack ORACLE_SECONDS=$seconds \
		timeout $((seconds + 60)) gdb -q -batch -nx -x tests/oracle/gdb_stops.py --args "${command[@]}" >"$dir/$name.log" 2>&1 </dev/null ||
		{ echo "not ok gdb_$name - gdb failed: $(tail -n 1 "$dir/$name.log")"; return; }
	"$oracle" -n "$stops" -d tests/oracle/gdb_differences.txt ${VERBOSE:+-v} "$name" "$dir/$name.stops" |
		tee -a "$dir/account"
	rm -f "$dir/$name.stops"
}

for program in $programs; do
	"program_$program" gdb
done

# Eight programs and 300 stops, if they are installed.
if [[ ${CHECK_LEVEL:-check} = long ]]; then
	count=$(grep -c '^ok ' "$dir/account")
	total=$(awk '/^# [a-z0-9_]+: [0-9]+ stops/ { total += $3 } END { print total + 0 }' "$dir/account")
	if ((count < 8)); then
		echo "skip gdb_total - $count programs and $total stops; eight programs are wanted, and not all of them are here"
	elif ((total < 300)); then
		echo "not ok gdb_total - $total stops, 300 are wanted"
	else
		echo "ok gdb_total ($total stops of $count programs)"
	fi
fi
