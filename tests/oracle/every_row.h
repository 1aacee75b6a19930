/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Compares every row of a file's call frame information with libdw's, on a made-up stack and registers. */
#pragma once

#include "tests/oracle/compare.h"

/* Compares at the first and the last address of each row. 0, or -errno if the file cannot be read. */
int oracle_every_row(struct oracle_modules *modules, const char *path, struct oracle_tally *tally);
