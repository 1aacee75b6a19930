/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How long the recorder waits for others, and how long a piece of its own work may take, in
 * milliseconds. What is not finished in time is left out and counted. Also the recorder's priority,
 * so that a busy host does not use up that time.
 */
#ifndef RWALKER_RECORD_PLAN_DEADLINES_H
#define RWALKER_RECORD_PLAN_DEADLINES_H

enum {
	/* for an answer of a helper process, which is ended and replaced if it does not answer */
	DEADLINE_START = 10000,	 /* the start of a process of our own */
	DEADLINE_PROCESS = 200,	 /* /proc/PID of one process, or one file that it mapped */
	DEADLINE_BUSY = 2000,	 /* the same, as long as the helper only waits for a CPU */
	DEADLINE_SLEEPER = 200,	 /* the user stack of one sleeping task */
	DEADLINE_CGROUPS = 2000, /* the list of all control groups */
	DEADLINE_FILE = 5000,	 /* after the recording: the names or unwind tables of one file, or opening it */

	/* for the mappings of all processes, written at the start */
	START_STATE_FIRST = 300, /* before sampling begins */
	START_STATE_PASS = 20,	 /* in each pass of the recording, for the rest */
	START_STATE_LAST = 200,	 /* after the end */
	START_STATE_WALK = 2000, /* how long the first walk with user stacks waits for them */

	/* for the list of control groups: before sampling begins (the rest follows while it runs), and after the end */
	CGROUPS_FIRST = 100,
	CGROUPS_LAST = 100,

	/* for user stacks of sleeping tasks, all together */
	USERS_ROUND = 2000,    /* for one round */
	USERS_LAST = 2000,     /* at the end of a recording */
	USERS_STOPPED = 300,   /* the same, if it was stopped by hand */
	USERS_FLIGHT = 100,    /* before a dump: the rings fill meanwhile */

	/* for a look at all threads, which then leaves out the others */
	LOOK_FIRST = 2000, /* nothing is recorded yet */
	LOOK_LAST = 2000,
	LOOK_FLIGHT = 300, /* before a dump */
	LOOK_WALK = 5000,
	LOOK_SLICE = 5, /* after which the rings are drained */

	FILES_DUMP = 100, /* before a dump: opening files that were mapped lately */

	/* for reading files after the recording, or for a dump (embed_budget.h) */
	EMBED_TIME = 10000, /* all together */
	EMBED_USER = 1000,  /* those of one user, before all others had as much */
	EMBED_LEAST = 100,  /* no file is begun with less than that */

	/* for setpriority(): the recorder's, and that of helpers that it waits for while it records */
	RECORDER_NICE = -10,
};

#endif
