/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The parts of a digest. Each adds lines about what it finds, and none if there is nothing of its
 * kind. A line says what the view in its brackets prints.
 */
#ifndef RWALKER_REPORT_VIEW_DIGEST_DIGEST_PARTS_H
#define RWALKER_REPORT_VIEW_DIGEST_DIGEST_PARTS_H

#include "report/view/digest/digest_lines.h"
#include "report/view/wait/chains_targets.h"
#include "report/view/wait/thread_times.h"
#include "report/view/wait/throughout.h"

enum { DIGEST_NO_SOURCE = UINT32_MAX, DIGEST_STORIES = 3 };

struct digest {
	const struct view_context *context;
	struct digest_lines lines;
	struct chains_ground ground;
	struct thread_times times;
	struct throughout throughout;
	size_t threads, kernel_threads; /* that pass the filters, of all recordings; those that did nothing */
	const struct profile_source *sources;
	size_t source_count;
	uint32_t cpu, waits; /* the first source of its kind with events, or DIGEST_NO_SOURCE */
	uint32_t victim;     /* the task of the first story, or PROFILE_NO_TASK */
	bool stuck;	     /* there are waits in D or walked tasks in D */
};

/* 0, -ENOMEM, -EBADMSG. */
typedef int digest_part(struct digest *digest);

digest_part digest_add_origin;	/* host, times, sources, filters */
digest_part digest_add_times;	/* of all threads */
digest_part digest_add_heaviest; /* functions, processes, comms */
digest_part digest_add_stories;	/* what held up whom */
digest_part digest_add_pressure; /* run queues, D, losses */
digest_part digest_add_walks;
digest_part digest_add_notes; /* what is unreliable, what to type next */

/* "'^comm$'": an expression for exactly this comm, as -c and --chains take it. */
void digest_write_comm(const char *comm, FILE *out);

/* "12.34%  " ... to `text`: a share of the whole. */
void digest_write_share(uint64_t part, uint64_t whole, FILE *out);

#endif
