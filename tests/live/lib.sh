# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Shared by the live tests: the programs, a scratch directory, verdicts, and sums over
# folded stacks ("comm;root;...;leaf COUNT", one per line). Source it first.
#
# A test calls check_* and ends with "finish". Exit 0 passed, 1 failed, 77 cannot run here.

set -u
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
unset DEBUGINFOD_URLS # must not depend on this machine's settings

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-$here/build}
record=$build/rwalker-record
report=$build/rwalker-report
workloads=$build/tests/live/workloads
level=${CHECK_LEVEL:-check}
checks=0
children=
groups=
test_began=$(cut -d" " -f1 /proc/uptime)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/rwalker-live.XXXXXX")
mkfifo "$scratch/never"

cleanup() {
	local pid group
	for pid in $children; do kill -KILL "$pid" 2>/dev/null; done
	wait 2>/dev/null
	for group in $groups; do wait_for 10 rmdir "$group" 2>/dev/null || not_ok cleanup "'$group' cannot be removed"; done
	cd / && rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

# --- verdicts ----------------------------------------------------------------------------------

skip() { echo "skipped: $*"; exit 77; }

die() { echo "cannot go on: $*" >&2; programs_said; exit 1; }

# Prints the last lines of our programs' output, to help find the cause of a failure.
programs_said() {
	local file
	for file in "$scratch"/*.err; do
		[ ! -s "$file" ] || tail -n 12 "$file" | sed "s|^|${file##*/}: |"
	done
} >&2

# Counted in a file, because a check may run in a subshell.
fail() { echo "not ok $*" | tee -a "$scratch/failures" >&2; }

# check WHAT COMMAND...: the command must succeed.
check() {
	local what=$1
	shift
	checks=$((checks + 1))
	if ! "$@"; then
		fail "$what"
		return 1
	fi
}

# check_equal WHAT EXPECTED ACTUAL
check_equal() {
	checks=$((checks + 1))
	[ "$2" = "$3" ] || { fail "$1: expected '$2', got '$3'"; return 1; }
}

# check_number WHAT 'AWK CONDITION': the caller writes the numbers into the condition.
check_number() {
	checks=$((checks + 1))
	awk "BEGIN { exit !($2) }" || { fail "$1: not so: $2"; return 1; }
}

