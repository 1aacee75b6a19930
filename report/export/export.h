/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes JSON (RFC 8259) to a stream as it is made; nothing is buffered here. Check the stream for errors, and `failed`.
 *
 * Text is valid UTF-8 without control characters. Names from a trace are first escaped as in all reports
 * (common/printable.h), so a name reads the same everywhere, and two names never become one. No text contains <, > or
 * &, which become \u003c ...: it cannot end a <script> or begin a comment, so JSON may be put into HTML.
 *
 * Numbers are written in full. A reader that parses them as doubles (JavaScript) gets them exactly up to 2^53.
 */
#ifndef RWALKER_REPORT_EXPORT_EXPORT_H
#define RWALKER_REPORT_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/array.h"
#include "report/profile/profile.h"
#include "report/view/event_reader.h"
#include "report/view/view.h"

struct json {
	FILE *out;
	bool opened; /* the last that was written is '{', '[' or ':' */
	bool failed; /* there was no memory for a name */
};

void json_init(struct json *json, FILE *out);

/*
 * Writes values, members, or brackets, as JSON with ' for ": "\n{'a':%u,'b':[", ... "]}". Commas are ours between calls,
 * not within one. A newline may come first. "'" begins a string that the caller writes in parts, and ends with a ".
 *
 *	%s, %-s	printable text (functions_name() ...) or ours; bytes from a trace. NULL is ""
 *	%u, %zu, %ju, %jd	a number. %.3ju of 1234567 is 1234.567, as for ns in µs
 *	%d	true or false
 */
void json_write(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Parts of the inside of a string: printable text, and bytes from a trace. */
void json_escape(struct json *json, const char *text, size_t length);
void json_escape_name(struct json *json, const char *name);

/*
 * What the exports to Chrome, Firefox and speedscope share: one walk over the samples, hits, wakeups, waits and walked
 * tasks of a profile, with one time for all its recordings, and the parts of their JSON that are the same. The first
 * error is kept, as in a stream: check it at the end. What the events point to belongs to the profile.
 */

enum export_kind { EXPORT_WAIT, EXPORT_WAKEUP, EXPORT_SAMPLE, EXPORT_HIT, EXPORT_WALKED };

struct export_event {
	/* Events with the same of all these have the same stack. */
	struct export_stack {
		uint32_t task, source, node;
		uint32_t kind, flags; /* enum export_kind, profile_chain_flag */
		uint32_t object;      /* of a wait or a walked task: number of profile_objects.h */
	} of;
	/*
	 * ns since the first recording began if the clocks of all are known, else since its own. Of a wait: where the
	 * part begins that its weight measures, which is within the recording and the requested times.
	 */
	uint64_t time;
	uint64_t weight; /* of a wait: the length of this part */
	const struct profile_wait *wait; /* of a wait or a wakeup */
	const struct profile_walk_task *walked;
	const char *name; /* "blocked", "wakeup", or the probe's or source's: not safe to print */
	size_t number;	  /* in the order of the walk */
	uint16_t cpu;
	bool interrupt; /* a wakeup by an interrupt: user frames are those of the interrupted task, which did nothing */
};

struct export {
	const struct view_context *context;
	struct json json; /* writes to the context's stream */
	int error;
	struct event_reader reader;
	const struct profile_task *tasks;
	ARRAY(struct export_event) events; /* by task, then time */
	uint64_t earliest; /* when the first recording began, ns since 1970; 0: not known for all */
	struct functions *functions; /* by module */
	struct chain chain;
};

/* Close it in any case. */
int export_open(struct export *export, const struct view_context *context);
void export_close(struct export *export);
/* Ends the text. Returns the error. */
int export_end(struct export *export);
/* Keeps the first error. */
void export_check(struct export *export, int error);

/* The end of the events of the same task. */
size_t export_task_end(const struct export *export, size_t first);
/* A tgid or tid of the task's host, as a number that no other host has. */
uint64_t export_number(const struct export *export, uint32_t task, uint32_t number);
/*
 * The frames of an event's call chain, root first, with the words of --folded for what is missing; of an interrupt only
 * the kernel's. Names are printable. mark: functions_mark(); module: "" if there is none.
 */
typedef void export_frame(void *owner, const char *name, const char *mark, const char *module);
void export_frames(struct export *export, const struct export_event *event, export_frame *frame, void *owner);

/* The name of a task's process as a text: "nginx, container 3f4e5d6c7b8a, host". */
void export_write_process(struct export *export, uint32_t task);
/* What is known about an event, as members of the open object. `stack` tells whether its stack is one. */
void export_write_details(struct export *export, const struct export_event *event, bool stack);

#endif
