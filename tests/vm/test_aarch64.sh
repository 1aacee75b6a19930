#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 600
#
# A recording of another machine: the static recorder for aarch64 runs on an emulated one, whose CPUs count cycles and sign
# return addresses, and this machine's reporter unwinds its stacks with what the trace holds, the binaries being nowhere here.
# Truth: the call paths of guest/frames.c and guest/signals.c, built with signed return addresses and without frame pointers.
. "$(dirname "$0")/lib.sh"

kernels() {
	case ${CHECK_LEVEL:-check} in
	long) echo 6.1-arm64 6.12-arm64 ;;
	*) echo 6.12-arm64 ;;
	esac
}

need_cross() {
	for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc busybox cpio mke2fs; do
		PATH=$PATH:/sbin:/usr/sbin command -v $tool >/dev/null || { echo "'$tool' is missing ('make deps')"; exit 77; }
	done
	[ -e /usr/aarch64-linux-gnu/lib/libc.a ] || { echo "aarch64's libc.a is missing ('make deps')"; exit 77; }
	[ -x "$REPORT" ] || { not_ok programs "'$REPORT' is not built ('make report')"; exit 1; }
	tests/vm/fetch.sh aarch64 2>"$RESULTS.fetch"
	rc=$?
	[ $rc = 0 ] || { tail -n 1 "$RESULTS.fetch"; exit $rc; }
	# What make was told for the programs of this machine is not meant for those of another.
	env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES -u MFLAGS -u BUILD make -j"$(nproc)" ARCH=aarch64 static guests >"$RESULTS.make" 2>&1 ||
		{ tail -n 20 "$RESULTS.make"; not_ok build "'make static ARCH=aarch64' failed, see '$RESULTS.make'"; exit 1; }
	RECORD=build/aarch64/static/rwalker-record
}

# path NAME SOURCE WORDS : ok if some stack of the source has them in this order
path() {
	verdict "$1" "no stack has '$3' in '$dir/$2.folded' ($(grep -c . "$dir/$2.folded") lines)" grep -qE "$3" "$dir/$2.folded"
}

# Addresses of user frames, as the ELF files have them, or as they are where no mapping has them.
addresses() { # SOURCE
	"$REPORT" --stacks -v -U -c '^(frames|signals)$' --source "$1" "$dir/aarch64.rwk" 2>/dev/null |
		sed -nE 's/^ *0x([0-9a-f]{16}) [^[].*/\1/p'
}

# Offsets in the kernel count from its text, wherever that lies.
no_kernel_address() {
	"$REPORT" --dump "$dir/aarch64.rwk" >"$dir/dump" && grep -q '^ *kernel-symbol ' "$dir/dump" &&
		no_line '^ *kernel-symbol .* offset=0x[0-9a-f]\{9\}' "$dir/dump"
}

judge_kernel() { # KERNEL
	recorded "$1/run" aarch64 || return
	grep -qw paca "$dir/features" || { not_ok "$1/features" "the emulated CPU does not sign: $(cat "$dir/features")"; return; }
	"$REPORT" --info "$dir/aarch64.rwk" >"$dir/info" 2>&1
	for source in cpu offcpu; do
		"$REPORT" --folded --source $source "$dir/aarch64.rwk" >"$dir/$source.folded" 2>>"$dir/report-err"
	done
	verdict "$1/cycles" "no source of cycles in '$dir/info'" grep -qE '^ *source +[0-9]+: cpu cycles' "$dir/info"
	samples=$(awk '/^(frames|signals);/ { all += $NF } END { print all + 0 }' "$dir/cpu.folded")
	verdict "$1/samples" "$samples samples of the load, which ran for 3 s on 2 CPUs at 250 Hz" [ "$samples" -gt 100 ]
	path "$1/cpu" cpu '^frames;thread_start;start_thread;burner;frames_outer;frames_middle;frames_burn[; ]'
	path "$1/wait" offcpu '^frames;thread_start;start_thread;napper;frames_nap;frames_sleep;.*nanosleep;.*el0_svc;.*hrtimer_nanosleep'
	path "$1/interrupted" cpu '^signals;_start;.*;main;signals_middle;signals_spin[; ]'
	# The vDSO has no unwind information of what a handler returns to. Of the interrupted code itself any instruction may be shown.
	path "$1/signal" cpu '^signals;_start;.*;main;signals_middle;.*__kernel_rt_sigreturn;on_signal;signals_inner;signals_burn[; ]'
	verdict "$1/kernel" "addresses of the kernel are in the trace" no_kernel_address
	clean=$(sed -nE 's/^ *unwound +([0-9]+)\.[0-9]+% end where their thread began.*/\1/p' "$dir/info")
	verdict "$1/clean" "${clean:-no} % of the stacks end where their thread began, see '$dir/info'" [ "${clean:-0}" -ge 95 ]
	for source in cpu offcpu; do addresses $source; done >"$dir/addresses"
	verdict "$1/addresses" "$(wc -l <"$dir/addresses") addresses in '$dir/addresses'" [ "$(wc -l <"$dir/addresses")" -gt 100 ]
	verdict "$1/unsigned" "bits of a signature: $(grep -m 1 -v '^0000' "$dir/addresses")" no_line '^0*[1-9a-f][0-9a-f]\{12\}$' "$dir/addresses"
}

mkdir -p "$RESULTS"
need_cross
for kernel in $(kernels); do
	judged judge_kernel "aarch64-$kernel" "$kernel" aarch64.sh
done
