#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every place that must know each kind of record knows it: the seeds of fuzzers, the round trip through the codec,
# what the reader keeps, the Python reader. Only kinds of STATE and NAMES chunks: the others have code of their own
# that reads them one by one.
. "$(dirname "$0")/lint.bash"

header=format/event.h

# Files that must contain the name of each kind: FILES<tab>what is missing there.
places()
{
	cat <<'END'
tests/unit/format/test_event_codec.c	a record in the round trip
tests/fault/synthetic*.h	a record that fuzzers begin with
report/read/trace_records.c	a row: what the model keeps
END
}

# LINE KIND MEMBER NUMBER of each kind.
kinds()
{
	awk '/^enum event_kind/ { inside = 1 }
		inside && match($0, /EVENT_[A-Z_]+ = [0-9]+/) {
			split(substr($0, RSTART, RLENGTH), part, " = ")
			if (part[2] < 32 || part[2] > 96) print NR, part[1], tolower(substr(part[1], 7)), part[2]
		}
		/^};/ { inside = 0 }' "$header"
}

# need LINE KIND FILES WHAT
need()
{
	# shellcheck disable=SC2086 # a pattern
	grep -qsw "$2" $3 || printf '%s:%s\t%s is not in %s: %s\n' "$header" "$1" "$2" "$3" "$4"
}

# Records of STATE that --condense keeps only if events refer to them (CASES) must be held until all events were read
# (HELD).
asked_too_early()
{
	local cases=report/tool/condense_referred.c held=report/tool/condense_records.c kind

	[[ -e $cases ]] || return 0
	while read -r _ kind _ _; do
		grep -qw "case $kind" "$cases" || continue
		awk '/^static bool is_named_by_events/, /^}/' "$held" | grep -qw "$kind" ||
			printf '%s:1\tis_named_by_events() lacks %s, of which %s decides\n' "$held" "$kind" "$cases"
	done < <(kinds)
}

missing()
{
	local line kind member number files what

	while read -r line kind member number; do
		while IFS=$'\t' read -r files what; do
			need "$line" "$kind" "$files" "$what"
		done < <(places)
		grep -qE "(^|[ {])$number: \"" tests/rwk_dump.py ||
			printf '%s:%s\t%s is not in tests/rwk_dump.py: a row of RECORDS for kind %s\n' "$header" "$line" "$kind" "$number"
	done < <(kinds)
}

[[ -e $header ]] && findings_from missing
findings_from asked_too_early
verdict "kinds of records"
