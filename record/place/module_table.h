/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Ids for modules. A mapped file is identified by (device, inode, generation, path), or in a trace
 * that is finalized by (build-id, path). When it is first seen, it gets an id and is written to the
 * trace. Memory is fixed: beyond MODULE_TABLE_MAX files, or a user's share of them (user_shares.h),
 * new ones get a new id each time and are never embedded (counted).
 *
 * A recording that keeps only its last part forgets files that nothing in that part can refer to.
 * For this, it reports the end of each turn: the time in which all of that part is replaced. Ids
 * of forgotten files are reused, but not before MODULE_TURNS turns, and as late as possible.
 */
#ifndef RWALKER_RECORD_PLACE_MODULE_TABLE_H
#define RWALKER_RECORD_PLACE_MODULE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/elf/elf_file.h"
#include "format/event.h"

enum { MODULE_TABLE_MAX = 16384, MODULE_TURNS = 3 };

struct recording;
struct module_table;

struct module_identity {
	const char *path;         /* as the target sees it, NUL-terminated, without " (deleted)" */
	uint64_t device, inode;   /* 0, 0: unknown */
	uint32_t generation;	  /* of the inode, which may be another file's later; 0: unknown */
	struct build_id build_id; /* length 0: unknown */
	uint32_t tgid; /* who has mapped it; 0: not known, it counts for root */
	bool deleted;
	bool memory; /* it has a name, but no file: MODULE_ANONYMOUS */
};

struct module_entry {
	uint32_t id;
	enum module_kind kind;
	const char *path;
	uint64_t device, inode;
	uint32_t generation;
	struct build_id build_id;
	bool deleted;
	uint32_t uid; /* of the process that mapped it first */
	uint32_t variant; /* among different files with this build-id */
	uint32_t turn; /* in which it was last mapped */
};

int module_table_create(struct recording *recording, struct module_table **ret_table);
/* The most memory that it takes without halvings, in bytes. */
size_t module_table_memory(void);
void module_table_destroy(struct module_table *table);

/* An unused id; 0 if there are none left. For kernel_map too, which gives it back. */
uint32_t module_table_new_id(struct module_table *table);
void module_table_give_back(struct module_table *table, uint32_t id);

/* A turn is over. True: the table is so full that it is time for module_table_collect(). */
bool module_table_turn(struct module_table *table);
/* The module may be referred to: the next module_table_collect() keeps it. */
void module_table_use(struct module_table *table, uint32_t id);
/* Forgets files that were not mapped for MODULE_TURNS turns and are not in use. Calls `dropped` for each of them. */
void module_table_collect(struct module_table *table, void (*dropped)(void *context, uint32_t id), void *context);
/* Writes all entries to the trace again. */
void module_table_tell(struct module_table *table);

/* The module's id. 0: the log failed. */
uint32_t module_table_file(struct module_table *table, const struct module_identity *identity);
/* A new id: the file was written since the one that it has was made. */
uint32_t module_table_file_anew(struct module_table *table, const struct module_identity *identity);
/* MODULE_VDSO and MODULE_ANONYMOUS: one each. */
uint32_t module_table_special(struct module_table *table, enum module_kind kind);

/* An entry by its id; NULL: not (or no longer) in the table. */
const struct module_entry *module_table_find(const struct module_table *table, uint32_t id);

/* The file is none of ELF: it is memory for code made at run time, under its name. Writes that to the trace. */
int module_table_set_memory(struct module_table *table, uint32_t id);

/* The file has the build-id of another one, and is not the same: writes that to the trace. */
int module_table_set_variant(struct module_table *table, uint32_t id, uint32_t variant);

/* The file's build-id was read later: writes it to the trace. */
int module_table_set_build_id(struct module_table *table, uint32_t id, const struct build_id *build_id);

/* The user of a process; user_shares.h. */
uint32_t module_table_user(struct module_table *table, uint32_t tgid);

uint64_t module_table_untracked(const struct module_table *table); /* modules beyond MODULE_TABLE_MAX */

#endif
