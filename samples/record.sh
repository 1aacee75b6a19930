#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# record.sh [NAME...]: records the sample traces anew (root, BPF), each as its line below says. Then look at the reports and
# accept them: tests/golden/test_golden.sh --accept. A new format version adds traces; old ones stay.
# samples/probes is made, not recorded: build/tests/golden/make_probes samples/probes/trace.rwk.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
traces=(
	"cpu_paths -p 2 -u -f 999"
	"kernel_io -p 2 -u -f 999"
	"mangled -p 2 -u -f 999"
	"stuck -a -i 1 -C 2 -u"
	"waits --offcpu 2 --wakers -u"
	"frameless -p 2 --offcpu 2 --dwarf -f 199"
)

for trace in "${traces[@]}"; do
	read -r name options <<<"$trace"
	[[ $# -eq 0 || " $* " == *" $name "* ]] || continue
	# shellcheck disable=SC2086 # the options are words
	"$build/rwalker-record" $options --embed=min --force -o "samples/$name/trace.rwk" -- "$build/samples/$name" 3
	ls -l "samples/$name/trace.rwk"
done
