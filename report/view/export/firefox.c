/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/profile/seam/profile_origin.h"
#include "report/view/export/export.h"
#include "report/view/look/container_text.h"
#include "report/view/text/page.h"

/*
 * --export firefox: the processed format of the Firefox Profiler, which upgrades older versions when it loads them. A
 * thread has its CPU samples; waits, wakeups, hits and walked tasks are markers with the stack as their cause. A thread
 * that changed its comm, or was moved to another control group, is exported as several. Each has tables of its own,
 * with what it uses, numbered in the order of first use.
 */

enum { MS_PLACES = 6, NONE = UINT32_MAX };
enum category { OTHER, KERNEL, USER, WAIT };

struct firefox {
	struct export export;
	const struct profile_node *nodes;
	const struct profile_frame *frames;
	bool timed; /* all CPU samples weigh ns; else they weigh cycles */
	/* Of this thread: */
	const struct export_event *first, *last;
	ARRAY(uint32_t) stacks;	   /* the node of each */
	ARRAY(uint32_t) called;	   /* the function of each frame */
	ARRAY(const char *) names; /* of markers, few: not safe to print */
	uint32_t *stack_of, *frame_of; /* by node, by function: its number, plus 1; 0: not in this thread */
};

static void firefox_deinit(struct firefox *firefox)
{
	export_close(&firefox->export);
	array_free(&firefox->stacks);
	array_free(&firefox->called);
	array_free(&firefox->names);
	free(firefox->stack_of);
	free(firefox->frame_of);
}

static int firefox_init(struct firefox *firefox, const struct view_context *context)
{
	const struct event_reader *reader = &firefox->export.reader;
	size_t nodes, frames;
	int r = export_open(&firefox->export, context);

	if (r < 0)
		return r;
	firefox->nodes = profile_nodes(context->profile, &nodes);
	firefox->frames = profile_frames(context->profile, &frames);
	firefox->stack_of = calloc(nodes + 1, sizeof(uint32_t));
	firefox->frame_of = calloc(frames + 1, sizeof(uint32_t)); /* each function has a frame, but FUNCTION_NONE */
	firefox->timed = true;
	for (size_t i = 0; i < reader->source_count; i++)
		if (reader->sources[i].kind == PROFILE_CPU)
			firefox->timed &= !strcmp(reader->sources[i].weight_unit, "ns");
	return firefox->stack_of && firefox->frame_of ? 0 : -ENOMEM;
}

static void write_meta(struct firefox *firefox)
{
	struct json_text *json = &firefox->export.json;

	json_text_begin_object(json, "meta");
	json_text_uint(json, "interval", 1);
	json_text_point(json, "startTime", firefox->export.earliest, MS_PLACES);
	json_text_format(json,
		"'processType':0,'product':'rwalker','stackwalk':1,'debug':false,'version':27,"
		"'preprocessedProfileVersion':48,'symbolicated':true,'usesOnlyOneStackType':true,"
		"'doesNotUseFrameImplementation':true,'sourceCodeIsNotOnSearchfox':true,"
		"'sampleUnits':{'time':'ms','eventDelay':'ms','threadCPUDelta':'%s'}",
		firefox->timed ? "ns" : "variable CPU cycles");
	json_text_format(json, /* in the order of enum category */
		"'categories':[{'name':'Other','color':'grey','subcategories':['Other']},"
		"{'name':'Kernel','color':'orange','subcategories':['Other']},"
		"{'name':'User','color':'yellow','subcategories':['Other']},"
		"{'name':'Wait','color':'blue','subcategories':['Other']}]");
	json_text_format(json,
		"'markerSchema':[{'name':'rwalker','tooltipLabel':'{marker.name}',"
		"'tableLabel':'{marker.data.state} {marker.data.waitedFor} {marker.data.task}',"
		"'display':['marker-chart','marker-table','timeline-overview'],'data':["
		"{'key':'state','label':'State','format':'string','searchable':true},"
		"{'key':'waitedFor','label':'Waited for','format':'string','searchable':true},"
		"{'key':'runQueue','label':'Run queue','format':'duration','searchable':true},"
		"{'key':'context','label':'Woken by','format':'string','searchable':true},"
		"{'key':'task','label':'Waker or woken','format':'string','searchable':true},"
		"{'key':'tid','label':'Its tid','format':'integer','searchable':true},"
		"{'key':'wakerStack','label':'The waker\\u0027s stack','format':'string','searchable':true}]}]");
	json_text_end_object(json);
}

