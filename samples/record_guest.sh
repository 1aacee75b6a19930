# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What samples/record.sh runs in the virtual machine: one recording for each line of the list.
set -eu
tar xf /bin/recording.tar -C /
rm /bin/recording.tar
hostname host
cd /src/rwalker

# The children of the last workload end shortly after it.
alone() {
	for process in /proc/[0-9]*; do
		case $(readlink "$process/exe") in */build/samples/*) return 1 ;; esac
	done
}

while read -r number arguments; do
	until alone; do sleep 0.1; done
	case $arguments in
	case\ *) sh record_case.sh "${arguments#case }" "$number" </dev/null ;;
	*)
		# shellcheck disable=SC2086 # the arguments are words
		build/rwalker-record --embed=min -o trace.rwk $arguments </dev/null
		;;
	esac
	mv trace.rwk "/out/$number.rwk"
done <list
