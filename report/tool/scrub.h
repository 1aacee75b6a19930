/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Stand-ins for names, for --scrub. Each name gets a random one, which is the same wherever the
 * name occurs in the trace; the table of both is freed at the end, so nobody can translate them
 * back. Numbers stay: pids, addresses, times, inodes, ports. So do names of the kernel and of its
 * modules, and what matches --keep.
 *
 * What is replaced is found in the table of records (format/event_layout.h): a text stays only
 * where a row says so, bytes nowhere. A record that is added to the format is scrubbed without a
 * change here.
 */
#ifndef RWALKER_REPORT_TOOL_SCRUB_H
#define RWALKER_REPORT_TOOL_SCRUB_H

#include <regex.h>

#include "format/event.h"
#include "format/event_lines.h"
#include "report/read/trace_model.h"

struct scrub;

/* `keep`: names that match stay; NULL: none. 0, -ENOMEM. */
int scrub_create(const regex_t *keep, struct scrub **ret_scrub);
void scrub_destroy(struct scrub *scrub);

/*
 * These replace texts by ones that are valid as long as the scrubber. 1, or what is said; -ENOMEM,
 * -errno of the kernel's random numbers.
 */

/* The texts and bytes of a record, not of lists that follow it. 0: leave it out. */
int scrub_record(struct scrub *scrub, const struct trace_model *model, struct event *event);
int scrub_task(struct scrub *scrub, struct event_task *task);
/* A function of a module. `module` may be NULL. */
int scrub_function(struct scrub *scrub, const struct trace_module *module, struct event_text *name);
int scrub_level(struct scrub *scrub, const struct trace_module *module, struct event_line_level *level);

size_t scrub_count(const struct scrub *scrub); /* names that were replaced */

#endif
