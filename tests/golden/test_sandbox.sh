#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The sandbox changes nothing: every view and tool on a sample, and on a program of this machine with its DWARF, writes the
# same to stdout, stderr and its output file with --no-sandbox, with the same exit code; with a cache and with a pager, too.
# Every view and tool runs on one sample; at CHECK_LEVEL=long, on each.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
unset NO_COLOR RWALKER_PAGER PAGER RWALKER_CACHE

build=$PWD/${BUILD:-build}
report=$build/rwalker-report make_trace=$build/tests/make_trace
for program in "$report" "$make_trace"; do
	[[ -x $program ]] || { echo "not ok sandbox - '$program' is not built"; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/jailed" "$scratch/free"

# The options to run with. Every view and tool of the help text has a row.
rows="--digest
--tree
--tree -v
--top-down
--functions
--tasks
--histogram
--stacks
--folded
--folded --wakers
--wakers
--chains
--top-waits
--at +0.5s~100ms
--summary
--diff --base base.rwk
--waits-on
--svg
--svg=icicle --source offcpu
--events
--html
--export perf-script
--export speedscope
--export chrome
--export firefox
--export pprof -o made
--export sqlite -o made
--info
--needs
--dump
--condense --partial -o made
--resolve-lines -o made"
others='--scrub --keep' # its names are random

all_are_tested()
{
	local option
	"$report" --help=all | awk '/^[A-Z].*:$/ { wanted = /^(Views|The trace itself):/ } wanted' |
		grep -oE '^  (-., |    )--[a-z-]+' | grep -oE -- '--[a-z-]+' >"$scratch/options"
	verdict options_found "$(wc -l <"$scratch/options")" [ "$(wc -l <"$scratch/options")" -ge 15 ]
	while read -r option; do
		grep -qE -- "(^| )($option|-${option:2:1})( |$)" <<<"$rows"$'\n'"$others" || not_ok "row_$option" "no row has it"
	done < <(grep -vx -e --output -e --force "$scratch/options")
}

# dump_made FILE: the file that a view or tool wrote, as text.
dump_made()
{
	case $(head -c 6 "$1" | tr -d '\0') in
	$'\x1f\x8b'*) gzip -dc "$1" | od -An -v -tx1 -w1000000 ;;
	SQLite) python3 -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).iterdump(), sep="\n")' "$1" ;;
	*) "$report" --dump "$1" | grep -v '^section .* id ' ;;
	esac
}

# run PLACE TRACE ARGUMENT...: everything that a run writes, in $scratch/PLACE. A trace that was made is compared except
# for the random number of its section.
run()
{
	local place=$scratch/$1 code
	rm -f "$place/made" "$place/dump"
	cp samples/release_1/trace.rwk "$place/base.rwk"
	(cd "$place" && exec "$report" --symfs "$symfs" --debug-dir "$symfs" "${@:3}" "$2") >"$place/stdout" 2>"$place/stderr" </dev/null
	code=$?
	echo "exit $code" >>"$place/stdout"
	sed -i '/^sandbox /d' "$place/stdout"
	grep -v ' warning: --no-sandbox: ' "$place/stderr" >"$place/said"
	[[ ! -e $place/made ]] || dump_made "$place/made" >"$place/dump"
}

# same NAME TRACE ARGUMENT...: the results are the same with the sandbox and without.
same()
{
	local file differs=
	run jailed "${@:2}"
	run free "${@:2}" --no-sandbox
	for file in stdout said dump; do
		[[ ! -e $scratch/jailed/$file && ! -e $scratch/free/$file ]] || cmp -s "$scratch/jailed/$file" "$scratch/free/$file" ||
			differs+=" $file: $(diff "$scratch/jailed/$file" "$scratch/free/$file" 2>&1 | head -n 2 | cut -c 1-100 | tr '\n' ' ')"
	done
	[[ ! $differs ]] || not_ok "$1 ${*:3}" "$differs"
	runs=$((runs + 1))
	grep -q '^exit [03]$' "$scratch/jailed/stdout" && good=$((good + 1))
	[[ ! -e $scratch/jailed/made || -s $scratch/jailed/dump ]] || not_ok "$1 ${*:3}" "what it made cannot be read"
}

