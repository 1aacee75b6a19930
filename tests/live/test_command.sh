#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# "-- command": its exit code, its user, its descendants and no others, and what
# happens if the recording ends before the command.
. "$(dirname "$0")/lib.sh"

# record_code CODE OPTION...: a recording to a file of its own that must exit with CODE.
record_code() {
	local code=$1
	shift
	run_code run "$code" "$record" --force -o "$scratch/run.rwk" "$@"
}

test_exit_code() {
	record_code 0 -- true
	record_code 7 -- sh -c 'exit 7'
	record_code 143 -- sh -c 'kill -TERM $$'
	record_code 1 -- /no/such/program
	check "it is named" grep -q /no/such/program "$scratch/run.err"
}

test_output_is_the_commands() {
	record_code 0 -- sh -c 'echo to-stdout; echo to-stderr >&2; cat' <<<from-stdin
	check_equal "stdout" "to-stdout from-stdin" "$(tr '\n' ' ' <"$scratch/run.out" | sed 's/ $//')"
	check "stderr" grep -qx to-stderr "$scratch/run.err"
}

# With the trace on stdout, the command's stdout goes to stderr, so that the trace stays intact.
test_trace_on_stdout() {
	"$record" -u --sw-perf -o - -- sh -c 'echo from-the-command; exit 4' >"$scratch/stdout.rwk" 2>"$scratch/stdout.err"
	check_equal "exit code with the trace on stdout" 4 "$?"
	check "the command's output is on stderr" grep -qx from-the-command "$scratch/stdout.err"
	run_ok stdout_info "$report" --no-local-files --info "$scratch/stdout.rwk"
	check "the trace on stdout is whole" grep -q 'no damage was found' "$scratch/stdout_info.out"
	check "the trace begins as one" [ "$(head -c 4 "$scratch/stdout.rwk")" != from ]
}

as_sudo_user() { SUDO_UID=65534 SUDO_GID=65533 "$@"; }

# The command runs as the user who typed sudo, with that user's groups; the file belongs to that user, too.
test_user() {
	local dir=$scratch/users
	mkdir "$dir" && chown 65534:65533 "$dir" && chmod 755 "$scratch"
	run_code user 0 as_sudo_user "$record" -o "$dir/run.rwk" -- \
		sh -c 'id -u; id -g; grep CapEff /proc/self/status'
	check_equal "uid, gid and capabilities" "65534 65533 0000000000000000" \
		"$(sed 's/CapEff:\t*//' "$scratch/user.out" | tr '\n' ' ' | sed 's/ $//')"
	check_equal "owner and mode of the file" "65534:65533 600" "$(stat -c '%u:%g %a' "$dir/run.rwk")"
	record_code 0 -- id -u
	check_equal "uid without sudo" 0 "$(cat "$scratch/run.out")"
}

# groups_below NAME COMMAND...: the groups of a command that is recorded, sorted, in $groups_found.
groups_below() {
	local name=$1
	shift
	run_code "$name" 0 "$@" "$record" --force -o "$scratch/users/groups.rwk" -- id -G
	groups_found=$(tr ' ' '\n' <"$scratch/$name.out" | sort -n | tr '\n' ' ')
}

in_own_files() {
	mount --bind "$scratch/passwd" /etc/passwd && mount --bind "$scratch/group" /etc/group &&
		SUDO_UID=65534 SUDO_GID=65533 "$@"
}

# The groups of the shell that typed sudo; where there is no such shell, those that /etc/group lists. Never root's.
test_groups() {
	groups_below shell python3 "$here/tests/live/processes.py" below 65534 65533 4,27,4711,65533
	check_equal "groups of the shell" "4 27 4711 65533 " "$groups_found"
	groups_below nothing as_sudo_user
	check_equal "groups without a shell or a file that lists the user" "65533 " "$groups_found"
	unshare --mount true 2>/dev/null || return 0
	echo 'canary:x:65534:65533::/:/bin/sh' >"$scratch/passwd"
	printf '%s\n' 'root:x:0:' 'first:x:111:other,canary' 'second:x:222:canary' 'third:x:333:canary2,acanary' \
		'own:x:65533:' >"$scratch/group"
	export -f in_own_files
	export scratch
	groups_below files unshare --mount --propagation private bash -c 'in_own_files "$@"' sh
	check_equal "groups by the files" "111 222 65533 " "$groups_found"
}

