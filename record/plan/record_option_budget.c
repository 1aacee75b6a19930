/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/record_option_budget.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "record/plan/record_option_flight.h"

enum { LEAST_MEMORY = 16 << 20 };

static const double LEAST_PERCENT = 0.1, MOST_PERCENT = 100000;

int record_option_max_memory(void *config, const char *value)
{
	struct record_config *record = config;

	return record_option_bytes("--max-memory", value, LEAST_MEMORY, &record->budget.memory);
}

int record_option_max_cpu(void *config, const char *value)
{
	struct record_config *record = config;
	char *end;
	double percent = strtod(value, &end);

	if (end == value || !isdigit((unsigned char)*value) || (*end && strcmp(end, "%") != 0) ||
	    !(percent >= LEAST_PERCENT) || percent > MOST_PERCENT)
		return log_error(EINVAL, "--max-cpu expects percent of one CPU, from 0.1 to 100000, such as 1 or 0.5, "
					 "not '%s'", value);
	record->budget.cpu = (int64_t)(percent * 100 + 0.5);
	return 0;
}

static bool has_sources(const struct record_config *config)
{
	return config->profile.wanted || config->offcpu.wanted || config->points.count || config->command;
}

int record_option_budget_check(const struct record_config *config)
{
	if (config->budget.plan && (config->command || config->output.finalize))
		return log_error(EINVAL, "--plan records nothing, so it takes neither a command nor --finalize");
	if (config->budget.memory && config->output.finalize)
		return log_error(EINVAL, "--finalize and --max-memory cannot be used together");
	if (config->budget.cpu && !has_sources(config))
		return log_error(EINVAL, "--max-cpu requires -p, --offcpu, --trace or --kfunc: walks do not become "
					 "fewer");
	return 0;
}
