/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * After the stop: the symbols that the reader needs for the user frames in the trace, once per build-id, from the files
 * that module_files holds open, read by the jailed helper. min: the functions that were hit; full: all functions of the
 * modules that were hit, while they fit into EMBED_FULL_BYTES together, then min. Each module ends with a record
 * that says what came of it. JIT code: the perf-PID.map of the process, else the
 * jit-PID.dump that it has mapped. The vDSO: our own, the same for all.
 */
#ifndef RWALKER_RECORD_EMBED_H
#define RWALKER_RECORD_EMBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record_options.h"

struct module_files;
struct nursery;
struct recording;

enum { EMBED_FULL_BYTES = 64 << 20 };

struct embed_watch { /* each may be NULL */
	void *context;
	bool (*cancelled)(void *context);
	void (*progress)(void *context, size_t done, size_t total);
};

struct embed_result {
	size_t modules, embedded, missing;
};

/* 0, -ECANCELED (what was written stays), or the log's error. */
int embed_run(struct recording *recording, struct module_files *files, struct nursery *nursery, enum embed_level level,
	      const struct embed_watch *watch, struct embed_result *ret_result);

#endif
