/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/process.h"
#include "format/io.h"
#include "format/lz4_block.h"
#include "record/check_host.h"
#include "record/embed/finalize.h"
#include "record/plan/record_options.h"
#include "record/probe/probe.h"
#include "record/session.h"

enum { EXIT_USAGE = 2 };

static int print_version(void)
{
	(void)printf("rwalker-record " RWALKER_VERSION " (libbpf %s, lz4 %s)\n", probe_library_version(),
		     lz4_block_version());
	return 0;
}

static int run(struct record_config *config, const struct inherited *inherited, int argc, char **argv)
{
	if (record_options_parse(config, argc, argv) < 0)
		return EXIT_USAGE;
	config->inherited = inherited;
	if (config->help) {
		record_options_help(*config->help);
		return 0;
	}
	if (config->version)
		return print_version();
	if (config->completion)
		return record_options_completion(config->completion) < 0 ? EXIT_USAGE : 0;
	if (config->check_host)
		return check_host(stdout);
	if (config->budget.plan)
		return session_print_plan(config);
	if (config->output.finalize)
		return finalize_file(config, &trace_io_system) < 0;
	return session_run(config);
}

int main(int argc, char **argv)
{
	_cleanup_free_ struct record_config *config = NULL;
	struct inherited inherited;

	if (inherited_reset(&inherited) < 0)
		return EXIT_FAILURE;
	config = calloc(1, sizeof(*config));
	if (!config)
		return log_error(ENOMEM, "there is no memory"), EXIT_FAILURE;
	return run(config, &inherited, argc, argv);
}
