# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What the live tests share: the programs, a scratch directory, verdicts, and sums over
# folded stacks ("comm;root;...;leaf COUNT", one per line). Source it first.
#
# A test calls check_* and ends with "finish". Exit 0 passed, 1 failed, 77 cannot run here.

set -u
LC_ALL=C
export LC_ALL

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-$here/build}
record=$build/rwalker-record
report=$build/rwalker-report
workloads=$build/tests/live/workloads
level=${CHECK_LEVEL:-check}
failures=0
checks=0
children=
scratch=$(mktemp -d "${TMPDIR:-/tmp}/rwalker-live.XXXXXX")

cleanup() {
	local pid
	for pid in $children; do kill -KILL "$pid" 2>/dev/null; done
	wait 2>/dev/null
	cd / && rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

# --- verdicts ----------------------------------------------------------------------------------

skip() { echo "skipped: $*"; exit 77; }

die() { echo "cannot go on: $*" >&2; exit 1; }

fail() {
	failures=$((failures + 1))
	echo "not ok $*" >&2
}

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

# check_number WHAT 'AWK CONDITION': numbers are written into the condition by the caller.
check_number() {
	checks=$((checks + 1))
	awk "BEGIN { exit !($2) }" || { fail "$1: not so: $2"; return 1; }
}

finish() {
	[ "$checks" -gt 0 ] || die "nothing was checked"
	echo "$checks checks, $failures failed"
	[ "$failures" -eq 0 ] && echo "ok $(basename "$0" .sh) ($checks checks)"
	exit
}

# --- what this machine allows ------------------------------------------------------------------

need_recording() {
	local reason
	[ "$(id -u)" -eq 0 ] || skip "recording needs root"
	[ -x "$workloads/can_bpf" ] || die "'$workloads/can_bpf' is missing; run 'make test-programs'"
	reason=$("$workloads/can_bpf") || skip "$reason"
}

need_tool() {
	local tool
	for tool; do command -v "$tool" >/dev/null || skip "'$tool' is not installed"; done
}

at_level() { # at_level CHECK LONG: the first where CHECK_LEVEL=check, else the second
	if [ "$level" = check ]; then echo "$1"; else echo "$2"; fi
}

# --- running things ----------------------------------------------------------------------------

# start COMMAND...: runs it in the background until the test ends; its id is in $started.
start() {
	"$@" &
	started=$!
	children="$children $started"
}

# run_ok NAME COMMAND...: output to NAME.out and NAME.err; must exit 0.
run_ok() {
	local name=$1 rc
	shift
	"$@" >"$scratch/$name.out" 2>"$scratch/$name.err"
	rc=$?
	checks=$((checks + 1))
	[ $rc -eq 0 ] && return
	fail "'$*' exited $rc"
	sed 's/^/    /' "$scratch/$name.err" >&2
	[ $rc -ne 3 ] || explain_losses "$@"
	return 1
}

# explain_losses COMMAND...: the loss table of the trace behind its -o.
explain_losses() {
	while [ $# -gt 1 ] && [ "$1" != -o ]; do shift; done
	[ $# -lt 2 ] || "$report" --info "$2" | grep -A8 'events of source' >&2
}

# run_code NAME CODE COMMAND...: the same, but CODE is the exit code wanted.
run_code() {
	local name=$1 want=$2
	shift 2
	"$@" >"$scratch/$name.out" 2>"$scratch/$name.err"
	check_equal "exit code of '$*'" "$want" "$?" && return
	sed 's/^/    /' "$scratch/$name.err" >&2
	return 1
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
	local tries=$(($1 * 20))
	shift
	while ! "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

# start_sleepers: workloads/sleepers.c, whose threads sleep by the time it returns; its id is in $pid.
start_sleepers() {
	start "$workloads/sleepers" >"$scratch/sleepers.out"
	pid=$started
	wait_for 10 grep -q ready "$scratch/sleepers.out" || die "the workload does not start"
	sleep 0.2
}

# folded TRACE [OPTION...] >FILE: what the reporter notes about the trace goes to folded.err.
folded() {
	local trace=$1
	shift
	"$report" --folded "$@" "$trace" 2>"$scratch/folded.err"
}

# beside_perf FREQ DATA COMMAND...: perf recording a command, itself recorded by us. It follows
# the command's tasks, not the CPUs: perf fails on files in which BPF programs come and go.
# --buildid-mmap: while anybody on the host asks the kernel for build-ids in mmap records, as
# we do, it marks everybody's records as such, and perf believes it.
beside_perf() {
	local freq=$1 data=$2
	shift 2
	perf record -q --buildid-mmap --no-bpf-event -e cpu-clock -F "$freq" -g -o "$data" -- "$@"
}
export -f beside_perf

# --- sums over folded stacks -------------------------------------------------------------------

# folded_sum FILE [ERE]: the counts of the lines that match.
folded_sum() {
	awk -v re="${2-}" '$0 ~ re { sum += $NF } END { print sum + 0 }' "$1"
}

# path_ere 'main;alpha;leaf': matches stacks that hold these functions in this order.
path_ere() { echo "(^|;)$(echo "$1" | sed 's/;/;([^ ]*;)?/g')(_\\[[a-z]\\])?(;| [0-9]+\$)"; }

# folded_share FILE ERE [ALL_ERE]: as a fraction of the lines that match ALL_ERE.
folded_share() {
	awk -v part="$(folded_sum "$1" "$2")" -v all="$(folded_sum "$1" "${3-}")" \
		'BEGIN { printf "%.6f\n", all ? part / all : 0 }'
}

# folded_comms FILE: each comm once.
folded_comms() { sed 's/;.*//' "$1" | sort -u; }

# check_truth FOLDED TRUTH POINTS: every "truth PATH SHARE" within so many points.
check_truth() {
	local word path share got
	while read -r word path share; do
		[ "$word" = truth ] || continue
		got=$(folded_share "$1" "$(path_ere "$path")")
		check_number "$path: own count $share, recorded $got" \
			"($got - $share) ^ 2 <= ($3 / 100) ^ 2"
	done <"$2"
}
