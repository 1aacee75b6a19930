/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the files of record/flight share. */
#ifndef RWALKER_RECORD_FLIGHT_FLIGHT_INTERNAL_H
#define RWALKER_RECORD_FLIGHT_FLIGHT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/address_space.h"
#include "format/event.h"
#include "format/trace.h"
#include "record/plan/record_options.h"

struct flight;
struct flight_cause;
struct segments;
struct triggers;

/* --- segments ---
 *
 * The last segments of a recording, in memory that is allocated at the start.
 *
 * Every few seconds the session begins a segment: it writes out all open chunks, and these keep a copy of which
 * process has mapped what (address_space.h: a number for each process); then it writes again what a reader needs of
 * each segment: clocks, sources, probes, and all totals (LOSS, COST, PROBE_HITS, COUNTER). From there on chunks belong
 * to the new segment. Segments leave whole, the oldest first, when they are older than the window or need the room.
 *
 * A dump is made of: WINDOW; the chunks from before the first segment (META); what lives in the recorder's tables
 * (modules, kernel functions, cgroups ...); the mappings as of the begin of the oldest segment; and the chunks of all
 * segments, as they are stored. Nothing is decoded. Readers subtract the totals that were read by WINDOW's
 * `since` (FORMAT.md §5). So all that is asked of a table is one of three things:
 *
 *     it can write all it has told                      modules, kernel functions, cgroups, mappings that are unknown
 *     ... and what it forgets it tells once more         kernel functions, cgroups: it is in the segment of its end
 *     it tells things again when they are first used     objects of waits and their names
 *     in a segment
 *
 * A new kind of record needs one of these, and nothing here.
 */

enum { SEGMENTS_LEAST = 4 << 20 };

/* age: ns for which segments are kept while there is room; bytes: at least SEGMENTS_LEAST. 0, -ENOMEM, -EINVAL. */
int segments_create(uint64_t age, size_t bytes, struct segments **ret_segments);
void segments_destroy(struct segments *segments);

/* `stored` with its padding. Before the first segment: the chunk is kept for good. */
void segments_add(struct segments *segments, const struct rwk_chunk_header *header, const void *stored);

/* Whether it is time for another segment. */
bool segments_are_due(const struct segments *segments, uint64_t now);
/* All open chunks were written. Drops what is older than the window; keeps what `spaces` have at `now`. */
void segments_begin(struct segments *segments, struct address_spaces *spaces, uint64_t now);

/* Each chunk, oldest first: those from before the first segment, or those of the segments. */
typedef int segments_visit(void *context, const struct rwk_chunk_header *header, const void *stored);
int segments_each_chunk(const struct segments *segments, bool before, segments_visit *visit, void *context);
/* Each mapping of each process at segments_since(). */
int segments_each_mapping(const struct segments *segments, address_spaces_visit *visit, void *context);

uint64_t segments_since(const struct segments *segments); /* begin of the oldest one; 0: none has begun */
uint64_t segments_bytes(const struct segments *segments);

/* --- helper processes, for what the helpers of record/helper may not do: create files and run commands --- */

struct forked { /* forked while we are root; ends when we close its socket or die; zeroed: there is none */
	int socket_plus_1;
	pid_t pid;
};

/* The helper's main. First it sends an int32_t: -errno if it cannot do its work, else 0 or more. Never returns. */
typedef void forked_run(const void *context, int socket);

/* task: for messages, "the helper process that TASK". *ret_rc: what it sent. 0, or -errno after reporting why. */
int forked_start(struct forked *forked, forked_run *run, const void *context, const char *task, int32_t *ret_rc);
/* Closes the socket and waits until the helper has ended. */
void forked_end(struct forked *forked);

/* In the helper: ignores signals that end the recorder, and closes all descriptors >= first except the socket. */
void forked_settle(int first, int socket);
/* In the helper: becomes the user behind sudo, if there is one, and gives up all capabilities. 0, -errno. */
int forked_become_caller(void);

