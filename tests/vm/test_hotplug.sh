#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 900
#
# A CPU goes offline and comes back during a recording: sampling and the records of processes continue there, programs
# started meanwhile have names, the account adds up, and the trace says from when to when names were unsure. Memory is
# allocated for CPUs that are online, not for the 240 that this machine could have (Linux 6.1 believes the command
# line).
. "$(dirname "$0")/lib.sh"

moment() { awk -v name="$1" '$1 == name { print $2 }' "$dir/moments"; }

# unsure FROM : rows about CPU 1 that contain that time, or begin after it
unsure() {
	awk -v from="$1" '$1 == "unsure" { split($2, time, "="); split($3, until, "=")
		if ($4 == "cpu=1" && until[2] >= from) print }' "$dir/hotplug.dump"
}

samples_since() { # CPU MOMENT
	awk -v cpu="cpu=$1" -v from="$2" '$1 == "sample" && $2 == cpu { split($3, time, "="); if (time[2] > from) count++ }
		END { print count + 0 }' "$dir/hotplug.dump"
}

judge_named() { # NAME PROGRAM
	reported "$dir/$2.folded" "$code" --folded --source cpu -c "^$2\$" "$dir/hotplug.rwk"
	all=$(awk '{ sum += $NF } END { print sum + 0 }' "$dir/$2.folded")
	unnamed=$(awk -v module="[$2]" '/\[unknown\]/ || index($0, module) { sum += $NF } END { print sum + 0 }' "$dir/$2.folded")
	verdict "$1/$2-seen" "$all samples of a program that ran for seconds" [ "$all" -ge 50 ]
	verdict "$1/$2-named" "$unnamed of $all samples have functions without names" [ $((unnamed * 10)) -le "$all" ]
}

judge_memory() { # NAME
	case $1 in # later kernels allow only the CPUs that the machine's tables list
	6.1-*) verdict "$1/possible" "the CPUs that there could be: '$(cat "$dir/possible")'" [ "$(cat "$dir/possible")" = 0-239 ] ;;
	esac
	rings=$(sed -nE 's/^ *memory .* in rings \(([0-9]+)\).*/\1/p' "$dir/hotplug.info")
	all=$(sed -nE 's/^ *memory +([0-9]+)\.[0-9] MB:.*/\1/p' "$dir/hotplug.info")
	verdict "$1/rings" "${rings:-no} rings are planned for two sources and two CPUs" [ "$rings" = 2 ]
	verdict "$1/memory" "${all:-nothing} MB are planned" [ "${all:-999}" -le 64 ]
}

judge_kernel() { # NAME
	code=$(time_of hotplug 3)
	verdict "$1/run" "the recorder ended with '$code': $(tail -n 3 "$dir/hotplug.err" | tr '\n' ' ')" [ "$code" = 0 -o "$code" = 3 ]
	[ -s "$dir/hotplug.rwk" ] || return
	reported "$dir/hotplug.all" 0 --dump "$dir/hotplug.rwk"
	sed 's/^ *//' "$dir/hotplug.all" | grep -E '^(unsure|sample) ' >"$dir/hotplug.dump"
	reported "$dir/hotplug.info" "$code" --info "$dir/hotplug.rwk"
	verdict "$1/away" "nothing is said of a CPU that was away" [ -n "$(unsure "$(moment back)" | grep cause=3)" ]
	verdict "$1/away-briefly" "nothing is said of a CPU that was away briefly" [ -n "$(unsure "$(moment again)")" ]
	verdict "$1/info" "--info does not say it" grep -q '^ *names unsure .*CPU 1 are missing' "$dir/hotplug.info"
	count=$(samples_since 1 "$(moment again)")
	verdict "$1/sampled" "$count samples on the CPU that came back" [ "$count" -ge 100 ]
	bad=$(grep -c 'do not add up' "$dir/hotplug.info")
	verdict "$1/identity" "counts that do not add up: $bad" [ "$bad" = 0 ]
	judge_named "$1" late
	judge_named "$1" later
	judge_memory "$1"
}

need_programs
mkdir -p "$RESULTS"
for kernel in $(kernels 6.1-cloud); do
	judged judge_kernel "hotplug-$kernel" "$kernel" hotplug.sh 2 possible_cpus=240
done
exit 0
