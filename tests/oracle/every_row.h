/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Every row of a file's call frame information beside libdw's, over a stack and registers that are made up. */
#pragma once

#include "tests/oracle/compare.h"

/* Compares at the first and the last address of each row. 0; -errno where the file cannot be read. */
int oracle_every_row(struct oracle_modules *modules, const char *path, struct oracle_tally *tally);
