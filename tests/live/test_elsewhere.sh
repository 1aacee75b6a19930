#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Record here, report where nothing is installed: except for lines, which are in debug files (-q), the tree is the
# same, byte for byte, in a root that has only the reporter and its libraries. Also through a pipe. The check level
# shows only the tree for --embed min.
. "$(dirname "$0")/lib.sh"

empty=$scratch/empty

make_empty_root() {
	local library
	mkdir -p "$empty/dev"
	: >"$empty/dev/null"
	cp "$report" "$empty/rwalker-report"
	for library in $(ldd "$report" | grep -o '/[^ ]*'); do
		mkdir -p "$empty$(dirname "$library")"
		cp -L "$library" "$empty$library"
	done
}

in_empty_root() { chroot "$empty" /rwalker-report "$@"; }
quiet_there() { in_empty_root "$@" 2>/dev/null; }

# same_view TRACE VIEW...: the view is the same here and in the empty root.
same_view() {
	local trace=$1
	shift
	cp "$trace" "$empty/trace.rwk"
	(cd "$(dirname "$trace")" && "$report" "$@" trace.rwk) >"$scratch/here.txt" 2>"$scratch/here.err"
	check_equal "exit code of '$*'" 0 $? || tail -5 "$scratch/here.err" >&2
	in_empty_root "$@" trace.rwk >"$scratch/there.txt" 2>"$scratch/there.err"
	check_equal "exit code of '$*' in an empty root" 0 $? || tail -5 "$scratch/there.err" >&2
	check "'$*' has content" [ -s "$scratch/here.txt" ]
	check "'$*' is the same in an empty root" cmp "$scratch/here.txt" "$scratch/there.txt" ||
		diff "$scratch/here.txt" "$scratch/there.txt" | head -20 >&2
}

# For files that are deleted soon. On a busy machine the recorder may not open one within its deadline, which --info
# shows. Its names are lost then, and everything is recorded once more.
lacks_names() { # TRACE
	"$report" -q --folded "$1" 2>/dev/null >"$scratch/found.folded"
	! { grep -q ';burn_deleted[; ]' "$scratch/found.folded" && grep -q ';burn_inside[; ]' "$scratch/found.folded"; } &&
		"$report" --no-local-files --info "$1" | grep -q 'not opened in time'
}

record_all_kinds() {
	local try
	mkdir "$scratch/$1"
	for try in 1 2 3 4 5 6; do
		mkdir "$scratch/place"
		run_ok all "$record" --force -u -f 999 --embed "$1" -o "$scratch/$1/trace.rwk" -- sh -c "
			'$workloads/cpu_paths' 0.4; '$workloads/kernel_paths' 0.4; '$workloads/churn' 60 3
			'$workloads/copies' deleted '$scratch/gone' 0.3; '$workloads/copies' ns '$scratch/place' 0.3"
		rmdir "$scratch/place"
		lacks_names "$scratch/$1/trace.rwk" || break
		echo "# --embed $1: a file was not opened in time, try $try"
	done
}

test_same_tree() { # EMBED
	local trace=$scratch/$1/trace.rwk function
	record_all_kinds "$1"
	same_view "$trace" --tree -q
	if [ "$1$level" != mincheck ]; then
		same_view "$trace" --folded -q
		same_view "$trace" --stacks -q
	fi
	quiet_there --folded trace.rwk >"$scratch/there.folded"
	for function in burn_deleted:gone burn_inside:inner; do
		check_number "--embed $1: share of ${function%:*}" \
			"$(folded_share "$scratch/there.folded" ";${function%:*}[; ]" "^${function#*:};") >= 0.9"
	done
	for function in alpha gamma path_zero vfs_read burn_apple burn_forked burn_deleted burn_inside; do
		check "--embed $1: $function has its name" grep -q ";${function}[; ]" "$scratch/there.folded"
	done
}

# Unwinding uses only what the trace holds.
test_same_unwound() { # EMBED
	mkdir "$scratch/dwarf-$1"
	run_ok unwound "$record" -p 0 --dwarf --sw-perf --embed "$1" -o "$scratch/dwarf-$1/trace.rwk" -- "$workloads/frameless" 0.4
	same_view "$scratch/dwarf-$1/trace.rwk" --tree -q
	check "--embed $1: its path" eval "quiet_there --folded trace.rwk | grep -q ';burner;fl_outer;fl_middle;fl_burn '"
}

# With nothing embedded there are names only here, and --needs lists the files that would provide them.
test_needs() {
	local id
	mkdir "$scratch/none"
	run_ok none "$record" -u -f 999 --embed none -o "$scratch/none/trace.rwk" -- "$workloads/cpu_paths" 0.4
	folded "$scratch/none/trace.rwk" >"$scratch/none.folded"
	check_number "names from local files by build-id" \
		"$(folded_sum "$scratch/none.folded" ';alpha;leaf') > 20"
	cp "$scratch/none/trace.rwk" "$empty/trace.rwk"
	quiet_there --folded trace.rwk >"$scratch/none.there"
	check_equal "names in the empty root" 0 "$(folded_sum "$scratch/none.there" ';alpha;leaf')"
	id=$(readelf -n "$workloads/cpu_paths" | awk '/Build ID/ { print $3 }')
	in_empty_root --needs trace.rwk >"$scratch/needs"
	check "--needs names the build-id of the workload" grep -q "$id" "$scratch/needs"
}

test_pipe() {
	# The command shares our stdout, so its own output must go elsewhere.
	"$record" -u -f 999 -o - -- sh -c "'$workloads/cpu_paths' 0.3 >&2" 2>"$scratch/pipe.err" |
		tee "$scratch/pipe.rwk" | "$report" --tree - >"$scratch/pipe.tree" 2>"$scratch/pipe.note"
	check_equal "exit codes of record | tee | report" "0 0 0" "${PIPESTATUS[*]}"
	check "the tree from a pipe" grep -q '>>>.*leaf' "$scratch/pipe.tree"
	"$report" --tree "$scratch/pipe.rwk" >"$scratch/file.tree"
	check "the same bytes as a file give the same tree" cmp "$scratch/pipe.tree" "$scratch/file.tree"
}

need_recording
need_tool chroot ldd readelf
make_empty_root
test_same_tree full
test_same_tree min
test_same_unwound full
test_same_unwound min
test_needs
test_pipe
finish
