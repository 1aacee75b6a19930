/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/record_option_budget.h"

#include <errno.h>

#include "common/log.h"
#include "record/plan/record_option_flight.h"

enum { LEAST_MEMORY = 16 << 20 };

int record_option_max_memory(void *config, const char *value)
{
	struct record_config *record = config;

	return record_option_bytes("--max-memory", value, LEAST_MEMORY, &record->budget.memory);
}

int record_option_budget_check(const struct record_config *config)
{
	if (config->budget.plan && (config->command || config->output.finalize))
		return log_error(EINVAL, "--plan records nothing, so it takes neither a command nor --finalize");
	if (config->budget.memory && config->output.finalize)
		return log_error(EINVAL, "--finalize and --max-memory cannot be used together");
	return 0;
}
