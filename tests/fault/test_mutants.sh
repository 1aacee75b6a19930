#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Changed traces whose checksums are right, through every view and tool of the reporter, under ASan and UBSan; see
# mutants.c. They are made of the traces of which there is a text. CHECK_LEVEL=long: a million, also of recorded samples.
# time-limit: 28800

set -u
cd "$(dirname "$0")/../.." || exit 1
# With a threshold, freed memory keeps the pages of its shadow, which the next allocation needs.
ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=16:allocator_may_return_null=1:max_allocation_size_mb=2048
export ASAN_OPTIONS=$ASAN_OPTIONS:clear_shadow_mmap_threshold=1000000000:malloc_context_size=4
export UBSAN_OPTIONS=print_stacktrace=1
count=1000
seeds=("${BUILD:-build}"/tests/{golden,fault}/*.rwk samples/{containers,dump,probes}/trace.rwk)
if [[ ${CHECK_LEVEL:-check} == long ]]; then
	count=1000000
	seeds+=(samples/{stuck,waits,mangled}/trace.rwk)
fi
exec "${BUILD:-build}/san/tests/fault/mutants" 0 "$count" "${seeds[@]}"
