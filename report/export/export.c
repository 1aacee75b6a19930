/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/export/export.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/profile.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/wait_text.h"

void json_init(struct json *json, FILE *out)
{
	*json = (struct json){.out = out, .opened = true};
}

static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte != '"' && byte != '\\' && byte != '<' && byte != '>' && byte != '&';
}

void json_escape(struct json *json, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		size_t plain = 0;

		while (plain < (size_t)(end - text) && is_plain((unsigned char)text[plain]))
			plain++;
		(void)fwrite_unlocked(text, 1, plain, json->out);
		text += plain;
		if (text < end) {
			(void)fprintf(json->out, *text == '"' || *text == '\\' ? "\\%c" : "\\u%04x", (unsigned char)*text);
			text++;
		}
	}
}

void json_escape_name(struct json *json, const char *name)
{
	_cleanup_free_ char *text = printable_copy(name);

	json->failed |= !text;
	if (text)
		json_escape(json, text, strlen(text));
}

static void write_text(struct json *json, const char *text, bool is_name)
{
	(void)putc_unlocked('"', json->out);
	if (is_name)
		json_escape_name(json, text ? text : "");
	else
		json_escape(json, text ? text : "", text ? strlen(text) : 0);
	(void)putc_unlocked('"', json->out);
}

static void write_number(FILE *out, uint64_t value, unsigned int places)
{
	enum { DIGITS = 20, POINT = 1 };
	char text[DIGITS + POINT];
	size_t first = sizeof(text);

	for (unsigned int digit = 0; value || digit <= places; digit++) {
		if (digit && digit == places)
			text[--first] = '.';
		text[--first] = (char)('0' + value % 10);
		value /= 10;
	}
	(void)fwrite_unlocked(text + first, 1, sizeof(text) - first, out);
}

static void write_signed(FILE *out, int64_t value)
{
	if (value < 0)
		(void)putc_unlocked('-', out);
	write_number(out, value < 0 ? -(uint64_t)value : (uint64_t)value, 0);
}

/* Writes a value as the format says behind '%'. Returns where that ends. */
static const char *write_value(struct json *json, const char *at, va_list *values)
{
	const bool is_name = *at == '-';
	unsigned int places = 0;

	at += is_name;
	if (*at == '.') {
		places = (unsigned int)(at[1] == '*' ? va_arg(*values, int) : at[1] - '0');
		at += 2;
	}
	switch (*at) {
	case 's':
		write_text(json, va_arg(*values, const char *), is_name);
		return at + 1;
	case 'u':
		write_number(json->out, va_arg(*values, unsigned int), places);
		return at + 1;
	case 'z':
		write_number(json->out, va_arg(*values, size_t), places);
		return at + 2;
	case 'j':
		if (at[1] == 'd')
			write_signed(json->out, va_arg(*values, intmax_t));
		else
			write_number(json->out, va_arg(*values, uintmax_t), places);
		return at + 2;
	default: /* 'd' */
		(void)fputs_unlocked(va_arg(*values, int) ? "true" : "false", json->out);
		return at + 1;
	}
}

void json_write(struct json *json, const char *format, ...)
{
	va_list values;

	if (!json->opened && !strchr("]}", format[*format == '\n']))
		(void)putc_unlocked(',', json->out);
	format += json->opened && format[0] == '\n' && format[1] == ']'; /* an array without values has no lines */
	va_start(values, format);
	while (*format) {
		json->opened = *format == '{' || *format == '[' || *format == ':';
		if (*format == '%') {
			format = write_value(json, format + 1, &values);
			continue;
		}
		(void)putc_unlocked(*format == '\'' ? '"' : *format, json->out);
		format++;
	}
	va_end(values);
}

/* --- the walk --- */

static uint64_t start_realtime(const struct waits *waits, uint32_t recording)
{
	return profile_realtime(waits->profile, recording, waits->recordings[recording].start);
}

static uint64_t common_time(const struct export *export, uint32_t recording, uint64_t time)
{
	const struct waits *waits = &export->reader.waits;
	uint64_t later = export->earliest ? start_realtime(waits, recording) - export->earliest : 0;
	int64_t common = (int64_t)(time - waits->recordings[recording].start + later);

	return common > 0 ? (uint64_t)common : 0; /* it may be slightly outside */
}