# No recording may make a system call that the recorder's own filter refuses.
none_was_refused() { ! grep -l 'refused [0-9]* system call' "$scratch"/*.err 2>/dev/null; }

# By the kernel's log: as long as nobody attacks it, no helper is killed by its own filter.
helper_was_killed() {
	dmesg 2>/dev/null | awk -F'[][ ]+' -v from="$test_began" -v program="exe=\"$record\"" \
		'/type=1326/ && index($0, program) && $2 > from { found = 1 } END { exit !found }'
}

finish() {
	none_was_refused || fail "the recorder made system calls that its filter refuses"
	! helper_was_killed || fail "a helper made a system call that its filter refuses: see dmesg"
	[ "$checks" -gt 0 ] || die "nothing was checked"
	[ ! -s "$scratch/failures" ] || { programs_said; echo "$checks checks, $(wc -l <"$scratch/failures") failed"; exit 1; }
	echo "ok $(basename "$0" .sh) ($checks checks)"
	exit 0
}

# --- what this machine allows ------------------------------------------------------------------

need_recording() {
	local reason
	[ "$(id -u)" -eq 0 ] || skip "recording needs root"
	[ -x "$workloads/can_bpf" ] || die "'$workloads/can_bpf' is missing; run 'make test-programs'"
	reason=$("$workloads/can_bpf") || skip "$reason"
}

# Tracepoints of single system calls need tracefs: if it is not mounted, the test runs again in a mount namespace of its own.
need_tracefs() {
	tracing=/sys/kernel/tracing
	[ ! -d $tracing/events ] && [ "$(id -u)" -eq 0 ] && [ -z "${TRACEFS_MOUNTED-}" ] || return 0
	rm -rf "$scratch"
	TRACEFS_MOUNTED=1 exec unshare -m sh -c 'mount -t tracefs none "$0"; exec "$1"' $tracing "$0"
}

need_tool() {
	local tool
	for tool; do command -v "$tool" >/dev/null || skip "'$tool' is not installed"; done
}

at_level() { # at_level USUAL LONG: prints the second if CHECK_LEVEL=long
	if [ "$level" = long ]; then echo "$2"; else echo "$1"; fi
}

# allowed_cpus: the CPUs that this process may run on, one per line, ascending.
allowed_cpus() {
	local first last
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr , '\n' |
		while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done
}

online_cpus() { getconf _NPROCESSORS_ONLN; } # their number

# --- running things ----------------------------------------------------------------------------

# start COMMAND...: runs it in the background until the test ends; sets $started to its process id.
start() {
	"$@" &
	started=$!
	children="$children $started"
}

# run NAME COMMAND...: output to NAME.out and NAME.err.
run() { "${@:2}" >"$scratch/$1.out" 2>"$scratch/$1.err"; }

# was_ok CODE NAME COMMAND...: the command, which was run before, must have exited with 0.
was_ok() {
	local rc=$1 name=$2
	shift 2
	checks=$((checks + 1))
	[ "$rc" -eq 0 ] && return
	fail "'$*' exited $rc"
	sed 's/^/    /' "$scratch/$name.err" >&2
	[ "$rc" -ne 3 ] || explain_losses "$@"
	return 1
}

# run_ok NAME COMMAND...: the same, and it must exit 0.
run_ok() {
	run "$@"
	was_ok $? "$@"
}

# explain_losses COMMAND...: prints the loss table of the trace after its -o.
explain_losses() {
	while [ $# -gt 1 ] && [ "$1" != -o ]; do shift; done
	[ $# -lt 2 ] || "$report" --no-local-files --info "$2" | grep -A8 'events of source' >&2
}

# Whether any recording of this test reported that the kernel hides threads: WAITS_HIDDEN, for the checkers.
look_for_hidden() {
	WAITS_HIDDEN=0
	! cat "$scratch"/*.err 2>/dev/null | grep -q 'hides .* threads' || WAITS_HIDDEN=1
	export WAITS_HIDDEN
}

# recorded NAME COMMAND...: run_ok for a recording, up to three times if events are lost: the host may be busy, and the kernel
# skips a BPF program that it would have to run recursively. Sets WAITS_HIDDEN.
recorded() {
	local try code
	for try in 1 2 3; do
		run "$@"
		code=$?
		[ $code = 3 ] && [ $try != 3 ] || break
		echo "# $1: $(grep ' lost' "$scratch/$1.err"); once more"
	done
	look_for_hidden
	was_ok $code "$@"
}

# run_code NAME CODE COMMAND...: the same, but it must exit with CODE.
run_code() {
	local name=$1 want=$2
	shift 2
	run "$name" "$@"
	check_equal "exit code of '$*'" "$want" "$?" && return
	sed 's/^/    /' "$scratch/$name.err" >&2
	return 1
}

# make_cgroup FOLDER: makes a control group, $cgroup, which is removed when the test ends.
make_cgroup() {
	mkdir "$1" || die "cannot make the control group '$1'"
	cgroup=$1
	groups="$groups $1"
}

# cgroup_of NAME PID: puts the process into a new control group of version 2, $cgroup, until the test ends. False if
# this host has none.
cgroup_of() {
	local base
	base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$base" ] || { echo "# not run: there is no mount of cgroup2"; return 1; }
	make_cgroup "$base/rwalker-$1-$$"
	echo "$2" >"$cgroup/cgroup.procs" || die "cannot move process $2 to '$cgroup'"
}

# pause MICROSECONDS: sleeps without starting a process; nobody writes to the pipe.
pause() {
	local seconds
	printf -v seconds %d.%06d $(($1 / 1000000)) $(($1 % 1000000))
	read -rt "$seconds" <>"$scratch/never"
}

# wait_for SECONDS COMMAND...: until the command succeeds. The limit matters only if it never does, and is generous on
# slow machines: it counts only the pauses between tries. A pause is as long as a try, and grows with the time waited,
# up to half a second.
wait_for() {
	local limit=$(($1 * 1000000)) waited=0 began between
	shift
	while began=${EPOCHREALTIME/[.,]/}; ! "$@"; do
		between=$((${EPOCHREALTIME/[.,]/} - began + waited / 20))
		between=$((between < 50000 ? 50000 : between > 500000 ? 500000 : between))
		waited=$((waited + between))
		[ $waited -lt $limit ] || return 1
		pause $between
	done
	return 0
}

# embedded_in_time TRACE: false if a file that has samples was not opened within the recorder's deadline, for example because
# its helper got no CPU. Its names are missing then, and the test must record again; a real fault shows each time.
embedded_in_time() { ! "$report" --no-local-files --info "$1" 2>/dev/null | grep -q 'could not be opened in time'; }

# embedded NAME COMMAND...: run_ok, for a recording to NAME.rwk with --embed, again until embedded_in_time.
embedded() {
	local try
	for try in 1 2 3 4 5; do
		rm -f "$scratch/$1.rwk"
		run_ok "$@" || return
		! embedded_in_time "$scratch/$1.rwk" || return 0
		echo "# $1: a file was not opened in time, try $try"
	done
}

# state_of FOLDER: state of the task with this folder in /proc: R, S, D...
state_of() {
	local state=
	{ read -r state <"$1/stat"; } 2>/dev/null
	state=${state##*) }
	echo "${state%% *}"
}

# has_begun: whether $recorder has its filter of system calls, which is the last step of its start.
has_begun() { grep -qs '^Seccomp:.*2$' "/proc/$recorder/status"; }

# begin_recorder NAME OPTION...: starts a recorder, $recorder, with messages in NAME.err; returns when it has begun. $program:
# another one than ours.
begin_recorder() {
	"${program-$record}" "${@:2}" 2>"$scratch/$1.err" &
	recorder=$!
	children="$children $recorder"
	wait_for 60 has_begun || die "the recorder does not start: $(cat "$scratch/$1.err")"
}

# end_recorder NAME [CODE]: ends it in order; it must exit with CODE (0).
end_recorder() {
	kill -INT "$recorder"
	wait "$recorder"
	check_equal "$1: exit code" "${2-0}" $?
}

# have_ended PID...: whether all have exited. They may be zombies, if their new parent does not reap them.
have_ended() {
	local pid
	for pid; do
		case $(state_of "/proc/$pid") in
		''|X|Z) ;;
		*) return 1 ;;
		esac
	done
}

# growing FIRST COMMAND...: runs the command with FIRST, twice FIRST, four times FIRST... as its last argument until
# it succeeds, for figures that a busy machine can make too small. FIRST is enough on a quiet machine; the last try,
# 64 times that, also on one that is sixty times slower.
growing() {
	local amount=$1 try
	shift
	for try in 1 2 3 4 5 6 7; do
		"$@" "$amount" && return
		echo "# try $try: $amount is not enough for '$*'"
		amount=$(awk "BEGIN { print 2 * $amount }")
	done
	return 1
}

# asleep PID [ERE]: whether the process has threads whose comms match, and all of these sleep.
asleep() {
	local task comm found=1
	for task in /proc/"$1"/task/*; do
		comm=
		{ read -r comm <"$task/comm"; } 2>/dev/null
		[[ $comm =~ ^(${2-.*})$ ]] || continue
		[ "$(state_of "$task")" = S ] || return 1
		found=0
	done
	return $found
}

# start_sleepers [ARGUMENT]: starts workloads/sleepers.c and returns when its threads are asleep; sets $pid.
start_sleepers() {
	start "$workloads/sleepers" "${1-paths}" >"$scratch/sleepers.out"
	pid=$started
	wait_for 60 grep -q ready "$scratch/sleepers.out" || die "the workload does not start"
	wait_for 60 asleep "$pid" 'sl_(framed|plain)' || die "the workload does not sleep"
}

# source_field TRACE FIELD: a field of the first source. Its "frequency" and "period" (ns) may differ from what was
# asked for, because the host may not allow that.
source_field() { "$report" --dump "$1" 2>/dev/null | sed -nE "s/^ *source .* $2=([0-9]+).*/\\1/p" | head -n 1; }

# has_samples TRACE LEAST [ERE]: whether a trace, perhaps still being written, has that many samples (with stacks that
# match). This host's files are read for names of functions, but not if the ERE begins with ^, as one for a thread's
# name does.
has_samples() {
	local files=--no-local-files
	case ${3-} in [!^]*) files= ;; esac
	[ -s "$1" ] && [ "$("$report" --folded --source cpu ${files:+"$files"} "$1" 2>/dev/null | folded_sum - "${3-}")" -ge "$2" ]
}

