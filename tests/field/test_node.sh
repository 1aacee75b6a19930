#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 300
# node with a perf map: JavaScript functions by name, with the shares that the program measured itself.
. "$(dirname "$0")/lib.sh"

# A compiled function is "LazyCompile:*name file:line", or "JS:*name".
js_share() { folded_share "$scratch/node.folded" "[:*~^+]$1 "; }

need_recording
need_field node
cp "$field/node_load.js" "$scratch"
cd "$scratch" || die "no scratch folder" # node writes a log to its working directory
run_ok node "$record" -u -p 0 -o "$scratch/node.rwk" -- node --perf-basic-prof --interpreted-frames-native-stack --no-turbo-inlining "$scratch/node_load.js" "$(at_level 3 15)"
folded "$scratch/node.rwk" --source cpu >"$scratch/node.folded"
while read -r _ name truth; do
	got=$(js_share "$name")
	figure "node: $name $truth by its own count, $got recorded"
	check_number "$name: own count $truth, recorded $got" "($got - $truth) ^ 2 <= 0.03 ^ 2"
done <"$scratch/node.out"
check_number "functions that were looked for" "$(grep -c '^truth' "$scratch/node.out") == 2"
finish
