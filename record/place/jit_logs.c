/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/jit_logs.h"

void jit_logs_note(struct jit_logs *logs, uint32_t tgid, uint32_t module)
{
	logs->items[logs->count++ % JIT_LOGS] = (struct jit_log){tgid, module};
}

uint32_t jit_logs_find(const struct jit_logs *logs, uint32_t tgid)
{
	uint32_t count = logs->count < JIT_LOGS ? logs->count : JIT_LOGS;

	for (uint32_t i = 1; i <= count; i++) {
		const struct jit_log *noted = &logs->items[(logs->count - i) % JIT_LOGS];

		if (noted->tgid == tgid)
			return noted->module;
	}
	return 0;
}

void jit_logs_forget(struct jit_logs *logs, uint32_t module)
{
	for (uint32_t i = 0; i < JIT_LOGS; i++)
		if (logs->items[i].module == module)
			logs->items[i] = (struct jit_log){0};
}
