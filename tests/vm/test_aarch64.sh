#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 600
#
# A recording from another machine: the static recorder for aarch64 runs on an emulated one, whose CPUs count cycles
# and sign return addresses. This machine's reporter unwinds its stacks from the trace alone; the binaries are not
# here. At the long level also the objects of waits (what_for.sh).
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
		PATH=$PATH:/sbin:/usr/sbin command -v $tool >/dev/null || { echo "'$tool' is not installed"; exit 77; }
	done
	[ -e /usr/aarch64-linux-gnu/lib/libc.a ] || { echo "aarch64's libc.a is missing (apt-get install libc6-dev-arm64-cross)"; exit 77; }
	[ -x "$REPORT" ] || { not_ok programs "'$REPORT' is not built ('make report')"; exit 1; }
	tests/vm/fetch.sh aarch64 2>"$NOTES.fetch"
	rc=$?
	[ $rc = 0 ] || { tail -n 1 "$NOTES.fetch"; exit $rc; }
	# make's variables for this machine's programs do not apply to another machine. Nobody debugs these programs:
	# no -g.
	env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES -u MFLAGS -u BUILD CFLAGS=-O1 make -j"$(nproc)" ARCH=aarch64 static guests >"$NOTES.make" 2>&1 ||
		{ tail -n 20 "$NOTES.make"; not_ok build "'make static ARCH=aarch64' failed, see '$NOTES.make'"; exit 1; }
	RECORD=build/aarch64/static/rwalker-record
}

# path NAME SOURCE WORDS : ok if some stack of the source has the words in this order
path() {
	verdict "$1" "no stack has '$3' in '$dir/$2.folded' ($(grep -c . "$dir/$2.folded") lines)" grep -qE "$3" "$dir/$2.folded"
}

# Addresses of user frames as in the ELF files, or raw if they are in no mapping.
addresses() { # SOURCE
	"$REPORT" --stacks -v -U -c '^(frames|signals)$' --source "$1" "$dir/aarch64.rwk" 2>/dev/null |
		sed -nE 's/^ *0x([0-9a-f]{16}) [^[].*/\1/p'
}

# Offsets in the kernel count from the begin of its text, wherever that is.
no_kernel_address() {
	"$REPORT" --dump "$dir/aarch64.rwk" >"$dir/dump" && grep -q '^ *kernel-symbol ' "$dir/dump" &&
		lacks '^ *kernel-symbol .* offset=0x[0-9a-f]\{9\}' "$dir/dump"
}

judge_kernel() { # KERNEL
	recorded "$1/run" aarch64 || return
	grep -qw paca "$dir/features" || { not_ok "$1/features" "the emulated CPU does not sign: $(cat "$dir/features")"; return; }
	reported "$dir/info" 0 --info "$dir/aarch64.rwk"
	for source in cpu offcpu; do
		reported "$dir/$source.folded" 0 --folded --source $source "$dir/aarch64.rwk"
	done
	verdict "$1/cycles" "no source of cycles in '$dir/info'" grep -qE '^ *source +[0-9]+: cpu cycles' "$dir/info"
	samples=$(awk '/^(frames|signals);/ { all += $NF } END { print all + 0 }' "$dir/cpu.folded")
	verdict "$1/samples" "$samples samples of the load, which ran for 3 s on 2 CPUs at 250 Hz" [ "$samples" -gt 100 ]
	path "$1/cpu" cpu '^frames;thread_start;start_thread;burner;frames_outer;frames_middle;frames_burn[; ]'
	path "$1/wait" offcpu '^frames;thread_start;start_thread;napper;frames_nap;frames_sleep;.*nanosleep;.*el0_svc;.*hrtimer_nanosleep'
	path "$1/interrupted" cpu '^signals;_start;.*;main;signals_middle;signals_spin[; ]'
	# The vDSO has no unwind information for the code that a handler returns to. In the interrupted code, any
	# instruction may be shown.
	path "$1/signal" cpu '^signals;_start;.*;main;signals_middle;.*__kernel_rt_sigreturn;on_signal;signals_inner;signals_burn[; ]'
	verdict "$1/kernel" "addresses of the kernel are in the trace" no_kernel_address
	clean=$(sed -nE 's/^ *unwound +([0-9]+)\.[0-9]+% end where their thread began.*/\1/p' "$dir/info")
	verdict "$1/clean" "${clean:-no} % of the stacks end where their thread began, see '$dir/info'" [ "${clean:-0}" -ge 95 ]
	for source in cpu offcpu; do addresses $source; done >"$dir/addresses"
	verdict "$1/addresses" "$(wc -l <"$dir/addresses") addresses in '$dir/addresses'" [ "$(wc -l <"$dir/addresses")" -gt 100 ]
	verdict "$1/unsigned" "bits of a signature: $(grep -m 1 -v '^0000' "$dir/addresses")" lacks '^0*[1-9a-f][0-9a-f]\{12\}$' "$dir/addresses"
}

