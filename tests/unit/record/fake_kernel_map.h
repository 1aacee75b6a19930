/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * record/place/kernel_map.h without a kernel, which hides its addresses from most users: its text
 * is FAKE_KERNEL_BYTES at FAKE_KERNEL, all of module FAKE_KERNEL_MODULE. Defines the functions of
 * the seam, so a test program includes it once, and does not link the real ones.
 */
#pragma once

#include <stdio.h>

#include "record/place/kernel_map.h"

enum { FAKE_KERNEL_MODULE = 77, FAKE_KERNEL_BYTES = 1 << 20 };
#define FAKE_KERNEL UINT64_C(0xffffffff81000000)

struct kernel_map { /* text that came and went, and how many addresses were looked up */
	unsigned int added, removed, asked;
	uint64_t address;
	uint32_t length;
	bool bpf;
	char name[64];
};

static inline uint64_t fake_kernel_frame(uint64_t address)
{
	return (uint64_t)FAKE_KERNEL_MODULE << 32 | (address - FAKE_KERNEL);
}

uint64_t kernel_map_normalize(struct kernel_map *map, uint64_t address)
{
	map->asked++;
	return address - FAKE_KERNEL < FAKE_KERNEL_BYTES ? fake_kernel_frame(address) : 0;
}

const char *kernel_map_variable(const struct kernel_map *map, uint64_t address)
{
	(void)map;
	(void)address;
	return NULL;
}

uint64_t kernel_map_revision(const struct kernel_map *map)
{
	return map->added + map->removed;
}

int kernel_map_add(struct kernel_map *map, uint64_t address, uint32_t length, bool bpf, const char *name)
{
	map->added++;
	map->address = address;
	map->length = length;
	map->bpf = bpf;
	(void)snprintf(map->name, sizeof(map->name), "%s", name);
	return 0;
}

void kernel_map_remove(struct kernel_map *map, uint64_t address)
{
	map->removed++;
	map->address = address;
}
