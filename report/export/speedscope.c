/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/printable.h"
#include "report/export/export.h"
#include "report/profile/profile.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/view.h"

/*
 * --export speedscope: a "sampled" profile for each source and host. A sample is a stack of a task, from the comm to
 * the leaf as in --folded, with the sum of its weights. In a container, the stack begins with the container; for waits
 * and walked tasks, it ends with what they were for, or its kind if there are too many different things. The unit is
 * ns if that is the unit of the source's weight, else none.
 */

struct scope {
	struct export export;
	struct hash_map frames; /* name, LF, module: the frame's number */
	struct json list; /* of frames; it writes to text: */
	char *text;
	size_t length;
};

static void scope_deinit(struct scope *scope)
{
	export_close(&scope->export);
	hash_map_deinit(&scope->frames);
	if (scope->list.out)
		(void)fclose(scope->list.out);
	free(scope->text);
}

static int scope_init(struct scope *scope, const struct view_context *context)
{
	int r = export_open(&scope->export, context) ?: hash_map_init(&scope->frames);

	json_init(&scope->list, open_memstream(&scope->text, &scope->length));
	return r < 0 ? r : scope->list.out ? 0 : -ENOMEM;
}

/* --- the frames of a stack --- */

/* Writes the number of a frame, and adds it to the list if it is new. The texts are printable. */
static void write_frame(void *owner, const char *name, const char *after, const char *module)
{
	struct scope *scope = owner;
	_cleanup_free_ char *text = NULL;
	int length = asprintf(&text, "%s%s\n%s", name, after, module), r = -ENOMEM;
	uint64_t *number;

	if (length >= 0)
		r = hash_map_add(&scope->frames, text, (size_t)length, scope->frames.entries.count, &number);
	export_check(&scope->export, r);
	if (r < 0)
		return;
	json_write(&scope->export.json, "%ju", *number);
	if (!r)
		return;
	*strchr(text, '\n') = '\0'; /* printable names have none */
	json_write(&scope->list, "\n{'name':%s", text);
	if (module[0])
		json_write(&scope->list, "'file':%s", module);
	json_write(&scope->list, "}");
}

/* "container 3f4e5d6c7b8a" if it is in one, and "comm", or "comm-123" if split by process. */
static void write_owner(struct scope *scope, const struct profile_task *task)
{
	_cleanup_free_ char *comm = printable_copy(task->comm);
	const char *container = profile_container(task->cgroup);
	char pid[16] = "";

	export_check(&scope->export, comm ? 0 : -ENOMEM);
	if (*container)
		write_frame(scope, "container ", container, "");
	if (scope->export.context->settings->per_process)
		(void)snprintf(pid, sizeof(pid), "-%" PRIu32, task->tgid);
	write_frame(scope, comm ? comm : "", pid, "");
}

/* What it waited for, by its text, or its kind if there are too many. */
static void write_object(struct scope *scope, uint32_t number)
{
	const struct profile_object *objects, *object;
	const bool few = profile_objects(scope->export.context->profile, &objects) <= OBJECT_TEXTS_FEW;
	_cleanup_free_ char *text = NULL;

	if (!number)
		return;
	object = &objects[number];
	export_check(&scope->export, few ? object_to_text(object, &text) : 0);
	write_frame(scope, object->kind == OBJECT_CHILD || object->kind == OBJECT_SLEEP ? "" : "on ",
		  text ? text : object_kind_name(object->kind), "");
}

/* --- profiles: by source and host --- */

static uint32_t host_of(const struct export *export, const struct export_event *event)
{
	return export->tasks[event->of.task].host;
}

static int compare_events(const void *left, const void *right, void *owner)
{
	const struct export_event *l = left, *r = right;

	return COMPARE(l->of.source, r->of.source) ?: COMPARE(host_of(owner, l), host_of(owner, r)) ?:
	       memcmp(&l->of, &r->of, sizeof(l->of));
}

