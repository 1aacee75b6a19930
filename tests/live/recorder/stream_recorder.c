/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The recorder for tests of --flight, which keeps only the last part of a recording, in memory.
 * This one also writes everything to the file $RWALKER_STREAM, so that dumps can be compared with
 * what really happened. With --max-cpu, $RWALKER_CALM_MS is how long the load must be low before
 * more is recorded again.
 */
#include <stdlib.h>

#include "record/plan/record_options.h"
#include "record/session.h"

int main(int argc, char **argv)
{
	struct record_config config;

	if (record_options_parse(&config, argc, argv) < 0)
		return 2;
	config.flight.stream = getenv("RWALKER_STREAM");
	if (getenv("RWALKER_CALM_MS"))
		config.budget.calm = strtoll(getenv("RWALKER_CALM_MS"), NULL, 10) * 1000000;
	return session_run(&config);
}
