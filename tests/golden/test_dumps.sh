#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A dump that was condensed, scrubbed, or both, is still that dump: its window, its trigger, the times in which less
# was recorded, and its waits are the same. --scrub replaces comms, and keeps the kind of a rule.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok dumps - '$report' is not built"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/empty"
names=(--symfs "$scratch/empty" --debug-dir "$scratch/empty" --no-cache --no-pager)
original=samples/dump/trace.rwk

# facts TRACE: the trace's records about itself and its waits.
facts() { "$report" --dump "$1" | grep -E '^  (window|trigger|budget|task|wait) '; }
# The same without what --scrub replaces.
public() { facts "$1" | sed -E 's/comm="[^"]*"/comm/; s/rule="([a-z]*)[^"]*"/rule="\1"/'; }

# same NAME EXPECTED GOT
same() { verdict "$1" "$(diff "$2" "$3" | head -n 4 | tr '\n' ' ')" cmp -s "$2" "$3"; }

facts "$original" >"$scratch/facts"
public "$original" >"$scratch/public"
verdict samples_has_them 'the sample lacks what is compared' \
	[ "$(grep -oE '^  (window|trigger|budget|wait) ' "$scratch/facts" | sort | uniq -c | tr -s ' \n' ' ')" = ' 3 budget 2 trigger 3 wait 1 window ' ]

exits condense 0 "$report" "${names[@]}" --condense "$original" -o "$scratch/small.rwk"
facts "$scratch/small.rwk" >"$scratch/got"
same condensed "$scratch/facts" "$scratch/got"

exits scrub 0 "$report" "${names[@]}" --scrub "$original" -o "$scratch/public.rwk"
exits scrub_condensed 0 "$report" "${names[@]}" --scrub "$scratch/small.rwk" -o "$scratch/both.rwk"
for one in public both; do
	"$report" --dump "$scratch/$one.rwk" >"$scratch/dumped"
	verdict "scrubbed_names_$one" 'a name is left' lacks -E 'postgres|"example"' "$scratch/dumped"
	public "$scratch/$one.rwk" >"$scratch/got"
	same "scrubbed_$one" "$scratch/public" "$scratch/got"
done

# What reports say about these facts.
said() { "$report" "${names[@]}" --info "$1" 2>/dev/null | grep -E '^  (dump|made for|triggers|recorded less|paused) '; }
said "$original" | sed -E 's/(made for +[a-z]*)[^ ]* .*tid/\1 tid/' >"$scratch/wanted"
said "$scratch/both.rwk" | sed -E 's/(made for +[a-z]*)[^ ]* .*tid/\1 tid/' >"$scratch/got"
verdict info_has_them 'it lacks them' [ "$(wc -l <"$scratch/wanted")" -eq 5 ]
same info "$scratch/wanted" "$scratch/got"
exit $((failures > 0))