/* --- the tables of a thread: an object of columns each --- */

static int find_function(struct firefox *firefox, uint32_t node)
{
	uint32_t function;
	int r = functions_find_node(firefox->export.functions, node, &function);

	if (r < 0 || firefox->frame_of[function])
		return r;
	r = array_push(&firefox->called, function);
	firefox->frame_of[function] = (uint32_t)firefox->called.count;
	return r;
}

/* Numbers the node and those of its callers that have no number yet, callers first. */
static int find_stack(struct firefox *firefox, uint32_t node)
{
	const size_t first = firefox->stacks.count;
	int r = 0;

	for (; !r && node && !firefox->stack_of[node]; node = firefox->nodes[node].parent)
		r = array_push(&firefox->stacks, node);
	for (size_t i = first, end = firefox->stacks.count; i + 1 < end; i++) {
		node = firefox->stacks.items[--end];
		firefox->stacks.items[end] = firefox->stacks.items[i];
		firefox->stacks.items[i] = node;
	}
	for (size_t i = first; !r && i < firefox->stacks.count; i++) {
		firefox->stack_of[firefox->stacks.items[i]] = (uint32_t)i + 1;
		r = find_function(firefox, firefox->stacks.items[i]);
	}
	return r;
}

static int begin_tables(struct firefox *firefox)
{
	int r = 0;

	for (size_t i = 0; i < firefox->stacks.count; i++)
		firefox->stack_of[firefox->stacks.items[i]] = 0;
	for (size_t i = 0; i < firefox->called.count; i++)
		firefox->frame_of[firefox->called.items[i]] = 0;
	firefox->stacks.count = firefox->called.count = firefox->names.count = 0;
	for (const struct export_event *event = firefox->first; !r && event < firefox->last; event++)
		r = find_stack(firefox, event->of.node);
	return r;
}

static uint32_t stack_of(const struct firefox *firefox, uint32_t node)
{
	return node ? firefox->stack_of[node] - 1 : NONE;
}

static uint32_t frame_of(const struct firefox *firefox, size_t i)
{
	uint32_t function = FUNCTION_NONE;

	(void)functions_find_node(firefox->export.functions, firefox->stacks.items[i], &function); /* found before */
	return firefox->frame_of[function] - 1;
}

static uint32_t category_of(const struct firefox *firefox, size_t i)
{
	return firefox->frames[firefox->nodes[firefox->stacks.items[i]].frame].kernel ? KERNEL : USER;
}

static uint32_t prefix_of(const struct firefox *firefox, size_t i)
{
	return stack_of(firefox, firefox->nodes[firefox->stacks.items[i]].parent);
}

static uint32_t self_of(const struct firefox *firefox, size_t i)
{
	(void)firefox;
	return (uint32_t)i;
}

/* The texts are the names of markers, then a name and a module for each function. */
static uint32_t name_of(const struct firefox *firefox, size_t i)
{
	return (uint32_t)(firefox->names.count + 2 * i);
}

static uint32_t module_of(const struct firefox *firefox, size_t i)
{
	const char *module = functions_module(firefox->export.functions, firefox->called.items[i]);

	return module[0] ? name_of(firefox, i) + 1 : NONE;
}

static void write_number(struct json_text *json, uint32_t number)
{
	if (number == NONE)
		json_text_null(json, NULL);
	else
		json_text_uint(json, NULL, number);
}

struct column {
	const char *name, *constant;
	uint32_t (*value)(const struct firefox *firefox, size_t i);
};

static void write_table(struct firefox *firefox, const char *name, const struct column *column, size_t length)
{
	struct json_text *json = &firefox->export.json;

	json_text_begin_object(json, name);
	for (; column->name; column++) {
		json_text_begin_array(json, column->name);
		for (size_t i = 0; i < length; i++)
			if (column->value)
				write_number(json, column->value(firefox, i));
			else
				json_text_format(json, "%s", column->constant);
		json_text_end_array(json);
	}
	json_text_uint(json, "length", length);
	json_text_end_object(json);
}

