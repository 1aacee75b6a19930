/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/work.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/file/name_cache.h"
#include "report/opener/opener.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/read/progress.h"
#include "report/read/trace_file.h"
#include "report/report_limits.h"
#include "report/report_output.h"
#include "report/sandbox/jail.h"
#include "report/sandbox/service.h"
#include "report/sandbox/worker.h"
#include "report/targets.h"
#include "report/tool/tool.h"
#include "report/view/view.h"

/* Code deep within reading and sorting does not report a lack of memory. */
static int say_no_memory(void)
{
	return log_error(ENOMEM, "not enough memory for this report; --max-memory raises the limit");
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
		.keep = options->kept,
		.out = output->stream,
	};

	int r = options->tool->run(&request, ret_damaged);

	return r == -ENOMEM ? say_no_memory() : r;
}

struct profiles {
	struct profile *after, *base; /* base: NULL without --base */
};

static int print_view(const struct profiles *profiles, const struct report_options *options,
		      const struct report_output *output, FILE *out)
{
	struct view_settings settings = options->settings;
	const struct view_context context = {
		.profile = profiles->after, .base = profiles->base, .settings = &settings, .out = out};
	int r;

	settings.color = output->color;
	settings.width = output->width;
	r = views_print(&context, options->view);
	if (r == -ENOMEM)
		return say_no_memory();
	if (r == -EBADMSG)
		return log_error(EBADMSG, "the profile contradicts itself; "
					  "please report this bug in rwalker-report");
	return r;
}

static void profiles_destroy(struct profiles *profiles)
{
	profile_destroy(profiles->after);
	profile_destroy(profiles->base);
}

static int create(const struct option_list *paths, const struct report_options *options,
		  const struct profile_names *names, struct profile **ret_profile)
{
	int r = profile_create(paths->items, paths->count, &options->filter, names, ret_profile);

	return r == -ENOMEM ? say_no_memory() : r;
}

static int profiles_create(struct profiles *profiles, const struct report_options *options,
			   const struct profile_names *names)
{
	int r = create(&options->paths, options, names, &profiles->after);

	if (!r && options->bases.count)
		r = create(&options->bases, options, names, &profiles->base);
	return r;
}

static int check_profiles(const struct profiles *profiles, bool *ret_damaged)
{
	struct profile *const all[] = {profiles->after, profiles->base};
	int r = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && all[i] && !r; i++) {
		*ret_damaged |= profile_lost(all[i]);
		r = profile_check_names(all[i]);
	}
	return r;
}

static int run_view(const struct report_options *options, const struct profile_names *names,
		    const struct report_output *output, bool *ret_damaged)
{
	_cleanup_(report_file_close) struct report_file file;
	_cleanup_(profiles_destroy) struct profiles profiles = {0};
	int r = report_file_open(&file, options, names->output, output->stream);

	if (!r)
		r = profiles_create(&profiles, options, names);
	if (!r)
		r = targets_check(profiles.after, profiles.base, options);
	if (!r)
		r = print_view(&profiles, options, output, file.stream);
	if (!r)
		r = check_profiles(&profiles, ret_damaged);
	return r < 0 ? r : report_file_keep(&file);
}

static int run(const struct report_options *options, struct profile_names *names, struct report_output *output,
	       bool *ret_damaged)
{
	int r = options->tool ? run_tool(options, names, output, ret_damaged) :
				run_view(options, names, output, ret_damaged);

	report_output_flush(output);
	return r;
}

/* A Ctrl-C so far ended the recording behind a pipe. The parent may have received it without passing it on. */
static void forget_interrupts(struct progress *progress, const struct service *interrupts)
{
	_cleanup_(service_answer_deinit) struct service_answer nothing;

	(void)service_ask(interrupts, NULL, 0, &nothing);
	progress_resume(progress);
}

/* Does what needs files, and reads streams of unknown length. */
static int prepare(const struct report_options *options, struct progress *progress, struct trace_inputs *inputs,
		   const struct service *interrupts)
{
	int r = report_limits_set(options->max_memory, options->max_seconds);

	tzset(); /* reads a file at the first date that is printed */
	progress_init(progress);
	progress->interrupt = WORKER_INTERRUPT;
	if (r < 0)
		return r;
	progress_enter(progress);
	trace_inputs_spool(inputs);
	forget_interrupts(progress, interrupts);
	progress_leave(progress);
	return 0;
}

/* Everything after this is done in the sandbox. */
static int enter_jail(const struct report_options *options, const struct trace_inputs *inputs,
		      const struct work_lines *lines, char text[static JAIL_TEXT])
{
	int fds[2 * OPTION_LIST_MAX + 1 + WORKER_LINES];
	struct jail_settings settings = {.parts = options->no_sandbox ? 0 : JAIL_ALL, .fds = fds};

	for (size_t i = 0; i < WORKER_LINES; i++)
		fds[settings.fd_count++] = lines->parent[i];
	fds[settings.fd_count++] = lines->servers;
	for (size_t i = 0; i < inputs->items.count; i++)
		fds[settings.fd_count++] = inputs->items.items[i].fd;
	return jail_enter(&settings, text);
}

enum exit_code work(const struct report_options *options, struct report_output *output, struct trace_inputs *inputs,
		    const struct work_lines *lines)
{
	const int line = lines->parent[WORKER_LINE];
	struct far_service far[] = {{line, WORK_CACHE, 0}, {line, WORK_OUTPUT, 0}, {line, WORK_INTERRUPTS, 0}};
	const struct service file = service_far(&far[WORK_OUTPUT]);
	const struct service interrupts = service_far(&far[WORK_INTERRUPTS]);
	struct far_service far_servers = {.line = lines->servers};
	const struct service servers = service_far(&far_servers);
	struct name_cache cache = {.store = service_far(&far[WORK_CACHE])};
	struct profile_names names = options->names;
	struct progress progress;
	char sandbox[JAIL_TEXT];
	bool damaged = false;
	int r = opener_create_far(line, WORK_OPENER, lines->parent[WORKER_CHILD_LINE], &names.opener), closed;

	if (!r)
		r = prepare(options, &progress, inputs, &interrupts);
	if (!r)
		r = enter_jail(options, inputs, lines, sandbox);
	names.progress = &progress;
	names.inputs = inputs;
	names.sandbox = sandbox;
	names.output = &file;
	names.servers = &servers;
	names.cache = options->no_cache ? NULL : &cache;
	if (!r)
		r = run(options, &names, output, &damaged);
	closed = report_output_close(output);
	opener_destroy(names.opener);
	if (r < 0 || closed < 0)
		return r == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	return damaged ? EXIT_DAMAGED : EXIT_OK;
}
