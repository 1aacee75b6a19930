/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --scrub: condenses the trace, and removes what it says about the host. --unscrub: translates a report of it back. */
#include "report/scrub/scrub.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/plural.h"
#include "common/time_units.h"
#include "report/read/trace_inputs.h"
#include "report/scrub/key_file.h"
#include "report/scrub/unscrub.h"
#include "report/tool/condense_rewrite.h"
#include "report/tool/tool.h"

struct scrubbing {
	const struct tool_request *request;
	struct scrub *scrub;
	struct pseudonyms *names;
};

static void scrubbing_deinit(struct scrubbing *scrubbing)
{
	scrub_destroy(scrubbing->scrub);
	pseudonyms_destroy(scrubbing->names);
}

/* --- struct condense_rewrite --- */

static int begin(void *data, const struct chain_context *context)
{
	const struct scrubbing *scrubbing = data;

	return scrub_begin(scrubbing->scrub, context);
}

static int take_record(void *data, struct event *record)
{
	const struct scrubbing *scrubbing = data;

	return scrub_record(scrubbing->scrub, record);
}

static int take_event(void *data, struct event *event, struct event_task *task, struct event_task *others,
		      struct event_stacks *stacks)
{
	const struct scrubbing *scrubbing = data;

	return scrub_event(scrubbing->scrub, event, task, others, stacks);
}

/* Symbols are added at the end, as far as they are in the stacks. */
static int take_symbols(void *data, struct event *record, struct event_symbol *symbols, size_t *count)
{
	(void)data;
	(void)record;
	(void)symbols;
	(void)count;
	return 0;
}

static int take_lines(void *data, struct event *record, struct event_line *lines, size_t *count)
{
	const struct scrubbing *scrubbing = data;

	return scrub_lines(scrubbing->scrub, record->embed_lines.module, lines, *count);
}

/* Writes the section's names to the key before the trace is complete: a trace that nobody can translate is useless. */
static int end(void *data, struct event_log *log)
{
	const struct scrubbing *scrubbing = data;
	char text[256];
	int r = scrub_add_symbols(scrubbing->scrub, log);

	if (!r) {
		scrub_classes_print(scrubbing->request->scrub->classes, text, sizeof(text));
		r = event_log_add_meta(log, "scrubbed", text);
	}
	return r < 0 ? r : key_file_write(scrubbing->request->key, scrubbing->names);
}

/* --- the tools --- */

static void tell_names(const struct tool_request *request, size_t count)
{
	if (request->key->path)
		log_info("'%s' knows %zu name%s now; keep it to yourself: it translates the trace back",
			 request->key->path, count, plural(count));
	else
		log_info("%zu name%s replaced for good: without --scrub-key nobody can translate them back", count,
			 plural(count));
}

int tool_scrub(const struct tool_request *request, bool *ret_damaged)
{
	_cleanup_(scrubbing_deinit) struct scrubbing scrubbing = {.request = request};
	const struct condense_rewrite rewrite = {
		.data = &scrubbing,
		.begin = begin,
		.record = take_record,
		.event = take_event,
		.symbols = take_symbols,
		.lines = take_lines,
		.end = end,
		.realtime = request->scrub->classes & SCRUB_TIMES ? SCRUB_DAY_SECONDS * SECOND : 0,
	};
	int r = key_file_read(request->key, &scrubbing.names);

	if (!r)
		r = scrub_create(request->scrub, scrubbing.names, &scrubbing.scrub);
	if (!r)
		r = condense_trace(request, &rewrite, ret_damaged);
	if (!r)
		tell_names(request, pseudonyms_count(scrubbing.names));
	return r;
}

int tool_unscrub(const struct tool_request *request, bool *ret_damaged)
{
	_cleanup_(scrubbing_deinit) struct scrubbing scrubbing = {0};
	_cleanup_fclose_ FILE *in = NULL;
	_cleanup_close_ int fd = -1;
	const char *path = request->paths[0];
	bool spooled;
	int r = key_file_read(request->key, &scrubbing.names);

	(void)ret_damaged;
	if (r < 0)
		return r;
	r = trace_inputs_take(request->names->inputs, path, &fd, &spooled);
	in = !r && !lseek(fd, 0, SEEK_SET) ? fdopen(fd, "r") : NULL;
	if (!in)
		return log_error(r ? -r : errno, "cannot open '%s': %s", path, strerror(r ? -r : errno));
	(void)steal_fd(&fd);
	r = unscrub_stream(scrubbing.names, in, request->out);
	return r < 0 ? log_error(-r, "cannot read '%s': %s", path, strerror(-r)) : 0;
}