/* --- commands ---
 *
 * Runs the commands of --trigger exec: and --on-dump for the recorder, which may execute nothing once it records. A
 * helper does this: it was forked before, became the calling user, and has no capabilities. It times the rules'
 * intervals itself, and reports which commands exited with 0. forked_end() ends the commands of rules; those of
 * --on-dump go on.
 */

/* As root, before anything is open; only if something needs it. 0, or -errno after reporting why. */
int runner_open(struct forked *runner, const struct record_flight *plan);
/* A rule whose command exited with 0 and was not returned yet; false if there is none. Never waits. */
bool runner_next(const struct forked *runner, uint32_t *ret_rule);
/* Runs the command of --on-dump, with the dump's path in $RWALKER_DUMP. A child of the recorder may call this, too. */
void runner_run(const struct forked *runner, const char *path);

/* --- triggers ---
 *
 * Checks the rules of --trigger during the recording, against waits, walks, pressures and cgroups. What a rule needs of
 * the host is opened while we are root. Rules that fire call flight_fire().
 */

/*
 * *triggers NULL: as root. Warns about rules that can never fire on this host. Else replaces them later, with other
 * rules: nothing can be opened for writing any more, so a pressure must be one that is watched already. 0, or -errno
 * after reporting why: then *triggers is unchanged.
 */
int triggers_open(struct triggers **triggers, const struct record_flight *plan, const struct record_offcpu *offcpu,
		  struct flight *flight);
void triggers_destroy(struct triggers *triggers);

/* The length of the shortest wait that triggers_wait() needs to see; UINT64_MAX: it needs none. */
uint64_t triggers_least(const struct triggers *triggers);
void triggers_wait(struct triggers *triggers, const struct event_wait *wait, const struct event_task *task);
/* cause: the longest wait in D that a walk found, and its task. */
void triggers_walked(struct triggers *triggers, const struct flight_cause *cause, uint64_t now);
/*
 * Checks pressures and cgroups. Call it at least once a second, from when events are recorded. What the kernel reports
 * of a pressure is ignored until the recording is as long as the rule's window: no dump would contain what caused it.
 */
void triggers_look(struct triggers *triggers, uint64_t now);

/* --- files of dumps ---
 *
 * When the recorder has something to dump, it may no longer create files, so a helper process does it, as the user who
 * owns the output. The helper creates a file under a temporary name and hands over its descriptor. Later it gives the
 * file its name and removes the oldest dumps beyond the limits, or it removes the unfinished file. Names are
 * PREFIX-DATE-TIME.rwk. Dumps of earlier recorders under such names count, too; files that these did not finish are
 * removed. The process has no capabilities and few system calls. There are two of them: if the first one is killed, the
 * other one is asked from then on.
 */

enum { DUMP_PATH_MAX = 4096, DUMP_HELPERS = 2 };

struct dump_files { /* zeroed: closed */
	struct forked helpers[DUMP_HELPERS];
};

struct dump_files_settings {
	const char *path; /* as given with -o: a folder, or what names begin with; NULL: the default */
	uint64_t kept;	  /* dumps, at most; 0: all */
	uint64_t bytes;	  /* limit for all dumps together; 0: none. One is always kept */
};

/* Call it as root, before the recorder has anything to hide. Tries the folder. 0, or -errno after reporting why. */
int dump_files_open(struct dump_files *files, const struct dump_files_settings *settings);
/* Ends the helpers. */
void dump_files_close(struct dump_files *files);

/*
 * The functions below are for one process at a time, which may be a child. 0; -EPIPE: both helpers were killed; -errno.
 * *ret_fd: a new, empty file.
 */
int dump_files_create(const struct dump_files *files, int *ret_fd);
/* Gives the file its name. ret_path: that name. */
int dump_files_finish(const struct dump_files *files, char ret_path[DUMP_PATH_MAX]);
/* Changes the limits of the settings. */
int dump_files_limit(const struct dump_files *files, uint64_t kept, uint64_t bytes);
/* Removes the unfinished file, if there is one. */
int dump_files_drop(const struct dump_files *files);

#endif
