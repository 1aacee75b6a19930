#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A stripped program: its functions are told apart by their start addresses (compared with nm of the unstripped one)
# and PLT stubs by the function they call, here and on another machine, whatever was embedded. With a debug file,
# found by build-id or by .gnu_debuglink beside the program, all levels of embedding give the names that nm gives,
# without options from the user and without DWARF.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool objcopy nm readelf
folder=$scratch/place
program=$folder/unnamed
empty=$scratch/empty
mkdir "$folder" "$empty"
whole=$workloads/unnamed
seconds=$(at_level 1.5 3) # before the loops, which reuse $level

start_of() { nm "$whole" | awk -v name="$1" '$3 == name { sub(/^0+/, "", $1); print "[unnamed]+0x" $1 }'; }

# leaves TRACE OPTION...: the program's own functions that have samples, except _start and main, each once.
leaves()
{
	local trace=$1
	shift
	"$report" --folded -q -U "$@" "$trace" 2>"$scratch/report.err" | sed -E 's/ [0-9]+$//; s/.*;//' |
		grep -E '^(\[unnamed\].*|hidden_.*|htonl@plt)$' | grep -vxF -e "$(start_of main)" -e "$(start_of _start)" | sort -u | tr '\n' ' '
}

record_levels()
{
	local level
	for level in full min none; do
		run_ok "$1-$level" "$record" -p 0 -u --sw-perf -f 3989 --embed "$level" --force -o "$scratch/$1-$level.rwk" -- "$program" "$seconds"
	done
}

unnamed=$(printf '%s\n' "$(start_of hidden_calls)" "$(start_of hidden_burns)" htonl@plt | sort | tr '\n' ' ')
named="hidden_burns hidden_calls htonl@plt "

# --- nothing but the stripped program ---
objcopy -S "$whole" "$program"
record_levels stripped
for level in full min none; do
	check_equal "--embed $level, by the starts of functions" "$unnamed" "$(leaves "$scratch/stripped-$level.rwk" --debug-dir "$empty")"
done
for level in full min; do
	check_equal "--embed $level, elsewhere" "$unnamed" \
		"$(leaves "$scratch/stripped-$level.rwk" --debug-dir "$empty" --symfs "$empty")"
done
check_number "--needs still asks for the program" \
	"$("$report" --needs --debug-dir "$empty" "$scratch/stripped-full.rwk" | grep -c "^$program") == 1"
check "perf's form has them, too" grep -qE " \[unnamed\]\+0x[0-9a-f]+\+0x[0-9a-f]+ \($program\)" \
	<("$report" --export perf-script --debug-dir "$empty" "$scratch/stripped-full.rwk" 2>/dev/null)

# --- MiniDebugInfo: names from the trace when the program is gone, but not with --embed min, which leaves the section out ---
if command -v xz >/dev/null; then
	objcopy -S --keep-symbol=hidden_burns --keep-symbol=hidden_calls "$whole" "$scratch/mini"
	objcopy --only-keep-debug "$scratch/mini" "$scratch/mini.debug"
	xz -kf --check=crc32 "$scratch/mini.debug"
	objcopy -S --add-section .gnu_debugdata="$scratch/mini.debug.xz" "$whole" "$program"
	record_levels mini
	check_equal "MiniDebugInfo" "$named" "$(leaves "$scratch/mini-full.rwk" --debug-dir "$empty" --symfs "$empty")"
	check_equal "MiniDebugInfo, --embed min" "$unnamed" "$(leaves "$scratch/mini-min.rwk" --debug-dir "$empty" --symfs "$empty")"
	objcopy -S "$whole" "$program"
fi

# --- its debug file by build-id ---
id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
mkdir -p "$scratch/debug/.build-id/${id:0:2}"
objcopy --only-keep-debug "$whole" "$scratch/debug/.build-id/${id:0:2}/${id:2}.debug"
for level in full min none; do
	check_equal "--embed $level, debug file" "$named" "$(leaves "$scratch/stripped-$level.rwk" --debug-dir "$scratch/debug")"
done
check_equal "debug file, program gone" "$named" \
	"$(leaves "$scratch/stripped-full.rwk" --debug-dir "$scratch/debug" --symfs "$empty")"
check "says where names are from" grep -q "debug file, by build-id" \
	<("$report" --needs -v --debug-dir "$scratch/debug" "$scratch/stripped-full.rwk")

# --- a debug file of another program is refused, and the names of the trace are used ---
objcopy --only-keep-debug "$workloads/burn" "$scratch/debug/.build-id/${id:0:2}/${id:2}.debug"
check_equal "another program's debug file" "$unnamed" "$(leaves "$scratch/stripped-full.rwk" --debug-dir "$scratch/debug")"

# --- by .gnu_debuglink, beside it ---
objcopy --only-keep-debug "$whole" "$folder/unnamed.debug"
(cd "$folder" && objcopy -S --add-gnu-debuglink=unnamed.debug "$whole" "$program")
record_levels linked
for level in full min none; do
	check_equal "--embed $level, .gnu_debuglink" "$named" "$(leaves "$scratch/linked-$level.rwk" --debug-dir "$empty")"
done
finish
