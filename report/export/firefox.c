/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "common/cleanup.h"
#include "report/export/export.h"
#include "report/view/view.h"

/*
 * --export firefox: the processed format of the Firefox Profiler, which upgrades older versions when it loads them. A
 * thread has its CPU samples; waits, wakeups, hits and walked tasks are markers with the stack as their cause. A thread
 * that changed its comm, or was moved to another control group, is exported as several. All share one table each of
 * stacks, frames, functions and texts, which the file ends with.
 */

enum { MS_PLACES = 6 };
enum category { OTHER, KERNEL, USER, WAIT }; /* as in the text of meta */

struct firefox {
	struct export export;
	const struct profile_node *nodes;
	const struct profile_frame *frames;
	bool timed; /* all CPU samples weigh ns; else they weigh cycles */
	size_t node_count, functions;
	ARRAY(const char *) names; /* of markers, few: not safe to print */
};

static void firefox_deinit(struct firefox *firefox)
{
	export_close(&firefox->export);
	array_free(&firefox->names);
}

static int firefox_init(struct firefox *firefox, const struct view_context *context)
{
	struct export *export = &firefox->export;
	int r = export_open(export, context);
	uint32_t function;
	size_t frames;

	if (r < 0)
		return r;
	firefox->nodes = profile_nodes(context->profile, &firefox->node_count);
	firefox->frames = profile_frames(context->profile, &frames);
	for (uint32_t node = 1; node < firefox->node_count && !r; node++) {
		r = functions_find_node(export->functions, node, &function);
		firefox->functions = !r && function >= firefox->functions ? function + UINT32_C(1) : firefox->functions;
	}
	firefox->timed = true;
	for (size_t i = 0; i < export->reader.source_count; i++)
		if (export->reader.sources[i].kind == PROFILE_CPU)
			firefox->timed &= !strcmp(export->reader.sources[i].weight_unit, "ns");
	return r;
}

/* --- samples and markers: columns, by thread --- */

/* 0 is nothing. */
static void write_number(struct json *json, uint32_t number)
{
	if (number)
		json_write(json, "%u", number - 1);
	else
		json_write(json, "null");
}

/* A marker of an interrupt has no cause if there are user frames in it: they belong to an unrelated task. */
static bool has_cause(const struct firefox *firefox, const struct export_event *event)
{
	return event->of.node && (!event->interrupt || firefox->frames[firefox->nodes[event->of.node].frame].kernel);
}

static void write_data(struct firefox *firefox, const struct export_event *event)
{
	struct json *json = &firefox->export.json;

	json_write(json, "\n{'type':'rwalker'");
	if (has_cause(firefox, event))
		json_write(json, "'cause':{'time':%.*ju,'stack':%u}", MS_PLACES, event->time, event->of.node - 1);
	export_write_details(&firefox->export, event, false);
	json_write(json, "}");
}

/* The number of a marker's name. */
static uint32_t find_name(struct firefox *firefox, const char *name)
{
	uint32_t i = 0;

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
	struct json *json = &firefox->export.json;
	const bool wait = event->of.kind == EXPORT_WAIT; /* an interval, else an instant */

	if (column == STACK || (column == END && !wait))
		write_number(json, column == STACK ? event->of.node : 0);
	else if (column == TIME || column == START || column == END)
		json_write(json, "%.*ju", MS_PLACES, event->time + (column == END ? event->weight : 0));
	else if (column == WEIGHT || column == CPU_DELTA)
		json_write(json, "%.*ju", column == WEIGHT && firefox->timed ? MS_PLACES : 0, event->weight);
	else if (column == DATA)
		write_data(firefox, event);
	else
		json_write(json, "%u", column == NAME ? find_name(firefox, event->name) :
				       column == PHASE ? wait : wait ? WAIT : OTHER);
}

