/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/view/event_reader.h"
#include "report/view/frame_text.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/view.h"
#include "report/view/wait_text.h"

/*
 * Every event in time order, in the format of bcc's stacksnoop: a row with its description, empty
 * if all events are of one kind, then its frames, leaf first, as "ip", "r0", "r1" ..., each row
 * with the event's time.
 */

enum {
	SECONDS_PER_DAY = 86400,
	PREFIX = 160, /* time, comm, thread, CPU */
};

struct events_view {
	const struct view_context *context;
	struct event_reader reader;
	struct functions *functions;
	const struct profile_frame *frames;
	struct frame_texts texts;
	struct chain chain;
	bool alike; /* all events are of one source and probe */
	uint32_t recording; /* of the last event, plus 1 */
};

static void events_view_deinit(struct events_view *view)
{
	frame_texts_deinit(&view->texts);
	functions_destroy(view->functions);
	chain_deinit(&view->chain);
}

/* "ffffffff81280461 ext4_sync_fs" */
static void write_frame(const void *events_view, uint32_t frame, FILE *out)
{
	const struct events_view *view = events_view;
	const struct frame_style style = {.offsets = view->context->settings->offsets};
	const struct profile_frame *row = &view->frames[frame];

	(void)fprintf(out, "%016" PRIx64 " ", row->run_time_address ? row->run_time_address : row->address);
	functions_write_frame(view->functions, frame, style, out);
	(void)fputc('\n', out);
}

/* --- before anything is printed --- */

static bool is_like(const struct profile_event *one, const struct profile_event *other)
{
	return one->kind == PROFILE_EVENT_SAMPLE && other->kind == PROFILE_EVENT_SAMPLE &&
	       one->source == other->source && one->probe == other->probe;
}

static int find_functions(struct events_view *view)
{
	struct profile *profile = view->context->profile;
	_cleanup_free_ bool *nodes = calloc(view->reader.node_count + 1, sizeof(*nodes));
	struct profile_event first = {0}, event;
	bool any = false;
	int r;

	if (!nodes)
		return -ENOMEM;
	view->alike = true;
	while ((r = event_reader_next(&view->reader, &event)) > 0) {
		if (!any)
			first = event;
		any = true;
		view->alike &= is_like(&first, &event);
		r = event_reader_mark(profile, event.node, nodes);
		if (r < 0)
			return r;
	}
	event_reader_rewind(&view->reader);
	return r < 0 ? r : event_reader_find_functions(profile, view->functions, nodes);
}

static int events_view_init(struct events_view *view, const struct view_context *context)
{
	size_t frames;

	*view = (struct events_view){.context = context};
	view->frames = profile_frames(context->profile, &frames);
	return event_reader_init(&view->reader, context->profile) ?:
	       functions_create(context->profile, FUNCTIONS_BY_ADDRESS, page_no_frames(context->settings),
				&view->functions) ?:
	       frame_texts_init(&view->texts, context->profile, write_frame, view) ?:
	       find_functions(view);
}

/* --- the columns --- */

/* "01:11:37.123456789" */
static struct figure wall_clock(const struct events_view *view, const struct profile_event *event)
{
	uint64_t realtime = profile_realtime(view->context->profile, event->recording, event->time);
	uint64_t second = realtime / SECOND % SECONDS_PER_DAY;
	struct figure figure = {"wall clock unknown"};

	if (realtime)
		(void)snprintf(figure.text, sizeof(figure.text),
			       "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%09" PRIu64,
			       second / 3600, second / 60 % 60, second % 60,
			       realtime % SECOND);
	return figure;
}

static struct figure monotonic(uint64_t time)
{
	struct figure figure;

	(void)snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%09" PRIu64,
		       time / SECOND, time % SECOND);
	return figure;
}

static void make_prefix(const struct events_view *view, const struct profile_event *event,
			char prefix[PREFIX])
{
	const struct profile_task *task = &view->reader.waits.tasks[event->task];
	struct figure time = view->context->settings->timestamps ? wall_clock(view, event) :
								   monotonic(event->time);
	char comm[64], cpu[16] = "-";

	if (!view->context->settings->addresses) {
		(void)snprintf(prefix, PREFIX, "%-18s ", time.text);
		return;
	}
	(void)printable_escape(comm, sizeof(comm), task->comm, strlen(task->comm));
	if (event->cpu != PROFILE_NO_CPU)
		(void)snprintf(cpu, sizeof(cpu), "%u", event->cpu);
	(void)snprintf(prefix, PREFIX, "%-18s %-12s %-6" PRIu32 " %-3s ", time.text, comm, task->tid, cpu);
}

static void print_header(const struct events_view *view)
{
	const struct view_settings *settings = view->context->settings;

	(void)fprintf(view->context->out, "%-18s ", settings->timestamps ? "TIME(UTC)" : "TIME(s)");
	if (settings->addresses)
		(void)fprintf(view->context->out, "%-12s %-6s %-3s ", "COMM", "PID", "CPU");
	(void)fputs("STACK\n", view->context->out);
}

/* Prints how the two clocks are related. */
static void print_recording(struct events_view *view, uint32_t recording)
{
	const struct waits *waits = &view->reader.waits;
	uint64_t start = waits->recordings[recording].start;
	FILE *out = view->context->out;

	if (view->recording == recording + 1)
		return;
	(void)fprintf(out, "# recorded from %s s on, %s", monotonic(start).text,
		      wait_wall_clock(waits, recording, start).text);
	wait_write_recording(out, waits, recording);
	(void)fputc('\n', out);
	if (!view->recording)
		print_header(view);
	view->recording = recording + 1;
}