# For the recording NAME: "CPU SEEN NOT_DELIVERED COUNTED TICKS SAMPLES WEIGHT LARGEST": cycles in periods that ended in a tick,
# cycles not delivered according to the account, cycles of the kernel's counter; the number of ticks, how many of them are in the
# trace as samples, the sum of these samples' weights, and the largest weight.
cycles_of() { # NAME
	"$REPORT" --dump "$dir/$1.rwk" 2>/dev/null | awk '
		function field(name, i) { for (i = 2; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2) + 0 }
		$1 == "sample" && field("source") == 1 {
			cpu = field("cpu")
			period = field("period")
			weight[cpu] += period
			samples[cpu]++
			if (period > largest[cpu]) largest[cpu] = period
		}
		$1 == "loss" && field("source") == 1 && field("cause") == 13 { ticks[field("cpu")] = field("total") }
		$1 == "counter" { cpu = field("cpu"); missed[cpu] = field("missed"); seen[cpu] = field("seen"); counted[cpu] = field("counted") }
		END {
			for (cpu in weight)
				printf "%d %.0f %.0f %.0f %d %d %.0f %.0f\n", cpu, seen[cpu], missed[cpu] * seen[cpu] / ticks[cpu],
					counted[cpu], ticks[cpu], samples[cpu], weight[cpu], largest[cpu]
		}'
}

# "CYCLES JUMPS" of the CPU between start and stop of the recording NAME, by the counter that ran beside it:
# interpolated between its values before and after each of the two. Emulated CPUs have one cycle per ns. Sometimes one
# of their non-sampling counters jumps ahead, by anything up to 2^31: a step faster than the clock is not a count, and
# is replaced by the rate of the one before.
watched_of() { # NAME CPU
	# shellcheck disable=SC2046
	set -- "$2" $("$REPORT" --dump "$dir/$1.rwk" | sed -nE 's/^ *source id=1 .* start=([0-9]+) stop=([0-9]+) .*/\1 \2/p' | tail -n 1)
	awk -v cpu="$1" -v start="$2" -v stop="$3" '
		function until(edge, name) { if ($3 > edge && !(name in at)) at[name] = count + rate * (edge - time) }
		$1 != "cycles" || $2 != cpu { next }
		time {
			if ($4 - said > 1.05 * ($3 - time)) jumps++; else rate = ($4 - said) / ($3 - time)
			until(start, "start")
			until(stop, "stop")
			count += rate * ($3 - time)
		}
		{ time = $3; said = $4 }
		END { printf "%.0f %d\n", ("start" in at) && ("stop" in at) ? at["stop"] - at["start"] : 0, jumps }' "$dir/watched"
}

# within_percent A B : A is B within 1 %
within_percent() { between $(($1 * 1000)) $(($2 * 990)) $(($2 * 1010)); }

