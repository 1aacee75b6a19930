#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A dump that was condensed, scrubbed, or both, is still that dump: its window, its trigger, the times in which less
# was recorded, and its waits are the same. --scrub replaces comms and pids, moves times, and keeps the kind of a
# rule; a key translates back.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok dumps - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip dumps - python3 is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/empty"
names=(--symfs "$scratch/empty" --debug-dir "$scratch/empty" --no-cache --no-pager)
key=$scratch/key
original=samples/dump/trace.rwk

# facts TRACE [public]: the trace's records about itself and its waits. public: as --scrub documents them, but with
# pseudonyms translated back: times since the window's begin, no pids, rules without their subjects.
facts()
{
	"$report" --dump "$1" | grep -E '^  (window|trigger|regime|task|wait) ' | "${translate[@]}" |
		python3 -c '
import re, sys
lines, public = sys.stdin.read(), len(sys.argv) > 1
since = int(re.search(r"since=(\d+)", lines)[1]) if public else 0
if public:
    lines = re.sub(r"\b(time|since|until)=(\d+)", lambda field: "%s=+%d" % (field[1], int(field[2]) - since), lines)
    lines = re.sub(r"\b(tgid|tid|start)=[1-9]\d*", r"\1=N", lines)
    lines = re.sub(r"rule=\"([a-z]*)[^\"]*\"", r"rule=\"\1\"", lines)
print(lines, end="")' "${@:2}"
}

# same NAME EXPECTED GOT
same() { verdict "$1" "$(diff "$2" "$3" | head -n 4 | tr '\n' ' ')" cmp -s "$2" "$3"; }

translate=(cat)
facts "$original" >"$scratch/facts"
facts "$original" public >"$scratch/public"
verdict samples_has_them 'the sample lacks what is compared' \
	[ "$(grep -oE '^  (window|trigger|regime|wait) ' "$scratch/facts" | sort | uniq -c | tr -s ' \n' ' ')" = ' 3 regime 2 trigger 3 wait 1 window ' ]

exits condense 0 "$report" "${names[@]}" --condense "$original" -o "$scratch/small.rwk"
facts "$scratch/small.rwk" >"$scratch/got"
same condensed "$scratch/facts" "$scratch/got"

exits scrub 0 "$report" "${names[@]}" --scrub --scrub-key "$key" "$original" -o "$scratch/public.rwk"
exits scrub_condensed 0 "$report" "${names[@]}" --scrub --scrub-key "$key" "$scratch/small.rwk" -o "$scratch/both.rwk"
exits scrub_comms 0 "$report" "${names[@]}" --scrub=comms --scrub-key "$key" "$original" -o "$scratch/comms.rwk"
for one in public both; do
	"$report" --dump "$scratch/$one.rwk" >"$scratch/dumped"
	verdict "scrubbed_names_$one" 'a name is left' lacks -E 'postgres|"example"|=812\b' "$scratch/dumped"
done
translate=("$report" --unscrub "$key")
for one in public both; do
	facts "$scratch/$one.rwk" public >"$scratch/got"
	same "scrubbed_$one" "$scratch/public" "$scratch/got"
done
facts "$scratch/comms.rwk" >"$scratch/got"
sed -E 's/rule="([a-z]*)[^"]*"/rule="\1"/' "$scratch/facts" >"$scratch/wanted"
same scrubbed_comms "$scratch/wanted" "$scratch/got"

# What reports say about these facts.
said() { "$report" "${names[@]}" --info "$1" 2>/dev/null | "$report" --unscrub "$key" | grep -E '^  (dump|made for|triggers|recorded less) '; }
said "$original" | sed -E 's/(made for +[a-z]*)[^ ]*( .*)tid [0-9]+/\1\2tid N/' >"$scratch/wanted"
said "$scratch/both.rwk" | sed -E 's/(made for +[a-z]*),(.*)tid [0-9]+/\1\2tid N/' >"$scratch/got"
verdict info_has_them 'it lacks them' [ "$(wc -l <"$scratch/wanted")" -eq 5 ]
same info "$scratch/wanted" "$scratch/got"
exit 0