/* Columns of the samples, or of the other events, and their length. */
static void write_events(struct firefox *firefox, size_t first, size_t end, enum event_column column)
{
	static const char *const names[] = {"stack", "time", "weight", "threadCPUDelta",
					    "name", "startTime", "endTime", "phase", "category", "data"};
	const struct export_event *events = firefox->export.events.items;
	struct json *json = &firefox->export.json;
	const bool samples = column < SAMPLE_COLUMNS;
	size_t length = 0;

	for (; column < (samples ? SAMPLE_COLUMNS : EVENT_COLUMNS); column++) {
		json_write(json, "%s:[", names[column]);
		length = 0;
		for (size_t i = first; i < end; i++)
			if (samples == (events[i].of.kind == EXPORT_SAMPLE)) {
				write_value(firefox, &events[i], column);
				length++;
			}
		json_write(json, column == DATA ? "\n]" : "]");
	}
	json_write(json, "'length':%zu}", length);
}

static void write_thread(struct firefox *firefox, size_t first, size_t end)
{
	const uint32_t task = firefox->export.events.items[first].of.task;
	const struct profile_task *row = &firefox->export.tasks[task];
	struct json *json = &firefox->export.json;

	json_write(json, "\n{'processType':'default','processStartupTime':0,'processShutdownTime':null,"
			 "'registerTime':0,'unregisterTime':null,'pausedRanges':[],"
			 "'name':%-s,'isMainThread':%d,'pid':'%ju','tid':%ju,'processName':",
		   row->comm, row->tgid == row->tid, export_number(&firefox->export, task, row->tgid),
		   export_number(&firefox->export, task, row->tid));
	export_write_process(&firefox->export, task);
	json_write(json, "'samples':{'weightType':%s", firefox->timed ? "tracing-ms" : "samples");
	write_events(firefox, first, end, STACK);
	json_write(json, "'markers':{");
	write_events(firefox, first, end, NAME);
	json_write(json, "}");
}

/* --- the tables that they share: an object of columns each --- */

/* A stack is a node of the profile; a function has two frames: for user space, and for the kernel. */
static void write_stacks(struct firefox *firefox)
{
	struct json *json = &firefox->export.json;
	uint32_t function = FUNCTION_NONE;

	json_write(json, "\n'stackTable':{'length':%zu,'frame':[", firefox->node_count - 1);
	for (uint32_t node = 1; node < firefox->node_count; node++) {
		(void)functions_find_node(firefox->export.functions, node, &function); /* found before */
		json_write(json, "%u", 2 * function + firefox->frames[firefox->nodes[node].frame].kernel);
	}
	json_write(json, "],'prefix':[");
	for (uint32_t node = 1; node < firefox->node_count; node++)
		write_number(json, firefox->nodes[node].parent);
	json_write(json, "]}");
}

/* A column of the same value. */
static void write_column(struct json *json, const char *name, const char *value, size_t length)
{
	json_write(json, "%s:[", name);
	for (size_t i = 0; i < length; i++)
		(void)fprintf(json->out, i ? ",%s" : "%s", value);
	json_write(json, "]");
}

static void write_frames(struct firefox *firefox)
{
	static const char *const same[][2] = {{"address", "-1"}, {"inlineDepth", "0"}, {"subcategory", "0"}, {"nativeSymbol", "null"},
					      {"innerWindowID", "null"}, {"line", "null"}, {"column", "null"}};
	const size_t count = 2 * firefox->functions;
	struct json *json = &firefox->export.json;

	json_write(json, "\n'frameTable':{'length':%zu", count);
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		write_column(json, same[i][0], same[i][1], count);
	json_write(json, "'func':[");
	for (size_t i = 0; i < count; i++)
		json_write(json, "%zu", i / 2);
	json_write(json, "],'category':[");
	for (size_t i = 0; i < count; i++)
		json_write(json, "%u", i % 2 ? KERNEL : USER);
	json_write(json, "]}");
}

