#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Code made at run time has the names of the process's jit-PID.dump: while the process lives, and when it
# is gone and its file with it.
. "$(dirname "$0")/lib.sh"

check_named() { # NAME TRACE
	folded "$2" -U -c jit_dump >"$scratch/$1.folded"
	check_number "$1: samples in the compiled function" "$(folded_sum "$scratch/$1.folded" 'jitted_spin') >= 100"
	check_number "$1: share of them" \
		"$(folded_share "$scratch/$1.folded" 'jitted_spin' 'jit_dump') > 0.9"
}

# On a busy machine a file may not be opened within the recorder's deadline, which --info says; then it is
# no use to look for names of what is gone.
record_gone() {
	local try
	for try in 1 2 3 4 5 6; do
		mkdir "$scratch/gone"
		run_ok "ends$try" "$record" -u -f 999 --force -o "$scratch/gone.rwk" -- \
			bash -c '"$1" "$2" 2 && rm -r "$2"' - "$workloads/jit_dump" "$scratch/gone"
		"$report" --info "$scratch/gone.rwk" | grep -q 'not opened in time' || return 0
	done
	return 1
}

need_recording
mkdir "$scratch/lives"
if record_gone; then
	check_named gone "$scratch/gone.rwk"
else
	echo "not checked: names of what is gone, as files were never opened in time here"
fi

start "$workloads/jit_dump" "$scratch/lives" 5
wait_for 5 test -s "$scratch/lives/jit-$started.dump"
run_ok lives "$record" -p 1 -u -f 999 --pid "$started" -o "$scratch/lives.rwk"
check_named lives "$scratch/lives.rwk"
finish
