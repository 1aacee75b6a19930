/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A kernel map of this host, and what it reported. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "record/place/kernel_map.h"

struct heard {
	uint32_t last_id;
	struct event_module module;
	struct event_kernel_symbol symbol;
	char name[256];
	unsigned int modules, symbols;
	uint32_t ended_id; /* the last that was given back */
};

static inline int hear_module(void *context, const struct event_module *module)
{
	struct heard *heard = context;

	heard->module = *module;
	heard->modules++;
	return 0;
}

static inline int hear_symbol(void *context, const struct event_kernel_symbol *symbol)
{
	struct heard *heard = context;

	heard->symbol = *symbol;
	(void)snprintf(heard->name, sizeof(heard->name), "%.*s", (int)symbol->name.length, symbol->name.bytes);
	heard->symbols++;
	return 0;
}

static inline uint32_t give_id(void *context)
{
	return ++((struct heard *)context)->last_id;
}

static inline void hear_end(void *context, uint32_t id)
{
	((struct heard *)context)->ended_id = id;
}

/* 0 if the kernel hides it. */
static inline uint64_t address_of(const char *name)
{
	char shell[128];
	unsigned long address = 0;
	FILE *pipe;

	(void)snprintf(shell, sizeof(shell), "awk '$3==\"%s\" && NF==3 {print $1; exit}' /proc/kallsyms", name);
	pipe = popen(shell, "r");
	if (pipe && fscanf(pipe, "%lx", &address) != 1)
		address = 0;
	if (pipe)
		(void)pclose(pipe);
	return address;
}

static inline int map_open(struct heard *heard, struct kernel_map **ret_map)
{
	struct kernel_map_sink sink = {heard, hear_module, hear_symbol, give_id, hear_end};

	return kernel_map_create(&sink, false, ret_map);
}
