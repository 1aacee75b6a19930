/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Ids for modules. A mapped file is identified by (device, inode, path) or (build-id, path), whichever its mapping
 * event has. When it is first seen, it gets an id and is written to the trace. Memory is fixed: beyond
 * MODULE_TABLE_MAX files, new ones get a new id each time and are never embedded (counted).
 */
#ifndef RWALKER_RECORD_PLACE_MODULE_TABLE_H
#define RWALKER_RECORD_PLACE_MODULE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/elf/elf_file.h"
#include "format/event.h"

enum { MODULE_TABLE_MAX = 16384 };

struct recording;
struct module_table;

struct module_identity {
	const char *path;         /* as the target sees it, NUL-terminated, without " (deleted)" */
	uint64_t device, inode;   /* 0, 0: unknown */
	struct build_id build_id; /* length 0: unknown */
	bool deleted;
};

struct module_entry {
	uint32_t id;
	enum module_kind kind;
	const char *path;
	uint64_t device, inode;
	struct build_id build_id;
	bool deleted;
};

int module_table_create(struct recording *recording, struct module_table **ret_table);
/* The most that it takes if it is not halved, in bytes. */
size_t module_table_memory(void);
void module_table_destroy(struct module_table *table);

/* A fresh id, never given before; 0 if there are none left. For kernel_map too. */
uint32_t module_table_new_id(struct module_table *table);

/* The module's id. 0: the log failed. */
uint32_t module_table_file(struct module_table *table, const struct module_identity *identity);
/* MODULE_VDSO and MODULE_ANONYMOUS: one each. */
uint32_t module_table_special(struct module_table *table, enum module_kind kind);

/* An entry by its id; NULL: not (or no longer) in the table. */
const struct module_entry *module_table_find(const struct module_table *table, uint32_t id);

/* The file's build-id was read later: writes it to the trace. */
int module_table_set_build_id(struct module_table *table, uint32_t id, const struct build_id *build_id);

uint64_t module_table_untracked(const struct module_table *table); /* modules beyond MODULE_TABLE_MAX */

#endif
