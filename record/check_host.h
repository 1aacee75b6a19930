/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --check-host: a row for each thing that recording needs or can use. */
#ifndef RWALKER_RECORD_CHECK_HOST_H
#define RWALKER_RECORD_CHECK_HOST_H

#include <stdio.h>

/* Prints the table. Returns the exit code: 0 if walks, samples and waits can be recorded, else 1. */
int check_host(FILE *out);

#endif
