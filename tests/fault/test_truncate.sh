#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A trace truncated at every byte, under ASan and UBSan; see truncate.c.
# time-limit: 1200
exec "$(dirname "$0")/../../${BUILD:-build}/san/tests/fault/truncate"
