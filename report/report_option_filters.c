/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/report_options.h"

#include <errno.h>
#include <string.h>

#include "common/log.h"
#include "common/options/options.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/profile/profile_waits.h"
#include "report/view/moment_parse.h"

/* Appends a filter to the text for headings, as it was given. */
void report_filter_note(struct report_options *options, const char *option, const char *value)
{
	size_t used = strlen(options->filter_text), room = sizeof(options->filter_text) - used;
	int length = snprintf(options->filter_text + used, room, "%s%s%s", used ? " " : "", option,
			      value ? " " : "");

	if (value && length > 0 && (size_t)length < room)
		(void)printable_escape_line(options->filter_text + used + length, room - (size_t)length,
				       value, strlen(value));
}

static int parse_expression(struct report_options *options, const char *name, const char *value, bool again,
			    regex_t *expression)
{
	char why[256];
	int r;

	if (again)
		return log_error(EINVAL, "%s may be given only once; join expressions with '|'", name);
	r = regcomp(expression, value, REG_EXTENDED | REG_NOSUB);
	if (r) {
		(void)regerror(r, expression, why, sizeof(why));
		return log_error(EINVAL, "%s '%s' is not a valid regular expression: %s", name, value, why);
	}
	report_filter_note(options, name, value);
	return 0;
}

int report_filter_comm(void *config, const char *value)
{
	struct report_options *options = config;
	int r = parse_expression(options, "-c", value, options->filter.comm, &options->comm);

	if (!r)
		options->filter.comm = &options->comm;
	return r;
}

int report_filter_on(void *config, const char *value)
{
	struct report_options *options = config;
	int r = parse_expression(options, "--on", value, options->filter.on.passes, &options->on.expression);

	if (!r)
		options->filter.on = object_pattern_test(&options->on);
	return r;
}

static int parse_ids(struct report_options *options, const char *name, const char *value,
		     uint32_t *ids, size_t *count)
{
	int r = option_value_ids(value, ids, REPORT_MAX_IDS, count);

	if (r == -E2BIG)
		return log_error(EINVAL, "%s takes at most %d numbers", name, REPORT_MAX_IDS);
	if (r < 0)
		return log_error(EINVAL, "%s expects numbers such as 12,345, not '%s'; -c '^NAME$' chooses by name",
				 name, value);
	report_filter_note(options, name, value);
	return 0;
}

int report_filter_pids(void *config, const char *value)
{
	struct report_options *options = config;

	return parse_ids(options, "--pid", value, options->pids, &options->filter.pid_count);
}

int report_filter_tids(void *config, const char *value)
{
	struct report_options *options = config;

	return parse_ids(options, "--tid", value, options->tids, &options->filter.tid_count);
}

static int parse_pattern(struct report_options *options, const char *name, const char *value, const char **pattern)
{
	if (*pattern)
		return log_error(EINVAL, "%s may be given only once", name);
	if (!*value)
		return log_error(EINVAL, "%s expects a name", name);
	*pattern = value;
	report_filter_note(options, name, value);
	return 0;
}

int report_filter_container(void *config, const char *value)
{
	struct report_options *options = config;

	return parse_pattern(options, "--container", value, &options->filter.container);
}

int report_filter_cgroup(void *config, const char *value)
{
	struct report_options *options = config;

	return parse_pattern(options, "--cgroup", value, &options->filter.cgroup);
}

int report_filter_cpus(void *config, const char *value)
{
	struct report_options *options = config;

	if (options_parse_list(value, options->cpus, REPORT_MAX_CPUS) < 0)
		return log_error(EINVAL, "-P expects CPUs below %d such as 0-3,7, not '%s'",
				 REPORT_MAX_CPUS, value);
	options->filter.cpus = options->cpus;
	options->filter.cpu_bits = REPORT_MAX_CPUS;
	report_filter_note(options, "-P", value);
	return 0;
}

int report_filter_states(void *config, const char *value)
{
	static const char letters[] = "RSDKITtFZXP";
	struct report_options *options = config;

	if (!*value || strspn(value, letters) != strlen(value))
		return log_error(EINVAL, "--state expects letters from %s, not '%s'", letters, value);
	options->filter.states = value;
	report_filter_note(options, "--state", value);
	return 0;
}

