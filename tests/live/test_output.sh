#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The file: private, never overwritten, never through a link, never larger than asked.
. "$(dirname "$0")/lib.sh"

short="-p 1 -f 999"

test_mode_and_last_lines() {
	run_ok new "$record" $short -o "$scratch/new.rwk"
	check_equal "mode" 600 "$(stat -c %a "$scratch/new.rwk")"
	check "the last lines say what was written and lost" grep -qE 'samples?, 0 lost.*new.rwk' \
		<(tail -3 "$scratch/new.err")
	check "the last line says how to report" grep -q 'rwalker-report.*new.rwk' <(tail -1 "$scratch/new.err")
}

test_default_name() {
	mkdir "$scratch/cwd"
	(cd "$scratch/cwd" && run_ok named "$record" $short)
	check "default name" eval "[ -s '$scratch/cwd/rwalker-$(uname -n)'-[0-9]*.rwk ]"
}

test_no_overwrite() {
	echo precious >"$scratch/old"
	run_code old 1 "$record" $short -o "$scratch/old"
	check_equal "its content" precious "$(cat "$scratch/old")"
	check "the message names --force" grep -q -- --force "$scratch/old.err"
	chmod 644 "$scratch/old"
	run_ok forced "$record" $short --force -o "$scratch/old"
	run_ok replaced "$report" --no-local-files --info "$scratch/old"
	check_equal "mode after --force" 600 "$(stat -c %a "$scratch/old")"
}

test_links() {
	echo precious >"$scratch/target"
	ln -s "$scratch/target" "$scratch/link"
	ln -s "$scratch/nowhere" "$scratch/dangling"
	local force
	for force in '' --force; do
		run_code link 1 "$record" $short $force -o "$scratch/link"
		check "a link is named, $force" grep -q "'$scratch/link'" "$scratch/link.err"
		check_equal "what a link points to, $force" precious "$(cat "$scratch/target")"
		run_code dangling 1 "$record" $short $force -o "$scratch/dangling"
		check "a dangling link is named, $force" grep -q "'$scratch/dangling'" "$scratch/dangling.err"
		check "a dangling link made no file, $force" [ ! -e "$scratch/nowhere" ]
	done
}

test_not_to_a_terminal() {
	command -v script >/dev/null || { echo "not run: no script(1)"; return; }
	script -qec "'$record' $short -o -" /dev/null >"$scratch/tty.out" 2>&1 </dev/null
	check_equal "exit code for -o - on a terminal" 2 "$?"
}

# A recording that would be much larger reaches a small limit.
test_max_size() {
	local size
	start "$workloads/churn" 1000000 3 >/dev/null
	run_code small 4 "$record" -p 200 -u -f 20000 --max-size 1M -o "$scratch/small.rwk"
	kill "$started"
	size=$(stat -c %s "$scratch/small.rwk")
	check_number "size: $size bytes of 1 MB" "$size <= 1048576 && $size > 300000"
	check "it is said" grep -qi 'max-size' "$scratch/small.err"
	folded "$scratch/small.rwk" >"$scratch/small.folded"
	check_number "samples in it" "$(folded_sum "$scratch/small.folded") > 1000"
	check "names in it" grep -q ';burn_' "$scratch/small.folded"
}

need_recording
test_mode_and_last_lines
test_default_name
test_no_overwrite
test_links
test_not_to_a_terminal
test_max_size
finish
