/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors of mapped files, opened by a helper when a file is first seen, so that programs that
 * are gone, deleted or in another mount namespace can still be embedded; and the build-ids of
 * files that were mapped before the recording, read by the jailed ELF helper. Requests and answers
 * are asynchronous: only module_files_perf_map(), module_files_debug() and module_files_open_late()
 * wait. A helper that does not answer within 200 ms is left behind, and opens no more files for the
 * user of that process; after four helpers for root's or unknown ones, no more files are opened,
 * except late.
 */
#ifndef RWALKER_RECORD_PLACE_MODULE_FILES_H
#define RWALKER_RECORD_PLACE_MODULE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/place/refusals.h"

struct module_table;
struct nursery;
struct module_files;

enum { MODULE_FILES_MAX = 4096 /* descriptors */ };

struct module_files_counts {
	/* Modules; the others were gone, not regular files, on FUSE ..., or the helper was stuck. */
	uint64_t asked, opened;
	uint64_t attempts;      /* to open one */
	struct refusals refusals;
};

/*
 * as_caller: modules are not mapped anywhere now, but named by a trace. They are opened in our own
 * root, with the rights of whoever started the recorder, and only if they have the device and
 * inode, or a build-id to be compared.
 */
int module_files_create(struct nursery *nursery, struct module_table *modules, bool as_caller,
			struct module_files **ret_files);
void module_files_destroy(struct module_files *files);
/*
 * as_caller: a file that the trace knows by its device and inode only must not have changed since `realtime`
 * (CLOCK_REALTIME, ns), for what is asked from now on; 0: it may.
 */
void module_files_unchanged_since(struct module_files *files, uint64_t realtime);

/*
 * In a child of the process that created them: from now on with helpers of its own, from
 * `nursery`. What is under way stays the parent's.
 */
void module_files_part(struct module_files *files, struct nursery *nursery);

/* The module has just been mapped there: open it unless it is open or has been refused a few times. */
void module_files_ask(struct module_files *files, uint32_t module, uint32_t tgid, uint64_t start, uint64_t end);

/*
 * After the recording, or for a dump: the module's file, if it could not be opened in time when
 * it was asked for. Waits for at most 5 s (DEADLINE_FILE); if that is not enough, no more files
 * are opened late. The mapping is as above.
 */
void module_files_open_late(struct module_files *files, uint32_t module, uint32_t tgid, uint64_t start, uint64_t end);

/* Handles answers and sends pending requests, for at most patience_ms. True while something is still under way. */
bool module_files_poll(struct module_files *files, unsigned int patience_ms);

/* The module, which does not wait for its file, is forgotten. */
void module_files_forget(struct module_files *files, uint32_t module);
/* Whether the module waits for its file. */
bool module_files_waits(const struct module_files *files, uint32_t module);
int module_files_fd(const struct module_files *files, uint32_t module); /* -1: none */
/* No more files are opened, because too many helpers were left behind or killed. */
bool module_files_gave_up(const struct module_files *files);
/* It was not read because of what it is. */
bool module_files_refused(const struct module_files *files, uint32_t module);
void module_files_counts(const struct module_files *files, struct module_files_counts *ret_counts);

/* The module has been mapped there: for module_files_jit_log(). module_files_ask() includes this. */
void module_files_note(struct module_files *files, uint32_t module, uint32_t tgid);
/* The process has mapped executable memory without a file: who it is will be asked, in case it is gone at the end. */
void module_files_note_jit(struct module_files *files, uint32_t tgid);
/* The process's jit-PID.dump, the one it mapped last; -1: none. Stays owned by `files`. */
int module_files_jit_log(const struct module_files *files, uint32_t tgid);

/*
 * A descriptor of the process's perf-PID.map, owned by the caller, or -errno; waits for at most
 * 200 ms, and before that as long for what the helper is doing.
 */
int module_files_perf_map(struct module_files *files, uint32_t tgid);

/* The same for an ELF file with debug information, in our own root with the rights of whoever started the recorder. */
int module_files_debug(struct module_files *files, const char *path);

#endif
