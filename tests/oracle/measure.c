/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "tests/oracle/measure.h"

int measure_rounds(struct perf_data *data, const struct oracle_frames *frames, unsigned int rounds)
{
	(void)data;
	(void)frames;
	(void)rounds;
	return 1;
}