/* Sorts the events, and adds up those with the same stack. */
static void add_up(struct export *export)
{
	struct export_event *events = export->events.items;
	size_t count = 0;

	if (export->events.count)
		qsort_r(events, export->events.count, sizeof(*events), compare_events, export);
	for (size_t i = 0; i < export->events.count; i++)
		if (count && !compare_events(&events[count - 1], &events[i], export))
			events[count - 1].weight += events[i].weight;
		else
			events[count++] = events[i];
	export->events.count = count;
}

static void write_title(struct scope *scope, const struct profile_source *source, uint32_t host)
{
	const char *name = profile_host_name(scope->export.context->profile, host);
	const char *kind = page_kind_name(source->kind);
	struct json *json = &scope->export.json;

	json_write(json, "'");
	(void)fputs(kind, json->out);
	if (source->name[0] && strcmp(source->name, kind) != 0) {
		(void)putc_unlocked(' ', json->out);
		json_escape_name(json, source->name);
	}
	(void)fputs(name[0] ? ", " : "", json->out);
	json_escape_name(json, name);
	if (scope->export.reader.waits.several_hosts)
		(void)fprintf(json->out, " (host %" PRIu32 ")", host);
	(void)putc_unlocked('"', json->out);
}

/* Writes the profile that begins with an event. Returns where it ends. */
static size_t write_profile(struct scope *scope, size_t first)
{
	const struct export_event *events = scope->export.events.items, *event = &events[first];
	const struct profile_source *source = &scope->export.reader.sources[event->of.source];
	const uint32_t host = host_of(&scope->export, event);
	struct json *json = &scope->export.json;
	uint64_t total = 0;
	size_t end = first;

	json_write(json, "\n{'type':'sampled','name':");
	write_title(scope, source, host);
	json_write(json, "'unit':%s,'samples':[", strcmp(source->weight_unit, "ns") ? "none" : "nanoseconds");
	for (; end < scope->export.events.count && events[end].of.source == event->of.source &&
	       host_of(&scope->export, &events[end]) == host; end++) {
		json_write(json, "\n[");
		write_owner(scope, &scope->export.tasks[events[end].of.task]);
		export_frames(&scope->export, &events[end], write_frame, scope);
		write_object(scope, events[end].of.object);
		json_write(json, "]");
		total += events[end].weight;
	}
	json_write(json, "\n],'weights':[");
	for (size_t i = first; i < end; i++)
		json_write(json, "%ju", events[i].weight);
	json_write(json, "],'startValue':0,'endValue':%ju}", total);
	return end;
}

static int show_speedscope(const struct view_context *context)
{
	_cleanup_(scope_deinit) struct scope scope = {0};
	struct export *export = &scope.export;
	int r = scope_init(&scope, context);

	if (r < 0)
		return r;
	add_up(export);
	json_write(&export->json, "{'$schema':'https://www.speedscope.app/file-format-schema.json',"
				  "'exporter':'rwalker-report','profiles':[");
	for (size_t i = 0; i < export->events.count && !export->error;)
		i = write_profile(&scope, i);
	json_write(&export->json, "\n],'shared':{'frames':[");
	export_check(export, scope.list.failed || fflush(scope.list.out) != 0 ? -ENOMEM : 0);
	(void)fwrite_unlocked(scope.text, 1, scope.length, context->out);
	json_write(&export->json, "\n]}}");
	return export_end(export);
}

const struct view speedscope_view = {
	VIEW_NAME("export speedscope"),
	.print_all = show_speedscope, .kinds = VIEW_ANY_KIND, .needs = PROFILE_EACH_EVENT, .bare = true,
	.exports = true,
};

/* --- chrome --- */

/*
 * --export chrome: the JSON of trace events, thread by thread. A wait is a complete event ("X") in the row of its
 * thread, as long as its weight. A wakeup by a task is one of length 0 in the row of the waker, with an arrow ("s",
 * "f") to the end of the wait. Samples, hits and walked tasks are instants ("i").
 */

enum { MANY_WAITS = 500000 };

