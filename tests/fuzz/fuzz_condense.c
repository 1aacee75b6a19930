/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The traces that fuzz_report_waits makes of any bytes, condensed: no crash; nothing that says of itself that it is damaged, and
 * no snapshot, comes out; and the reporter reads it.
 */
#define LLVMFuzzerTestOneInput report_input
#include "tests/fuzz/fuzz_report_waits.c"
#undef LLVMFuzzerTestOneInput

#include "report/read/trace_file.h"
#include "report/tool/tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_condensed(const char *path)
{
	const struct profile_filter everything = {.to = UINT64_MAX};
	struct profile_account account;
	struct profile *profile;
	struct trace_file *file;

	require(trace_file_open(path, &file) == 0);
	for (size_t i = 0; i < file->model_count; i++)
		require(!file->models[i].statistics[RWK_CHUNK_SNAPSHOTS].chunks && !file->models[i].malformed_chunks &&
			!trace_model_meta(&file->models[i], "command_line"));
	trace_file_close(file);
	require(profile_create(&path, 1, &everything, &(struct profile_names){0}, &profile) == 0);
	profile_account(profile, &account);
	for (size_t i = 0; i < account.count; i++)
		require(!strstr(account.lines[i], "damaged") && !strstr(account.lines[i], "in part only"));
	profile_destroy(profile);
}

static void condense(const struct trace *trace)
{
	const struct profile_filter everything = {.to = UINT64_MAX};
	const struct profile_names names = {0};
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char in[32], out[64];
	const char *path = in;
	const struct tool_request request = {.paths = &path, .path_count = 1, .filter = &everything, .names = &names,
					     .output = out, .partial = true, .out = stdout};
	bool damaged;
	int r;

	require(fd >= 0 && write(fd, trace->bytes, trace->length) == (ssize_t)trace->length);
	snprintf(in, sizeof(in), "/proc/self/fd/%d", fd);
	snprintf(out, sizeof(out), "/dev/shm/fuzz_condense.%d", (int)getpid());
	(void)unlink(out);
	r = tools[TOOL_CONDENSE].run(&request, &damaged);
	require(r == 0 || r == -ENODATA);
	if (r == 0)
		check_condensed(out);
	(void)unlink(out);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct prelude prelude;
	static struct trace trace;

	if (!prelude.length)
		make_prelude(&prelude, SYN_LEAST);
	if (length < PARTS_SETTINGS)
		return 0;
	make_trace(&trace, &prelude, bytes, length);
	condense(&trace);
	return 0;
}
