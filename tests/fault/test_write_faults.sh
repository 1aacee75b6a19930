#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every call of the write path fails the n-th time it is made; see write_faults.c.
exec "$(dirname "$0")/../../${BUILD:-build}/tests/fault/write_faults"
