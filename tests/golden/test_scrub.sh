#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --scrub: a trace that is full of known names has none of them afterwards, in any form, chunk, view or export; its
# folded stacks, translated back, are the original's byte for byte, as are those of all samples. CHECK_LEVEL=check:
# those of every third, and views only with -v, which adds names.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

build=$PWD/${BUILD:-build}
report=$build/rwalker-report
[[ -x $report ]] || { echo "not ok scrub - '$report' is not built"; exit 1; }
[[ -x $build/tests/golden/make_private ]] || { echo "not ok scrub - make_private is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip scrub - python3 is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/empty"
names=(--symfs "$scratch/empty" --debug-dir "$scratch/empty" --no-cache --no-pager) # as on a machine without the files
key=$scratch/key

# scrub OPTION... IN OUT
scrub() { "$report" "${names[@]}" --scrub "${@:1:$#-1}" -o "${!#}" 2>"$scratch/err" </dev/null; }

# all_views TRACE: everything that can be printed of the trace.
all_views()
{
	local view

	for view in --tree --tasks --histogram --stacks --folded --wakers --chains --top-waits=0 --at=+1ms~1s --summary --events \
		--export=perf-script --export=csv --export=csv-stacks --export=ndjson --export=ndjson-stacks --export=speedscope \
		--export=chrome --export=firefox \
		--info --needs --dump; do
		"$report" "${names[@]}" -v "$view" "$1" </dev/null
		[[ ${CHECK_LEVEL:-check} != long ]] || "$report" "${names[@]}" "$view" "$1" </dev/null
	done
	"$report" "${names[@]}" --info --privacy "$1" </dev/null
	"$report" "${names[@]}" --export pprof "$1" </dev/null | gzip -dc | strings -n 2
	"$report" "${names[@]}" --export sqlite "$1" -o "$scratch/base.sqlite" --force </dev/null
	python3 -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).iterdump(), sep="\n")' "$scratch/base.sqlite"
}

# folded TRACE KIND
folded() { "$report" "${names[@]}" --folded --source "$2" "$1" 2>/dev/null </dev/null; }

# same_folded NAME ORIGINAL SCRUBBED: compares each kind of source, using the key; there must be some stacks.
same_folded()
{
	local kind lines=0

	for kind in cpu offcpu wakers tracepoint kfunc tasks; do
		folded "$2" $kind | sort >"$scratch/wanted"
		folded "$3" $kind | "$report" --unscrub "$key" | sort >"$scratch/got"
		if ! cmp -s "$scratch/wanted" "$scratch/got"; then
			not_ok "$1" "$kind: $(diff "$scratch/wanted" "$scratch/got" | head -n 4 | tr '\n' ' ')"
			return
		fi
		lines=$((lines + $(wc -l <"$scratch/wanted")))
	done
	verdict "$1" 'there are no stacks' [ $lines -gt 0 ]
}

private=$scratch/private.rwk public=$scratch/public.rwk
"$build/tests/golden/make_private" "$private" >"$scratch/list" || exit 1

# --- the names ---

tests/canaries.py "$private" "$scratch/list" >"$scratch/found"
[[ $(sed 's/^[^ ]* //' "$scratch/found" | sort -u | wc -l) -ge 40 ]] || # otherwise the checks below show nothing
	{ not_ok before "only these are found: $(tr '\n' ' ' <"$scratch/found")"; exit 1; }
exits scrub 0 "$report" "${names[@]}" --scrub --scrub-key "$key" "$private" -o "$public"
tests/canaries.py "$public" "$scratch/list" >"$scratch/found"
verdict no_name_is_left "$(head -n 5 "$scratch/found" | tr '\n' ' ')" [ ! -s "$scratch/found" ]
all_views "$public" >"$scratch/views" 2>&1
sed -n 's/^text //p' "$scratch/list" >"$scratch/texts"
verdict no_view_has_one "$(grep -Fio -f "$scratch/texts" "$scratch/views" | head -n 3 | tr '\n' ' ')" \
	lacks -Fi -f "$scratch/texts" "$scratch/views"
verdict nor_pids_and_years 'a number of the host is in a view' lacks -E '\b(2460[1-4]|24707|2026)\b' "$scratch/views"
verdict kernel_names_stay 'names of the kernel are missing' \
	[ "$(grep -cE 'name="(ksys_read|ext4_file_read_iter)"' "$scratch/views")" -ge 2 ]
verdict no_path_is_common 'a path that many hosts have proves nothing about the file' lacks -E '/usr/lib|libc|5d4c3b2a' "$scratch/views"
verdict only_hit_symbols_stay 'there are names of functions that are in no stack' \
	[ "$("$report" --dump "$public" | grep -c '^    symbol ')" -eq 6 ]
same_folded translated_back "$private" "$public"

# --- keys ---