/* Writes the kind and the thread. */
static void begin_event(struct export *export, const char *kind, uint32_t task)
{
	json_write(&export->json, "\n{'ph':%s,'pid':%ju,'tid':%ju", kind,
		   export_number(export, task, export->tasks[task].tgid),
		   export_number(export, task, export->tasks[task].tid));
}

/* If a process was moved to another container, its last name counts. */
static void write_names(struct export *export, uint32_t task)
{
	begin_event(export, "M", task);
	json_write(&export->json, "'name':'thread_name','args':{'name':%-s}}", export->tasks[task].comm);
	begin_event(export, "M", task);
	json_write(&export->json, "'name':'process_name','args':{'name':");
	export_write_process(export, task);
	json_write(&export->json, "}}");
}

/* A wakeup by an interrupt is an instant: an interrupt has no row, and that of the interrupted task is not its own. */
static void write_event(struct export *export, const struct export_event *event)
{
	const bool wait = event->of.kind == EXPORT_WAIT, wakeup = event->of.kind == EXPORT_WAKEUP;
	const char *container = profile_container(export->tasks[event->of.task].cgroup);
	const char *kind = page_kind_name(export->reader.sources[event->of.source].kind);
	const bool instant = !wait && !(wakeup && !event->interrupt);
	struct json *json = &export->json;

	begin_event(export, instant ? "i" : "X", event->of.task);
	json_write(json, "'ts':%.3ju", event->time);
	if (instant)
		json_write(json, "'s':'t'");
	else
		json_write(json, "'dur':%.3ju", wait ? event->weight : 0);
	json_write(json, "'cat':%s,'name':%-s,'args':{", wait ? "wait" : wakeup ? "wakeup" : kind,
		   event->interrupt ? "wakeup by an interrupt" : event->name);
	if (*container) /* each event has its own, because its thread may be moved */
		json_write(json, "'container':%s", container);
	export_write_details(export, event, true);
	json_write(json, "}}");
}

/* An arrow begins at a wakeup by a task, and ends where the wait does. */
static void write_arrow(struct export *export, const struct export_event *event)
{
	const bool wait = event->of.kind == EXPORT_WAIT;

	if (!event->wait || event->wait->waker == PROFILE_NO_TASK || wake_is_interrupt(event->wait->waker_context))
		return;
	begin_event(export, wait ? "f" : "s", event->of.task);
	json_write(&export->json, "'ts':%.3ju,'cat':'wakeup','name':'wakeup'", event->time + (wait ? event->weight : 0));
	json_write(&export->json, wait ? "'bp':'e','id':%zu}" : "'id':%zu}",
		   (size_t)(event->wait - export->reader.waits.items));
}

static void write_events(struct export *export)
{
	const struct export_event *events = export->events.items;
	size_t waits = 0, wakeups = 0, next = 0;

	for (size_t i = 0; i < export->events.count; i++) {
		waits += events[i].of.kind == EXPORT_WAIT;
		wakeups += events[i].of.kind == EXPORT_WAKEUP;
	}
	if (waits > MANY_WAITS)
		page_comment(export->context, stderr,
			     "%zu waits are more than most viewers can show: --time or -m chooses some", waits);
	for (size_t i = 0; i < export->events.count; i++) {
		if (i == next) {
			write_names(export, events[i].of.task);
			next = export_task_end(export, i);
		}
		write_event(export, &events[i]);
		if (waits && wakeups) /* else an arrow has one end only */
			write_arrow(export, &events[i]);
	}
}

static int show_chrome(const struct view_context *context)
{
	_cleanup_(export_close) struct export export;
	int r = export_open(&export, context);

	if (r < 0)
		return r;
	json_write(&export.json, "{'displayTimeUnit':'ns','traceEvents':[");
	write_events(&export);
	json_write(&export.json, "\n]}");
	return export_end(&export);
}

const struct view chrome_view = {
	VIEW_NAME("export chrome"),
	.print_all = show_chrome, .kinds = VIEW_ANY_KIND, .needs = PROFILE_EACH_EVENT, .bare = true,
	.exports = true,
};
