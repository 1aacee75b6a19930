#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# demo.sh: what "make demo" shows once everything is built. Records a sample workload and prints its
# tree. If the kernel refuses BPF, it says so and reports a trace that was recorded elsewhere.

set -u
cd "$(dirname "$0")/.." || exit 1
readonly SECONDS_RECORDED=3
build=${BUILD:-build}

# say COMMAND...: shows the command, then runs it.
say()
{
	printf '\n$ %s\n' "$*"
	"$@"
}

as_root=()
((EUID == 0)) || { command -v sudo >/dev/null && as_root=(sudo); }

sample=cpu_paths

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trace=$dir/demo.rwk

say "${as_root[@]}" "$build/rwalker-record" -p "$SECONDS_RECORDED" -u -o "$trace" -- "$build/samples/$sample"
code=$?
if [[ ! -s $trace ]]; then
	echo
	echo "Nothing could be recorded here (exit code $code; the recorder said why above). This is the"
	echo "report of samples/$sample/trace.rwk, which was recorded on another machine:"
	trace=samples/$sample/trace.rwk
fi
say "$build/rwalker-report" --tree "$trace"
code=$?
((code == 0 || code == 3))	# 3: some events were lost, as the report says
