# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What the tests in virtual machines share. Source it from a script in tests/vm; it goes to the top of the tree.
#
# A guest script (guest/*.sh) runs the recorder and writes down truths from outside; the tests judge on this machine, with this
# machine's reporter, what was brought out of the guest.

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
RECORD=${RECORD:-build/static/rwalker-record}
REPORT=${REPORT:-build/rwalker-report}
RESULTS=${RESULTS:-build/tests/vm/results}

ok() { echo "ok $1"; }
not_ok() { echo "not ok $1 - $2"; }
skip() { echo "skip $1 - $2"; }

# verdict NAME WHY COMMAND... : ok if the command succeeds
verdict() {
	verdict_name=$1 verdict_why=$2
	shift 2
	if "$@"; then ok "$verdict_name"; else not_ok "$verdict_name" "$verdict_why"; fi
}

# kernels [ONE] : those to test on; ONE is the one of `make check` where its 20 minutes have no room for more
kernels() {
	case ${CHECK_LEVEL:-check} in
	long) echo 6.1-cloud 6.12-cloud 6.1-rt 6.12-rt ;;
	*) echo "${1:-6.1-cloud 6.12-cloud}" ;;
	esac
}

need_programs() {
	for tool in qemu-system-x86_64 busybox cpio mke2fs; do
		PATH=$PATH:/sbin:/usr/sbin command -v $tool >/dev/null || { echo "'$tool' is missing ('make deps')"; exit 77; }
	done
	for program in "$RECORD" "$REPORT" build/tests/vm/guest/vmexit; do
		[ -x "$program" ] || { not_ok programs "'$program' is not built ('make static report test-programs')"; exit 1; }
	done
}

# boot NAME KERNEL GUEST_SCRIPT [CPUS] : runs it and sets $dir to what came out. False when there is nothing to judge, which
# is then already said.
boot() {
	dir=$RESULTS/$1
	tests/vm/fetch.sh "$2" 2>"$RESULTS.fetch"
	case $? in
	0) ;;
	77) skip "$1" "$(tail -n 1 "$RESULTS.fetch")"; return 1 ;;
	*) not_ok "$1" "$(tail -n 1 "$RESULTS.fetch")"; return 1 ;;
	esac
	tests/vm/vm.sh -c "${4:-2}" -t 150 "$2" "tests/vm/guest/$3" "$dir" "$RECORD"
	boot_rc=$?
	if [ $boot_rc -ne 0 ]; then
		tail -n 30 "$dir/console.log" | cat -v
		not_ok "$1" "the guest ended with $boot_rc (124 = time is over, 200 = crash), see '$dir/console.log'"
		return 1
	fi
	[ ! -s "$dir/test.log" ] || cat "$dir/test.log"
	verdict "$1/states" "the guest could not hold its states, see '$dir/test.log'" no_line VM-FAIL "$dir/test.log"
}

# judged JUDGE NAME KERNEL GUEST_SCRIPT : boots and judges, up to three times: a busy machine stops an emulated one for long
# enough that its clocks tell of that and of nothing else. What the last time says, counts; the ones before are comments.
judged() {
	for judged_try in 1 2 3; do
		boot "$2" "$3" "$4" >"$RESULTS.said" && "$1" "$3" >>"$RESULTS.said" 2>&1
		if [ $judged_try = 3 ] || ! grep -q '^not ok' "$RESULTS.said"; then break; fi
		sed -n 's/^not ok/# once more, for/p' "$RESULTS.said"
	done
	cat "$RESULTS.said"
}

between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }

no_line() { ! grep -q "$1" "$2"; }

# recorded NAME RECORDING : ok if the recorder ended with 0; false if there is no trace to look into
recorded() {
	rc=$(time_of "$2" 3)
	if [ "$rc" = 0 ]; then ok "$1"; else not_ok "$1" "the recorder ended with '$rc': $(tail -n 3 "$dir/$2.err" | tr '\n' ' ')"; fi
	[ -s "$dir/$2.rwk" ]
}

# time_of RECORDING FIELD : 3 exit code, 4 begin, 5 end, 6 from SIGINT to the end, 7 CPU time, in ns (stopwatch.c)
time_of() { awk -v name="$1" -v field="$2" '$1 == "time" && $2 == name { value = $field } END { print value == "" ? 0 : value }' "$dir/times"; }

# The one place that knows how `rwalker-report --tasks` looks. Per task, separated by tabs: comm, tid, state, wait in
# seconds as printed (may begin with a sign of a bound, - when it has none), functions of the stack, leaf first, with commas.
tasks_of() { # TRACE [OPTION...] of the reporter
	tasks_trace=$1
	shift
	"$REPORT" --tasks "$@" "$tasks_trace" 2>"$tasks_trace.report-err" | tee "$tasks_trace.tasks" | awk '
		function flush() { if (comm != "") print comm "\t" tid "\t" state "\t" wait "\t" stack; comm = "" }
		/^ *comm .* pid [0-9]+ state / {
			flush()
			rest = $0
			sub(/^ *comm /, "", rest)
			comm = rest; sub(/ pid [0-9]+ state .*/, "", comm)
			tid = rest; sub(/.* pid /, "", tid); sub(/ .*/, "", tid)
			state = rest; sub(/.* state /, "", state); sub(/ .*/, "", state)
			wait = "-"
			if (match(rest, / wait [^ ]+/)) wait = substr(rest, RSTART + 6, RLENGTH - 6)
			stack = ""
			next
		}
		comm != "" && /^ *[A-Za-z_\[][^ ]*/ && !/^[0-9]/ { name = $1; sub(/\+0x.*/, "", name); stack = stack name "," ; next }
		{ flush() }
		END { flush() }'
}
