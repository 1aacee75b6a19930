/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "format/lz4_block.h"
#include "format/trace.h"
#include "report/profile.h"
#include "report/read/progress.h"
#include "report/report_limits.h"
#include "report/report_options.h"
#include "report/report_output.h"
#include "report/resolve/name_cache.h"
#include "report/resolve/sqlite_file.h"
#include "report/resolve/unpack.h"
#include "report/tool/tool.h"
#include "report/view/view.h"

enum exit_code { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_DAMAGED = 3 };

static void print_version(void)
{
	(void)printf("rwalker-report %s\ntrace format %d.%d\nlz4 %s\nlzma %s\nzstd %s\nlibdeflate %s\nsqlite %s\n", RWALKER_VERSION,
		     RWK_MAJOR, RWK_MINOR, lz4_block_version(), unpack_xz_version(), unpack_zstd_version(), unpack_zlib_version(),
		     sqlite_file_version());
}

static int run_tool(const struct report_options *options, const struct profile_names *names,
		    const struct report_output *output, bool *ret_damaged)
{
	const struct tool_request request = {
		.paths = options->paths.items,
		.path_count = options->paths.count,
		.filter = &options->filter,
		.names = names,
		.verbose = options->settings.addresses,
		.output = options->output,
		.partial = options->partial,
		.out = output->stream,
	};

	return options->tool->run(&request, ret_damaged);
}

static int print_view(struct profile *profile, const struct report_options *options, const struct report_output *output)
{
	struct view_settings settings = options->settings;
	const struct view_context context = {.profile = profile, .settings = &settings, .out = output->stream};
	int r;

	settings.color = output->color;
	r = views_print(&context, options->view);
	if (r == -ENOMEM)
		return log_error(ENOMEM, "there is not enough memory for this report; --max-memory raises the limit");
	if (r == -EBADMSG)
		return log_error(EBADMSG, "the profile contradicts itself; please report this as a fault of rwalker-report");
	return r;
}

static int run_view(const struct report_options *options, const struct profile_names *names,
		    const struct report_output *output, bool *ret_damaged)
{
	struct profile_account account;
	struct profile *profile;
	int r;

	r = profile_create(options->paths.items, options->paths.count, &options->filter, names, &profile);
	if (r < 0)
		return r;
	r = print_view(profile, options, output);
	profile_account(profile, &account);
	*ret_damaged = account.lost;
	profile_destroy(profile);
	return r;
}

static int create_cache(const struct report_options *options, struct name_cache **ret_cache)
{
	const struct name_cache_settings settings = {
		.path = options->cache,
		.make_folders = options->cache_is_default,
	};
	int r = options->cache ? name_cache_create(&settings, ret_cache) : 0;

	return r < 0 ? log_error(-r, "there is not enough memory") : 0;
}

/* What the cache learned is written once the report is out. */
static int run_with_cache(const struct report_options *options, const struct report_output *output, bool *ret_damaged)
{
	struct profile_names names = options->names;
	struct progress progress;
	int r = create_cache(options, &names.cache);

	if (r < 0)
		return r;
	progress_init(&progress);
	names.progress = &progress;
	r = options->tool ? run_tool(options, &names, output, ret_damaged) :
			    run_view(options, &names, output, ret_damaged);
	(void)fflush(output->stream);
	name_cache_save(names.cache);
	name_cache_destroy(names.cache);
	return r;
}

static enum exit_code run(const struct report_options *options)
{
	struct report_output output;
	bool damaged = false;
	int r, closed;

	report_output_open(&output, options);
	r = report_limits_set(options->max_memory, options->max_seconds);
	if (!r)
		r = run_with_cache(options, &output, &damaged);
	closed = report_output_close(&output);
	if (r < 0 || closed < 0)
		return r == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	return damaged ? EXIT_DAMAGED : EXIT_OK;
}

static enum exit_code tell(void (*print)(void))
{
	struct report_output output = {.stream = stdout};

	print();
	return report_output_close(&output) < 0 ? EXIT_FAILED : EXIT_OK;
}

int main(int argc, char **argv)
{
	_cleanup_(report_options_deinit) struct report_options options;

	if (report_options_parse(&options, argc, argv) < 0)
		return EXIT_USAGE;
	if (options.help)
		return tell(report_options_help);
	if (options.version)
		return tell(print_version);
	if (options.completion)
		return tell(report_options_completion);
	return run(&options);
}