static void add(struct export *export, const struct profile_event *event, const struct profile_walk_task *walked)
{
	const struct event_reader *reader = &export->reader;
	struct export_event row = {
		.of = {.task = event->task, .source = event->source, .node = event->node, .flags = event->flags},
		.weight = event->weight,
		.wait = event->wait,
		.walked = walked,
		.name = event_reader_name(reader, event),
		.number = export->events.count,
		.cpu = event->cpu,
	};
	uint64_t time = event->time, to;

	row.of.kind = reader->sources[event->source].kind == PROFILE_CPU ? EXPORT_SAMPLE : EXPORT_HIT;
	if (walked) {
		row.of.kind = EXPORT_WALKED;
		row.of.object = walked->object;
	} else if (event->kind == PROFILE_EVENT_WAKEUP) {
		row.of.kind = EXPORT_WAKEUP;
		row.name = "wakeup";
		row.interrupt = wake_is_interrupt(event->wait->waker_context);
	} else if (event->kind == PROFILE_EVENT_WAIT) {
		row.of.kind = EXPORT_WAIT;
		row.of.object = event->wait->object;
		row.name = wait_class_name(event->wait->wait_class);
		profile_recording_part(reader->waits.profile, event->wait->recording, &time, &to);
		time = event->wait->out > time ? event->wait->out : time;
	}
	row.time = common_time(export, event->recording, time);
	export_check(export, array_push(&export->events, row));
}

static void add_walked(struct export *export, struct profile *profile)
{
	const struct profile_walk_task *walked;
	const struct profile_walk *walks;
	size_t count = profile_walk_tasks(profile, &walked);

	(void)profile_walks(profile, &walks);
	for (; count; count--, walked++) {
		const struct profile_walk *walk = &walks[walked->walk];
		const struct profile_event event = {
			.kind = PROFILE_EVENT_SAMPLE, .time = walk->time, .weight = 1, .recording = walk->scope,
			.source = walked->source, .probe = PROFILE_NO_PROBE, .task = walked->task,
			.node = walked->node, .flags = walked->flags,
			.cpu = walked->cpu < PROFILE_NO_CPU ? (uint16_t)walked->cpu : PROFILE_NO_CPU};

		if (walked->source != PROFILE_NO_SOURCE)
			add(export, &event, walked);
	}
}

static int compare_events(const void *left, const void *right)
{
	const struct export_event *l = left, *r = right;

	return COMPARE(l->of.task, r->of.task) ?: COMPARE(l->time, r->time) ?: COMPARE(l->number, r->number);
}

static int read_events(struct export *export, struct profile *profile)
{
	const struct waits *waits = &export->reader.waits;
	struct profile_event event;
	int r = event_reader_init(&export->reader, profile);

	for (uint32_t i = 0; i < waits->recording_count && !r; i++)
		if (!i || start_realtime(waits, i) < export->earliest)
			export->earliest = start_realtime(waits, i);
	while (r >= 0 && (r = event_reader_next(&export->reader, &event)) > 0)
		add(export, &event, NULL);
	if (r < 0)
		return r;
	add_walked(export, profile);
	if (export->events.count)
		qsort(export->events.items, export->events.count, sizeof(*export->events.items), compare_events);
	return export->error;
}

int export_open(struct export *export, const struct view_context *context)
{
	*export = (struct export){.context = context};
	json_init(&export->json, context->out);
	export_check(export, functions_create(context->profile, FUNCTIONS_BY_MODULE, page_no_frames(context->settings),
					      &export->functions));
	export_check(export, export->error ? 0 : read_events(export, context->profile));
	export->tasks = export->reader.waits.tasks;
	return export->error;
}

int export_end(struct export *export)
{
	(void)fputc('\n', export->json.out);
	export_check(export, export->json.failed ? -ENOMEM : 0);
	return export->error;
}

void export_close(struct export *export)
{
	functions_destroy(export->functions);
	chain_deinit(&export->chain);
	array_free(&export->events);
}

void export_check(struct export *export, int error)
{
	if (!export->error && error < 0)
		export->error = error;
}

/* --- about an event --- */

size_t export_task_end(const struct export *export, size_t first)
{
	const struct export_event *events = export->events.items;
	size_t end = first + 1;

	while (end < export->events.count && events[end].of.task == events[first].of.task)
		end++;
	return end;
}

uint64_t export_number(const struct export *export, uint32_t task, uint32_t number)
{
	enum { HOST_STEP = 10000000 }; /* more than there can be pids: PID_MAX_LIMIT is 4194304 */
	const uint64_t host = export->tasks[task].host;

	return number + (export->reader.waits.several_hosts ? HOST_STEP * (host + 1) : 0);
}

