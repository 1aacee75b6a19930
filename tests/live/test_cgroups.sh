#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Control groups named as by docker and CRI-O, among 1,000 others: a thread in one, a thread that is moved, a group
# that is made later.
. "$(dirname "$0")/lib.sh"

# The control groups in which the moved thread has had waits so far.
groups_seen() {
	"$report" --dump "$scratch/c.rwk" 2>/dev/null | grep "^  task .* tid=$moved " | grep -o 'cgroup=[0-9]*' | sort -u | wc -l
}

move() {
	local group
	for group in later 1000; do
		echo "$moved" >"$top/$group/cgroup.procs"
		sleep 0.3
	done
	[ "$(groups_seen)" = 2 ]
}

base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$base" ] || { echo "skip cgroups - there is no mount of cgroup2"; exit 77; }
id=$(printf '7%08d%055d' $$ 7) # of this run alone
other=$(printf '8%08d%055d' $$ 1)
top=$base/rwalker-cgroups-$$
make_cgroup "$top"
mkdir "$top"/{1..1000} "$top/docker-$id.scope" "$top/crio-$other.scope" || die "cannot make a control group"
start sleep 100; docker=$started
start bash -c 'while :; do read -rt 0.05 <>"$0"; done' "$scratch/never"; moved=$started
start sleep 100; other_one=$started
echo "$other_one" >"$top/crio-$other.scope/cgroup.procs"
echo "$docker" >"$top/docker-$id.scope/cgroup.procs"
echo "$moved" >"$top/1000/cgroup.procs"
begin_recorder c --force --offcpu 0 -m 1 --pid "$docker,$moved,$other_one" --embed none -o "$scratch/c.rwk"
mkdir "$top/later"
wait_for 60 move || fail "the moved thread is not seen in two control groups"
end_recorder c

# The recorder chooses a container by the beginning of its id, and gets the groups that are made below it later.
late_path=/rwalker-cgroups-$$/docker-$id.scope/late
seen_late() { "$report" --dump "$scratch/w.rwk" 2>/dev/null | grep "^  cgroup " | grep -q "path=\"$late_path\""; }
# groups_but TEXT: paths of the trace's control groups that do not contain the text.
groups_but() { "$report" --dump "$scratch/w.rwk" | grep '^  cgroup .*path="/' | grep -v -e "$1"; }
begin_recorder w --force --offcpu 0 -m 1 --embed none -o "$scratch/w.rwk" --container "${id:0:12}"
mkdir "$top/docker-$id.scope/late"
echo "$moved" >"$top/docker-$id.scope/late/cgroup.procs"
wait_for 60 seen_late || fail "what is made later in the container is not recorded"
end_recorder w
check "nobody else is recorded" lacks -q . <(groups_but "/docker-$id.scope")
recorded pattern "$record" --force --offcpu 100ms -m 1 --embed none -o "$scratch/w.rwk" --cgroup "docker-${id:0:9}*7.scope"
check "a pattern chooses, too" lacks -q . <(groups_but "/docker-$id.scope")
# record_until NAME PATTERN SPAN... -- ARG...: records for one span after another until a line of the dump matches;
# keeps the dump.
record_until() {
	local name=$1 pattern=$2 span spans=()
	shift 2
	while [ "$1" != -- ]; do spans+=("$1"); shift; done
	shift
	for span in "${spans[@]}"; do
		rm -f "$scratch/until"*
		run_ok "$name, $span" "$record" --embed none -o "$scratch/until" "${@//SPAN/$span}"
		"$report" --dump "$scratch"/until* >"$scratch/dump.until"
		! grep -q "$pattern" "$scratch/dump.until" || break
	done
	check "$name" grep -q "$pattern" "$scratch/dump.until"
}
record_until "they are chosen with --no-cgroups, too" "^  task .* tid=$moved " 300ms 3s 30s -- --force \
	--offcpu SPAN -m 1 --cgroup "docker-${id:0:9}*7.scope" --no-cgroups
mv "$scratch/dump.until" "$scratch/without"
check "and are not in the trace" lacks -q -e '^  cgroup' -e ' cgroup=[1-9]' "$scratch/without"
kill "$docker" "$moved" "$other_one"
dump=$scratch/dump
"$report" --dump "$scratch/c.rwk" >"$dump"
for path in "docker-$id.scope" 1000 later; do
	check "$path is known" grep -q "^  cgroup .*path=\"/rwalker-cgroups-$$/$path\"" "$dump"
done
check "no path is missing" lacks -q '^  cgroup .*flags=0x[01] path=""' "$dump"
check "those without a thread are left out" lacks -q "path=\"/rwalker-cgroups-$$/999\"" "$dump"
check "the list is whole" lacks -q 'key="cgroups".*incomplete' "$dump"
check "the container is chosen" grep -q "sleep" <("$report" --top-waits --container "$id" "$scratch/c.rwk" 2>/dev/null)
check "so is one by a pattern" grep -q "sleep" <("$report" --top-waits --container "${other:0:9}*1" "$scratch/c.rwk" 2>/dev/null)
check_equal "control groups of the moved thread" 2 "$(groups_seen)"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	rmdir "$top"/*/late "$top"/*/ 2>/dev/null
	[ -d "$top/1" ] || [ -d "$top/docker-$id.scope" ] || break
	sleep 0.1
done
finish
