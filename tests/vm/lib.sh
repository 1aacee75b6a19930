# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Shared by the tests in virtual machines. A script in tests/vm sources it; it changes to the top of the tree.
#
# A guest script (guest/*.sh) runs the recorder and writes independent truths to files; the tests judge the guest's
# output on this machine, with this machine's reporter.

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
RECORD=${RECORD:-build/static/rwalker-record}
REPORT=${REPORT:-build/rwalker-report}
RESULTS=${RESULTS:-build/tests/vm/results}
NOTES=$RESULTS.$(basename "$0" .sh) # tests run in parallel

. tests/lib.sh

# reported FILE CODE ARGUMENT... : writes the reporter's output to FILE, its messages to FILE.said. It must exit with
# CODE.
reported() {
	reported_to=$1 reported_code=$2
	shift 2
	"$REPORT" "$@" >"$reported_to" 2>"$reported_to.said"
	set -- $? "$*"
	verdict "report $2" "it ended with $1, not $reported_code: $(tail -n 1 "$reported_to.said")" [ "$1" = "$reported_code" ]
}

is_long() { [ "${CHECK_LEVEL:-check}" = long ]; }

# kernels [USUAL] : the kernels to test on; USUAL are those for `make check-full`
kernels() {
	case ${CHECK_LEVEL:-check} in
	long) echo 6.1-cloud 6.12-cloud 6.1-rt 6.12-rt ;;
	*) echo "${1:-6.1-cloud 6.12-cloud}" ;;
	esac
}

need_programs() {
	for tool in qemu-system-x86_64 busybox cpio mke2fs; do
		PATH=$PATH:/sbin:/usr/sbin command -v $tool >/dev/null || { echo "'$tool' is not installed"; exit 77; }
	done
	for program in "$RECORD" "$REPORT" build/tests/vm/guest/vmexit; do
		[ -x "$program" ] || { not_ok programs "'$program' is not built ('make static report test-programs')"; exit 1; }
	done
}

# boot NAME KERNEL GUEST_SCRIPT [CPUS [WORDS]] : runs the script, with the level and WORDS in the kernel's command
# line, and sets $dir to its output. VM_OPTIONS are further options for vm.sh, VM_SECONDS is the time limit of the
# guest (210). Returns false if there is nothing to judge, after printing the reason.
boot() {
	dir=$RESULTS/$1
	tests/vm/fetch.sh "$2" 2>"$NOTES.fetch"
	case $? in
	0) ;;
	77) skip_one "$1" "$(tail -n 1 "$NOTES.fetch")"; return 1 ;;
	*) not_ok "$1" "$(tail -n 1 "$NOTES.fetch")"; return 1 ;;
	esac
	# shellcheck disable=SC2046,SC2086 # several words, or none
	tests/vm/vm.sh ${VM_OPTIONS:-} $(is_long || echo -q) -c "${4:-2}" -a "level=${CHECK_LEVEL:-check} ${5:-}" -t "${VM_SECONDS:-210}" "$2" "tests/vm/guest/$3" "$dir" "$RECORD"
	boot_rc=$?
	if [ $boot_rc -ne 0 ]; then
		tail -n 30 "$dir/console.log" | cat -v
		echo # the console may have ended within a line
		not_ok "$1" "the guest ended with $boot_rc (124 = time is over, 200 = crash), see '$dir/console.log'"
		return 1
	fi
	ok "$1"
	[ ! -s "$dir/test.log" ] || cat "$dir/test.log"
	verdict "$1/calls" "$(grep -h 'refused [0-9]* system call' "$dir"/*.err)" none_was_refused
	verdict "$1/states" "the guest could not hold its states, see '$dir/test.log'" lacks VM-FAIL "$dir/test.log"
}

# No recording may make a system call that the recorder's own filter refuses.
none_was_refused() { ! grep -q 'refused [0-9]* system call' "$dir"/*.err 2>/dev/null; }

# judged JUDGE NAME KERNEL GUEST_SCRIPT [CPUS [WORDS]] : boots and judges, up to three times: on a busy machine, an
# emulated one may be stopped for so long that its clocks are useless. That affects a different check each time, while
# a real error fails every time, so each check must succeed once. Earlier failures become comments.
judged() {
	: >"$NOTES.tries"
	for judged_try in 1 2 3; do
		boot "$2" "$3" "$4" "${5:-2}" "${6:-}" >"$NOTES.said" && "$1" "$3" >>"$NOTES.said" 2>&1
		cat "$NOTES.said" >>"$NOTES.tries"
		never_good <"$NOTES.tries" >"$NOTES.never"
		[ -s "$NOTES.never" ] || break
		[ $judged_try = 3 ] || sed 's/^not ok/# once more, for/' "$NOTES.never"
	done
	grep -v '^not ok ' "$NOTES.said"
	cat "$NOTES.never"
}

# For each NAME without a line "ok NAME", the last line "not ok NAME - WHY".
never_good() {
	awk '/^ok / { good[substr($0, 4)] = 1 }
		/^not ok / { name = substr($0, 8); sub(/ - .*/, "", name); if (!(name in bad)) names[++count] = name; bad[name] = $0 }
		END { for (i = 1; i <= count; i++) if (!(names[i] in good)) print bad[names[i]] }'
}

between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }

# recorded NAME RECORDING : ok if the recorder exited with 0; false if there is no trace to check
recorded() {
	rc=$(time_of "$2" 3)
	if [ "$rc" = 0 ]; then ok "$1"; else not_ok "$1" "the recorder ended with '$rc': $(tail -n 3 "$dir/$2.err" | tr '\n' ' ')"; fi
	[ -s "$dir/$2.rwk" ]
}

# time_of RECORDING FIELD : 3 exit code, 4 begin, 5 end, 6 from SIGINT to the end, 7 CPU time, in ns (stopwatch.c)
time_of() { awk -v name="$1" -v field="$2" '$1 == "time" && $2 == name { value = $field } END { print value == "" ? 0 : value }' "$dir/times"; }

# judge_version_1 NAME : judges what record_version_1 recorded
judge_version_1() {
	if recorded "$1/version-1-run" version-1; then
		reported "$dir/version-1.info" 0 --info "$dir/version-1.rwk"
		verdict "$1/version-1/said" "nothing about it in --info" grep -q 'the host has those of version 1, too' "$dir/version-1.info"
		reported "$dir/version-1.by" 0 --folded --source offcpu --by container "$dir/version-1.rwk"
		verdict "$1/version-1/waits" "there are no waits" grep -q ';sh;\|;usleep;' "$dir/version-1.by"
		verdict "$1/version-1/no-container" "containers are not known here" lacks '^container ' "$dir/version-1.by"
		verdict "$1/version-1/by" "$(head -n 2 "$dir/version-1.by.said")" grep -q 'version 1' "$dir/version-1.by.said"
	fi
	for run in version-1-chosen version-1-cgroup; do
		verdict "$1/$run" "ended with $(time_of $run 3): $(tail -n 1 "$dir/$run.err")" \
			eval "[ $(time_of $run 3) = 1 ] && grep -q 'control groups of version 2, which are not mounted here' '$dir/$run.err'"
	done
}

# The only code that knows the output of `rwalker-report --tasks`. Per task, separated by tabs: comm, tid, state, wait
# in seconds as printed (may begin with the sign of a bound; - if none), functions of the stack, leaf first, joined by
# commas.
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

# The lines of a checker in tests/live as verdicts.
verdicts_of() { # NAME
	sed -E "s|^yes |ok $1/|; s|^no ([^:]*): (.*)\$|not ok $1/\\1 - \\2|; s|^no |not ok $1/|"
}