# all_rows NAME TRACE: errors are the same, too, but if most rows were errors, little would have been tested.
all_rows()
{
	local words row failed=$failures
	runs=0 good=0
	while IFS= read -r row; do
		read -r -a words <<<"$row"
		same "$1" "$2" --no-cache "${words[@]}"
	done <<<"$rows"
	((good * 5 > runs)) || not_ok "$1" "$good of $runs runs are good"
	((failures > failed)) || ok "$1 ($runs runs, $good good)"
}

# clean NUMBER: nothing that is printed of a trace with these hostile names has bytes that a terminal or an editor acts on.
clean()
{
	local kind words row found failed=$failures
	kind=$(tests/golden/hostile.sh "$scratch/hostile.rwk" "$1")
	while IFS= read -r row; do
		read -r -a words <<<"$row"
		run jailed "$scratch/hostile.rwk" --no-cache "${words[@]}"
		found=$(cd "$scratch/jailed" && LC_ALL=C grep -aP "$raw" stdout stderr dump 2>/dev/null | head -n 1 | cut -c 1-100 | cat -v)
		[[ ! $found ]] || not_ok "hostile $kind ${words[*]}" "$found"
		iconv -f UTF-8 -t UTF-8 "$scratch/jailed/stdout" >/dev/null 2>&1 || not_ok "hostile $kind ${words[*]}" "it is not UTF-8"
	done <<<"$rows"
	((failures > failed)) || ok "hostile $kind"
}

all_are_tested
printf 'x' >"$scratch/nothing"
symfs=$scratch/nowhere
[[ ${CHECK_LEVEL:-check} = long ]] && samples=(samples/*/) || samples=(samples/waits/)
for sample in "${samples[@]}"; do
	all_rows "$(basename "$sample")" "$PWD/${sample}trace.rwk"
done

# In bytes, and in the hex text of a file for pprof.
raw='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xae]|\xef\xbb\xbf|1b 5b 32 4a|e2 80 ae|ff fe c3'
for number in 1 2 4; do
	clean $number
done

# A file of this machine, which the opener opens and a child reads.
symfs=
id=$(readelf -n "$report" | awk '/Build ID/ { print $3 }')
named_trace "$scratch/t.rwk" "0x$(nm "$report" | awk '$3 == "main" { print $1 }')" "$report" "$id"
same file "$scratch/t.rwk" --tree --no-cache
verdict file_has_lines "$(head -n 5 "$scratch/jailed/stdout")" grep -q 'main.c:[0-9]' "$scratch/jailed/stdout"

# One cache for both: with the sandbox, a report reads what one without has written, and the other way round.
for first in --no-pager --no-sandbox; do
	for how in $first --no-pager --no-sandbox; do
		run free "$scratch/t.rwk" --tree $how --cache "$scratch/cache$first"
		verdict "cache$first$how" "the reports differ" cmp -s "$scratch/jailed/stdout" "$scratch/free/stdout"
	done
	verdict "cache$first is filled" 'it does not name the file' grep -qaF "$report" "$scratch/cache$first"
done

# A pager, on a terminal of its own. Progress lines, which a slow machine prints, are not compared.
export RWALKER_PAGER='sed s/^/paged:/'
for how in --no-cache --no-sandbox; do
	# shellcheck disable=SC2016 # for the inner shell
	exits "pager$how" 0 on_terminal sh -c 'exec "$@" 2>/dev/null' sh "$report" --no-cache $how samples/cpu_paths/trace.rwk
	cp "$scratch/out" "$scratch/paged$how"
done
verdict pager_is_used "$(head -n 3 "$scratch/out")" grep -q '^paged:' "$scratch/out"
verdict pager_same "the reports differ" cmp -s "$scratch/paged--no-cache" "$scratch/paged--no-sandbox"
exit $((failures > 0))
