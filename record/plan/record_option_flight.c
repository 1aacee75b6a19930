/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/record_option_flight.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/duration.h"
#include "common/log.h"
#include "common/time_units.h"

enum { UNSET = -1, FLIGHT_BYTES = 64 << 20, LEAST_BYTES = 8 << 20, MAX_DUMPS = 20 };

static const uint64_t LEAST_WINDOW = SECOND, MOST_WINDOW = 86400 * SECOND;
static const int64_t COOLDOWN = 300 * (int64_t)SECOND, MAX_KEPT = (int64_t)2 << 30, MOST_BYTES = (int64_t)64 << 30;

int record_option_bytes(const char *option, const char *value, int64_t least, int64_t *ret_bytes)
{
	unsigned long long size;
	const char *units = "KMG", *unit = units + 1;
	char *end;

	errno = 0;
	size = strtoull(value, &end, 10);
	if (*end)
		unit = strchr(units, toupper((unsigned char)*end));
	if (end == value || !isdigit((unsigned char)*value) || errno || !unit || (*end && end[1]))
		return log_error(EINVAL, "%s expects a size such as 500M, not '%s'", option, value);
	for (const char *at = units; at <= unit; at++)
		if (__builtin_mul_overflow(size, 1024, &size) || size > INT64_MAX)
			return log_error(EINVAL, "%s %s is too large", option, value);
	if ((int64_t)size < least)
		return log_error(EINVAL, "%s must be at least %" PRId64 "K, not %s", option, least >> 10, value);
	*ret_bytes = (int64_t)size;
	return 0;
}

/* "60s", "60s,64M" */
int record_option_flight(void *config, const char *value)
{
	struct record_flight *flight = &((struct record_config *)config)->flight;
	const char *comma = strchr(value, ',');
	size_t length = comma ? (size_t)(comma - value) : strlen(value);
	char window[32];
	uint64_t ns;

	if (length >= sizeof(window))
		length = 0;
	memcpy(window, value, length);
	window[length] = '\0';
	if (duration_parse(window, SECOND, &ns) < 0)
		return log_error(EINVAL, "--flight expects a time, and perhaps a size, such as 60s or 60s,64M, "
					 "not '%s'", value);
	if (ns < LEAST_WINDOW || ns > MOST_WINDOW)
		return log_error(EINVAL, "--flight keeps between 1 second and 1 day, not '%s'", window);
	flight->wanted = true;
	flight->window = (int64_t)ns;
	flight->bytes = FLIGHT_BYTES;
	flight->bytes_given = comma;
	if (comma && record_option_bytes("the size of --flight", comma + 1, LEAST_BYTES, &flight->bytes) < 0)
		return -EINVAL;
	if (flight->bytes > MOST_BYTES)
		return log_error(EINVAL, "--flight keeps at most 64G, not '%s'", comma + 1);
	return 0;
}

int record_option_trigger(void *config, const char *value)
{
	struct record_flight *flight = &((struct record_config *)config)->flight;

	if (flight->rule_count == FLIGHT_MAX_RULES)
		return log_error(EINVAL, "--trigger may be given at most %d times", FLIGHT_MAX_RULES);
	if (trigger_rule_parse(value, &flight->rules[flight->rule_count]) < 0)
		return -EINVAL;
	flight->rule_count++;
	return 0;
}

int record_option_max_kept(void *config, const char *value)
{
	struct record_flight *flight = &((struct record_config *)config)->flight;

	return record_option_bytes("--max-kept", value, 1 << 20, &flight->max_kept);
}

void record_option_flight_unset(struct record_config *config)
{
	config->flight.post = config->flight.cooldown = config->flight.max_dumps = config->flight.max_kept = UNSET;
}

static int check_without(const struct record_flight *flight)
{
	if (flight->rule_count || flight->post != UNSET || flight->cooldown != UNSET || flight->max_dumps != UNSET ||
	    flight->max_kept != UNSET || flight->on_dump)
		return log_error(EINVAL, "--trigger, --post, --cooldown, --max-dumps, --max-kept and --on-dump require "
					 "--flight, as in --flight 60s");
	return 0;
}

/* The smallest value of the rules about stuck threads; 0: there is no such rule. */
static uint64_t stuck_value(const struct record_flight *flight)
{
	uint64_t least = 0;

	for (uint32_t i = 0; i < flight->rule_count; i++)
		if (flight->rules[i].kind == TRIGGER_STUCK && (!least || flight->rules[i].value < least))
			least = flight->rules[i].value;
	return least;
}

int record_option_flight_check(const struct record_config *config, bool spans, bool waiting_given)
{
	if (!config->flight.wanted)
		return check_without(&config->flight);
	if (!spans && !stuck_value(&config->flight))
		return log_error(EINVAL, "--flight requires something that goes on: -p 0, --offcpu 0, --trace, "
					 "--kfunc or -i");
	if (stuck_value(&config->flight) && (config->walk.interval || config->walk.all || config->walk.running ||
					     config->walk.stuck || waiting_given))
		return log_error(EINVAL, "--trigger stuck walks all tasks each second: -a, -r, -s, -i and -w "
					 "cannot be used with it");
	if (config->output.path && !strcmp(config->output.path, "-"))
		return log_error(EINVAL, "--flight writes a file for each dump, so -o cannot be '-'");
	if (config->output.force)
		return log_error(EINVAL, "--flight and --force cannot be used together: each dump gets a new name");
	if (config->output.finalize)
		return log_error(EINVAL, "--flight and --finalize cannot be used together");
	return 0;
}

void record_option_flight_defaults(struct record_config *config)
{
	struct record_flight *flight = &config->flight;

	if (flight->post == UNSET)
		flight->post = 0;
	if (flight->cooldown == UNSET)
		flight->cooldown = COOLDOWN;
	if (flight->max_dumps == UNSET)
		flight->max_dumps = MAX_DUMPS;
	if (flight->max_kept == UNSET)
		flight->max_kept = MAX_KEPT;
	if (stuck_value(flight)) {
		config->walk.wanted = true;
		config->walk.interval = (int64_t)SECOND;
		config->walk.waiting = (int64_t)stuck_value(flight);
	}
	if (flight->wanted && !config->output.embed_given)
		config->output.embed = EMBED_LEVEL_MIN;
}
