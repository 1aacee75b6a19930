#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Traces of strangers beside an honest one: they claim to be of the same host, modules, processes and times, and have
# other names for all of them (evil_twin.py). Every view prints the honest trace's tasks, byte for byte, as it does
# for that trace alone. The same for files of programs: a forged file with the same build-id, size and time gives no
# names to other traces, neither in the same report nor through the cache. Samples other than `waits` are shown in a
# few views, with embedded data or without. CHECK_LEVEL=long: every sample in every view, both ways, and the traces in
# several orders and as one file.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
unset NO_COLOR RWALKER_PAGER PAGER RWALKER_CACHE

build=$PWD/${BUILD:-build}
report=$build/rwalker-report make_trace=$build/tests/make_trace
for program in "$report" "$make_trace"; do
	[[ -x $program ]] || { echo "not ok strangers - '$program' is not built"; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
long=$([[ ${CHECK_LEVEL:-check} == long ]] && echo yes)
samples='waits frameless probes stuck mangled'
[[ ! $long ]] || samples=$(basename -a samples/*/)

views="--digest
--tree
--top-down
--functions
--tasks
--histogram
--stacks -s
--folded --source cpu
--folded --source offcpu
--wakers
--chains
--top-waits
--at +0.5s~100ms
--summary
--events -v
--export perf-script
--export speedscope"
few_views="--digest
--tree
--functions
--tasks
--stacks -s
--events -v
--export speedscope"

# The part of a view that is about the honest trace's tasks.
of_honest() { "$report" --no-cache --no-local-files --symfs "$scratch/none" --debug-dir "$scratch/none" -c '^[^~]' "$@"; }

# Removes what depends on the number of recordings: notes and headings, numbers of recordings, walks without a task.
comparable() { sed -E 's/ \(recording [0-9]+\)//; s/ recording [0-9]+$//; /^#/d; /^(host|time|walked|unreliable) /d; /^=== .* ===$/d
	/^no task was found/d; /^$/d' "$1"; }

# same ALONE TRACE...: the views in which the honest trace looks different than alone.
same()
{
	local alone=$1 row code words
	shift
	while IFS= read -r row; do
		read -r -a words <<<"$row"
		of_honest "${words[@]}" "$alone" >"$scratch/alone" 2>"$scratch/err"
		code=$?
		of_honest "${words[@]}" "$@" >"$scratch/together" 2>>"$scratch/err"
		[[ $? == "$code" && $code =~ ^[013]$ ]] || echo "$row: exit codes"
		comparable "$scratch/alone" >"$scratch/wanted"
		comparable "$scratch/together" | diff "$scratch/wanted" - >"$scratch/difference" ||
			echo "$row: $(sed -n 2p "$scratch/difference" | cut -c 1-100)"
		[[ $code == 1 ]] || ((shown++))
	done <<<"$wanted"
}

beside()
{
	local name=$1 honest=$2
	shown=0
	same "$honest" "${@:3}" >"$scratch/seen"
	verdict "$name ($shown views)" "$(paste -sd';' "$scratch/seen")" [ ! -s "$scratch/seen" ]
	((shown >= least)) || not_ok "$name" "only $shown views show something"
}

all_samples()
{
	local sample honest kind wanted least
	for sample in $samples; do
		wanted=$views least=6
		[[ $long || $sample == waits ]] || wanted=$few_views least=3
		for kind in names tables addition bare; do
			"$report" --dump "samples/$sample/trace.rwk" | python3 tests/fault/evil_twin.py $kind |
				"$make_trace" /dev/stdin "$scratch/$kind.rwk" || not_ok "${sample}_$kind" "cannot be made"
		done
		cp "samples/$sample/trace.rwk" "$scratch/whole.rwk"
		is_evil "$sample"
		for honest in $(ways_of "$sample"); do all_orders "${sample}_$honest" "$scratch/$honest.rwk"; done
	done
}

# Unwind tables and probes' names are embedded.
ways_of()
{
	case $long$1 in
	frameless | probes) echo whole ;;
	stuck | mangled) echo bare ;;
	*) echo whole bare ;;
	esac
}

# The twins have everything that is compared, with other names.
is_evil()
{
	local twin
	for twin in names tables; do
		"$report" --no-cache --no-local-files --stacks -c '^~' "$scratch/$twin.rwk" >"$scratch/evil" 2>"$scratch/err"
		verdict "$1_${twin}_is_evil" "exit code $?: $(head -n 1 "$scratch/err")" [ $? = 0 ]
		of_honest --stacks "$scratch/whole.rwk" >"$scratch/alone" 2>/dev/null
		verdict "$1_${twin}_differs" "it is the same" [ "$(comparable "$scratch/evil")" != "$(comparable "$scratch/alone")" ]
	done
}

all_orders()
{
	local names=$scratch/names.rwk tables=$scratch/tables.rwk addition=$scratch/addition.rwk
	beside "$1" "$2" "$names" "$2" "$addition" "$tables"
	[[ $long ]] || return
	beside "$1_first" "$2" "$2" "$addition" "$names" "$tables"
	beside "$1_last" "$2" "$addition" "$tables" "$names" "$2"
	cat "$names" "$2" "$tables" >"$scratch/one.rwk"
	beside "$1_one_file" "$2" "$scratch/one.rwk"
}

# The offset in the file, not the address.
offset_of_main()
{
	local at address=$((0x$(nm "$1" | awk '$3 == "main" { print $1 }'))) file memory size
	while read -r _ file memory _ size _; do
		at=$((address - memory))
		((at < 0 || at >= size)) || echo $((file + at))
	done < <(readelf -lW "$1" | grep '^ *LOAD ')
}

# A program with DWARF, and a copy of it in which a source file has another name.
forged_files()
{
	local folder=$build/tests/strangers id offset first
	rm -rf "$folder" && mkdir -p "$folder"
	sed 's/make_trace\.c/evil_trace.c/g' "$make_trace" >"$folder/forged"
	touch -r "$make_trace" "$folder/forged"
	chmod 755 "$folder/forged"
	id=$(readelf -n "$make_trace" | awk '/Build ID/ { print $3 }')
	offset=$(offset_of_main "$make_trace")
	named_trace "$scratch/honest.rwk" "$offset" "$make_trace" "$id"
	named_trace "$scratch/evil.rwk" "$offset" "$folder/forged" "$id"
	for first in evil honest; do with_cache "$first"; done
	rm -rf "$folder"
}

lines_of() { "$report" --top-down -v "$@" 2>/dev/null; }

with_cache() # WHOSE TRACE IS READ FIRST
{
	local cache=$scratch/$1.cache
	lines_of --no-cache "$scratch/honest.rwk" >"$scratch/alone"
	verdict "forged_$1_has_lines" "$(tail -n 2 "$scratch/alone")" grep -q 'make_trace\.c:[0-9]' "$scratch/alone"
	lines_of --cache "$cache" "$scratch/$1.rwk" >"$scratch/out"
	verdict "forged_$1_is_read" "$(tail -n 2 "$scratch/out")" grep -q "_trace\.c:[0-9]" "$scratch/out"
	verdict "forged_$1_is_cached" "nothing is" grep -qaE '/(forged|make_trace)"' "$cache"
	lines_of --cache "$cache" "$scratch/evil.rwk" >"$scratch/out"
	verdict "forged_$1_names_itself" "$(tail -n 2 "$scratch/out")" grep -q 'evil_trace\.c:[0-9]' "$scratch/out"
	lines_of --cache "$cache" "$scratch/honest.rwk" >"$scratch/out"
	verdict "forged_$1_cached" "$(diff "$scratch/alone" "$scratch/out" | head -n 4)" cmp -s "$scratch/alone" "$scratch/out"
}

all_samples
forged_files
exit $((failures > 0))