void export_frames(struct export *export, const struct export_event *event, export_frame *frame, void *owner)
{
	const struct view_settings *settings = export->context->settings;
	const bool sleeper = event->of.kind == EXPORT_WAIT, user_missing = event->of.flags & CHAIN_USER_MISSING;
	const struct chain *chain = &export->chain;
	uint32_t function = FUNCTION_NONE;
	size_t count;

	export_check(export, chain_read(&export->chain, export->context->profile, event->of.node));
	count = event->interrupt ? chain->kernel_count : chain->frames.count;
	if (!sleeper && !count)
		frame(owner, functions_name(export->functions, FUNCTION_NONE), "", "");
	if (sleeper && user_missing && !settings->kernel_only && chain->kernel_count == count)
		frame(owner, "[Missed User Stack]", "", "");
	while (count--) {
		export_check(export, functions_find(export->functions, chain->frames.items[count], &function));
		frame(owner, functions_name(export->functions, function), functions_mark(export->functions, function),
		      functions_module(export->functions, function));
	}
	if (sleeper && !settings->user_only && !chain->kernel_count)
		frame(owner, "[Missed Kernel Stack]", "", "");
}

void export_write_process(struct export *export, uint32_t task)
{
	const struct profile *profile = export->context->profile;
	const struct profile_task *row = &export->tasks[task];
	const char *container = profile_container(row->cgroup);
	struct json *json = &export->json;

	json_write(json, "'");
	json_escape_name(json, profile_process_comm(profile, task));
	(void)fputs(*container ? ", container " : "", json->out);
	json_escape_name(json, container);
	(void)fputs(export->reader.waits.several_hosts ? ", " : "", json->out);
	json_escape_name(json, export->reader.waits.several_hosts ? profile_host_name(profile, row->host) : "");
	(void)putc_unlocked('"', json->out);
}

struct stack_text {
	struct json *json;
	bool any;
};

/* As in --folded, there is no ';' in a frame. */
static void write_frame(void *owner, const char *name, const char *mark, const char *module)
{
	struct stack_text *text = owner;

	(void)module;
	(void)fputs_unlocked(text->any ? ";" : "", text->json->out);
	text->any = true;
	while (*name) {
		const size_t length = strcspn(name, ";");

		json_escape(text->json, name, length);
		(void)fputs_unlocked(name[length] ? "\\\\x3b" : mark, text->json->out);
		name += length + (name[length] != '\0');
	}
}

/* The frames as "root;...;leaf". */
static void write_stack(struct export *export, const struct export_event *event)
{
	struct stack_text text = {.json = &export->json};

	json_write(&export->json, "'");
	export_frames(export, event, write_frame, &text);
	(void)putc_unlocked('"', export->json.out);
}

static void write_waker(struct export *export, const struct profile_wait *wait)
{
	static const char *const contexts[] = {WAKER_CONTEXT_LIST(KIND_TEXT)};
	const struct export_event wakeup = {.of = {.kind = EXPORT_WAKEUP, .node = wait->waker_node},
					    .interrupt = wake_is_interrupt(wait->waker_context)};

	if (!contexts[wait->waker_context] || wait->waker == PROFILE_NO_TASK)
		return;
	json_write(&export->json, "'waker_context':%s,'waker':%-s,'waker_tid':%u", contexts[wait->waker_context],
		   export->tasks[wait->waker].comm, export->tasks[wait->waker].tid);
	if (!wait->waker_node)
		return;
	json_write(&export->json, "'waker_stack':");
	write_stack(export, &wakeup);
}

/* The state of a sleeper, and what it waited or waits for if that is known. */
static void write_sleep(struct export *export, const struct export_event *event)
{
	const struct profile_wait wait = event->walked ? profile_walk_wait(event->walked) : *event->wait;
	_cleanup_free_ char *text = NULL;
	char state[24] = "";

	if (!event->walked)
		profile_state_text(wait.state, 0, state);
	json_write(&export->json, "'state':%-s", event->walked ? event->walked->state : state);
	if (!event->walked)
		json_write(&export->json, "'run_queue_us':%.3ju", wait.run_queue);
	export_check(export, wait_object_text(&export->reader.waits, &wait, &text));
	if (text)
		json_write(&export->json, event->walked ? "'waits_for':%s" : "'waited_for':%s", text);
}

void export_write_details(struct export *export, const struct export_event *event, bool stack)
{
	const struct profile_wait *wait = event->wait;
	struct json *json = &export->json;

	if (event->of.kind == EXPORT_WAKEUP)
		json_write(json, "'woken':%-s,'woken_tid':%u", export->tasks[wait->task].comm, export->tasks[wait->task].tid);
	else if (!wait && event->cpu != PROFILE_NO_CPU)
		json_write(json, "'cpu':%u", event->cpu);
	if (event->of.kind == EXPORT_WAIT || event->walked)
		write_sleep(export, event);
	if (!wait)
		json_write(json, "'weight':%ju", event->weight);
	if (stack) {
		json_write(json, "'stack':");
		write_stack(export, event);
	}
	if (event->of.kind == EXPORT_WAIT)
		write_waker(export, wait);
}
