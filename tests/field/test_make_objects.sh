#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 600
# make -j4 of this project's reporter with gcc -pipe: the pipes and children that its processes waited for, compared
# with strace of the same run.
. "$(dirname "$0")/lib.sh"

need_offcpu
need_field make gcc strace
goal=$(at_level shared.a rwalker-report)
mkdir "$scratch/tree"
(cd "$here" && git ls-files -z Makefile common format report record bpf | xargs -0 cp --parents -t "$scratch/tree") || die "cannot copy the tree"
recorded make "$record" --offcpu 0 -o "$scratch/make.rwk" -- \
	strace -f -qq -y -ttt -T -e trace=read,write,readv,writev,wait4 -e signal=none -o "$scratch/make.strace" \
	make -j4 -s -C "$scratch/tree" CC="gcc -pipe" "build/$goal"
python3 -B "$field/make_objects.py" "$report" "$scratch/make.rwk" "$scratch/make.strace" >"$scratch/make.same" 2>"$scratch/make.why"
grep '^#' "$scratch/make.same"
said=$(tail -n 1 "$scratch/make.same")
figure "make -j4 beside strace -f -y: $said"
read -r _ same _ all _ <<<"${said//,/}"
check_number "there are waits for pipes and children: ${said:-$(tail -n 1 "$scratch/make.why")}" "${all:-0} >= 100"
check_number "99 % of them as strace says: ${same:-0} of ${all:-0}" "${same:-0} >= 0.99 * ${all:-1}"
finish
