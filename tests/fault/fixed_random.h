/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * In a program that includes this, random_bytes() returns the same numbers in every run: the linker
 * uses this function instead of the kernel's. For one file of a program.
 */
#pragma once

#include "common/random_bytes.h"
#include "tests/random.h"

int random_bytes(void *bytes, size_t length)
{
	static struct random random = {.state = 15};

	for (size_t i = 0; i < length; i++)
		((uint8_t *)bytes)[i] = (uint8_t)random_next(&random);
	return 0;
}
