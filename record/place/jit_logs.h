/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which processes have mapped a jit-PID.dump, and as which module. The latest are kept. Zeroed: none. */
#ifndef RWALKER_RECORD_PLACE_JIT_LOGS_H
#define RWALKER_RECORD_PLACE_JIT_LOGS_H

#include <stdint.h>

enum { JIT_LOGS = 1024 };

struct jit_log {
	uint32_t tgid, module;
};

struct jit_logs {
	struct jit_log items[JIT_LOGS];
	uint32_t count; /* so far */
};

void jit_logs_note(struct jit_logs *logs, uint32_t tgid, uint32_t module);
/* The module that the process mapped last; 0: none. */
uint32_t jit_logs_find(const struct jit_logs *logs, uint32_t tgid);
/* The id will be another module's from now on. */
void jit_logs_forget(struct jit_logs *logs, uint32_t module);

#endif
