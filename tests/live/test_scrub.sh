#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --scrub of real recordings, made under another host name: none of the known names of the host, its users, programs,
# threads, functions, files and command line is left in the file or in its unpacked chunks; nor is a build-id, or what was
# on a stack. The original recordings have all of them. At the check level a recording without --dwarf is scrubbed only
# after lines were added.
# time-limit: 900
. "$(dirname "$0")/lib.sh"

need_recording
need_tool cc python3 unshare readelf
[ "$(uname -m)" = x86_64 ] || skip "the workload makes code of x86-64"

# Names that occur nowhere else. Stand-ins are in lower case, so nothing is found by chance.
name() { # NUMBER
	local letters=QXZVJKWYHGPF text=Q state=$(($1 * 7919)) letter
	for letter in 1 2 3 4 5 6 7 8 9 10 11; do
		state=$(((state * 1103515245 + 12345) % 2147483648))
		text+=${letters:$((state / 65536 % 12)):1}
	done
	echo "$text"
}
keys="HOST USER PROJECT ROOM PROGRAM LIBRARY LIBRARY_FOLDER LOADED LOADED_FOLDER SCRIPT OUTPUT OUTPUT_FOLDER FILTER_A FILTER_B
	STATIC CALLS_INLINED EXPORTED HANDLER WAITS WAKES LIBRARY_FUNCTION LOADED_FUNCTION NAMESPACE MANGLED_FUNCTION MAPPED MAPPED_FOLDER
	MAPPED_FILE MEMORY DELETED RENAMED THREAD_A THREAD_B THREAD_C"
line_keys="SOURCES SOURCE HEADER LIBRARY_SOURCE LOADED_SOURCE INLINED" # once lines were added
declare -A n
count=0
for k in $keys $line_keys ON_STACK; do
	count=$((count + 1))
	n[$k]=$(name $count)
done
# Each has 7 pieces of 6 letters, which canaries.py searches for.
check_equal "names that share no piece" $((count * 7)) "$(printf '%s\n' "${n[@]}" | awk '{ for (i = 1; i <= 7; i++) print substr($0, i, 6) }' |
	sort -u | wc -l)"

top=$scratch/home/${n[USER]}/${n[PROJECT]}
sources=$top/${n[SOURCES]} room=$top/${n[ROOM]}
program=$top/${n[PROGRAM]} library=$top/${n[LIBRARY_FOLDER]}/lib${n[LIBRARY]}.so loaded=$top/${n[LOADED_FOLDER]}/${n[LOADED]}.so
output=$scratch/${n[OUTPUT_FOLDER]}
mkdir -p "$sources" "$room" "${library%/*}" "${loaded%/*}" "$output"

compile() { # FILE OPTION...
	${CC:-cc} -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=sha1 -D_GNU_SOURCE -pthread "${@:2}" -o "$1" ||
		die "cannot build the workload"
}

# napping FUNCTION: a library of one function.
napping() {
	printf '#include "nap.h"\nvoid %s(void);\nvoid %s(void) { NAP(); }\n' "$1" "$1"
}

build_workload() {
	local flags=() k
	for k in STATIC CALLS_INLINED INLINED EXPORTED HANDLER WAITS WAKES LIBRARY_FUNCTION LOADED_FUNCTION MAPPED MAPPED_FOLDER \
		MAPPED_FILE MEMORY DELETED RENAMED THREAD_A THREAD_B THREAD_C ON_STACK; do
		flags+=("-DN_$k=${n[$k]}")
	done
	printf 'static inline __attribute__((always_inline)) void %s(void (*call)(void)) { call(); __asm__ volatile(""); }\n' \
		"${n[INLINED]}" >"$sources/${n[HEADER]}.h"
	napping "${n[LIBRARY_FUNCTION]}" >"$sources/${n[LIBRARY_SOURCE]}.c"
	napping "${n[LOADED_FUNCTION]}" >"$sources/${n[LOADED_SOURCE]}.c"
	cp "$here/tests/live/workloads/plug/private.c" "$sources/${n[SOURCE]}.c"
	cp "$here/tests/live/workloads/plug/nap.h" "$sources/"
	compile "$library" -shared -fPIC "$sources/${n[LIBRARY_SOURCE]}.c"
	compile "$loaded" -shared -fPIC "$sources/${n[LOADED_SOURCE]}.c"
	compile "$program" "${flags[@]}" -DN_HEADER="${n[HEADER]}.h" \
		"-DN_MANGLED=\"_ZN12${n[NAMESPACE]}12${n[MANGLED_FUNCTION]}Ev\"" "$sources/${n[SOURCE]}.c" "$library" -ldl
	printf '#!/bin/sh\n"$@" || exit 9\n' >"$top/${n[SCRIPT]}"
	chmod +x "$top/${n[SCRIPT]}"
}

