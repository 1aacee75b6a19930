#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A comm, a path and a symbol with terminal escape sequences are never printed raw.
. "$(dirname "$0")/lib.sh"

# Lines that hold a control character other than tab and newline: C0, DEL, C1 in UTF-8, or
# bytes that are not UTF-8 at all, which a terminal may take for C1.
raw_lines() {
	LC_ALL=C grep -caP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$1"
	iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || echo "not UTF-8"
}

check_clean() { # WHAT FILE
	check_equal "lines with control characters in $1" 0 "$(raw_lines "$2" | paste -sd' ')" ||
		grep -aP '[\x00-\x08\x0b-\x1f\x7f-\x9f]' "$2" | cat -v | head -3 >&2
}

record_evil() {
	mkdir "$scratch/dir"
	run_ok evil "$record" -u -f 999 --embed "$1" -o "$scratch/$1.rwk" -- \
		"$workloads/copies" evil "$scratch/dir" 1
	check_clean "the recorder's stderr" "$scratch/evil.err"
	rm -rf "$scratch/dir"
}

test_views() {
	local view
	for view in --tree --folded --stacks --histogram --info --needs --dump '--tree -v -s' \
		'--tree --per-process' '--tree --mangled'; do
		run_ok view "$report" $view "$scratch/$1.rwk"
		check "'$view' printed something" [ -s "$scratch/view.out" ]
		check_clean "$view" "$scratch/view.out"
		check_clean "$view, stderr" "$scratch/view.err"
	done
}

# The names are there, but escaped; and one line stays one line.
test_still_there() {
	folded "$scratch/$1.rwk" >"$scratch/evil.folded"
	check_equal "lines that do not end in a count" 0 \
		"$(grep -cvE ' [0-9]+$' "$scratch/evil.folded")"
	check_number "samples under the comm, in the symbol" \
		"$(folded_sum "$scratch/evil.folded" '^c[^;]*0.x3bx.*;ev[^;]*2J[^;]*sym') > 100" ||
		head -3 "$scratch/evil.folded" >&2
	"$report" --dump "$scratch/$1.rwk" >"$scratch/evil.dump"
	check "the path" grep -q 'owned' "$scratch/evil.dump"
}

# The same bytes given as arguments and file names.
test_messages() {
	local evil
	evil=$(printf 'no\033]0;x\007such\033[2J')
	"$report" "$scratch/$evil" 2>"$scratch/message"
	check_clean "the reporter's message about a file" "$scratch/message"
	"$report" "--$evil" 2>"$scratch/message"
	check_clean "the reporter's message about an option" "$scratch/message"
	"$record" "--$evil" 2>"$scratch/message"
	check_clean "the recorder's message about an option" "$scratch/message"
	"$record" -o "$scratch/m.rwk" -- "/$evil" 2>"$scratch/message"
	check_clean "the recorder's message about a command" "$scratch/message"
}

need_recording
for embed in full none; do
	record_evil $embed
	test_views $embed
done
test_still_there full
test_messages
finish
