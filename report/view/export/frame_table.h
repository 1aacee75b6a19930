/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers frames, from 0, for exports that list each frame once, after stacks that consist of these
 * numbers. A frame is a name and a module. Its JSON is appended to the list when it is first seen.
 * There is one entry per function.
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_FRAME_TABLE_H
#define RWALKER_REPORT_VIEW_EXPORT_FRAME_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "common/hash_map.h"
#include "report/view/export/json_text.h"
#include "report/view/look/functions.h"

/* Writes a frame's entry; `name` and `module` are printable, module is "" if there is none. */
typedef void frame_table_write(struct json_text *json, const char *name, const char *module);

struct frame_table {
	struct hash_map numbers; /* name LF module -> number */
	char *text;
	size_t size;
	struct json_text json; /* writes to `text` */
	frame_table_write *write;
};

int frame_table_init(struct frame_table *table, frame_table_write *write);
void frame_table_deinit(struct frame_table *table);

int frame_table_function(struct frame_table *table, const struct functions *functions, uint32_t function,
			 uint32_t *ret_number);
/* For a printable name without a module: a comm that was made printable, or a word of ours. */
int frame_table_word(struct frame_table *table, const char *name, uint32_t *ret_number);

/* The entries, separated by commas and lines; no more can be added. 0, -ENOMEM. */
int frame_table_finish(struct frame_table *table, FILE *out);

#endif
