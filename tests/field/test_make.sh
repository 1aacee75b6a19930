#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 600
# make -j4 of something large, this project's reporter: CPU time as the kernel accounts it, a compiler process for every object,
# and no samples in processes whose mappings are unknown.
. "$(dirname "$0")/lib.sh"

need_recording
need_field make gcc
goal=$(at_level shared.a rwalker-report)
mkdir "$scratch/tree"
(cd "$here" && git ls-files -z Makefile common format report record bpf | xargs -0 cp --parents -t "$scratch/tree") || die "cannot copy the tree"
run_ok make "$record" -u -p 0 -o "$scratch/make.rwk" -- bash -c "
	TIMEFORMAT='%U %S'
	time make -j4 -s -C '$scratch/tree' build/$goal 2>&1"
truth=$(grep -aE '^[0-9.]+ [0-9.]+$' "$scratch/make.err" | tail -n 1 | awk '{ print ($1 + $2) * 1000 }')
ours=$("$report" --tree --source cpu "$scratch/make.rwk" 2>/dev/null | sed -nE 's/^# cpu .*, ([0-9.]+) ms in .*/\1/p')
compilers=$("$report" --folded --per-process -c '^cc1$' "$scratch/make.rwk" 2>/dev/null | sed 's/;.*//' | sort -u | wc -l)
wanted=$(find "$scratch/tree/build" -name '*.o' | wc -l)
figure "make -j4: $wanted objects, $compilers processes of cc1 with samples; CPU time $truth ms by times(), $ours ms recorded"
check_number "CPU time within 5 %: times() $truth ms, recorded $ours ms" "($ours - $truth) ^ 2 <= (0.05 * $truth) ^ 2"
check_equal "objects, and processes of cc1" "$wanted" "$compilers"
"$report" --info "$scratch/make.rwk" >"$scratch/make.info" 2>&1
check "it tells about the samples" grep -q 'events of source 1' "$scratch/make.info"
check "every sample's process has mappings" lacks 'mappings are unknown' "$scratch/make.info"
finish
