#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Bits turned over anywhere in a trace, under ASan and UBSan; see flip.c. CHECK_LEVEL=long: a million.
# time-limit: 3600
exec "$(dirname "$0")/../../${BUILD:-build}/san/tests/fault/flip"