static void write_texts(struct firefox *firefox)
{
	const struct functions *functions = firefox->export.functions;
	struct json_text *json = &firefox->export.json;

	json_text_begin_array(json, "stringArray");
	for (size_t i = 0; i < firefox->names.count; i++)
		json_text_name(json, NULL, firefox->names.items[i]);
	for (size_t i = 0; i < firefox->called.count; i++) {
		const char *name = functions_name(functions, firefox->called.items[i]);

		json_text_begin_value(json, NULL);
		(void)putc_unlocked('"', json->out);
		json_text_escape(json->out, name, strlen(name));
		(void)fprintf(json->out, "%s\"", functions_mark(functions, firefox->called.items[i]));
		json_text_printable(json, NULL, functions_module(functions, firefox->called.items[i]));
	}
	json_text_end_array(json);
}

static void write_tables(struct firefox *firefox)
{
	static const struct column stacks[] = {
		{"frame", NULL, frame_of}, {"category", NULL, category_of}, {"subcategory", "0", NULL},
		{"prefix", NULL, prefix_of}, {0}};
	static const struct column frames[] = {
		{"address", "-1", NULL}, {"inlineDepth", "0", NULL}, {"category", "null", NULL},
		{"subcategory", "null", NULL}, {"func", NULL, self_of}, {"nativeSymbol", "null", NULL},
		{"innerWindowID", "null", NULL}, {"implementation", "null", NULL}, {"line", "null", NULL},
		{"column", "null", NULL}, {0}};
	static const struct column functions[] = {
		{"isJS", "false", NULL}, {"relevantForJS", "false", NULL}, {"name", NULL, name_of},
		{"resource", "-1", NULL}, {"fileName", NULL, module_of}, {"lineNumber", "null", NULL},
		{"columnNumber", "null", NULL}, {0}};

	write_table(firefox, "stackTable", stacks, firefox->stacks.count);
	write_table(firefox, "frameTable", frames, firefox->called.count);
	write_table(firefox, "funcTable", functions, firefox->called.count);
	json_text_format(&firefox->export.json,
		"'resourceTable':{'lib':[],'name':[],'host':[],'type':[],'length':0},"
		"'nativeSymbols':{'libIndex':[],'address':[],'name':[],'functionSize':[],'length':0}");
	write_texts(firefox);
}

/* --- samples and markers: columns, too --- */

static void write_other(struct firefox *firefox, uint32_t task)
{
	json_text_name(&firefox->export.json, "task", export_task(&firefox->export, task)->comm);
	json_text_uint(&firefox->export.json, "tid", export_task(&firefox->export, task)->tid);
}

static void write_wait(struct firefox *firefox, const struct export_event *event)
{
	const struct profile_wait *wait = event->wait;
	const char *context = export_waker_context(wait);
	struct json_text *json = &firefox->export.json;

	export_write_state(&firefox->export, "state", event);
	export_write_object(&firefox->export, "waitedFor", event);
	json_text_point(json, "runQueue", wait->run_queue, MS_PLACES);
	if (context)
		json_text_printable(json, "context", context);
	if (wait->waker != PROFILE_NO_TASK)
		write_other(firefox, wait->waker);
	export_write_waker_stack(&firefox->export, "wakerStack", wait);
}

/* A marker of an interrupt has no cause if there are user frames in it: they belong to an unrelated task. */
static bool has_cause(struct firefox *firefox, const struct export_event *event)
{
	if (!event->interrupt)
		return event->of.node;
	return event->of.node && firefox->frames[firefox->nodes[event->of.node].frame].kernel;
}

static void write_data(struct firefox *firefox, const struct export_event *event)
{
	struct json_text *json = &firefox->export.json;

	json_text_begin_object(json, NULL);
	json_text_printable(json, "type", "rwalker");
	if (has_cause(firefox, event)) {
		json_text_begin_object(json, "cause");
		json_text_point(json, "time", (uint64_t)event->time, MS_PLACES);
		json_text_uint(json, "stack", stack_of(firefox, event->of.node));
		json_text_end_object(json);
	}
	if (event->of.kind == EXPORT_WAIT)
		write_wait(firefox, event);
	if (event->of.kind == EXPORT_WAKEUP)
		write_other(firefox, event->wait->task);
	if (event->walked) {
		export_write_state(&firefox->export, "state", event);
		export_write_object(&firefox->export, "waitedFor", event);
	}
	json_text_end_object(json);
}

/* The number of a marker's name in the texts of the thread. */
static size_t find_name(struct firefox *firefox, const char *name)
{
	size_t i = 0;

	while (i < firefox->names.count && strcmp(firefox->names.items[i], name) != 0)
		i++;
	if (i == firefox->names.count)
		export_check(&firefox->export, array_push(&firefox->names, name));
	return i;
}

