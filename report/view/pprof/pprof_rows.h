/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The samples of a pprof profile: rows with the same call chain and the same labels are one. Waits
 * for different objects are different samples if there are not too many objects; else only waits
 * for different kinds of objects.
 */
#ifndef RWALKER_REPORT_VIEW_PPROF_PPROF_ROWS_H
#define RWALKER_REPORT_VIEW_PPROF_PPROF_ROWS_H

#include "common/array.h"
#include "common/index_table.h"
#include "report/view/look/rows.h"
#include "report/view/text/object_texts.h"

enum { PPROF_NO_CLASS = UINT8_MAX };

struct pprof_row {
	uint32_t source, node, task;
	uint8_t wait_class; /* enum wait_class; PPROF_NO_CLASS: not a wait */
	char state;	    /* of a walked task; else 0 */
	uint8_t object_kind; /* of a wait, or a walked task: enum object_kind */
	uint32_t object;     /* likewise: a number of `texts`; OBJECT_NO_TEXT: only the kind is used */
	uint64_t samples, weight;
};

struct pprof_rows {
	struct waits waits;
	struct object_texts texts;
	ARRAY(struct pprof_row) rows;
	struct index_table known;
};

/* All sources, in the order of the profile. 0, -ENOMEM, -EBADMSG. */
int pprof_rows_init(struct pprof_rows *rows, struct profile *profile);
void pprof_rows_deinit(struct pprof_rows *rows);

#endif
