#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# "-- command": its exit code, its user, its descendants and no one else, and what
# happens when the recording ends before it does.
. "$(dirname "$0")/lib.sh"

# record_code CODE OPTION...: a recording of its own file that must exit with CODE.
record_code() {
	local code=$1
	shift
	run_code run "$code" "$record" --force -o "$scratch/run.rwk" "$@"
}

test_exit_code() {
	record_code 0 -- true
	record_code 7 -- sh -c 'exit 7'
	record_code 143 -- sh -c 'kill -TERM $$'
	"$record" --force -o "$scratch/run.rwk" -- /no/such/program >/dev/null 2>"$scratch/err"
	check_number "exit code for a command that does not exist" "$? != 0"
	check "it is named" grep -q /no/such/program "$scratch/err"
}

test_output_is_the_commands() {
	record_code 0 -- sh -c 'echo to-stdout; echo to-stderr >&2; cat' <<<from-stdin
	check_equal "stdout" "to-stdout from-stdin" "$(tr '\n' ' ' <"$scratch/run.out" | sed 's/ $//')"
	check "stderr" grep -qx to-stderr "$scratch/run.err"
}

# With the trace on stdout, what the command prints there goes to stderr: the trace stays one.
test_trace_on_stdout() {
	"$record" -u --sw-perf -o - -- sh -c 'echo from-the-command; exit 4' >"$scratch/stdout.rwk" 2>"$scratch/stdout.err"
	check_equal "exit code with the trace on stdout" 4 "$?"
	check "the command's output is on stderr" grep -qx from-the-command "$scratch/stdout.err"
	run_ok stdout_info "$report" --info "$scratch/stdout.rwk"
	check "the trace on stdout is whole" grep -q 'no damage was found' "$scratch/stdout_info.out"
	check "the trace begins as one" [ "$(head -c 4 "$scratch/stdout.rwk")" != from ]
}

as_sudo_user() { SUDO_UID=65534 SUDO_GID=65533 "$@"; }

# The command runs as the user who typed sudo, with that user's groups; so is the file made.
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

# A user cannot make the recorder, which is root, write where only root may.
test_file_is_made_as_the_user() {
	mkdir -m 700 "$scratch/roots"
	as_sudo_user "$record" -o "$scratch/roots/x.rwk" -- true 2>/dev/null
	check_number "exit code for a directory the user may not write" "$? != 0"
	check "no file there" [ ! -e "$scratch/roots/x.rwk" ]
}

# Descendants through fork, exec and a shell, but not a neighbour.
test_descendants_only() {
	start "$workloads/burn" outsider 6
	record_code 0 -u -f 999 -- sh -c "'$workloads/burn' insider 1; :"
	folded "$scratch/run.rwk" >"$scratch/run.folded"
	check_number "the descendant" "$(folded_sum "$scratch/run.folded" '^insider;') > 200"
	check_equal "the neighbour" 0 "$(folded_sum "$scratch/run.folded" '^outsider;')"
	record_code 0 -u -f 999 --system-wide -- "$workloads/burn" insider 1
	folded "$scratch/run.rwk" >"$scratch/run.folded"
	check_number "the descendant, system-wide" "$(folded_sum "$scratch/run.folded" '^insider;') > 200"
	check_number "the neighbour, system-wide" "$(folded_sum "$scratch/run.folded" '^outsider;') > 200"
	kill "$started"
}

# From its first instruction on: the samples of a short run add up to its CPU time.
test_started_stopped() {
	local expect got
	record_code 0 -f 4000 -u -- "$workloads/cpu_paths" 0.3
	folded "$scratch/run.rwk" >"$scratch/run.folded"
	expect=$(awk '/^total_ns/ { print $2 * 4000 / 1e9 }' "$scratch/run.out")
	got=$(folded_sum "$scratch/run.folded" '^cpu_')
	check_number "samples of a short run: $got of $expect" "$got > 0.9 * $expect"
}

test_recording_ends_first() {
	local from to
	from=$(date +%s%N)
	record_code 5 -p 1 -u -f 999 -- sh -c "'$workloads/burn' longer 2.5; exit 5"
	to=$(date +%s%N)
	check_number "the command was waited for" "$to - $from > 2400000000"
	folded "$scratch/run.rwk" >"$scratch/run.folded"
	check_number "only one second was recorded" \
		"$(folded_sum "$scratch/run.folded" '^longer;') < 1300"
}

# The file holds the recorder's command line and the program's name, not its arguments.
test_no_arguments_stored() {
	record_code 0 -- sh -c ': secret-argument-4711'
	check "the arguments are not in the file" eval "! grep -aq secret-argument-4711 '$scratch/run.rwk'"
	"$report" --info "$scratch/run.rwk" >"$scratch/info"
	check "--info does not show them" eval "! grep -q secret-argument-4711 '$scratch/info'"
}

need_recording
test_exit_code
test_output_is_the_commands
test_trace_on_stdout
test_user
test_file_is_made_as_the_user
test_descendants_only
test_started_stopped
test_recording_ends_first
test_no_arguments_stored
finish
