/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the reporter must do with any trace whose checksums are right: read it, or refuse it for one
 * of the known reasons, print every view and tool without a raw byte, and condense it into a trace
 * that is not reported as damaged. Filters and settings are drawn at random.
 */
#pragma once

#include "report/read/trace_file.h"
#include "report/tool/tool.h"
#include "report/view/text/view.h"
#include "tests/fault/report_run.h"
#include "tests/random.h"

static inline struct profile_filter mutant_filter(struct random *random)
{
	struct profile_filter filter = {.to = UINT64_MAX, .each_event = true};
	uint64_t choice = random_below(random, 16);

	if (choice == 0)
		filter.sources = 1U << random_below(random, PROFILE_SOURCE_KINDS);
	else if (choice == 1)
		filter.user_only = true;
	else if (choice == 2)
		filter.kernel_only = true;
	else if (choice == 3)
		filter.each_address = true;
	else if (choice == 4)
		filter.from_moment = (struct profile_moment){PROFILE_MOMENT_WALL, random_next(random)};
	else if (choice == 5)
		filter.to_moment = (struct profile_moment){PROFILE_MOMENT_OFFSET, random_next(random) >> 30};
	else if (choice == 6)
		filter.least_wait = 1 << 20;
	else if (choice < 10)
		filter.apart = true;
	if (choice == 6 || choice > 7)
		filter.everyone = true;
	return filter;
}

static inline struct view_settings mutant_settings(struct random *random, const struct profile_filter *filter)
{
	uint64_t bits = random_next(random);

	return (struct view_settings){
		.filters = "",
		.user_only = filter->user_only,
		.kernel_only = filter->kernel_only,
		.some_waits = filter->least_wait,
		.addresses = bits & 1,
		.offsets = bits & 2,
		.timestamps = bits & 4,
		.per_process = bits & 8,
		.delimited = bits & 16,
		.min_share = bits & 32 ? 2500 : 0,
		.max_groups = bits & 64 ? 3 : 0,
		.at = {PROFILE_MOMENT_OFFSET, random_next(random) >> (40 + bits % 20)},
		.at_around = bits & 128 ? 1ULL << 30 : 0,
	};
}

enum { MUTANT_ALL_VIEWS = 100, MUTANT_TOOLS = 10 };

struct mutant_run {
	uint64_t number;
	struct random random; /* which filters and settings */
	const char *path, *condensed; /* of the mutant; of the file that tools may write */
	const char *wrong; /* what went wrong; NULL: nothing */
	int result;	   /* of the step that went wrong */
};

static inline void mutant_expect(struct mutant_run *run, bool condition, const char *what, int result)
{
	if (condition || run->wrong)
		return;
	run->wrong = what;
	run->result = result;
}

/* Refused: not a trace, a trace of another version, or too large. */
static inline bool mutant_may_return(int r)
{
	return r == 0 || r == -ENODATA || r == -EPROTONOSUPPORT;
}

/* Two views per mutant, each pair in turn; sometimes all. */
static inline uint32_t mutant_wanted(uint64_t number)
{
	unsigned int first = number % VIEW_KINDS, other = 1 + number / VIEW_KINDS % (VIEW_KINDS - 1);

	if (number % MUTANT_ALL_VIEWS == 0)
		return UINT32_MAX;
	return 1U << first | 1U << (first + other) % VIEW_KINDS;
}

static inline void mutant_views(struct mutant_run *run)
{
	const struct profile_filter filter = mutant_filter(&run->random);
	const struct view_settings settings = mutant_settings(&run->random, &filter);
	const uint32_t wanted = mutant_wanted(run->number);
	struct text_sink sink = {0};
	struct profile *profile;
	int r = profile_create(&run->path, 1, &filter, &(struct profile_names){0}, &profile);

	/* -EINVAL: no recording contains that moment. */
	mutant_expect(run, mutant_may_return(r) || (r == -EINVAL && (filter.from_moment.kind || filter.to_moment.kind)),
		      "the profile", r);
	if (r < 0)
		return;
	r = report_run_print(profile, &settings, wanted, &sink);
	mutant_expect(run, r == 0, "a view", r);
	mutant_expect(run, !sink.raw, "a view prints raw bytes", 0);
	profile_destroy(profile);
}

static inline int mutant_tool(struct mutant_run *run, enum tool_kind kind)
{
	const cookie_io_functions_t functions = {.write = text_sink_write};
	const struct profile_filter everything = {.to = UINT64_MAX};
	struct text_sink sink = {0};
	const struct tool_request request = {.paths = &run->path, .path_count = 1, .filter = &everything,
					     .names = &(struct profile_names){0}, .output = run->condensed,
					     .partial = true, .verbose = random_below(&run->random, 2),
					     .scrub = kind == TOOL_SCRUB,
					     .out = fopencookie(&sink, "w", functions)};
	bool damaged = false;
	int r;

	if (!request.out)
		abort();
	r = tools[kind].run(&request, &damaged);
	fclose(request.out);
	mutant_expect(run, mutant_may_return(r), tools[kind].name, r);
	mutant_expect(run, !sink.raw, "a tool prints raw bytes", 0);
	return r;
}

/* The result of --condense or --scrub is whole, holds no memory, and can be read. */
static inline void mutant_condensed(struct mutant_run *run)
{
	const struct profile_filter everything = {.to = UINT64_MAX};
	struct profile *profile;
	struct trace_file *file;
	int r = trace_file_open(run->condensed, NULL, &file);

	mutant_expect(run, r == 0, "the condensed trace", r);
	for (size_t i = 0; r == 0 && i < file->model_count; i++)
		mutant_expect(run, !file->models[i].statistics[RWK_CHUNK_SNAPSHOTS].chunks &&
			      !file->models[i].malformed_chunks, "a condensed trace has snapshots, or is malformed", 0);
	if (r == 0)
		trace_file_close(file);
	r = profile_create(&run->condensed, 1, &everything, &(struct profile_names){0}, &profile);
	mutant_expect(run, r == 0, "the condensed trace's profile", r);
	if (r == 0)
		profile_destroy(profile);
}

/* Judges a mutant completely. One of MUTANT_TOOLS mutants goes through each tool. */
static inline void mutant_judge(struct mutant_run *run)
{
	static const enum tool_kind kinds[] = {TOOL_INFO, TOOL_NEEDS, TOOL_DUMP, TOOL_CONDENSE, TOOL_SCRUB};
	const uint64_t turn = run->number % MUTANT_TOOLS;

	mutant_views(run);
	if (turn >= sizeof(kinds) / sizeof(*kinds) || mutant_tool(run, kinds[turn]) < 0)
		return;
	if (tools[kinds[turn]].writes)
		mutant_condensed(run);
	(void)unlink(run->condensed);
}
