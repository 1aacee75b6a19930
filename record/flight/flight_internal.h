/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the files of record/flight share, beside segments.h. */
#ifndef RWALKER_RECORD_FLIGHT_FLIGHT_INTERNAL_H
#define RWALKER_RECORD_FLIGHT_FLIGHT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/event.h"
#include "record/plan/record_options.h"
#include "record/plan/trigger_rule.h"

struct flight_cause;
struct triggers;

/* --- helper processes --- */

/*
 * A helper process of --flight, for what the helpers of record/helper may not do: create files and
 * run commands. It is forked while we are root, and ends when we close its socket or die.
 */

struct forked { /* zeroed: there is none */
	int socket_plus_1;
	pid_t pid;
};

/* The helper's main. First it sends an int32_t: -errno if it cannot do its work, else 0 or more. Never returns. */
typedef void forked_run(const void *context, int socket);

/*
 * Starts it. task: for messages, "the helper process that TASK". *ret_rc: what it sent. 0, or
 * -errno after reporting why.
 */
int forked_start(struct forked *forked, forked_run *run, const void *context, const char *task, int32_t *ret_rc);
/* Closes the socket and waits until the helper has ended. */
void forked_end(struct forked *forked);

/* In the helper: ignores signals that end the recorder, and closes all descriptors >= first except the socket. */
void forked_settle(int first, int socket);
/* In the helper: becomes the user behind sudo, if there is one, and gives up all capabilities. 0, -errno. */
int forked_become_caller(void);

/* --- commands --- */

/*
 * Runs the commands of --trigger exec: and --on-dump for the recorder, which may execute nothing
 * once it records. A helper does this: it was forked before, became the calling user, and has no
 * capabilities. It times the rules' intervals itself, and reports which commands exited with 0.
 */

struct runner { /* zeroed: there is none */
	struct forked helper;
};

/* As root, before anything is open; does nothing if no rule needs it. 0, or -errno after reporting why. */
int runner_open(struct runner *runner, const struct record_flight *plan);
/* Ends the commands of rules; those of --on-dump go on. */
void runner_close(struct runner *runner);

/* A rule whose command exited with 0 and was not returned yet; false if there is none. Never waits. */
bool runner_take(const struct runner *runner, uint32_t *ret_rule);

/* Runs the command of --on-dump, with the dump's path in $RWALKER_DUMP. A child of the recorder may call this, too. */
void runner_tell(const struct runner *runner, const char *path);

/* --- triggers --- */

/*
 * Checks the rules of --trigger during the recording, against waits, walks, pressures and cgroups.
 * What a rule needs of the host is opened while we are root. All rules that fire call one function.
 */

typedef void triggers_fire(void *context, const struct flight_cause *cause, uint64_t now);

/* Call it as root. Warns about rules that can never fire on this host. 0, or -errno after reporting why. */
int triggers_create(const struct record_flight *plan, const struct record_offcpu *offcpu, triggers_fire *fire,
		    void *context, struct triggers **ret_triggers);
/*
 * Replaces *triggers later, with other rules. Nothing can be opened for writing any more, so a
 * pressure must be one that is watched already. On failure *triggers is unchanged.
 */
int triggers_replace(struct triggers **triggers, const struct record_flight *plan,
		     const struct record_offcpu *offcpu);
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

/* --- files of dumps --- */

/*
 * Files of dumps. When the recorder has something to dump, it may no longer create files, so a helper process does it,
 * as the user who owns the output. The helper creates a file under a temporary name and hands over its descriptor.
 * Later it gives the file its name and removes the oldest dumps beyond the limits, or it removes the unfinished file.
 * Names are PREFIX-DATE-TIME.rwk. Dumps of earlier recorders under such names count, too; files that these did not
 * finish are removed. The process has no capabilities and few system calls. There are two of them: if the first one is
 * killed, the other one is asked from then on.
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
int dump_files_keep(const struct dump_files *files, char ret_path[DUMP_PATH_MAX]);
/* Changes the limits of the settings. */
int dump_files_limit(const struct dump_files *files, uint64_t kept, uint64_t bytes);
/* Removes the unfinished file, if there is one. */
int dump_files_drop(const struct dump_files *files);

#endif
