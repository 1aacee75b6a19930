#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What the recorder and its helpers may still do while they record, according to /proc: no more capabilities than their
# work needs, no way to get others, a filter of system calls, no open files but their own.
. "$(dirname "$0")/lib.sh"

# look PID: saves /proc/PID/status. field PID NAME: a field of the saved status, words separated by one space.
look() { cat "/proc/$1/status" >"$scratch/status.$1" 2>/dev/null; }
field() { sed -n "s/^$2:[[:space:]]*//p" "$scratch/status.$1" | tr '\t' ' '; }

# CAP_SYSLOG, CAP_PERFMON, CAP_BPF
recorder_has=000000c400000000
# CAP_DAC_READ_SEARCH, CAP_SETGID, CAP_SETUID, CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE
opener_has=00000100000800c4
nothing=0000000000000000
iterator_has=0000000000080004 # CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE

check_process() { # WHO PID CAPABILITIES
	local set
	for set in CapEff CapPrm; do check_equal "$1: $set" "$3" "$(field "$2" $set)"; done
	for set in CapInh CapBnd CapAmb; do check_equal "$1: $set" $nothing "$(field "$2" $set)"; done
	check_equal "$1: NoNewPrivs" 1 "$(field "$2" NoNewPrivs)"
	check_equal "$1: Seccomp" 2 "$(field "$2" Seccomp)"
	check_equal "$1: dumps" 0 "$(awk '/^Max core file size/ { print $5 }' "/proc/$2/limits")"
}

# Its real user is the caller, so that it may be killed; its effective user is nobody.
check_helper() { # WHO PID CAPABILITIES [DESCRIPTOR...]
	check_process "$@"
	check_equal "$1: user" '65533 65534 65534 65534' "$(field "$2" Uid)"
	check_equal "$1: group" '65532 65534 65534 65534' "$(field "$2" Gid)"
	check_equal "$1: groups" '' "$(field "$2" Groups | tr -d ' ')"
	check_equal "$1: descriptors" "0 1 2 3${4:+ $4}" "$(find "/proc/$2/fd" -mindepth 1 -printf '%f\n' | sort -n | paste -sd' ')"
	check_equal "$1: its standard output" /dev/null "$(readlink "/proc/$2/fd/1")"
}

# The children of the spawner with these capabilities, all effective: not an opener that has another user's rights now.
helper_with() { # CAPABILITIES
	local pid
	for pid in $(pgrep -P "$spawner"); do
		look "$pid" && [ "$(field "$pid" CapPrm) $(field "$pid" CapEff)" = "$1 $1" ] && echo "$pid"
	done
}

has_helper() { helper=$(helper_with "$1" | head -n 1) && [ -n "$helper" ]; } # its id is in $helper

is_confined() { look "$1" && [ "$(field "$1" Seccomp)" = 2 ] && [ "$(field "$1" CapEff)" = $recorder_has ]; }

need_recording
start_sleepers
chmod 777 "$scratch"
SUDO_UID=65533 SUDO_GID=65532 "$record" -w 0 -i 1 -u -o "$scratch/a.rwk" 2>"$scratch/a.err" &
recorder=$!
children="$children $recorder"
wait_for 60 is_confined "$recorder" || die "the recorder is not confined: $(cat "$scratch/a.err")"
check_process recorder "$recorder" $recorder_has
check_equal "recorder: user" '65533 65533 65533 65533' "$(field "$recorder" Uid)"
spawner=$(pgrep -P "$recorder")
check_equal "children of the recorder" 1 "$(wc -w <<<"$spawner")"
# The capabilities of all helpers together: the opener's, and CAP_SYS_ADMIN and CAP_PERFMON, for events on CPUs that
# come online.
look "$spawner"
check_helper spawner "$spawner" 00000140002800c4
check "there is an opener" wait_for 60 has_helper $opener_has
check_helper opener "$helper" $opener_has 4 # "/"
check "there is a helper that copies stacks" wait_for 60 has_helper $iterator_has
check_helper iterator "$helper" $iterator_has
kill -INT $recorder
wait $recorder
check_equal "exit code" 0 $?
run_ok info "$report" --info "$scratch/a.rwk"
check "no call was refused" lacks refused_calls "$scratch/info.out"
finish