# A user cannot make the recorder, which runs as root, write where only root may.
test_file_is_made_as_the_user() {
	mkdir -m 700 "$scratch/roots"
	run_code roots 1 as_sudo_user "$record" -o "$scratch/roots/x.rwk" -- true
	check "it is said why" grep -q "'$scratch/roots/x.rwk': Permission denied" "$scratch/roots.err"
	check "no file there" [ ! -e "$scratch/roots/x.rwk" ]
}

# CPU time that the neighbour has used, in ticks of 10 ms.
ticks() { awk '{ print $14 + $15 }' "/proc/$started/stat"; }

# Waits until it has used half a second more.
burns_on() {
	local enough=$(($(ticks) + 50))
	until [ "$(ticks)" -ge $enough ]; do sleep 0.05; done
}
export -f ticks burns_on

# Descendants through fork, exec and a shell, but not a neighbour.
test_descendants_only() {
	start "$workloads/burn" outsider 600
	record_code 0 -u -f 999 -- sh -c "'$workloads/burn' insider 0.5; :"
	folded "$scratch/run.rwk" --no-local-files >"$scratch/run.folded"
	check_number "the descendant" "$(folded_sum "$scratch/run.folded" '^insider;') > 200"
	check_equal "the neighbour" 0 "$(folded_sum "$scratch/run.folded" '^outsider;')"
	record_code 0 -u -f 999 --system-wide -- bash -c "started=$started; '$workloads/burn' insider 0.5; burns_on"
	folded "$scratch/run.rwk" --no-local-files >"$scratch/run.folded"
	check_number "the descendant, system-wide" "$(folded_sum "$scratch/run.folded" '^insider;') > 200"
	check_number "the neighbour, system-wide" "$(folded_sum "$scratch/run.folded" '^outsider;') > 200"
	kill "$started"
}

# Threads that the kernel makes for it: io_uring's workers.
test_kernel_made_threads() {
	run uring "$workloads/callers" burn 0
	[ $? -eq 77 ] && return
	record_code 0 -u -f 999 -p 60 --offcpu 60 -- "$workloads/callers" burn 0.5
	folded "$scratch/run.rwk" --source cpu --no-local-files >"$scratch/run.folded"
	check_number "workers burn the CPU" "$(folded_sum "$scratch/run.folded" '^iou-wrk-') > \
		2 * $(folded_sum "$scratch/run.folded" '^uring;')"
	run_ok summary "$report" --no-local-files --summary -c '^iou-wrk-' "$scratch/run.rwk"
	check_number "ms that a worker slept" "$(awk '/ iou-wrk-.* tid / && $5 > most { most = $5 } \
		END { print most + 0 }' "$scratch/summary.out") > 400"
}

# From its first instruction on: the samples of a short run add up to its CPU time.
test_started_stopped() {
	local expect got
	record_code 0 -f 4000 -u -- "$workloads/cpu_paths" 0.3
	folded "$scratch/run.rwk" --no-local-files >"$scratch/run.folded"
	expect=$(awk -v hz="$(source_field "$scratch/run.rwk" frequency)" '/^total_ns/ { print $2 * hz / 1e9 }' "$scratch/run.out")
	got=$(folded_sum "$scratch/run.folded" '^cpu_')
	check_number "samples of a short run: $got of $expect" "$got > 0.9 * $expect"
}

test_recording_ends_first() {
	local from to
	from=$(date +%s%N)
	record_code 5 -p 1 -u -f 999 -- sh -c "'$workloads/burn' longer 0.5 user 20; exit 5"
	to=$(date +%s%N)
	check_number "the command was waited for" "$to - $from > 2400000000"
	folded "$scratch/run.rwk" --no-local-files >"$scratch/run.folded"
	check_number "only one second was recorded" \
		"$(folded_sum "$scratch/run.folded" '^longer;') < 350"
}

# The file holds the recorder's command line and the program's name, not its arguments.
test_no_arguments_stored() {
	record_code 0 -- sh -c ': secret-argument-4711'
	check "the arguments are not in the file" lacks -a secret-argument-4711 "$scratch/run.rwk"
	run_ok info "$report" --no-local-files --info "$scratch/run.rwk"
	check "--info does not show them" lacks secret-argument-4711 "$scratch/info.out"
}

need_recording
test_exit_code
test_output_is_the_commands
test_trace_on_stdout
test_user
test_groups
test_file_is_made_as_the_user
test_descendants_only
test_kernel_made_threads
test_started_stopped
test_recording_ends_first
test_no_arguments_stored
finish