enum event_column { STACK, TIME, WEIGHT, CPU_DELTA, SAMPLE_COLUMNS, NAME = SAMPLE_COLUMNS, START, END, PHASE, CATEGORY,
		    DATA, EVENT_COLUMNS };

static void write_value(struct firefox *firefox, const struct export_event *event, enum event_column column)
{
	struct json_text *json = &firefox->export.json;
	const bool wait = event->of.kind == EXPORT_WAIT; /* an interval, else an instant */

	if (column == STACK)
		write_number(json, stack_of(firefox, event->of.node));
	else if (column == TIME || column == START)
		json_text_point(json, NULL, (uint64_t)event->time, MS_PLACES);
	else if (column == END && !wait)
		json_text_null(json, NULL);
	else if (column == END)
		json_text_point(json, NULL, (uint64_t)event->time + event->weight, MS_PLACES);
	else if (column == DATA)
		write_data(firefox, event);
	else if (column == WEIGHT || column == CPU_DELTA)
		json_text_point(json, NULL, event->weight, column == WEIGHT && firefox->timed ? MS_PLACES : 0);
	else
		json_text_uint(json, NULL, column == NAME ? find_name(firefox, event->name) :
					   column == PHASE ? wait : wait ? WAIT : OTHER);
}

/* Columns of the samples, or of the other events, and their length. */
static void write_events(struct firefox *firefox, enum event_column column, enum event_column end)
{
	static const char *const names[] = {"stack", "time", "weight", "threadCPUDelta",
					    "name", "startTime", "endTime", "phase", "category", "data"};
	struct json_text *json = &firefox->export.json;
	const bool samples = column < SAMPLE_COLUMNS;
	size_t length = 0;

	for (; column < end; column++) {
		length = 0;
		(column == DATA ? json_text_begin_rows : json_text_begin_array)(json, names[column]);
		for (const struct export_event *event = firefox->first; event < firefox->last; event++)
			if (samples == (event->of.kind == EXPORT_SAMPLE)) {
				write_value(firefox, event, column);
				length++;
			}
		json_text_end_array(json);
	}
	if (samples)
		json_text_printable(json, "weightType", firefox->timed ? "tracing-ms" : "samples");
	json_text_uint(json, "length", length);
}

static void write_thread(struct firefox *firefox)
{
	const uint32_t task = firefox->first->of.task;
	const struct profile_task *row = export_task(&firefox->export, task);
	struct json_text *json = &firefox->export.json;

	json_text_begin_object(json, NULL);
	json_text_format(json, "'processType':'default','processStartupTime':0,'processShutdownTime':null,"
			       "'registerTime':0,'unregisterTime':null,'pausedRanges':[]");
	json_text_name(json, "name", row->comm);
	json_text_bool(json, "isMainThread", row->tgid == row->tid);
	export_write_process_name(&firefox->export, "processName", task);
	json_text_format(json, "'pid':'%" PRIu64 "','tid':%" PRIu64, export_pid(&firefox->export, task),
			 export_tid(&firefox->export, task));
	json_text_begin_object(json, "samples");
	write_events(firefox, STACK, SAMPLE_COLUMNS);
	json_text_end_object(json);
	json_text_begin_object(json, "markers");
	write_events(firefox, NAME, EVENT_COLUMNS);
	json_text_end_object(json);
	write_tables(firefox);
	json_text_end_object(json);
}

int firefox_view(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	_cleanup_(firefox_deinit) struct firefox firefox = {0};
	struct export *export = &firefox.export;
	int r = firefox_init(&firefox, context);

	(void)number;
	(void)all;
	if (r < 0)
		return r;
	json_text_begin_object(&export->json, NULL);
	write_meta(&firefox);
	json_text_format(&export->json, "'libs':[],'pages':[]");
	json_text_begin_rows(&export->json, "threads");
	for (size_t i = 0, next; i < export->events.count; i = next) {
		next = export_task_end(export, i);
		firefox.first = &export->events.items[i];
		firefox.last = firefox.first + (next - i);
		r = begin_tables(&firefox);
		if (r < 0)
			return r;
		write_thread(&firefox);
	}
	json_text_end_array(&export->json);
	json_text_end_object(&export->json);
	(void)fputc('\n', context->out);
	return export->error;
}