# judge_cycles KERNEL CPU and the other figures of cycles_of. The weights of samples are those of all ticks, minus the ticks that
# were left out (the recorder's own, idle ones): equal if there are none.
judge_cycles() {
	watched=$(watched_of counted "$2")
	echo "# $1: CPU $2: $3 cycles in periods that ended in a tick, $4 not delivered, $5 counted, ${watched% *} counted beside it, ${watched#* } jumps"
	watched=${watched% *}
	verdict "$1/counted, CPU $2" "$5 are not $watched within 1 %" within_percent "$5" "$watched"
	verdict "$1/recorded + not delivered, CPU $2" "$3 + $4 are not $watched within 1 %" within_percent $(($3 + $4)) "$watched"
	verdict "$1/weights of samples, CPU $2" "$8 of $3 in $7 samples of $6 ticks, of $9 at most" between $(($3 - $8)) 0 $((($6 - $7) * $9))
}

judge_counters() { # KERNEL
	for recording in counted lent throttled; do
		rc=$(time_of $recording 3)
		verdict "$1/$recording" "the recorder ended with '$rc'" [ "$rc" = 0 -o "$recording$rc" = throttled3 ]
		reported "$dir/$recording.tree" "$rc" --tree "$dir/$recording.rwk"
		reported "$dir/$recording.info" "$rc" --info "$dir/$recording.rwk"
	done
	cycles_of counted >"$dir/counted.cycles"
	verdict "$1/both CPUs" "see '$dir/counted.cycles'" [ "$(wc -l <"$dir/counted.cycles")" = 2 ]
	while read -r cycles; do
		# shellcheck disable=SC2086
		judge_cycles "$1" $cycles
	done <"$dir/counted.cycles"
	verdict "$1/lent" "no word of it in '$dir/lent.info'" grep -qE "others had the hardware counter for [0-9.]+% of the time" "$dir/lent.info"
	verdict "$1/not lent" "it is said in '$dir/counted.info'" lacks 'others had' "$dir/counted.info"
	verdict "$1/throttled" "no word of it in '$dir/throttled.info'" grep -qE ' [0-9]+ .*the kernel throttled sampling' "$dir/throttled.info"
	verdict "$1/throttled for" "no word of it in '$dir/throttled.info'" grep -qE 'CPU [01]: stopped for [0-9.]+ s' "$dir/throttled.info"
}

# Judges with the checkers of the live tests.
judge_what_for() { # KERNEL
	old=$(echo "$1" | grep -e '^6\.1-')
	if recorded "$1/claims" claims; then
		MACHINE=aarch64 python3 -B tests/live/objects_check.py claims "$dir/claims.rwk" "$dir/claims.truth" 2>&1 | verdicts_of "$1"
	fi
	for run in objects mutexes ready; do
		rc=$(time_of $run 3) # 3: one of thousands of waits was lost, as happens on an emulated machine
		verdict "$1/$run-run" "the recorder ended with '$rc': $(tail -n 3 "$dir/$run.err" | tr '\n' ' ')" [ "$rc" = 0 -o "$rc" = 3 ]
		[ -s "$dir/$run.rwk" ] || continue
		verdict "$1/$run-loads" "the kernel refuses a program" lacks 'refuses the program' "$dir/$run.err"
		MACHINE=aarch64 MUTEXES_RT=$old python3 -B tests/live/objects_check.py $run "$dir/$run.rwk" "$dir/$run.truth" 20 2>&1 |
			verdicts_of "$1"
	done
}

mkdir -p "$RESULTS"
need_cross
for kernel in $(kernels); do
	judged judge_kernel "aarch64-$kernel" "$kernel" aarch64.sh
	[ "${CHECK_LEVEL:-check}" = long ] || continue
	judged judge_counters "counters-$kernel" "$kernel" counters.sh
	VM_SECONDS=500 judged judge_what_for "what-for-$kernel" "$kernel" what_for.sh
done
