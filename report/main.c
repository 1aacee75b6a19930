/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/process.h"
#include "format/lz4_block.h"
#include "format/trace.h"
#include "report/file/database.h"
#include "report/file/debug_server.h"
#include "report/file/name_cache.h"
#include "report/file/pack.h"
#include "report/opener/opener.h"
#include "report/read/progress.h"
#include "report/read/trace_file.h"
#include "report/report_options.h"
#include "report/report_output.h"
#include "report/sandbox/user.h"
#include "report/sandbox/worker.h"
#include "report/tool/trace_output.h"
#include "report/work.h"

static void print_version(void)
{
	(void)printf("rwalker-report %s\ntrace format %d.%d\n", RWALKER_VERSION, RWK_MAJOR, RWK_MINOR);
	(void)printf("lz4 %s\nlzma %s\nzstd %s\nzlib %s\nsqlite %s\n", lz4_block_version(),
		     unpack_xz_version(), unpack_zstd_version(), deflate_version(), database_version());
}

/* The parent: does for the worker what the user may do, until the worker ends. */
static int serve(const struct report_options *options, const struct worker *worker, struct opener_server *opener)
{
	struct name_store cache;
	struct output_service file;
	struct service services[WORK_SERVICES];
	const struct worker_services all = {services, &services[WORK_OPENER], WORK_SERVICES};
	int r;

	name_store_init(&cache, options->cache);
	output_service_init(&file, options->output, options->force);
	services[WORK_CACHE] = name_store_service(&cache);
	services[WORK_OUTPUT] = output_service_of(&file);
	services[WORK_INTERRUPTS] = worker_interrupts_service();
	services[WORK_OPENER] = opener_server_service(opener);
	r = worker_serve(worker, &all);
	output_service_deinit(&file);
	name_store_deinit(&cache);
	return r;
}

static void cleanup_server(struct opener_server **server)
{
	opener_server_destroy(*server);
	*server = NULL;
}

/*
 * Traces are opened with the rights that we were started with, everything else with those that are
 * left. So root starts the opener's helpers twice: who reads depends on who owns the traces.
 */
static int leave_root(struct report_options *options, const struct trace_inputs *inputs, struct opener_server **server,
		      struct reader_users *ret_users)
{
	int fds[2 * OPTION_LIST_MAX], r;

	*ret_users = (struct reader_users){0};

	if (options->no_sandbox) {
		log_warning("--no-sandbox: whoever made the trace may take over this program with all your rights");
		return 0;
	}
	for (size_t i = 0; i < inputs->items.count; i++)
		fds[i] = inputs->items.items[i].fd;
	r = users_choose(fds, inputs->items.count, ret_users);
	if (r < 0 || !ret_users->parent.other)
		return r;
	cleanup_server(server);
	if (ret_users->parent.uid) {
		r = user_become(&ret_users->parent);
		if (r < 0)
			return r;
		*ret_users = (struct reader_users){0};
	}
	options->opener.user = ret_users->opener;
	return opener_server_create(&options->opener, ret_users->opener.uid != ret_users->parent.uid, server);
}

/* Whether a word was meant as something other than a trace. */
static bool is_mistaken(const struct trace_inputs *inputs, int argc, char **argv)
{
	for (size_t i = 0; i < inputs->items.count; i++)
		if ((inputs->items.items[i].error == -ENOENT || inputs->items.items[i].error == -EISDIR) &&
		    report_habits_missing(argc, argv, inputs->items.items[i].path))
			return true;
	return false;
}

/* A typo must not cost a trace. */
static int check_replaced(const struct report_options *options, const struct trace_inputs *inputs)
{
	struct stat old, trace;

	if (!options->force || lstat(options->output, &old) < 0)
		return 0;
	for (size_t i = 0; i < inputs->items.count; i++)
		if (inputs->items.items[i].fd >= 0 && !fstat(inputs->items.items[i].fd, &trace) &&
		    trace.st_dev == old.st_dev && trace.st_ino == old.st_ino)
			return log_error(EINVAL, "'%s' is a trace that is to be read: choose another name with -o",
					 options->output);
	return 0;
}

static int open_inputs(const struct report_options *options, struct opener_server *server, struct trace_inputs *inputs)
{
	const struct service service = opener_server_service(server);
	struct opener *opener;
	int r = opener_create(&service, &opener);

	if (r < 0)
		return r;
	r = trace_inputs_open(inputs, opener, options->paths.items, options->paths.count);
	if (!r)
		r = trace_inputs_add(inputs, opener, options->bases.items, options->bases.count);
	opener_destroy(opener);
	return r < 0 ? log_error(-r, "not enough memory") : 0;
}

/* Files that were fetched and are not kept are gone when we end; at most a second is waited for. */
static void await_servers(int servers)
{
	struct pollfd ended = {.fd = servers, .events = POLLIN};

	if (servers >= 0 && !shutdown(servers, SHUT_WR))
		(void)poll(&ended, 1, 1000);
}

/* Two processes, because the one that reads the traces may do nothing else. */
static int run(struct report_options *options, int argc, char **argv)
{
	_cleanup_(trace_inputs_close) struct trace_inputs inputs = {0};
	struct report_output output;
	_cleanup_(cleanup_server) struct opener_server *server = NULL;
	_cleanup_close_ int servers = -1; /* stays so if no server may be asked */
	struct reader_users users;
	struct worker worker;
	int r = opener_server_create(&options->opener, false, &server);

	if (!r)
		r = open_inputs(options, server, &inputs);
	if (r < 0)
		return EXIT_FAILED;
	if (is_mistaken(&inputs, argc, argv) || check_replaced(options, &inputs) < 0)
		return EXIT_USAGE;
	if (leave_root(options, &inputs, &server, &users) < 0 ||
	    (options->names.debuginfod && debug_server_start(&users.opener, &servers) < 0))
		return EXIT_FAILED;
	report_output_open(&output, options, &users.worker);
	r = worker_fork(&worker, &users.worker);
	if (!r && !worker.pid) {
		cleanup_server(&server);
		return work(options, &output, &inputs, &(struct work_lines){worker.lines, servers});
	}
	trace_inputs_close(&inputs);
	r = r < 0 || user_become_parent(&users.parent) < 0 ? EXIT_FAILED : serve(options, &worker, server);
	report_output_wait(&output);
	await_servers(servers);
	return r < 0 ? EXIT_FAILED : r;
}

/* What is asked about the program itself. */
static enum exit_code print_about(const struct report_options *options)
{
	struct report_output output = {.stream = stdout};
	int r = 0;

	if (options->help)
		options_print_help(&report_option_set, *options->help, stdout);
	else if (options->version)
		print_version();
	else
		r = options_print_completion(&report_option_set, "rwalker-report", options->completion, stdout);
	if (report_output_close(&output) < 0)
		return EXIT_FAILED;
	return r < 0 ? EXIT_USAGE : EXIT_OK;
}

int main(int argc, char **argv)
{
	_cleanup_(report_options_deinit) struct report_options options;
	struct inherited inherited;

	if (inherited_reset(&inherited) < 0)
		return EXIT_FAILED;
	if (report_options_parse(&options, argc, argv) < 0)
		return EXIT_USAGE;
	if (options.help || options.version || options.completion)
		return print_about(&options);
	return run(&options, argc, argv);
}
