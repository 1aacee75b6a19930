/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors of mapped files, opened by a helper when a file is first seen, so that programs that are gone, deleted or
 * in another mount namespace can still be embedded; and the build-ids of files that were mapped before the recording,
 * read by the jailed ELF helper. Asks and answers are asynchronous: nothing here waits but module_files_perf_map(). A
 * helper that does not answer within 200 ms is left behind; after four of them no more files are opened.
 */
#ifndef RWALKER_RECORD_MODULE_FILES_H
#define RWALKER_RECORD_MODULE_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct module_table;
struct nursery;
struct module_files;

enum { MODULE_FILES_MAX = 4096 /* descriptors */ };

struct module_files_counts {
	uint64_t asked, opened; /* modules; the difference was gone, no regular file, FUSE ..., or the helper was stuck */
	uint64_t attempts;      /* to open one */
};

int module_files_create(struct nursery *nursery, struct module_table *modules, struct module_files **ret_files);
void module_files_destroy(struct module_files *files);

/* The module has just been mapped there: open it, if it is not open and has not been refused a few times. */
void module_files_ask(struct module_files *files, uint32_t module, uint32_t tgid, uint64_t start, uint64_t end);

/* Takes answers and sends what waits, for at most patience_ms. True while something is still under way. */
bool module_files_poll(struct module_files *files, unsigned int patience_ms);

int module_files_fd(const struct module_files *files, uint32_t module); /* -1: none */
void module_files_counts(const struct module_files *files, struct module_files_counts *ret_counts);

/* The module has been mapped there: for module_files_jit_log(). module_files_ask() does it, too. */
void module_files_note(struct module_files *files, uint32_t module, uint32_t tgid);
/* The process's jit-PID.dump, the one it mapped last; -1: none. Not the caller's. */
int module_files_jit_log(const struct module_files *files, uint32_t tgid);

/* A descriptor of the process's perf-PID.map, or -errno; waits for at most 200 ms. The caller's. */
int module_files_perf_map(struct module_files *files, uint32_t tgid);

#endif
