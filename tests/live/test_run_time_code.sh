#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Code has the names that are true of it: those of the process's perf map where memory has a name but no ELF file, or has
# taken the place of a file's code; both where the map names a place twice; those of the file where a memfd holds a
# program, where the first thread has ended, and where another process has mapped it into memory that both share. A perf
# map counts while its process lives, and after its end, too, in namespaces of its own. A program that moved its code to
# anonymous memory at the same address, before or during the recording, has the names of its file, and the report says
# so; a copy at another address has none.
# two tries: shares of samples are compared with figures that also change when the host takes the processor away.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool unshare
trace=$scratch/trace.rwk
modes="shared memfd gone unmapped twice program sharer"
workload=$workloads/run_time

# Everything is made anew during the recording, but for a process that lives, and a thread that has ended before.
run_all() { # SECONDS
	local mode
	for mode in $modes; do "$workload" $mode "$1" & done
	unshare -m -p -f --mount-proc bash -c 'mount -t tmpfs none /tmp && exec -a away "$0" shared "$1"' "$workload" "$1" &
	wait
}

first_thread_has_ended() { [ "$(state_of "/proc/$leader")" = Z ]; }

record_all() { # SECONDS
	run_ok all "$record" -p 0 -u --sw-perf -f 999 --force -o "$trace" -- \
		bash -c "$(declare -f run_all); modes='$modes' workload='$workload'; run_all $1" || return
	run_ok leader "$record" -p "$1" -u --sw-perf -f 999 --force --pid "$leader,$alive" -o "$scratch/leader.rwk" || return
	folded "$trace" -q -U --source cpu >"$scratch/folded"
	folded "$scratch/leader.rwk" -q -U --source cpu >"$scratch/leader.folded"
	# on a busy machine files are not opened in time
	[ "$(named)" = "$(expected)" ] || { echo "# named: $(named | tr "\n" " ")"; return 1; }
}

# share FILE COMM ERE: of the samples in the code, the part with that name.
share() { folded_share "$1" "^$2;.*$3( [0-9]+)?\$" "^$2;.*(made_|file_burns|twice_|\\[)[^;]*\$"; }
is_named() { awk "BEGIN { exit !($(share "$@") > 0.8) }" && echo "$2"; }
named() {
	local mode
	for mode in shared memfd gone unmapped; do is_named "$scratch/folded" $mode "made_$mode"; done
	is_named "$scratch/folded" twice 'twice_[ab] or (twice_[ab]|[0-9]+ others)'
	for mode in program sharer; do is_named "$scratch/folded" $mode file_burns; done
	is_named "$scratch/leader.folded" leader file_burns
	is_named "$scratch/leader.folded" shared made_shared
}
expected() { printf '%s\n' shared memfd gone unmapped twice program sharer leader shared; }

start "$workload" shared 600
alive=$started
start "$workload" leader 600
leader=$started
wait_for 60 first_thread_has_ended || die "the first thread does not end"
wait_for 60 test -s "/tmp/perf-$alive.map"
growing 1.5 record_all || :
rm -f "/tmp/perf-$alive.map"
check_equal "code that has its names" "$(expected)" "$(named)"
check_number "the perf map of namespaces that are gone: its code has names, as ours" \
	"$(folded_sum "$scratch/folded" '^shared;.*made_shared') > 0.75 * $(folded_sum "$scratch/folded" '^shared;')"
check_number "code in place of a file's is not named as the file's" \
	"$(folded_sum "$scratch/folded" '^unmapped;.*file_burns') == 0"
check_number "one name of two is not the only one" "$(folded_sum "$scratch/folded" '^twice;.*;twice_[ab] [0-9]+$') == 0"

# --- copies of a file's code ---

place="in 1 process: compared, and named by the file"

# part NAME: how many of the program's samples are in that function, or in an interrupt of it.
part() { folded "$trace" -q --pid "$copier" >"$scratch/folded"; folded_share "$scratch/folded" ";$1[; ]"; }
says() { grep -c "memory without a file holds a copy of code of '$workload' $place" <("$report" --info -q "$trace" 2>/dev/null); }

# On a busy machine the copy is not compared within the first second.
record_copy() { # OPTION... SECONDS
	run_ok copy "$record" -p "${*: -1}" "${@:1:$#-1}" --sw-perf -f 999 --force -o "$trace" &&
		awk "BEGIN { exit !($(part file_burns) > 0.8) }"
}

copy() { # HOW
	start "$workload" "$1" 600 >"$scratch/ready"
	copier=$started
	wait_for 60 grep -q ready "$scratch/ready" || die "the workload does not start"
}

copy moved
check_equal "files that are mapped with code there" 0 "$(grep -c "r-x.*$workload\$" "/proc/$copier/maps")"
for how in -u --dwarf; do
	growing 1 record_copy "$how" --pid "$copier"
	check_number "moved before, $how: named" "$(part file_burns) > 0.8"
	check_equal "moved before, $how: said" 1 "$(says)"
done
kill "$copier"
record_told() { # SECONDS
	run_ok told "$record" -p 0 -u --sw-perf -f 999 --force -o "$trace" -- \
		bash -c 'echo $$; exec "$0" told "$1"' "$workload" "$1" || return
	copier=$(head -n 1 "$scratch/told.out")
	awk "BEGIN { exit !($(part file_burns) > 0.8) }"
}
growing 4 record_told
check_number "moved meanwhile: named" "$(part file_burns) > 0.8"
check_equal "moved meanwhile: said" 1 "$(says)"
copy beside
run_ok beside "$record" -p 2 -u --sw-perf -f 999 --force --pid "$copier" -o "$trace"
check_number "a copy elsewhere: not named" "$(part file_burns) == 0"
check_number "a copy elsewhere: code made at run time" "$(part '\[anon\]') > 0.8"
check_equal "a copy elsewhere: nothing is said" 0 "$(says)"
finish
