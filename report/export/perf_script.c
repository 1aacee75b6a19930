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
#include "report/view/view.h"

/*
 * Every event in time order, in the text format of "perf script -F +pid,+period" for samples with
 * call chains:
 *
 *	comm   pid/tid   [cpu] seconds.micros:     period event:
 *	\t        ip symbol+0xoffset (module)
 *
 * and an empty line. There is no room for anything else: the period is the weight, the event the
 * source or probe.
 */

enum { US_PER_SECOND = SECOND / MICROSECOND };

struct script {
	const struct view_context *context;
	struct event_reader reader;
	const struct profile_module *modules;
	const struct profile_frame *frames;
	size_t module_count;
	struct frame_texts texts;
	struct chain chain;
};

static void script_deinit(struct script *script)
{
	frame_texts_deinit(&script->texts);
	chain_deinit(&script->chain);
}

/* perf's names for modules that are not files. */
static const char *module_name(const struct script *script, const struct profile_frame *frame)
{
	const struct profile_module *module = frame->module < script->module_count ?
					      &script->modules[frame->module] : NULL;

	if (!module || !frame->module)
		return "[unknown]";
	if (module->kernel)
		return strcmp(module->name, "[kernel]") != 0 ? module->name : "[kernel.kallsyms]";
	return module->path[0] ? module->path : module->name;
}

/* "[libfoo.so]+0x1200+0x34": readers that cut off the offset still get one name for each function. */
static void write_place(const struct script *script, const struct profile_frame *frame,
			const struct profile_symbol *symbol, FILE *out)
{
	const char *name = frame->module < script->module_count ?
			   script->modules[frame->module].name : "unknown";
	bool bracketed = name[0] == '[';

	(void)fputs(bracketed ? "" : "[", out);
	printable_write(out, name, strlen(name));
	(void)fprintf(out, "%s+0x%" PRIx64 "+0x%" PRIx64, bracketed ? "" : "]", symbol->start,
		      symbol->offset);
}

static void write_frame(const void *view, uint32_t number, FILE *out)
{
	const struct script *script = view;
	const struct profile_frame *frame = &script->frames[number];
	const struct profile_symbol *symbol = profile_symbol(script->context->profile, number);
	const char *module = module_name(script, frame);

	(void)fprintf(out, "\t%16" PRIx64 " ",
		      frame->run_time_address ? frame->run_time_address : frame->address);
	if (symbol && symbol->name && symbol->name[0]) {
		printable_write(out, symbol->name, strlen(symbol->name));
		if (!symbol->no_offset)
			(void)fprintf(out, "+0x%" PRIx64, symbol->offset);
	} else if (symbol && symbol->placed) {
		write_place(script, frame, symbol, out);
	} else {
		(void)fputs("[unknown]", out);
	}
	if (symbol && symbol->inlined) {
		(void)fputs(" (inlined)\n", out);
		return;
	}
	(void)fputs(" (", out);
	printable_write(out, module, strlen(module));
	(void)fputs(")\n", out);
}

static int script_init(struct script *script, const struct view_context *context)
{
	size_t frames;

	*script = (struct script){.context = context};
	script->modules = profile_modules(context->profile, &script->module_count);
	script->frames = profile_frames(context->profile, &frames);
	return event_reader_init(&script->reader, context->profile) ?:
	       frame_texts_init(&script->texts, context->profile, write_frame, script);
}

/* Readers take a line that begins with a blank for a frame. */
static void write_comm(const struct profile_task *task, FILE *out)
{
	const char *comm = task->comm;

	if (!comm[0])
		(void)fprintf(out, ":%" PRIu32, task->tid);
	for (; *comm == ' '; comm++)
		(void)fputc('_', out);
	printable_write(out, comm, strlen(comm));
}

/* Must be one word: readers use the last word of the line. */
static void write_event(const struct script *script, const struct profile_event *event, FILE *out)
{
	const char *name = event_reader_name(&script->reader, event);

	if (event->kind == PROFILE_EVENT_WAIT)
		name = "offcpu";
	else if (event->kind == PROFILE_EVENT_WAKEUP)
		name = "wakeup";
	else if (script->reader.sources[event->source].kind == PROFILE_KFUNC)
		(void)fputs("probe:", out);
	for (size_t length; *name; name += length) {
		length = strcspn(name, " ");
		printable_write(out, name, length);
		if (name[length]) {
			(void)fputc('_', out);
			length++;
		}
	}
	(void)fputs(": \n", out);
}

static void write_heading(const struct script *script, const struct profile_event *event)
{
	const struct profile_task *task = &script->reader.waits.tasks[event->task];
	uint64_t us = event->time / MICROSECOND;
	FILE *out = script->context->out;

	write_comm(task, out);
	(void)fprintf(out, " %5" PRIu32 "/%-5" PRIu32 " ", task->tgid, task->tid);
	if (event->cpu != PROFILE_NO_CPU)
		(void)fprintf(out, "[%03u] ", event->cpu);
	(void)fprintf(out, "%5" PRIu64 ".%06" PRIu64 ": %10" PRIu64 " ", us / US_PER_SECOND,
		      us % US_PER_SECOND, event->weight);
	write_event(script, event, out);
}

static int write_chain(struct script *script, const struct profile_event *event)
{
	int r = chain_read(&script->chain, script->context->profile, event->node);
	size_t count = event_reader_frames(event, &script->chain);
	const char *text;

	for (size_t i = 0; !r && i < count; i++) {
		r = frame_texts_find(&script->texts, script->chain.frames.items[i], &text);
		if (!r)
			(void)fputs_unlocked(text, script->context->out);
	}
	return r;
}

static int show_perf_script(const struct view_context *context)
{
	_cleanup_(script_deinit) struct script script;
	struct profile_event event;
	int r = script_init(&script, context);

	if (r < 0)
		return r;
	while ((r = event_reader_next(&script.reader, &event)) > 0) {
		write_heading(&script, &event);
		r = write_chain(&script, &event);
		if (r < 0)
			return r;
		(void)fputc('\n', context->out);
	}
	return r;
}

const struct view perf_script_view = {
	VIEW_NAME("export perf-script"),
	.print_all = show_perf_script, .kinds = VIEW_EVENTS, .needs = PROFILE_EACH_EVENT | PROFILE_EACH_ADDRESS,
	.bare = true, .exports = true,
};
