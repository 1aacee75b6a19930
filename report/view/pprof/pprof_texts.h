/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The table of texts of a pprof profile: each is written once, when it is first needed. */
#ifndef RWALKER_REPORT_VIEW_PPROF_PPROF_TEXTS_H
#define RWALKER_REPORT_VIEW_PPROF_PPROF_TEXTS_H

#include "common/hash_map.h"
#include "report/view/pprof/protobuf.h"

struct pprof_texts {
	struct protobuf *out; /* of the whole profile */
	struct hash_map numbers;
	char *safe; /* room for a printable copy */
	size_t room;
};

/* `out` must outlive it. 0, -ENOMEM. */
int pprof_texts_init(struct pprof_texts *texts, struct protobuf *out);
void pprof_texts_deinit(struct pprof_texts *texts);

/* The number of a text that is printable already, as all texts of the reporter itself are. 0, -ENOMEM. */
int pprof_texts_find(struct pprof_texts *texts, const char *text, uint64_t *ret_number);
/* The same for any bytes, which are made printable: pprof's texts must be UTF-8. */
int pprof_texts_find_unsafe(struct pprof_texts *texts, const char *text, uint64_t *ret_number);

#endif
