/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the opener's processes share: what they send each other, memory, and what they may do. */
#ifndef RWALKER_REPORT_OPENER_OPENER_INTERNAL_H
#define RWALKER_REPORT_OPENER_OPENER_INTERNAL_H

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>

#include "report/opener/opener.h"
#include "report/opener/path_walk.h"

/*
 * What the reporter and the opener's processes send each other (common/gate/packet.h): one packet each
 * way, the answer with the descriptor. Paths end with a zero byte, which is sent; what follows it
 * is not.
 */
enum {
	OPENER_DEADLINE_MS = 1000, /* for a file */
	OPENER_BUSY_MS = 10000,	   /* while the worker only waits for a CPU */
	OPENER_SILENT_MAX = 3,	   /* files for which nobody answered: then no more are opened */
	OPENER_END_MS = 1000,	   /* for the monitor to end */
	OPENER_WAIT_MS = 120000,   /* for an answer of any kind, with other channels' requests ahead */
};

enum opener_question { OPENER_QUESTION_FILE, OPENER_QUESTION_REFUSALS };

struct opener_request {
	uint64_t number; /* repeated in the answer: an answer for a process that is gone is thrown away */
	uint32_t question;
	uint32_t what; /* enum opener_kind, or enum opener_reason */
	char path[PATH_MAX];
};

struct opener_answer {
	uint64_t number, count;
	int32_t error;
	uint32_t ours;
	char path[PATH_MAX]; /* real; for -ENOENT, the first part of the request's that does not exist; "": unknown */
};

/* Size of a request or an answer with its path. */
size_t opener_request_size(const struct opener_request *request);
size_t opener_answer_size(const struct opener_answer *answer);

/* The monitor's process: serves the channels until the other ends are closed. */
_Noreturn void opener_monitor(const int channels[static OPENER_CHANNELS], const struct opener_settings *settings);

/* The worker's process: `shared` is the monitor's, too. */
struct opener_shared;
_Noreturn void opener_worker(const int channels[static OPENER_CHANNELS], const struct opener_settings *settings,
			     struct opener_shared *shared);

/*
 * Counts paths that were refused, each once, by the first reason, and keeps an example of each
 * reason. The memory is fixed, so that processes can share it. When it is full, paths that were
 * counted before may be counted again.
 */
enum { REFUSALS_KNOWN_BITS = 13 };

struct refusals {
	uint64_t counts[OPENER_REASONS];
	char examples[OPENER_REASONS][PATH_MAX]; /* "": none */
	uint64_t known[1 << REFUSALS_KNOWN_BITS]; /* hashes of paths, 0: free */
	uint32_t known_count;
};

void refusals_add(struct refusals *refusals, enum opener_reason reason, const char *path);

/*
 * Memory shared by the monitor and its workers, of which one is alive and used at a time. A request
 * is answered once, by the process that ends its work first:
 *
 *     idle ── the worker has received a request ──▶ at work ── the worker has a result, or the deadline passed ──▶ idle
 */
struct opener_shared {
	_Atomic uint64_t work; /* number of the current work, from 1; 0: idle */
	uint64_t started;      /* how many works were started */
	uint64_t since;	       /* of CLOCK_MONOTONIC; this and the members up to `place` are about the current work */
	uint32_t channel;
	struct opener_request request;
	struct walk_place place;

	struct walk_place silent[WALK_SILENT_MAX]; /* what did not answer */
	uint32_t silent_count, timeouts;
	struct refusals refusals;
};

static inline void opener_begin_work(struct opener_shared *shared)
{
	atomic_store(&shared->work, ++shared->started);
}

/* Whether the caller ended the work, and so has to answer. */
static inline bool opener_end_work(struct opener_shared *shared, uint64_t work)
{
	return work && atomic_compare_exchange_strong(&shared->work, &work, 0);
}

/*
 * What the opener's processes may do (seccomp): open files to read them, look at them, and answer
 * over sockets that are open. The monitor may also fork a worker, which then may do less, and end
 * it. Neither can create a socket, run a program, change a file or its user, or read another
 * process; any other call kills the process.
 */
/*
 * For this process and its children, for good. It must have NoNewPrivs. 0; -ENOTSUP: no filter on
 * this machine or kernel; -errno.
 */
int opener_calls_of_monitor(void);
/* The same for a worker, which inherits the monitor's filter. */
int opener_calls_of_worker(void);

#endif
