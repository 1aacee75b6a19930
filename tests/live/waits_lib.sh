# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Shared by the live tests of waits; source it after lib.sh. Traces and truths are in $scratch as NAME.rwk and NAME.truth.
# shellcheck shell=bash

need_offcpu() {
	need_recording
	need_tool python3
	"$record" --help 2>/dev/null | grep -q -- --offcpu || die "'$record' has no --offcpu"
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

# All views that show waits, with a moment for those that need one.
waits_views() {
	printf '%s\n' --tree --stacks --folded --wakers --top-waits '--at +0.5' --chains --summary
}
