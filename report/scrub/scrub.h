/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Removes from the records of a trace, while it is condensed, what they say about a host, its
 * programs and its users. It is an allowlist: each kind of record has a function that fills a new
 * record from the members it knows, and each text is on a list of common names (common_names.h),
 * becomes a pseudonym, or is dropped. A kind without a function is left out, and so is an unknown
 * key of META.
 *
 * The functions are those of struct condense_rewrite (report/tool), and return what those return:
 * 1: write the record; 0: leave it out; -ENOMEM; -EEXIST: two names would share a pseudonym.
 */
#ifndef RWALKER_REPORT_SCRUB_SCRUB_H
#define RWALKER_REPORT_SCRUB_SCRUB_H

#include "format/event_log.h"
#include "report/profile/gather/chain.h"
#include "report/scrub/pseudonyms.h"
#include "report/scrub/scrub_settings.h"

struct scrub;

/* The settings and names belong to the caller and must outlive the scrubber. */
int scrub_create(const struct scrub_settings *settings, struct pseudonyms *names, struct scrub **ret_scrub);
void scrub_destroy(struct scrub *scrub);

/* Begins a section, whose timeline is at its start. 0, -ENOMEM. */
int scrub_begin(struct scrub *scrub, const struct chain_context *context);
int scrub_record(struct scrub *scrub, struct event *event);
/* The timeline must be at the time of the event. */
int scrub_event(struct scrub *scrub, struct event *event, struct event_task *task, struct event_task *others,
		struct event_stacks *stacks);
int scrub_lines(struct scrub *scrub, uint32_t module, struct event_line *lines, size_t count);

/*
 * Call after the last event and after what was embedded: adds the symbols of the addresses in the
 * section's stacks to the log, from whichever source they were found in. The trace's own symbols
 * were left out before: it has those of all functions. 0, or what event_log returns.
 */
int scrub_add_symbols(struct scrub *scrub, struct event_log *log);

/* Realtime of the first moment, so that nobody learns when it was. */
enum { SCRUB_DAY_SECONDS = 86400 };

#endif
