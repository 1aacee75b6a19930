#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Who reads a trace if root starts the reporter: the user behind sudo, else, for all that the trace's maker could
# reach, a user that nobody else is, and never the trace's owner. Checked in /proc/PID/status of its processes while
# their output waits for a reader, by the owner of the files that they write, and by the pager itself.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

report=${BUILD:-build}/rwalker-report sample=samples/frameless/trace.rwk
[[ -x $report ]] || { echo "not ok reader_user - '$report' is not built"; exit 1; }
if [[ $(id -u) != 0 ]]; then
	echo "skip reader_user - it needs root"
	exit 0
fi
unset SUDO_UID SUDO_GID
scratch=$(mktemp -d)
chmod 711 "$scratch"
trap 'rm -rf "$scratch"' EXIT
none=0000000000000000

# trace NAME UID GID: a trace that only its owner may read.
trace() {
	cp "$sample" "$scratch/$1.rwk"
	chmod 600 "$scratch/$1.rwk"
	chown "$2:$3" "$scratch/$1.rwk"
}

# field PID NAME: a field of /proc/PID/status, words separated by one space.
field()
{
	local words
	while read -r -a words; do
		[[ ${words[0]} != "$2:" ]] || echo "${words[*]:1}"
	done 2>/dev/null <"/proc/$1/status"
}

# processes PID: the process and all its descendants.
processes() {
	local child
	echo "$1"
	for child in $(pgrep -P "$1"); do processes "$child"; done
}

# The process that parses: the one that prints among those with a filter of system calls.
worker_of() {
	local pid
	for pid in $(processes "$1"); do
		[[ $(field "$pid" Seccomp) == 2 && $(readlink "/proc/$pid/fd/1") == "$scratch"/* ]] && echo "$pid"
	done
}

has_worker() { [[ -n $(worker_of "$1") ]]; }

# same NAME WHAT WANTED GOT
same() { verdict "$1" "$2: '$4', not '$3'" [ "$3" = "$4" ]; }

wait_for() {
	local tries=1200
	until "$@"; do
		((tries--)) || return 1
		sleep 0.05
	done
}

# told NAME PID: one word for the user and groups of a process (UID:GID, or "private"), one for its capabilities.
told() {
	local ids number
	ids="$(field "$1" Uid) $(field "$1" Gid)"
	number=${ids%% *}
	[[ -n $number ]] || return # it was started for a lookup, and is gone
	((number < 1 << 31)) || [[ $ids != "$number $number $number $number $number $number $number $number" ]] || ids=private
	echo "$ids $(field "$1" CapEff) $(field "$1" CapPrm)"
}

# look NAME PID WANTED: checks the users, groups and capabilities of all its processes (a sorted list), and the worker.
look() {
	local name=$1 pid=$2 wanted=$3 worker each
	worker=$(worker_of "$pid")
	same "${name}_worker" "processes with a filter that print" 1 "$(wc -w <<<"$worker")"
	same "${name}_worker_privileges" NoNewPrivs 1 "$(field "$worker" NoNewPrivs)"
	same "${name}_parent" "the first process" "${wanted%%,*}" "$(told "$pid")"
	same "${name}_worker_user" "the worker" "$(cut -d, -f2 <<<"$wanted")" "$(told "$worker")"
	for each in $(processes "$pid"); do
		[[ $each == "$pid" || $each == "$worker" ]] || told "$each"
	done | sort -u >"$scratch/seen"
	same "${name}_others" "the opener's processes" "${wanted##*,}" "$(cat "$scratch/seen")"
}

# reads NAME UID:GID WANTED 'ENVIRONMENT' TRACE...: a report whose output nobody reads yet, and the owner of what it writes.
reads() {
	local name=$1 ids=$2 wanted=$3 settings=$4 pid code
	shift 4
	mkfifo "$scratch/$name"
	# shellcheck disable=SC2086 # one word each
	env $settings "$report" --no-pager --no-cache --events "${@/#/$scratch/}" >"$scratch/$name" 2>"$scratch/err" &
	pid=$!
	exec 9<"$scratch/$name"
	if wait_for has_worker $pid; then look "$name" $pid "$wanted"; else not_ok "$name" "no worker: $(cat "$scratch/err")"; fi
	cat <&9 >"$scratch/out"
	exec 9<&-
	wait $pid
	code=$?
	same "${name}_ends" "exit code" 0 $code
	(($# == 1)) || return
	# shellcheck disable=SC2086
	(cd "$scratch" && exits "${name}_condenses" 0 env $settings "$here/$report" --condense "$1" -o "written/$name.rwk")
	same "${name}_owner" "owner of its output" "$ids" "$(stat -c %u:%g "$scratch/written/$name.rwk")"
}

here=$PWD
mkdir -m 1777 "$scratch/written"
mkdir -m 755 "$scratch/roots"
trace of_root 0 0
trace of_one 65531 65530
trace of_two 65529 65528
trace of_nobody 65534 65534
sudo='SUDO_UID=65533 SUDO_GID=65532'
caller="65533 65533 65533 65533 65532 65532 65532 65532 $none $none"
root="0 0 0 0 0 0 0 0 $none $none"
parent="0 0 0 0 0 0 0 0 0000000000000020 0000000000000020" # it may end the others
private="private $none $none"
reads sudo 65533:65532 "$caller,$caller,$caller" "$sudo" of_root.rwk
reads sudo_owner 65533:65532 "$caller,$caller,$caller" "$sudo" of_one.rwk
reads sudo_root 0:0 "$parent,$private,$private" 'SUDO_UID=0 SUDO_GID=0' of_one.rwk
reads sudo_nonsense 0:0 "$parent,$private,$private" 'SUDO_UID=65533x SUDO_GID=65532' of_one.rwk
reads stranger 0:0 "$parent,$private,$private" '' of_one.rwk
reads nobody 0:0 "$parent,$private,$private" '' of_nobody.rwk
reads strangers 0:0 "$parent,$private,$private" '' of_one.rwk of_two.rwk
reads root 0:0 "$parent,$private,$root" '' of_root.rwk
# Root writes where root may.
exits stranger_roots_folder 0 "$report" --condense "$scratch/of_one.rwk" -o "$scratch/roots/written.rwk"
rm -f "$scratch/roots/written.rwk"
# A pager is a program of its own, which a user of the same number could debug; it has root's terminal.
for owner in of_one of_root of_nobody; do
	RWALKER_PAGER='cat >/dev/null; cat /proc/self/status' on_terminal "$report" --no-cache --tree "$scratch/$owner.rwk" | tr -d "\r" >"$scratch/pager"
	verdict "pager_$owner" "$(grep -a ^Uid "$scratch/pager")" awk '/^Uid:/ { n = $2 >= 2147483648 && $2 == $3 && $2 == $4 && $2 == $5 }
		/^CapEff:/ && $2 ~ /^0+$/ { n++ } END { exit n != 2 }' "$scratch/pager"
done

# shellcheck disable=SC2086
exits roots_folder 1 env $sudo "$report" --condense "$scratch/of_root.rwk" -o "$scratch/roots/written.rwk"
same roots_folder_empty "files in it" '' "$(ls "$scratch/roots")"
exits info 0 env $sudo "$report" --info "$scratch/of_root.rwk"
verdict info_user "$(grep sandbox "$scratch/out")" grep -q '^ *sandbox .*, as uid 65533$' "$scratch/out"
exit $((failures > 0))