# lacks_events TRACE: whether events were lost (with a cause that FORMAT.md calls a loss of events or of the
# sideband), or the trace has no end or could not be written completely. Decided from the trace's records, not by the
# reporter.
lacks_events() {
	"$report" --dump "$1" 2>/dev/null | awk '
		/^  loss / && / cause=(1|2|3|5|6|11|26) / && !/ total=0$/ { lacks = 1 }
		/^  unsure / && !/ cause=3 / { lacks = 1 }
		/^section [0-9]* closed / { ends++; if (/ closed 0 / || / reason (2|3|5)$/) lacks = 1 }
		END { exit ends && !lacks }'
}

# check_ended WHAT CODE TRACE: the recorder's exit code is 3 if the trace says that events were lost, as on a busy host, else 0.
check_ended() {
	local expected=0
	! lacks_events "$3" || expected=3
	check_equal "$1: exit code" $expected "$2"
}

# folded TRACE [OPTION...] >FILE: the reporter's notes about the trace go to folded.err. Its exit code must be 3 if
# the trace lacks events, else 0, or 1 if nothing passes the filters.
folded() {
	local trace=$1 code expected=0
	shift
	"$report" --folded "$@" "$trace" 2>"$scratch/folded.err"
	code=$?
	grep -q ': error: nothing in the trace fits ' "$scratch/folded.err" && expected=1
	lacks_events "$trace" && expected=3
	[ $code = $expected ] ||
		fail "the report of '$trace' ends with $code, not $expected: $(tail -n 1 "$scratch/folded.err")"
}

