/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The clock of all events stays where the test sets it, or advances by a step with each reading: defines clocks_now(). */
#pragma once

#include "record/host/clocks.h"

static uint64_t fake_now = UINT64_C(1000000000), fake_step;

uint64_t clocks_now(void)
{
	uint64_t now = fake_now;

	fake_now += fake_step;
	return now;
}
