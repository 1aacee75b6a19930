# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Shared by the test scripts of all levels, for sh and bash: verdicts and exact exit codes. tests/run.sh counts the
# lines "ok NAME" and "not ok NAME - WHY".

LC_ALL=C
export LC_ALL
failures=0

ok() { echo "ok $1"; }
not_ok() { failures=$((failures + 1)); echo "not ok $1 - $2"; }
skip_one() { echo "skip $1 - $2"; }

# verdict NAME WHY COMMAND...: ok if the command succeeds.
verdict() {
	verdict_name=$1 verdict_why=$2
	shift 2
	if "$@"; then ok "$verdict_name"; else not_ok "$verdict_name" "$verdict_why"; fi
}

# exits NAME CODE COMMAND...: ok if the command ends with exactly that code. Its output is in $scratch/out and $scratch/err.
exits() {
	exits_name=$1 exits_code=$2
	shift 2
	"$@" >"$scratch/out" 2>"$scratch/err"
	set -- $?
	verdict "$exits_name" "exit code $1, not $exits_code: $(head -n 3 "$scratch/err" | tr '\n' ' ')" [ "$1" = "$exits_code" ]
}

# some_samples FIRST: the trace of every third sample, beginning with number FIRST (0 to 2); all of them if
# CHECK_LEVEL=long.
some_samples() {
	some_number=0
	for some_sample in samples/*/trace.rwk; do
		if [ "${CHECK_LEVEL:-check}" = long ] || [ $((some_number % 3)) -eq "$1" ]; then echo "$some_sample"; fi
		some_number=$((some_number + 1))
	done
}

# lacks [OPTION...] PATTERN FILE: whether grep, with these options, finds nothing. Also false if the file cannot be
# read.
lacks() {
	grep -q "$@"
	[ $? -eq 1 ]
}

# costing FILE COMMAND...: runs it. FILE gets its CPU time in ms and the peak MB of its largest process, its children's too.
costing() {
	python3 -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:], timeout=600).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], "w").write(f"{int(1000 * (used.ru_utime + used.ru_stime))} {used.ru_maxrss >> 10}\n")
sys.exit(code)' "$@"
}

# on_terminal COMMAND...: runs it on a terminal of its own and prints what the terminal received.
on_terminal() {
	python3 -c '
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
	os.execvp(sys.argv[1], sys.argv[1:])
while True:
	try:
		data = os.read(fd, 65536)
	except OSError:
		break
	if not data:
		break
	sys.stdout.buffer.write(data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))' "$@"
}

# named_trace OUT OFFSET PATH BUILD_ID [PATH BUILD_ID]...: makes a trace that refers to these files and embeds nothing of
# them, with one sample in each, at that offset of the file.
named_trace() {
	named_out=$1 named_offset=$2
	shift 2
	{
		echo 'meta key="hostname" value="here"'
		echo 'source id=1 kind=1 weight=2 name="cpu-clock" frequency=1000 period=1ms start=1000 stop=2s flags=0x1'
		named_events='task tgid=100 tid=100 comm="named"' named_number=1
		while [ $# -gt 0 ]; do
			named_start=$((0x10000000 + named_number * 0x100000))
			echo "module id=$named_number kind=1 path=\"$1\" build_id=$2"
			echo "mapping time=1000 tgid=100 start=$named_start length=0x100000 module=$named_number"
			named_events="$named_events
sample time=$((2000 + named_number)) task=1 source=1 user=$(printf %#x $((named_start + named_offset)))"
			named_number=$((named_number + 1))
			shift 2
		done
		echo "$named_events"
	} | "${BUILD:-build}/tests/make_trace" /dev/stdin "$named_out"
}