# beside_perf FREQ DATA COMMAND...: perf records a command and is itself recorded by us. It follows
# the command's tasks, not the CPUs: perf fails on files in which BPF programs come and go.
# --buildid-mmap: while anyone on the host asks the kernel for build-ids in mmap records, as
# we do, it marks everybody's records as having them, and perf believes it.
# PERF_STACKS: how perf follows callers, instead of by frame pointers.
beside_perf() {
	local freq=$1 data=$2
	shift 2
	perf record -q --buildid-mmap --no-bpf-event -e cpu-clock -F "$freq" --call-graph "${PERF_STACKS:-fp}" -o "$data" -- "$@"
}
export -f beside_perf

# --- sums over folded stacks -------------------------------------------------------------------

# folded_sum FILE [ERE]: sum of the counts of matching lines. The ERE is not passed with -v: awks disagree on \[ there.
folded_sum() { re=${2-} awk '$0 ~ ENVIRON["re"] { sum += $NF } END { print sum + 0 }' "$1"; }

# path_ere 'main;alpha;leaf': matches stacks with these functions in this order.
path_ere() { echo "(^|;)$(echo "$1" | sed 's/;/;([^ ]*;)?/g')(_\\[[a-z]\\])?(;| [0-9]+\$)"; }

# folded_share FILE ERE [ALL_ERE]: weight of the lines that match, as a fraction of those that match ALL_ERE.
folded_share() {
	awk -v part="$(folded_sum "$1" "$2")" -v all="$(folded_sum "$1" "${3-}")" \
		'BEGIN { printf "%.6f\n", all ? part / all : 0 }'
}

# folded_comms FILE: each comm once.
folded_comms() { sed 's/;.*//' "$1" | sort -u; }

# check_truth FOLDED TRUTH POINTS: checks that every "truth PATH SHARE" is within that many points.
check_truth() {
	local word path share got
	while read -r word path share; do
		[ "$word" = truth ] || continue
		got=$(folded_share "$1" "$(path_ere "$path")")
		check_number "$path: own count $share, recorded $got" \
			"($got - $share) ^ 2 <= ($3 / 100) ^ 2"
	done <"$2"
}

# --- waits: traces and truths are $scratch/NAME.rwk and NAME.truth ---------------------------------

need_offcpu() {
	need_recording
	need_tool python3
}

# judged COMMAND...: each line "yes WHAT" or "no WHAT: WHY" of its output is a check.
judged() {
	local word rest
	while read -r word rest; do
		case $word in
		yes) checks=$((checks + 1)) ;;
		no) checks=$((checks + 1)); fail "$rest" ;;
		*) echo "$word $rest" ;;
		esac
	done < <("$@" 2>&1 || echo "no checker: '$*' ended with $?")
}

# check_waits NAME CHECK...: what waits_check.py finds.
check_waits() {
	local name=$1
	shift
	echo "# $name"
	look_for_hidden
	judged python3 -B "$here/tests/live/waits_check.py" "$report" "$scratch/$name.rwk" "$scratch/$name.truth" "$@"
}

# record_waits NAME 'RECORDER OPTIONS' KIND ARGUMENT...: the workload under the recorder; its truth is its output.
record_waits() {
	local name=$1 options=$2
	shift 2
	# shellcheck disable=SC2086
	recorded "$name" "$record" --force --offcpu 0 $options -o "$scratch/$name.rwk" -- "$workloads/waits" "$@"
	local code=$?
	mv "$scratch/$name.out" "$scratch/$name.truth"
	return $code
}
