#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# test_condense.sh [--accept]: --condense of a trace with records of every kind (condense.text): by --dump, all of them
# are in the new trace unchanged, except those that must go or change (condense.diff): what nothing refers to, words of
# memory, and the snapshot, whose sample has another stack. Condensed again it stays as it is, and what was added to a
# section stays with that one.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
export LC_ALL=C

build=$PWD/${BUILD:-build}
report=$build/rwalker-report
for program in "$report" "$build/tests/make_trace"; do
	[[ -x $program ]] || { echo "not ok condense - '$program' is not built"; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
names=(--symfs "$scratch/nowhere" --debug-dir "$scratch/nowhere" --no-cache)

made() { "$build/tests/make_trace" /dev/stdin "$scratch/$1.rwk"; }
condense() { "$report" "${names[@]}" --condense "$scratch/$1.rwk" -o "$scratch/$2.rwk" "${@:3}"; }

# records NAME: what must be the same, sorted: records that name something follow the events in the new trace. A stack
# is its addresses, because the numbers of nodes depend on what else is in the chunk.
records()
{
	"$report" --dump "$scratch/$1.rwk" | awk '
		function stack(node, text) { for (; node > 1; node = parent[node]) text = text address[node] ";"; return text }
		/^chunk/ { delete parent; delete address }
		/^  node/ { parent[$2] = substr($3, 8); address[$2] = substr($4, 9); next }
		/^  / && !/"command_line"|"condensed"|^  snapshot|^  index/ {
			for (i = 1; i <= NF; i++)
				if ($i ~ /^(user|kernel)=[0-9]+$/)
					$i = substr($i, 1, index($i, "=")) stack(substr($i, index($i, "=") + 1) + 0)
			print
		}' | sort
}

made in <tests/golden/condense.text || exit 1
exits missing_tables 1 condense in out
verdict missing_tables_are_refused "there is a file" [ ! -e "$scratch/out.rwk" ]
exits condense 0 condense in out --partial
exits nothing_is_written_over 1 condense in out --partial
diff <(records in) <(records out) | grep '^[<>]' >"$scratch/changes"
[[ ${1-} != --accept ]] || cp "$scratch/changes" tests/golden/condense.diff
verdict only_what_must_go_is_gone "$(diff tests/golden/condense.diff "$scratch/changes" | head -n 3)" \
	cmp -s tests/golden/condense.diff "$scratch/changes"
verdict no_word_of_memory "there is one" lacks 7365637265747321 <(records out)

# Of a trace without snapshots.
grep -vE '^snapshot|snapshot=1' tests/golden/condense.text | made in
exits condense_once 0 condense in once
exits condense_again 0 condense once again
verdict nothing_more_goes "$(diff <(records once) <(records again) | head -n 3)" cmp -s <(records once) <(records again)

# A section without events, with numbers of its own, as --resolve-lines and --finalize append it.
made added <<'TEXT'
module id=31 kind=1 path="/nonexistent/program" build_id=c0ffee
module id=32 kind=1 path="/nonexistent/unused" build_id=decade
embed-module module=31 status=1 machine=62
  segment file_offset=0x0 address=0x0 file_size=0x20000 memory_size=0x20000 flags=0x5
embed-symbols module=31
  symbol address=0x1000 size=0x40 name="added later"
  symbol address=0x5000 size=0x40 name="never hit"
embed-module module=32 status=1 machine=62
  segment file_offset=0x0 address=0x0 file_size=0x20000 memory_size=0x20000 flags=0x5
TEXT
cat "$scratch/added.rwk" >>"$scratch/in.rwk"
exits condense_added 0 condense in added_to
verdict what_is_added_stays "it is gone" grep -q 'added later' <(records added_to)
verdict what_is_added_and_unused_goes "$(records added_to | grep -E 'never hit|id=32')" lacks -E 'never hit|id=32' <(records added_to)
exit $((failures > 0))
