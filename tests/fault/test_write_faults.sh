#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every call of the write path fails on its n-th time; see write_faults.c.
exec "$(dirname "$0")/../../${BUILD:-build}/tests/fault/write_faults"
