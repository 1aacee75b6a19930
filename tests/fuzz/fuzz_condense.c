/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The traces that fuzz_report_waits makes of any bytes, condensed or scrubbed (the first byte chooses): no crash, no
 * leak, and the new one is read without a complaint by the reporter and by --dump.
 */
#define LLVMFuzzerTestOneInput report_input
#include "tests/fuzz/fuzz_report_waits.c"
#undef LLVMFuzzerTestOneInput

#include "report/profile/seam/profile_account.h"
#include "report/read/trace_file.h"
#include "report/tool/tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const struct profile_filter rewritten_everything = {.to = UINT64_MAX};

static int rewritten_run(enum tool_kind kind, const char *in, const char *out)
{
	const cookie_io_functions_t functions = {.write = text_sink_write};
	struct text_sink sink = {0};
	const struct tool_request request = {.paths = &in, .path_count = 1, .filter = &rewritten_everything,
					     .names = &(struct profile_names){0}, .output = out, .partial = true,
					     .scrub = kind == TOOL_SCRUB,
					     .out = fopencookie(&sink, "w", functions)};
	bool damaged = false;
	int r;

	require(request.out != NULL);
	r = tools[kind].run(&request, &damaged);
	fclose(request.out);
	require(!sink.raw);
	return r;
}

/* No stack memory, no command line, and with `meta` a record of that name. */
static void rewritten_check_model(const struct trace_model *model, const char *meta)
{
	require(!model->statistics[RWK_CHUNK_SNAPSHOTS].chunks && !model->malformed_chunks);
	require(!trace_model_meta(model, "command_line"));
	require(!meta || trace_model_meta(model, meta));
}

static void rewritten_check(const char *path, const char *meta)
{
	struct profile_account account;
	struct profile *profile;
	struct trace_file *file;

	require(trace_file_open(path, NULL, &file) == 0);
	for (size_t i = 0; i < file->model_count; i++)
		rewritten_check_model(&file->models[i], meta);
	trace_file_close(file);
	require(profile_create(&path, 1, &rewritten_everything, &(struct profile_names){0}, &profile) == 0);
	profile_account(profile, &account);
	for (size_t i = 0; i < account.count; i++)
		require(!strstr(account.notes[i].text, "damaged") && !strstr(account.notes[i].text, "read in part"));
	profile_destroy(profile);
	require(rewritten_run(TOOL_DUMP, path, NULL) == 0);
}

/* The input as a trace, rewritten by a tool. */
static void rewritten_try(const uint8_t *bytes, size_t length, enum tool_kind kind, const char *meta)
{
	static struct prelude prelude;
	static struct trace trace;
	int fd = memfd_create("trace", MFD_CLOEXEC), r;
	char in[32], out[64];

	if (!prelude.length)
		make_prelude(&prelude, SYN_LEAST);
	make_trace(&trace, &prelude, bytes, length);
	require(fd >= 0 && write(fd, trace.bytes, trace.length) == (ssize_t)trace.length);
	snprintf(in, sizeof(in), "/proc/self/fd/%d", fd);
	snprintf(out, sizeof(out), "/dev/shm/fuzz_rewritten.%d", (int)getpid());
	(void)unlink(out);
	r = rewritten_run(kind, in, out);
	require(r == 0 || r == -ENODATA);
	if (r == 0)
		rewritten_check(out, meta);
	(void)unlink(out);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	if (length < PARTS_SETTINGS)
		return 0;
	if (bytes[0] & 1)
		rewritten_try(bytes, length, TOOL_SCRUB, "scrubbed");
	else
		rewritten_try(bytes, length, TOOL_CONDENSE, "condensed");
	return 0;
}
