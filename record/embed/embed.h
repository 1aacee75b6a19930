/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * After the stop, adds what the reader needs for the user frames in the trace, once per file: symbols and unwind
 * information. The jailed helper reads them from the files that module_files holds open. min: for the functions that
 * were hit. full: for all of each module that was hit (of its unwind information only if there are snapshots), while
 * these fit into EMBED_FULL_BYTES together, then min while everything fits into EMBED_BYTES, then nothing. Each module
 * gets a record that reports the outcome. JIT code: the perf-PID.map of the process.
 * The vDSO: our own, which is the same for all. All of it takes at most EMBED_TIME (embed_budget.h).
 */
#ifndef RWALKER_RECORD_EMBED_EMBED_H
#define RWALKER_RECORD_EMBED_EMBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/helper/elf_helper.h"
#include "record/plan/record_options.h"

struct module_files;
struct spawner;
struct recording;

enum { EMBED_BYTES = 64 << 20,
       EMBED_FULL_BYTES = 56 << 20 /* the rest is for modules that came too late to be embedded whole */ };

struct embed_wish {
	enum embed_level level;
	enum elf_unwind_wish unwind;
	bool soon; /* somebody waits for it */
};

struct embed_watch { /* each may be NULL */
	void *context;
	bool (*cancelled)(void *context);
	void (*progress)(void *context, size_t done, size_t total);
};

struct embed_result {
	size_t modules, embedded, missing;
	size_t no_unwind;	  /* modules whose unwind information could not be read */
	uint64_t unwind_left_out; /* functions whose unwind information the format cannot hold */
	char late[512]; /* embed_budget_text() */
};

/* 0, -ECANCELED (what was written stays), or the log's error. */
int embed_run(struct recording *recording, struct module_files *files, struct spawner *spawner,
	      const struct embed_wish *wish, const struct embed_watch *watch,
	      struct embed_result *ret_result);

/* Warns about what should be in the trace but is not. */
void embed_warn(const struct embed_result *result);

#endif