scrub --scrub-key "$key" "$private" "$scratch/again.rwk"
verdict same_key_same_names 'the stacks differ' [ "$(folded "$public" cpu)" = "$(folded "$scratch/again.rwk" cpu)" ]
scrub "$private" "$scratch/other.rwk"
folded "$scratch/other.rwk" cpu | grep -oE '(c|fn)_[0-9a-z]{13}' | sort -u >"$scratch/others"
verdict other_key_other_names 'a pseudonym is the same' lacks -F -f "$scratch/others" <(folded "$public" cpu)
verdict key_mode "mode $(stat -c %a "$key")" [ "$(stat -c %a "$key")" = 600 ]
verdict key_alone 'a file is left beside it' [ "$(ls "$scratch"/key*)" = "$key" ]
cp "$key" "$scratch/key.before"
exits existing_output 1 "$report" "${names[@]}" --scrub --scrub-key "$key" "$private" -o "$public"
verdict failure_keeps_key 'it was changed' cmp -s "$key" "$scratch/key.before"
chmod 640 "$key"
exits readable_key 1 "$report" "${names[@]}" --scrub --scrub-key "$key" "$private" -o "$scratch/refused.rwk"
verdict readable_key_no_trace 'there is one' [ ! -e "$scratch/refused.rwk" ]
chmod 600 "$key"

# --- a part, exceptions, pipes, damage ---

"$report" "${names[@]}" --scrub=comms,pids "$private" -o "$scratch/part.rwk" 2>/dev/null
"$report" --dump "$scratch/part.rwk" >"$scratch/dump"
verdict only_a_part 'the wrong classes were replaced' \
	[ "$(grep -cE 'payhost-ams-07|axolotl-engine|name="salary_of"|address=0x555511112010' "$scratch/dump")" -ge 4 ]
verdict that_part 'a comm is left' lacks -E 'zebrafish|tgid=24601' "$scratch/dump"
scrub --keep 'axolotl|^zebrafish$' "$private" "$scratch/kept.rwk"
"$report" --dump "$scratch/kept.rwk" >"$scratch/dump"
verdict keeps 'what was to be kept is missing' \
	[ "$(grep -cE 'comm="zebrafish"|path="/homes/valentina/bin/axolotl-engine"|name="salary_of"' "$scratch/dump")" -ge 3 ]
verdict keeps_no_more 'other names stayed' lacks -E 'libtapir|narwhal|wombat' "$scratch/dump"
"$report" "${names[@]}" --scrub --scrub-key "$key" - -o - <"$private" 2>/dev/null | cat >"$scratch/piped.rwk"
same_folded through_pipes "$private" "$scratch/piped.rwk"
python3 - "$private" "$scratch/damaged.rwk" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.rfind(b"RWKC") # of the last chunks; the trailer follows them
for _ in range(3):
    at = data.rfind(b"RWKC", 0, at)
data[at + 60] ^= 0xff
open(sys.argv[2], "wb").write(data)
END
exits damaged 3 "$report" "${names[@]}" --scrub --scrub-key "$key" "$scratch/damaged.rwk" -o "$scratch/mended.rwk"
tests/canaries.py --chunks "$scratch/mended.rwk" "$scratch/list" >"$scratch/found"
verdict damaged_has_no_name "$(head -n 5 "$scratch/found" | tr '\n' ' ')" [ ! -s "$scratch/found" ]

# --- objects of waits: names are removed, kinds stay ---

on_names='/var/lib/supervise|c0000207|192\.0\.2|127\.0\.0\.1|7f000001'
verdict names_of_objects 'they are not found where they are' \
	[ "$("$report" --dump samples/probes/trace.rwk | grep -cE "$on_names")" -eq 3 ]
for way in condense scrub; do
	"$report" "${names[@]}" --$way samples/probes/trace.rwk -o "$scratch/on_$way.rwk" 2>/dev/null
	verdict "${way}_names_of_objects" 'one is left' lacks -E "$on_names" <("$report" --dump "$scratch/on_$way.rwk")
	"$report" "${names[@]}" --waits-on --min-percent 0 "$scratch/on_$way.rwk" >"$scratch/on" 2>/dev/null
	verdict "${way}_disks_and_locks" "$(tail -n 7 "$scratch/on")" [ "$(grep -cE \
		' (in read of block device sda1 \(.*\)|in rename on mutex (cgroup_mutex|#2) .*)$' \
		"$scratch/on")" -eq 2 ]
	verdict "${way}_objects" "$(tail -n 7 "$scratch/on")" [ "$(grep -cE \
		' (in rename of file#1|in read of file#[23]|in read of tcp :[0-9]+ .* peer#1:[0-9]+|sleep 20\.0 ms|on futex (store::locks|[^ :]+)\+0x28 of .*)$' \
		"$scratch/on")" -eq 5 ]
done
verdict condense_locks 'the variable of a lock has gone' grep -q 'on mutex cgroup_mutex ' <("$report" "${names[@]}" \
	--waits-on "$scratch/on_condense.rwk" 2>/dev/null)
verdict scrub_variables 'the variable of a futex is left' lacks -a 5locks <("$report" --dump "$scratch/on_scrub.rwk")

for trace in $(some_samples 2); do
	name=$(basename "$(dirname "$trace")")
	exits "scrub_$name" 0 "$report" "${names[@]}" --scrub --partial --scrub-key "$key" "$trace" -o "$scratch/$name.rwk"
	same_folded "sample_$name" "$trace" "$scratch/$name.rwk"
done
[ $failures = 0 ]
