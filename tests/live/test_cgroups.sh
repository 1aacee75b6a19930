#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Control groups as docker and CRI-O name them, among 1,000 others: a thread in one, a thread that is moved, one that is
# made later.
. "$(dirname "$0")/lib.sh"

base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$base" ] || { echo "skip cgroups - there is no mount of cgroup2"; exit 77; }
id=$(printf '%064d' 7)
top=$base/rwalker-cgroups-$$
make_cgroup "$top"
for i in $(seq 1000) "docker-$id.scope" "crio-$id.scope"; do
	mkdir "$top/$i" || die "cannot make a control group"
done
start sleep 100; docker=$started
start sh -c 'while :; do sleep 0.05; done'; moved=$started
echo "$docker" >"$top/docker-$id.scope/cgroup.procs"
echo "$moved" >"$top/1000/cgroup.procs"
move() {
	wait_for 60 [ -s "$scratch/c.rwk" ]
	mkdir "$top/later"
	while echo "$moved" >"$top/later/cgroup.procs" && sleep 0.3 && echo "$moved" >"$top/1000/cgroup.procs"; do
		sleep 0.3
	done
} 2>/dev/null
move & mover=$!
run_ok record "$record" --force --offcpu 3 -m 1 --embed none -o "$scratch/c.rwk"
kill "$mover" "$docker" "$moved"
dump=$scratch/dump
"$report" --dump "$scratch/c.rwk" >"$dump"
for path in "docker-$id.scope" 1000 later; do
	check "$path is known" grep -q "^  cgroup .*path=\"/rwalker-cgroups-$$/$path\"" "$dump"
done
check "no path is missing" lacks -q '^  cgroup .*flags=0x[01] path=""' "$dump"
check "those without a thread are left out" lacks -q "path=\"/rwalker-cgroups-$$/999\"" "$dump"
check "the list is whole" lacks -q 'key="cgroups".*incomplete' "$dump"
check "the container is chosen" grep -q "sleep" <("$report" --top-waits --container "$id" "$scratch/c.rwk" 2>/dev/null)
check_equal "control groups of the moved thread" 2 \
	"$(grep "^  task .* tid=$moved " "$dump" | grep -o 'cgroup=[0-9]*' | sort -u | wc -l)"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	rmdir "$top"/*/ 2>/dev/null && break
	sleep 0.1
done
finish
