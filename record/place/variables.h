/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Futexes in the data of programs and libraries, each with the file in which the variable's name is
 * looked up after the stop. The file is opened while its process lives. Memory is fixed; the latest
 * are kept.
 */
#ifndef RWALKER_RECORD_PLACE_VARIABLES_H
#define RWALKER_RECORD_PLACE_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event.h"
#include "record/place/module_table.h"

struct module_files;
struct variables;

enum { VARIABLES_MAX = 8192 };

struct variable {
	struct event_object object; /* as it was written, without a name */
	uint32_t module;
	uint64_t offset; /* as in record/pick/variable_pick.h */
	uint64_t start, end; /* where the file is mapped in the object's process; 0, 0: not known */
};

/* files NULL: nothing is noted. 0, -ENOMEM. */
int variables_create(struct module_table *modules, struct module_files *files, struct variables **ret_variables);
void variables_destroy(struct variables *variables);

/* Does nothing if `variables` is NULL. [start, end): as above. */
void variables_note(struct variables *variables, const struct event_object *object,
		    const struct module_identity *file, uint64_t offset, uint64_t start, uint64_t end);

/* Sorted by module and offset; valid until the next call. */
size_t variables_sorted(struct variables *variables, const struct variable **ret_variables);

#endif