/* The texts are the names of markers, and a name and a module for each function. */
static void write_functions(struct firefox *firefox)
{
	static const char *const same[][2] = {{"isJS", "false"}, {"relevantForJS", "false"}, {"resource", "-1"},
					      {"lineNumber", "null"}, {"columnNumber", "null"}};
	const struct functions *functions = firefox->export.functions;
	const size_t count = firefox->functions, names = firefox->names.count;
	struct json *json = &firefox->export.json;

	json_write(json, "\n'funcTable':{'length':%zu", count);
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		write_column(json, same[i][0], same[i][1], count);
	json_write(json, "'name':[");
	for (size_t i = 0; i < count; i++)
		json_write(json, "%zu", names + 2 * i);
	json_write(json, "],'source':[");
	for (uint32_t i = 0; i < count; i++)
		write_number(json, *functions_module(functions, i) ? i + 1 : 0);
	json_write(json, "]},'sources':{'length':%zu", count);
	write_column(json, "id", "null", count);
	json_write(json, "'filename':[");
	for (size_t i = 0; i < count; i++)
		json_write(json, "%zu", names + 2 * i + 1);
	json_write(json, "]},\n'stringArray':[");
	for (size_t i = 0; i < names; i++)
		json_write(json, "%-s", firefox->names.items[i]);
	for (uint32_t i = 0; i < count; i++) {
		json_write(json, "'");
		json_escape(json, functions_name(functions, i), strlen(functions_name(functions, i)));
		(void)fprintf(json->out, "%s\"", functions_mark(functions, i));
		json_write(json, "%s", functions_module(functions, i));
	}
	json_write(json, "]");
}

static void write_meta(struct firefox *firefox)
{
	struct json *json = &firefox->export.json;

	json_write(json,
		   "'meta':{'interval':1,'startTime':%.*ju,'processType':0,'product':'rwalker','stackwalk':1,"
		   "'debug':false,'version':27,'preprocessedProfileVersion':60,'symbolicated':true,"
		   "'usesOnlyOneStackType':true,'sourceCodeIsNotOnSearchfox':true,"
		   "'sampleUnits':{'time':'ms','eventDelay':'ms','threadCPUDelta':%s},"
		   "'categories':[{'name':'Other','color':'grey','subcategories':['Other']},"
		   "{'name':'Kernel','color':'orange','subcategories':['Other']},"
		   "{'name':'User','color':'yellow','subcategories':['Other']},"
		   "{'name':'Wait','color':'blue','subcategories':['Other']}]",
		   MS_PLACES, firefox->export.earliest, firefox->timed ? "ns" : "variable CPU cycles");
	json_write(json,
		   "'markerSchema':[{'name':'rwalker','tooltipLabel':'{marker.name}',"
		   "'tableLabel':'{marker.data.state} {marker.data.waited_for}{marker.data.waits_for} "
		   "{marker.data.waker}{marker.data.woken}',"
		   "'display':['marker-chart','marker-table','timeline-overview'],'fields':["
		   "{'key':'state','label':'State','format':'string'},"
		   "{'key':'run_queue_us','label':'Run queue','format':'microseconds'},"
		   "{'key':'waited_for','label':'Waited for','format':'string'},"
		   "{'key':'waits_for','label':'Waits for','format':'string'},"
		   "{'key':'waker_context','label':'Woken by','format':'string'},"
		   "{'key':'waker','label':'Waker','format':'string'},"
		   "{'key':'waker_tid','label':'Its tid','format':'integer'},"
		   "{'key':'waker_stack','label':'Its stack','format':'string'},"
		   "{'key':'woken','label':'Woken','format':'string'},"
		   "{'key':'woken_tid','label':'Its tid','format':'integer'},"
		   "{'key':'cpu','label':'CPU','format':'integer'}]}]}");
}

static int show_firefox(const struct view_context *context)
{
	_cleanup_(firefox_deinit) struct firefox firefox = {0};
	struct export *export = &firefox.export;
	int r = firefox_init(&firefox, context);

	if (r < 0)
		return r;
	json_write(&export->json, "{'libs':[],'pages':[]");
	write_meta(&firefox);
	json_write(&export->json, "'threads':[");
	for (size_t i = 0, next; i < export->events.count; i = next) {
		next = export_task_end(export, i);
		write_thread(&firefox, i, next);
	}
	json_write(&export->json, "\n],'shared':{'resourceTable':{'lib':[],'name':[],'host':[],'type':[],'length':0},"
				  "'nativeSymbols':{'libIndex':[],'address':[],'name':[],'functionSize':[],'length':0}");
	write_stacks(&firefox);
	write_frames(&firefox);
	write_functions(&firefox);
	json_write(&export->json, "}}");
	return export_end(export);
}

const struct view firefox_view = {
	VIEW_NAME("export firefox"),
	.print_all = show_firefox, .kinds = VIEW_ANY_KIND, .needs = PROFILE_EACH_EVENT, .bare = true,
	.exports = true,
};
