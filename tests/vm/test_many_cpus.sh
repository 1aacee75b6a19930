#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: long
# time-limit: 900
#
# A host with 64 CPUs, which have more than one ring: one short process on each of them. The loss identity holds on each
# CPU, each sleep is recorded, rings and tables fit the plan.
. "$(dirname "$0")/lib.sh"

# Rows of the loss table of --info, one per CPU: produced, recorded, lost by each cause.
loss_rows() { sed -nE 's/^ *cpu *[0-9]+ +([0-9 ]+)$/\1/Ip' "$1"; }

# Samples that the kernel produced = recorded + lost, on each CPU.
judge_losses() { # NAME INFO
	loss_rows "$2" >"$2.rows"
	count=$(wc -l <"$2.rows")
	verdict "$1/loss-rows" "$count rows for $(cat "$dir/cpus") CPUs" [ "$count" = "$(cat "$dir/cpus")" ]
	bad=$(awk '{ sum = 0; for (i = 2; i <= NF; i++) sum += $i } $1 != sum' "$2.rows")
	verdict "$1/loss-identity" "does not add up: '$bad'" [ -z "$bad" ]
	bad=$(grep -E '^ *CPU [0-9]+: [0-9]+ seen =' "$2" | awk '{
		split($0, half, ";"); split(half[1], side, "="); split(side[1], left, " "); sum = 0
		count = split(side[2], part, "+")
		for (i = 1; i <= count; i++) sum += part[i]
		if (left[3] != sum) print half[1] }')
	verdict "$1/seen-identity" "does not add up: '$bad'" [ -z "$bad" ]
	bad=$(awk '$2 == 0' "$2.rows")
	verdict "$1/every-cpu" "no samples on a CPU that was busy: '$bad'" [ -z "$bad" ]
}

judge_many() { # NAME
	recorded "$1/run" many || return
	reported "$dir/many.info" 0 --info "$dir/many.rwk"
	sed '/^ *events of source [^1]/,$d' "$dir/many.info" >"$dir/many.samples"
	judge_losses "$1" "$dir/many.samples"
	reported "$dir/many.sleeps" 0 --waits-on=sleep -c '^sleep$' "$dir/many.rwk"
	slept=$(awk '$6 != "" && $7 == "sleep" { all += $3 } END { print all + 0 }' "$dir/many.sleeps")
	# If the CPU is late, a sleep may be over before it has begun.
	verdict "$1/sleeps" "$slept waits of $(cat "$dir/cpus") sleeps" between "$slept" $(($(cat "$dir/cpus") - 8)) "$(cat "$dir/cpus")"
	planned=$(awk '$1 == "all" { print int($2 + 1) }' "$dir/plan")
	used=$(awk '{ print int($1 / 1024) }' "$dir/memory")
	verdict "$1/memory" "${used:-?} MB, but ${planned:-no} MB were planned" between "${used:-0}" 100 "${planned:-0}"
}

need_programs
mkdir -p "$RESULTS"
boot many-cpus 6.1-cloud many_cpus.sh 64 && judge_many 64-cpus
exit 0
