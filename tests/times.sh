#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# times.sh [--update]: prints how long the last "make check" took, as tables in Markdown; with --update, they replace the section
# of that name in RESULTS.md. Reads build/log/times, which run.sh writes.

set -u
cd "$(dirname "$0")/.." || exit 1
times=${BUILD:-build}/log/times
results=tests/RESULTS.md
heading='## How long make check takes'
readonly LONGEST=15

# Prints "KIND: NAME<tab>WALL<tab>CPU" for each test.
tests()
{
	awk '$3 != "(build)" && $3 != "(tests)" {
		name = $3
		kind = name ~ /^san\// ? "unit, with sanitizers" : name ~ /^tests\/[^\/]*$/ ? "runner" : ""
		sub(/^(san\/)?tests\//, "", name)
		if (kind == "") { kind = name; sub(/\/.*/, "", kind) }
		sub(/^[a-z]*\//, "", name)
		printf "%s: %s%s\t%s\t%s\n", kind, name, $4 == "" ? "" : " " $4, $1, $2 }' "$times"
}

# Prints the seconds that the build, or all tests, took.
part()
{
	awk -v part="($1)" '$3 == part { print $1 }' "$times"
}

tables()
{
	echo "$heading"
	printf '\n%s, %s, %d processors. The build took %s s, all tests %s s.\n' \
		"$(date -u -r "$times" '+%F %R UTC')" "$(git rev-parse --short HEAD)" "$(nproc)" "$(part build)" "$(part tests)"
	printf 'Tests run side by side, so the sums are more than the time that passed.\n\n'
	printf '| part | tests | sum of seconds | of CPU time | longest |\n|---|---|---|---|---|\n'
	tests | awk -F '\t' '{
			kind = $1; sub(/:.*/, "", kind)
			count[kind]++; wall[kind] += $2; cpu[kind] += $3
			if ($2 > most[kind]) most[kind] = $2 }
		END { for (kind in count) printf "| %s | %d | %.1f | %.1f | %.1f |\n", kind, count[kind], wall[kind], cpu[kind], most[kind] }' |
		sort -t '|' -k 4,4nr
	printf '\n| the longest | seconds | of CPU time |\n|---|---|---|\n'
	tests | sort -t $'\t' -k 2,2nr | head -n "$LONGEST" | sed 's/\t/ | /g; s/.*/| & |/'
}

# Prints RESULTS.md with the section replaced, or appended if there was none.
updated()
{
	tables >"$scratch/tables"
	awk -v heading="$heading" -v file="$scratch/tables" '
		function put(line) { while ((getline line < file) > 0) print line; put_once = 1 }
		$0 == heading { put(); inside = 1; next }
		inside && /^#/ { inside = 0; print "" }
		!inside
		END { if (!put_once) { print ""; put() } }' "$results"
}

[[ -s $times && $(part tests) && $(part build) ]] || { echo "times.sh: '$times' is not of a whole 'make check'" >&2; exit 1; }
case ${1-} in
'') tables ;;
--update)
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	updated >"$scratch/results" && cat "$scratch/results" >"$results"
	;;
*) echo "times.sh [--update]" >&2; exit 2 ;;
esac