/* --- an event --- */

/* "wait 12.345 ms D iowait (blocked), run queue 10.000 us" */
static void describe_wait(const struct waits *waits, const struct profile_wait *wait, FILE *out)
{
	char state[24] = "";

	profile_state_text(wait->state, 0, state);
	(void)fputs("wait ", out);
	wait_write_length(out, wait_length(wait), wait_length_bound(wait));
	(void)fputc(' ', out);
	printable_write(out, state, strnlen(state, sizeof(state)));
	(void)fprintf(out, "%s (%s)", wait->flags & PROFILE_WAIT_IOWAIT ? " iowait" : "",
		      wait_class_name(wait->wait_class));
	wait_write_object(out, ", ", waits, wait);
	if (wait->run_queue)
		(void)fprintf(out, ", run queue %s", wait_figure(wait->run_queue).text);
	if (wait->flags & PROFILE_WAIT_NOT_ENDED)
		(void)fputs(", not ended", out);
}

/* "wakeup of dd/8, from an irq" */
static void describe_wakeup(const struct events_view *view, const struct profile_wait *wait, FILE *out)
{
	static const char *const contexts[] = {[WAKER_SOFTIRQ] = ", from a softirq",
					       [WAKER_IRQ] = ", from an irq",
					       [WAKER_UNKNOWN] = ""};
	const struct profile_task *task = &view->reader.waits.tasks[wait->task];

	(void)fputs("wakeup of ", out);
	printable_write(out, task->comm, strlen(task->comm));
	(void)fprintf(out, "/%" PRIu32 "%s", task->tid,
		      contexts[wait->waker_context] ? contexts[wait->waker_context] : "");
}

static void describe(const struct events_view *view, const struct profile_event *event, FILE *out)
{
	const struct profile_cgroup *cgroup = view->reader.waits.tasks[event->task].cgroup;
	const char *name = event_reader_name(&view->reader, event);
	bool bare = event->kind == PROFILE_EVENT_SAMPLE && view->alike;

	if (event->kind == PROFILE_EVENT_WAIT)
		describe_wait(&view->reader.waits, event->wait, out);
	else if (event->kind == PROFILE_EVENT_WAKEUP)
		describe_wakeup(view, event->wait, out);
	else if (!view->alike)
		printable_write(out, name, strlen(name));
	if (*profile_container(cgroup))
		(void)fprintf(out, "%scontainer %s", bare ? "" : ", ", profile_container(cgroup));
	(void)fputc('\n', out);
}

/* Notes about an incomplete call chain. */
static void print_missing(const struct view_context *context, uint32_t flags, const char *prefix)
{
	if (flags & CHAIN_KERNEL_TRUNCATED && !context->settings->user_only)
		(void)fprintf(context->out, "%s[kernel stack cut at the depth limit]\n", prefix);
	if (flags & CHAIN_USER_TRUNCATED && !context->settings->kernel_only)
		(void)fprintf(context->out, "%s[user stack cut at the depth limit]\n", prefix);
	if (flags & CHAIN_USER_MISSING && !context->settings->kernel_only)
		(void)fprintf(context->out, "%s[Missed User Stack]\n", prefix);
}

/* "ip: ", "r0: " ...; numbers are formatted by hand, because printf is slow. */
static void write_register(size_t frame, FILE *out)
{
	if (!frame)
		(void)fputs_unlocked("ip: ", out);
	else if (frame <= 10)
		(void)fputs_unlocked((const char[]){'r', (char)('0' + frame - 1), ':', ' ', '\0'}, out);
	else
		(void)fprintf(out, "r%zu: ", frame - 1);
}

static int print_chain(struct events_view *view, const struct profile_event *event, const char *prefix)
{
	FILE *out = view->context->out;
	const char *text;
	int r = chain_read(&view->chain, view->context->profile, event->node);
	size_t count = event_reader_frames(event, &view->chain);

	for (size_t i = 0; !r && i < count; i++) {
		if (view->context->settings->delimited && i && i == view->chain.kernel_count)
			(void)fprintf(out, "%s--\n", prefix);
		r = frame_texts_find(&view->texts, view->chain.frames.items[i], &text);
		if (r < 0)
			return r;
		(void)fputs_unlocked(prefix, out);
		write_register(i, out);
		(void)fputs_unlocked(text, out);
	}
	return r;
}

static int print_event(struct events_view *view, const struct profile_event *event)
{
	FILE *out = view->context->out;
	char prefix[PREFIX];
	int r;

	print_recording(view, event->recording);
	make_prefix(view, event, prefix);
	(void)fputs_unlocked(prefix, out);
	describe(view, event, out);
	r = print_chain(view, event, prefix);
	if (!r && event->flags)
		print_missing(view->context, event->flags, prefix);
	return r;
}

static int show_events(const struct view_context *context)
{
	_cleanup_(events_view_deinit) struct events_view view;
	struct profile_event event;
	int r = events_view_init(&view, context);

	if (r < 0)
		return r;
	while ((r = event_reader_next(&view.reader, &event)) > 0) {
		r = print_event(&view, &event);
		if (r < 0)
			return r;
	}
	if (view.recording)
		(void)fputc('\n', context->out);
	return r;
}

const struct view events_view = {
	VIEW_OPTION("events", .help = "every sample, wait and wakeup in time order"),
	.print_all = show_events, .kinds = VIEW_EVENTS, .needs = PROFILE_EACH_EVENT | PROFILE_EACH_ADDRESS,
};
