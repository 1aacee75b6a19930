#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A writer killed at random moments; see kill.c. CHECK_LEVEL=long: 500 times.
exec "$(dirname "$0")/../../${BUILD:-build}/tests/fault/kill"
