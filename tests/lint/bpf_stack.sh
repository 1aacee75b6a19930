#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# No BPF program nests calls deeper than the oldest kernel allows, whatever parts of it are wanted (bpf_stack.py).
. "$(dirname "$0")/lint.bash"

shopt -s nullglob
objects=("${BUILD:-build}"/bpf/*.bpf.o)
((${#objects[@]})) || without "BPF object ('make record')"
command -v python3 >/dev/null || without python3
findings_from python3 -B "$top/tests/lint/bpf_stack.py" "${objects[@]}"
verdict "${#objects[@]} objects"