/* "blocked,open" */
int report_filter_classes(void *config, const char *value)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} classes[] = {
		{"blocked", 1 << WAIT_BLOCKED}, {"preempted", 1 << WAIT_PREEMPTED},
		{"yielded", 1 << WAIT_YIELDED}, {"cancelled", 1 << WAIT_CANCELLED},
		{"started", 1 << WAIT_STARTED}, {"throttled", 1 << WAIT_THROTTLED},
		{"open", PROFILE_WAITS_OPEN}, {"ended", PROFILE_WAITS_ENDED},
	};
	struct report_options *options = config;

	for (const char *word = value;; word++) {
		size_t length = strcspn(word, ","), i = 0;

		while (i < sizeof(classes) / sizeof(classes[0]) &&
		       (strlen(classes[i].name) != length || strncmp(classes[i].name, word, length) != 0))
			i++;
		if (i == sizeof(classes) / sizeof(classes[0]))
			return log_error(EINVAL, "--class expects some of blocked, preempted, yielded, cancelled, "
						 "started, throttled, open, ended, not '%s'", value);
		options->filter.classes |= classes[i].bit;
		word += length;
		if (!*word)
			break;
	}
	report_filter_note(options, "--class", value);
	return 0;
}

static int parse_wait_bound(struct report_options *options, const char *name, const char *value, uint64_t *ns)
{
	if (duration_parse(value, MICROSECOND, ns) < 0)
		return log_error(EINVAL, "%s expects a time such as 1000 (microseconds), 50us or 2ms, not '%s'", name,
				 value);
	report_filter_note(options, name, value);
	return 0;
}

int report_filter_least_wait(void *config, const char *value)
{
	return parse_wait_bound(config, "-m", value, &((struct report_options *)config)->filter.least_wait);
}

int report_filter_most_wait(void *config, const char *value)
{
	return parse_wait_bound(config, "-M", value, &((struct report_options *)config)->filter.most_wait);
}

int report_filter_waiting(void *config, const char *value)
{
	struct report_options *options = config;

	if (duration_parse(value, SECOND, &options->filter.min_wait) < 0)
		return log_error(EINVAL, "-w expects a time such as 2.5, 500ms or 2m, not '%s'", value);
	report_filter_note(options, "-w", value);
	return 0;
}

int report_filter_time(void *config, const char *value)
{
	struct report_options *options = config;
	struct profile_moment from, to;

	if (moment_parse_span(value, &from, &to) < 0)
		return log_error(EINVAL, "--time expects moments such as 1.5,20 or 1.5, or ,20 or "
					 "12:00:03,12:00:05.5, not '%s'", value);
	options->from = from;
	options->to = to;
	options->filter.from = from.kind == PROFILE_MOMENT_OFFSET ? from.ns : 0;
	options->filter.to = to.kind == PROFILE_MOMENT_OFFSET ? to.ns : UINT64_MAX;
	options->filter.from_moment = from.kind == PROFILE_MOMENT_OFFSET ? (struct profile_moment){0} : from;
	options->filter.to_moment = to.kind == PROFILE_MOMENT_OFFSET ? (struct profile_moment){0} : to;
	report_filter_note(options, "--time", value);
	return 0;
}

int report_filter_source(void *config, const char *value)
{
	static const char *const kinds[PROFILE_SOURCE_KINDS] = {
		[PROFILE_CPU] = "cpu",		      [PROFILE_OFFCPU] = "offcpu", [PROFILE_WAKERS] = "wakers",
		[PROFILE_TRACEPOINT] = "tracepoint", [PROFILE_KFUNC] = "kfunc",   [PROFILE_TASKS] = "tasks"};
	struct report_options *options = config;

	for (unsigned int i = 0; i < PROFILE_SOURCE_KINDS; i++)
		if (kinds[i] && !strcmp(kinds[i], value)) {
			options->filter.sources |= 1U << i;
			report_filter_note(options, "--source", value);
			return 0;
		}
	return log_error(EINVAL, "--source must be cpu, offcpu, wakers, tracepoint, kfunc or "
				 "tasks, not '%s'", value);
}

int report_filter_probe(void *config, const char *value)
{
	struct report_options *options = config;

	if (!*value)
		return log_error(EINVAL, "--probe expects the name of a tracepoint or function, "
					 "or a pattern such as tcp_*");
	if (options->probe_list.count == OPTION_LIST_MAX)
		return log_error(EINVAL, "--probe may be given at most %d times", OPTION_LIST_MAX);
	options->probe_list.items[options->probe_list.count++] = value;
	report_filter_note(options, "--probe", value);
	return 0;
}
