#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 900
#
# A CPU profile with user stacks in the guest: names of kernel and user functions, samples from every CPU, the loss
# identity; at CHECK_LEVEL=long also with 8 CPUs (more than one ring), and with 64, whose rings and tables fit the
# plan. Hosts that cannot be recorded get a clear message.
# Truth: the load itself reports its CPU time in each of its two functions (guest/work.c); it keeps all CPUs busy.
. "$(dirname "$0")/lib.sh"

# share FOLDED WORD : percentage of the load's samples in its two functions whose call chain has the word
share() {
	awk -v word="$2" '/^work;.*work_(user|kernel)/ { all += $NF; if (index($0, word)) with += $NF }
		END { print all ? int(100 * with / all + 0.5) : 0 }' "$1"
}

refused() { # NAME RUN WORD
	verdict "$1/$2-code" "exit code $(time_of "$2" 3)" [ "$(time_of "$2" 3)" = 1 ]
	verdict "$1/$2-says" "'$3' is not in: $(tail -n 2 "$dir/$2.err" | tr '\n' ' ')" grep -qi "$3" "$dir/$2.err"
}

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

judge_kernel() { # NAME
	recorded "$1/run" profile || return
	reported "$dir/profile.folded" 0 --folded "$dir/profile.rwk"
	reported "$dir/profile.info" 0 --info "$dir/profile.rwk"
	seen=$(share "$dir/profile.folded" work_user)
	truth=$(awk '$1 == "work" { print int(100 * $3 / ($3 + $5) + 0.5) }' "$dir/work")
	# There are a few thousand samples, and interruptions of the load count for neither function: this does not
	# measure accuracy.
	verdict "$1/share" "work_user has $seen %, truth is ${truth:-missing} %" between "$seen" $((truth - 8)) $((truth + 8))
	verdict "$1/kernel-names" "no sample of the load has work_kernel above vfs_read" \
		grep -q '^work;.*;work_kernel;.*;vfs_read' "$dir/profile.folded"
	judge_losses "$1" "$dir/profile.info"
	refused "$1" old-kernel '6\.1'
	refused "$1" no-btf btf
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
for kernel in $(kernels 6.12-cloud); do
	judged judge_kernel "profile-$kernel" "$kernel" profile.sh
done
if [ "${CHECK_LEVEL:-check}" = long ]; then
	for kernel in 6.1-cloud 6.12-cloud; do
		boot "profile-8-$kernel" "$kernel" profile.sh 8 && judge_kernel "$kernel-8-cpus"
	done
	boot profile-64 6.1-cloud many_cpus.sh 64 && judge_many 64-cpus
fi
exit 0
