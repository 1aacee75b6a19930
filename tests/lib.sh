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
