/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reporter in one process: makes a profile from bytes in memory and prints every view of it to
 * a stream that keeps only a sum, and detects bytes that must never reach a terminal. For damaged
 * or made-up traces.
 */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/crc32c.h"
#include "report/profile/profile_account.h"
#include "report/read/trace_file.h"
#include "report/tool/tool.h"
#include "report/view/view.h"

struct text_sink {
	uint64_t bytes;
	uint32_t sum;
	bool raw; /* a control character, or a byte that never occurs in UTF-8 */
	bool tabs; /* tabs are allowed */
	uint8_t last;
};

/* Classes of bytes: 1 never occurs, 2 starts what 4 must not end: C1 controls in UTF-8. */
static inline void text_sink_kinds(const struct text_sink *sink, uint8_t kinds[256])
{
	for (unsigned int i = 0; i < 256; i++)
		kinds[i] = (uint8_t)(((i < 0x20 && i != '\n') || i == 0x7f || i >= 0xf8) | (i == 0xc2) << 1 |
				     (i >= 0x80 && i < 0xa0) << 2);
	if (sink->tabs)
		kinds['\t'] = 0;
}

static inline ssize_t text_sink_write(void *cookie, const char *text, size_t length)
{
	struct text_sink *sink = cookie;
	uint8_t kinds[256], found = 0, last = sink->last;

	text_sink_kinds(sink, kinds);
	for (size_t i = 0; i < length; i++) {
		uint8_t kind = kinds[(uint8_t)text[i]];

		found |= (uint8_t)((kind & 1) | (last & kind >> 1 & 2));
		last = kind;
	}
	sink->raw |= found;
	sink->last = last;
	sink->bytes += length;
	sink->sum = crc32c(sink->sum, text, length);
	return (ssize_t)length;
}

/* No files of this machine are read. */
static inline int report_run_read(const void *bytes, size_t length, const struct profile_filter *filter,
				  struct profile **ret_profile)
{
	int fd = memfd_create("trace", MFD_CLOEXEC), r;
	const struct profile_names names = {0};
	char path[32];
	const char *paths[] = {path};

	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = profile_create(paths, 1, filter, &names, ret_profile);
	close(fd);
	return r;
}

/* Output that is not text goes to a file, and is not checked. */
static inline int report_run_file(const struct view_context *context, const struct view *view)
{
	struct view_context with_file = *context;
	int fd = memfd_create("export", MFD_CLOEXEC), r;

	with_file.out = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!with_file.out)
		abort();
	r = views_print(&with_file, view);
	if (fclose(with_file.out) != 0)
		abort();
	return r;
}

/*
 * `wanted`: bits, of `views`. Returns the first error of a view; except that machine-readable
 * lines may refuse several sources, or too many intervals (-EINVAL).
 */
static inline int report_run_print(struct profile *profile, const struct view_settings *settings, uint32_t wanted,
				   struct text_sink *sink)
{
	const cookie_io_functions_t functions = {.write = text_sink_write};
	const struct view_context context = {
		.profile = profile, .settings = settings, .out = fopencookie(sink, "w", functions)};
	FILE *usual = stderr;
	int first = 0;

	if (!context.out)
		abort();
	stderr = context.out; /* a variable in glibc; machine-readable lines print their account there */
	for (unsigned int i = 0; i < VIEW_COUNT; i++) {
		int r = 0;

		sink->tabs = views[i] == &perf_script_view; /* as perf prints them */
		if (wanted >> i & 1 && !views[i]->must_compare) /* there is one profile */
			r = views[i]->binary ? report_run_file(&context, views[i]) : views_print(&context, views[i]);
		if (r < 0 && !first && !((views[i]->bare || settings->interval) && r == -EINVAL))
			first = r;
		if (fflush(context.out))
			abort();
	}
	stderr = usual;
	fclose(context.out);
	return first;
}

/* Refused: not a trace, a trace of another version, or too large. */
static inline bool report_run_may_return(int r)
{
	return r == 0 || r == -ENODATA || r == -EPROTONOSUPPORT;
}

/* Runs a tool on the file; `rewritten` is what it may write. Returns what is wrong, or NULL. */
static inline const char *report_run_tool(const struct tool *tool, const char *path, const char *rewritten, bool verbose,
					  int *ret_result)
{
	const cookie_io_functions_t functions = {.write = text_sink_write};
	const struct profile_filter everything = {.to = UINT64_MAX};
	struct text_sink sink = {0};
	const struct tool_request request = {.paths = &path, .path_count = 1, .filter = &everything,
					     .names = &(struct profile_names){0}, .output = rewritten,
					     .partial = true, .verbose = verbose,
					     .out = fopencookie(&sink, "w", functions)};
	bool damaged = false;

	if (!request.out)
		abort();
	*ret_result = tool->run(&request, &damaged);
	fclose(request.out);
	return !report_run_may_return(*ret_result) ? tool_name(tool) : sink.raw ? "a tool prints raw bytes" : NULL;
}

/* The result of --condense or --scrub is whole, holds no memory and no command line, and can be read. */
static inline const char *report_run_rewritten(const char *path, int *ret_result)
{
	const struct profile_filter everything = {.to = UINT64_MAX};
	struct profile_account account;
	const char *wrong = NULL;
	struct profile *profile;
	struct trace_file *file;

	*ret_result = trace_file_open(path, NULL, &file);
	if (*ret_result)
		return "a rewritten trace";
	for (size_t i = 0; i < file->model_count; i++)
		if (file->models[i].statistics[RWK_CHUNK_SNAPSHOTS].chunks || file->models[i].malformed_chunks ||
		    trace_model_meta(&file->models[i], "command_line"))
			wrong = "a rewritten trace has snapshots or a command line, or is malformed";
	trace_file_close(file);
	*ret_result = profile_create(&path, 1, &everything, &(struct profile_names){0}, &profile);
	if (*ret_result)
		return "a rewritten trace's profile";
	profile_account(profile, &account);
	for (size_t i = 0; i < account.count; i++)
		if (strstr(account.notes[i].text, "damaged") || strstr(account.notes[i].text, "read in part"))
			wrong = "a rewritten trace is damaged";
	profile_destroy(profile);
	return wrong;
}
