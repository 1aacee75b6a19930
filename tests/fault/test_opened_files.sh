#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Which files the reporter opens for a trace: good ones are used; anything that is not a regular local file, or is on
# a mount that never answers, is refused, counted, and delays nothing. Without these rules the reports would never
# end, hence the time limit.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

build=$PWD/${BUILD:-build}
report=$build/rwalker-report make_trace=$build/tests/make_trace
for program in "$report" "$make_trace"; do
	[[ -x $program ]] || { echo "not ok opened_files - '$program' is not built"; exit 1; }
done
# Mounts need a namespace of our own, in which root may mount FUSE.
if [[ ${1:-} != inside ]]; then
	if ! unshare -m true 2>/dev/null || [[ ! -w /dev/fuse ]]; then
		echo "skip opened_files - mounting FUSE in a namespace of one's own needs root and /dev/fuse"
		exit 0
	fi
	exec unshare -m --propagation private "$0" inside
fi
scratch=$(mktemp -d)
server=
end()
{
	[[ -n $server ]] && kill "$server" && wait "$server"
	umount -l "$scratch/dead" "$scratch/named" 2>/dev/null
	rm -rf "$scratch"
} 2>/dev/null
trap end EXIT

good=$scratch/good
cp "$build/tests/live/workloads/burn" "$good"
id=$(readelf -n "$good" | awk '/Build ID/ { print $3 }')
main=0x$(nm "$good" | awk '$3 == "main" { print $1 }')

# A trace with the good file first, then the given ones, each with a build-id of its own.
trace_of()
{
	local list=("$good" "$id") number=1000 path

	for path; do list+=("$path" "aabbccdd$((number++))"); done
	named_trace "$scratch/t.rwk" "$main" "${list[@]}"
}

# ends NAME CODE ARGUMENT...: the reporter ends by itself, with that code; its output is in $scratch/out and err.
ends() { exits "$1" "$2" timeout -k 5 120 "$report" --no-pager --no-cache "${@:3}"; }

# counted NAME COUNT PATTERN: the line of --needs about a reason for refusal.
counted() { verdict "$1" "$(tail -n 5 "$scratch/out" | tr '\n' '|')" grep -q "^$2 $3" "$scratch/out"; }

# named_well NAME: the good file's function has its name.
named_well() { verdict "$1" "$(grep -c . "$scratch/out") lines, none with 'main'" grep -q '^main;\|;main ' "$scratch/out"; }

serve_dead()
{
	mkdir -p "$1"
	python3 -B tests/live/dead_fuse.py "$1" >"$scratch/ready" &
	server=$!
	until grep -qs ready "$scratch/ready"; do kill -0 "$server" || return 1; done
}

test_kinds()
{
	mkfifo "$scratch/fifo"
	echo "no program" >"$scratch/text"
	ln -s /proc/self/exe "$scratch/magic"
	ln -s "$scratch/text" "$scratch/link"
	trace_of /dev/zero "$scratch/fifo" "$scratch" /proc/kmsg /proc/self/mem /proc/self/exe "$scratch/magic" "$scratch/link"
	ends "kinds_end" 0 --needs "$scratch/t.rwk"
	counted "kinds_not_regular" 3 "not regular"
	counted "kinds_procfs" 4 "on file systems that hold no files"
	verdict "kinds_why" "$(grep -c why: "$scratch/out") reasons" \
		[ "$(grep -c "why: the file at its path was not opened" "$scratch/out")" = 7 ]
	verdict "kinds_text" "a text was not recognized" grep -q "why: the file is not a readable ELF file" "$scratch/out"
	ends "kinds_folded" 0 --folded "$scratch/t.rwk"
	named_well "kinds_named"
	ends "kinds_info" 0 --info "$scratch/t.rwk"
	verdict "kinds_note" "$(grep note "$scratch/out")" grep -q "7 files not opened" "$scratch/out"
}

test_switched_off()
{
	trace_of
	ends "off_folded" 0 --folded --no-local-files "$scratch/t.rwk"
	verdict "off_unnamed" "a name" lacks ';main ' "$scratch/out"
	ends "off_needs" 0 --needs --no-local-files "$scratch/t.rwk"
	counted "off_counted" 1 "left alone"
	mkdir -p "$scratch/root/${good%/*}"
	cp "$good" "$scratch/root/$good"
	ends "off_symfs" 0 --folded --no-local-files --symfs "$scratch/root" "$scratch/t.rwk"
	named_well "off_symfs_named"
}

# The dead server is not asked at all without --network-files; with it, it is asked once for all of its files.
test_dead_mount()
{
	ln -s "$scratch/dead/x" "$scratch/to_dead"
	trace_of "$scratch/dead/a" "$scratch/dead/b" "$scratch/dead/c" "$scratch/to_dead"
	ends "dead_needs" 0 --needs "$scratch/t.rwk"
	counted "dead_not_asked" 4 "on network or FUSE"
	ends "dead_network_needs" 0 --needs --network-files "$scratch/t.rwk"
	counted "dead_network_one_timeout" 1 "on file systems that did not answer"
	counted "dead_network_others" 3 "not asked for"
	# A worker that is stuck forever keeps nothing open that others wait for, such as this pipe, which has two
	# descriptors here.
	exits "dead_network_pipe" 0 timeout -k 5 120 \
		bash -c '"$1" --no-cache --folded --network-files "$2" 7>&1 100>&1 | cat' bash "$report" "$scratch/t.rwk"
	named_well "dead_network_named"
}

# Paths that the user gives are tried, and do not delay anything either.
test_dead_names()
{
	ends "dead_symfs" 0 --needs --symfs "$scratch/dead" "$scratch/t.rwk"
	counted "dead_symfs_counted" 1 "on file systems that did not answer"
	ends "dead_debug_dir" 0 --folded --debug-dir "$scratch/dead" "$scratch/t.rwk"
	named_well "dead_debug_dir_named"
	ends "dead_trace" 1 "$scratch/dead/t.rwk"
	verdict "dead_trace_says" "$(cat "$scratch/err")" grep -q "file system does not answer" "$scratch/err"
}

test_kinds
test_switched_off
if serve_dead "$scratch/dead"; then
	test_dead_mount
	test_dead_names
else
	not_ok "dead_mount" "the dead file server did not start"
fi
exit $((failures > 0))
