/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The lines of a digest: each has a label, a text, and in brackets the options that prove it. They
 * are collected first, because the digest has a limit: if there are too many, those of the highest
 * rank are dropped, the last of them first.
 *
 *	label      text, folded at the width of a terminal and never in a pipe  [--view -c '^comm$']
 */
#ifndef RWALKER_REPORT_WAIT_DIGEST_H
#define RWALKER_REPORT_WAIT_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/view/place.h"
#include "report/wait/chains.h"
#include "report/wait/summary.h"

enum { DIGEST_LINES = 25, /* as printed */
       DIGEST_MOST = 48,  /* collected */
       DIGEST_LABEL = 11 };

enum digest_rank { DIGEST_FIRST, DIGEST_MAIN, DIGEST_MORE, DIGEST_LEAST };

struct digest_line {
	const char *label; /* "" if the line continues the one above */
	char *text, *proof; /* both are printable; proof may be "" */
	enum digest_rank rank;
};

struct digest_lines {
	struct digest_line items[DIGEST_MOST];
	size_t count;
	enum digest_rank rank; /* of the line being written, like what follows */
	const char *label;
	FILE *text, *proof;
	char *text_bytes, *proof_bytes;
	size_t text_length, proof_length;
};

/* 0, -ENOMEM. Deinitialize it in any case. */
int digest_lines_init(struct digest_lines *lines);

/* Begins a line, whose proof begins with `proof`: write to `text` and `proof`, then end it: 0, -ENOMEM. */
void digest_line_begin(struct digest_lines *lines, const char *label, enum digest_rank rank, const char *proof);
int digest_line_end(struct digest_lines *lines);

/* Adds a whole line. `text` and `proof` are printable. */
int digest_line_add(struct digest_lines *lines, const char *label, enum digest_rank rank, const char *text,
		    const char *proof);

/* `width` in columns; 0: do not fold. At most DIGEST_LINES lines are printed. */
void digest_lines_write(struct digest_lines *lines, unsigned int width, FILE *out);
void digest_lines_deinit(struct digest_lines *lines);

/*
 * The parts of a digest. Each adds lines about what it finds, and none if there is nothing of its
 * kind. A line says what the view in its brackets prints.
 */

enum { DIGEST_NO_SOURCE = UINT32_MAX, DIGEST_STORIES = 3 };

struct digest {
	const struct view_context *context;
	struct digest_lines lines;
	struct chains_tables tables;
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
