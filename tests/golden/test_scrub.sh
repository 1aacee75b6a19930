#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --scrub: a trace that is full of known names has none of them afterwards, in any form or chunk. What it says of stacks
# is the same but for the names, which are replaced one for one; so it is for the samples. CHECK_LEVEL=check: every third.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

build=$PWD/${BUILD:-build}
report=$build/rwalker-report
[[ -x $report ]] || { echo "not ok scrub - '$report' is not built"; exit 1; }
[[ -x $build/tests/make_trace ]] || { echo "not ok scrub - make_trace is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip scrub - 'python3' is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/empty"
names=(--symfs "$scratch/empty" --debug-dir "$scratch/empty" --no-cache --no-pager) # as on a machine without the files

# scrub OPTION... IN OUT
scrub() { "$report" "${names[@]}" --scrub "${@:1:$#-1}" -o "${!#}" 2>"$scratch/err" </dev/null; }

# same_but_names NAME ORIGINAL SCRUBBED: every event has the same stack, but for names that are replaced one for one;
# folded stacks have the same sums.
same_but_names()
{
	local trace why

	for trace in "$2" "$3"; do
		"$report" "${names[@]}" --export perf-script "$trace" 2>/dev/null </dev/null >"$scratch/$([[ $trace = "$2" ]] && echo old || echo new)"
	done
	why=$(python3 - "$scratch/old" "$scratch/new" 2>&1 <<'END'
import re, sys
old, new = ([re.sub("(?<=\\S) +", " ", line) for line in open(path).read().splitlines()] for path in sys.argv[1:])
# Of a frame or an event: what must be the same, and the names.
FRAME = re.compile(r"(\s+[0-9a-f]+) (.*?)(\+0x[0-9a-f]+)? \((.*)\)$")
EVENT = re.compile(r"(.*?)( \d+/\d+ (?:\[\d+\] )?[0-9.]+: \d+) (.*)$")
there, back = {}, {}
if len(old) != len(new):
    sys.exit(f"{len(old)} lines became {len(new)}")
for one, other in zip(old, new):
    was, became = (FRAME.match(line) or EVENT.match(line) for line in (one, other))
    if not was or not became or was.re is not became.re:
        if one == other:
            continue
        sys.exit(f"'{one}' became '{other}'")
    stays, changes = ((1, 3), (2, 4)) if was.re is FRAME else ((2,), (1, 3))
    for group in stays:
        if was[group] != became[group]:
            sys.exit(f"'{one}' became '{other}'")
    for group in changes:
        # A function of the vDSO keeps its name, one of that name in a library does not.
        kind = was.re, group, was.re is FRAME and "[vdso]" in was[4]
        if there.setdefault((kind, was[group]), became[group]) != became[group] or \
           back.setdefault((kind, became[group]), was[group]) != was[group]:
            sys.exit(f"'{was[group]}' became '{became[group]}' and '{there[kind, was[group]]}'")
END
)
	sums "$2" >"$scratch/old"
	sums "$3" >"$scratch/new"
	cmp -s "$scratch/old" "$scratch/new" || why+=" the sums differ"
	[[ -s $scratch/old ]] || why+=" there are no stacks"
	verdict "$1" "$why" [ -z "$why" ]
}

# sums TRACE: of the folded stacks of each source, with their depths.
sums()
{
	local kind

	for kind in cpu offcpu wakers tracepoint kfunc tasks; do
		"$report" "${names[@]}" --folded --source $kind "$1" 2>/dev/null </dev/null | awk '{ print gsub(/;/, ";"), $NF }' | sort
	done
}

private=$scratch/private.rwk public=$scratch/public.rwk
"$build/tests/make_trace" tests/golden/private.text "$private" || exit 1
# What must not be left; bytes: build-ids of programs, the address of a peer.
printf 'text %s\n' payhost-ams-07 vanessa-secret e3b0c442-98fc acmeKrnl acmebuilder zebrafish quokka-srv okapi-client narwhal \
	homes/valentina axolotl-engine libtapir.so opt/platypus gharial_stripped binturong salary_of \
	aardvark_main ocelot_pricing Capybara wombat_lookup jitted_dugong echidna_jit src/valentina margay_tables.cc \
	kinkajou_inline jerboa.hh quoll_probe quoll_event fossa_agent caracal hidden_unused lemur_service \
	anteater.slice manatee-output gibbon_struct_ops serval_meta tamarin_value sifaka_mempool unicorn-taperig \
	wallaby_compressed gharial_vendor php-dunnart gecko.sock colugo.slice pangolin_rule potto_mutex indri.slice f00dfeed5a5a >"$scratch/list"
printf 'bytes %s\n' c0ffee15600dc0de badc0de5ca1ab1e5 5d4c3b2a19080706 81d5557742fc00a5 20010d685e5e1a1b1c1d1e1f2a2b2c2d >>"$scratch/list"
tests/canaries.py "$private" "$scratch/list" >"$scratch/found"
[[ $(sort -u "$scratch/found") == "$(sort -u "$scratch/list")" ]] || # otherwise the checks below show nothing
	{ not_ok before "only these are found: $(tr '\n' ' ' <"$scratch/found")"; exit 1; }
exits scrub 0 "$report" "${names[@]}" --scrub "$private" -o "$public"
tests/canaries.py "$public" "$scratch/list" >"$scratch/found"
verdict no_name_is_left "$(head -n 5 "$scratch/found" | tr '\n' ' ')" [ ! -s "$scratch/found" ]
"$report" --dump "$public" >"$scratch/dump"
verdict kernel_names_stay 'names of the kernel are missing' \
	[ "$(grep -cE 'name="(ksys_read|ext4_file_read_iter)"|path="ext4"' "$scratch/dump")" -eq 3 ]
verdict objects_stay 'one is missing: of the wait, of its other end, of the quota' [ "$(grep -c '^  object ' "$scratch/dump")" -eq 3 ]
verdict containers_stay 'it is none any more' grep -qE '^  cgroup .* path="/docker-[0-9a-f]{64}\.scope"' "$scratch/dump"
verdict no_path_is_common 'a path that many hosts have proves nothing about the file' lacks -E '/usr/lib|libc|java' "$scratch/dump"
verdict only_hit_symbols_stay 'there are names of functions that are in no stack' \
	[ "$(grep -c '^    symbol ' "$scratch/dump")" -eq 6 ]
same_but_names same_stacks "$private" "$public"
scrub "$private" "$scratch/again.rwk"
verdict other_names_each_time 'a stand-in is the same' lacks -F \
	-f <("$report" --dump "$scratch/again.rwk" | grep -oE '(c|fn|file|dir|host)_[0-9a-z]{8}') "$scratch/dump"
verdict info_says_so 'it does not' grep -q '^  names  *stand-ins' <("$report" --info "$public")

scrub --keep 'axolotl|^zebrafish$' "$private" "$scratch/kept.rwk"
"$report" --dump "$scratch/kept.rwk" >"$scratch/dump"
verdict keeps 'what was to be kept is missing' [ "$(grep -cE \
	'comm="zebrafish"|path="/homes/valentina/bin/axolotl-engine" build_id=c0ffee15600dc0de|name="salary_of"' "$scratch/dump")" -ge 3 ]
verdict keeps_no_more 'other names stayed' lacks -E 'libtapir|narwhal|wombat' "$scratch/dump"
"$report" "${names[@]}" --scrub - -o - <"$private" 2>/dev/null | cat >"$scratch/piped.rwk"
same_but_names through_pipes "$private" "$scratch/piped.rwk"

# A dump is still that dump; of a rule only its kind is left.
scrub --partial "$build/tests/golden/condense.rwk" "$scratch/flight.rwk"
verdict a_dump_stays_one "$("$report" --dump "$scratch/flight.rwk" | grep -E '^  (window|trigger|budget) ' | tr '\n' ' ')" [ 3 = "$("$report" --dump "$scratch/flight.rwk" |
	grep -cE '^  (window since=11 until=500 before=9 dump=7 .*|trigger time=15 dump=7 rule="wait" .*comm="c_.* value=2100000000 more=3|budget time=12 step=1 .* used=312 .*)$')" ]

# What --condense makes of objects that were waited for: the names are removed, kinds stay; --scrub has no more to do.
on_names='/var/lib/supervise|c0000207|192\.0\.2|127\.0\.0\.1|7f000001'
verdict names_of_objects 'they are not found where they are' \
	[ "$("$report" --dump samples/probes/trace.rwk | grep -cE "$on_names")" -eq 3 ]
for way in condense scrub; do
	"$report" "${names[@]}" --$way samples/probes/trace.rwk -o "$scratch/on_$way.rwk" 2>/dev/null
	verdict "${way}_names_of_objects" 'one is left' lacks -E "$on_names" <("$report" --dump "$scratch/on_$way.rwk")
	"$report" "${names[@]}" --waits-on --min-percent 0 "$scratch/on_$way.rwk" >"$scratch/on" 2>/dev/null
	verdict "${way}_objects" "$(tail -n 7 "$scratch/on")" [ "$(grep -cE ' (in read of block device sda1 \(.*\)|in rename on mutex (cgroup_mutex) .*|in rename of file#1|in read of file#[23]|in read of tcp :[0-9]+ .* peer#1:[0-9]+|sleep 20\.0 ms|on futex 0x[0-9a-f]+ of .*)$' "$scratch/on")" -eq 7 ]
done

for trace in $(some_samples 2); do
	name=$(basename "$(dirname "$trace")")
	exits "scrub_$name" 0 "$report" "${names[@]}" --scrub --partial "$trace" -o "$scratch/$name.rwk"
	# What is unwound is compared with what is condensed.
	"$report" "${names[@]}" --condense --partial "$trace" -o "$scratch/condensed.rwk" --force 2>/dev/null
	same_but_names "sample_$name" "$scratch/condensed.rwk" "$scratch/$name.rwk"
done
[ $failures = 0 ]