# Writes what canaries.py searches for. The boot id and build-ids are searched for as a whole: pieces of them may
# occur by chance.
write_lists() {
	local k file
	for k in $keys; do echo "text ${n[$k]}"; done >"$scratch/names"
	for k in $line_keys; do echo "text ${n[$k]}"; done >"$scratch/line_names"
	check "at least 35 names" [ "$(cat "$scratch/names" "$scratch/line_names" | wc -l)" -ge 35 ]
	{
		echo "bytes $(tr -d '\n' </proc/sys/kernel/random/boot_id | od -An -v -tx1 | tr -d ' \n')"
		for file in "$program" "$library" "$loaded"; do
			echo "bytes $(readelf -n "$file" | awk '/Build ID/ { print $3 }')"
		done
	} >"$scratch/numbers"
	cat "$scratch/names" "$scratch/numbers" >"$scratch/list"
	echo "text ${n[ON_STACK]}" | cat "$scratch/list" - >"$scratch/recorded"
	cat "$scratch/recorded" "$scratch/line_names" >"$scratch/all"
}

# found [OPTION] FILE LIST: the lines of the list that are found in the file.
found() { python3 "$here/tests/canaries.py" "$@" || echo "the search failed"; }

# missing TRACE LIST: the lines of the list that are not found in the trace, with their meaning.
missing() {
	local k missing
	missing=$(found "$1" "$2" | sort | comm -3 - <(sort "$2"))
	for k in "${!n[@]}"; do missing=${missing//${n[$k]}/$k}; done
	echo ${missing}
}

# record_names NAME LIST OPTION... SECONDS: records; true if the trace has all of the list. On a busy machine a file
# may not be opened within the recorder's deadline of 200 ms, or not before its process exits. Its names are not in
# the trace then.
record_names() {
	local name=$1 list=$2 options=("${@:3:$#-3}") seconds=${!#} trace="$output/${n[OUTPUT]}-$1.rwk"
	# shellcheck disable=SC2016 # the inner shell's words
	run_ok "$name" unshare --uts sh -c 'hostname "$1" && shift && exec "$@"' - \
		"${n[HOST]}" "$record" -p 0 --offcpu 0 --wakers -m 0 -u "${options[@]}" --force -c "^[^/]|${n[FILTER_A]}|^${n[FILTER_B]}" \
		-o "$trace" -- "$top/${n[SCRIPT]}" "$program" "$room" "$loaded" "$seconds"
	grep -h '^/tmp/perf-[0-9]*\.map$' "$scratch/$name.out" | xargs -r rm -f
	cp "$trace" "$scratch/$name.rwk"
	lost=$(missing "$scratch/$name.rwk" "$list")
	[ ! "$lost" ] || { echo "# $name: not in it: $lost"; return 1; }
}

check_scrubbed() { # NAME ORIGINAL
	local trace=$scratch/$1.rwk
	run_ok "$1" "$report" --no-cache --scrub --partial "$2" -o "$trace" || return
	check_equal "$1: what is left in the trace" "" "$(found "$trace" "$scratch/all" | tr '\n' ' ')"
	check "$1: it still tells something" [ "$("$report" --no-cache --tree "$trace" 2>/dev/null | grep -c 'fn_[0-9a-z]\{8\}')" -gt 5 ]
}

build_workload
write_lists
# Each try is a new chance for every file to be opened in time, and lasts twice as long as the one before.
check "frames: a recording that has all names" growing 1 record_names frames "$scratch/list"
check "dwarf: a recording that has all names" growing 1 record_names dwarf "$scratch/recorded" --dwarf
# The trace gets the names of the program's source files when a machine with its debug information adds the lines.
for k in frames dwarf; do
	[ "$k$level" = framescheck ] || check_scrubbed "${k}_scrubbed" "$scratch/$k.rwk"
	run_ok "${k}_lines" "$report" --no-cache --resolve-lines "$scratch/$k.rwk" -o "$scratch/${k}_lines.rwk"
	check_equal "$k: what is not in it with lines" "" "$(missing "$scratch/${k}_lines.rwk" "$scratch/line_names")"
	check_scrubbed "${k}_lines_scrubbed" "$scratch/${k}_lines.rwk"
done
finish
