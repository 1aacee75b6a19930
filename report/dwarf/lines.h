/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Lines of addresses: the answers, how they are packed, and the questions to the child that reads DWARF. */
#ifndef RWALKER_REPORT_DWARF_LINES_H
#define RWALKER_REPORT_DWARF_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "report/file/local_files.h"
#include "report/file/name_cache.h"
#include "report/read/text_pool.h"

/*
 * What DWARF says about some addresses of a module: for each one its functions, innermost first;
 * the last is the real one, and the others are inlined in it. The addresses are fixed at the start;
 * answers are added in any order.
 */
struct line_level {
	const char *function; /* linkage name if there is one; NULL: unknown */
	const char *file;     /* full path as far as known; NULL: unknown */
	uint32_t line;	      /* 0: no particular line. In outer levels: the line of the call */
};

struct line_place { /* the answer for one address */
	const struct line_level *levels;
	size_t count; /* 0: nothing is known */
};

struct line_answers {
	uint64_t *addresses; /* ascending, each once */
	struct line_place *places;
	size_t count;
	struct address_buckets buckets; /* of the addresses */
	ARRAY(struct line_level *) blocks; /* of levels; their addresses do not change */
	struct line_level *next;	   /* used in the last block */
	size_t left;
};

/* Copies the addresses, which must ascend. -ENOMEM. */
int line_answers_init(struct line_answers *answers, const uint64_t *addresses, size_t count);
void line_answers_deinit(struct line_answers *answers);

/* Texts must outlive the answers. A second answer replaces the first. -ENOMEM. */
int line_answers_put(struct line_answers *answers, size_t number, const struct line_level *levels,
		     size_t count);

/* The same without copying: the levels must outlive the answers. */
void line_answers_point(struct line_answers *answers, size_t number,
			const struct line_level *levels, size_t count);

/* The number of levels; 0: the address was not requested, or nothing is known about it. */
size_t line_answers_find(const struct line_answers *answers, uint64_t address,
			 const struct line_level **ret_levels);

/*
 * The protocol by which the child that reads a module's DWARF sends its results to the parent,
 * through a pipe. Records consist of varints and begin with their kind:
 *
 *	WIRE_TEXT    length, bytes                    the next text number, from 1 on
 *	WIRE_ANSWER  number of the address, levels,   innermost first
 *	             of each: function, file, line    texts by number, 0: not known
 *	WIRE_END     0, or the errno that stopped it  the last record
 *
 * The child reads hostile files with a library that may fail on them, so the parent trusts nothing
 * here: it checks every number, and stops at a malformed record. Records before that are kept.
 */
enum wire_record { WIRE_END, WIRE_TEXT, WIRE_ANSWER };

enum {
	WIRE_TEXT_MAX = 64 << 10,     /* longer ones are cut */
	WIRE_LEVELS_MAX = 512,	      /* deeper inlining is cut, outermost calls first */
	WIRE_BYTES_MAX = 256 << 20, /* of one module's answers */
	WIRE_PACKED_MAX = 1 << 20,  /* addresses of answers that are packed */
};

/* --- the child's end --- */

struct wire_text { /* texts are identified by address: equal ones may be sent twice */
	const char *text;
};

struct wire_writer {
	int fd;
	int error; /* the first; after it nothing is written */
	ARRAY(uint8_t) bytes;
	struct index_table table;
	ARRAY(struct wire_text) texts;
};

int wire_writer_init(struct wire_writer *writer, int fd);
void wire_writer_deinit(struct wire_writer *writer);
/* Texts must not change while the writer lives. -ENOMEM, -errno of writing. */
int wire_writer_answer(struct wire_writer *writer, size_t number, const struct line_level *levels,
		       size_t count);
/* Sends the buffer, if it is worth a system call or `now` is set. */
int wire_writer_flush(struct wire_writer *writer, bool now);
int wire_writer_end(struct wire_writer *writer, int error);

/* --- the parent's --- */

/*
 * Stores all answers in `answers`, their texts in the pool. *ret_end: the child's final status;
 * -EBADMSG if it sent none. -ENOMEM.
 */
int wire_read(const void *bytes, size_t size, struct text_pool *texts, struct line_answers *answers,
	      int *ret_end);

/* --- all answers with their addresses, for the cache of names: a count, differences of addresses, the records --- */

/* The writer's bytes, for which it needs no descriptor. Texts must not change. -E2BIG, -ENOMEM. */
int wire_pack(const struct line_answers *answers, struct wire_writer *writer);
/* -EBADMSG: malformed; -ENOMEM. Texts are stored in the pool. */
int wire_unpack(const void *bytes, size_t size, struct text_pool *texts, struct line_answers *ret_answers);

/*
 * Reads a module's DWARF in a child process, so that a file that makes libdw crash, hang or use up
 * memory costs only that module's lines: the child's memory and time are limited, and its answers
 * are untrusted. Answers received before it ended are kept. One child runs at a time; it ends with
 * the process that started it, and ignores Ctrl-C.
 */
enum {
	LINE_CHILD_SECONDS = 4,	      /* of CPU time */
	LINE_CHILD_WAIT_SECONDS = 20, /* wall-clock: a disk may be slow */
	LINE_CHILD_BYTES = 1 << 30,   /* besides the mapped files; at most half of this process's memory limit */
};

struct line_job {
	int files[2];			/* the first with DWARF is read; -1: none. Owned by the caller */
	const char *paths[2];		/* of the files; NULL: another user could write it, so nothing is cached */
	const char *reals[2];		/* of the files, links resolved; NULL or "": unknown */
	const struct local_files *local; /* where alternate files are searched */
	uint64_t bias;			/* added to the addresses to get those of the file */
};

struct line_child {
	pid_t pid; /* 0: none */
	int fd;
	int *leash;  /* shared with the child, which ends when this is set */
	int state;   /* 1: running; 0: finished; -errno: failed, its output is ignored */
	int64_t end; /* deadline, ms of CLOCK_MONOTONIC */
	ARRAY(uint8_t) bytes;
};

/* Waits for its end, until most_ms have passed or a signal arrives. True: it ended. */
bool line_child_wait(struct line_child *child, int most_ms);

/*
 * Stores the child's answers in the same `answers`, their texts in the pool; ends a child that still
 * runs. 0; -ENODATA: no file has DWARF; -EPERM: all was read, but also from a file that another user
 * could write. If the answers may be incomplete: -EMSGSIZE: there are too many; -ETIMEDOUT; -ENOBUFS:
 * the child ran out of memory; -EXDEV: functions are in split units; -ENOTSUP: libdw cannot decompress
 * it; -EBADMSG: malformed; -EIO: the library failed; -ECANCELED: the child was still running.
 * -ENOMEM, -errno: an error of this process, nothing was read.
 */
int line_child_finish(struct line_child *child, struct text_pool *texts, struct line_answers *answers);

/*
 * Puts the cache of names in front of the child that reads DWARF: only addresses
 * missing in the cache are read, and complete answers of the child are stored in it.
 */
struct line_query { /* one query for a module */
	struct name_cache *cache; /* NULL: the answers may not be cached */
	struct name_key key;
	struct line_child child;
	struct line_answers known; /* from the cache */
	struct line_answers rest;  /* addresses missing in the cache */
	size_t *numbers;	   /* index of each of these in all answers */
};

/*
 * Queries the addresses without an answer. 0: all are answered; 1: the child was started; -ENOMEM,
 * -errno. The cache may be NULL. If `reading` is false, returns -ECANCELED instead of starting the
 * child. Texts are stored in the pool. Call line_query_deinit() in all cases.
 */
int line_query_start(struct line_query *query, struct name_cache *cache, const struct build_id *id,
		     const struct line_job *job, bool reading, struct text_pool *texts, struct line_answers *answers);
/* Like line_child_finish(), if the child was started. Answers that may not be cached count as success, too. */
int line_query_finish(struct line_query *query, struct text_pool *texts, struct line_answers *answers);
void line_query_deinit(struct line_query *query);

#endif
