/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/filter.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"

/* --- -c --- */

int comm_pattern_compile(const char *pattern, regex_t *ret_regex)
{
	char why[256] = "nothing to repeat before '*'; it is found anywhere in a name, without '*'";
	int r = *pattern == '*' ? REG_BADRPT : regcomp(ret_regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (!r)
		return 0;
	if (*pattern != '*')
		(void)regerror(r, ret_regex, why, sizeof(why));
	return log_error(EINVAL, "'%s' is not a valid regular expression: %s", pattern, why);
}

/* The alternative of that length at `at`, anchored as it or its group says. */
static bool add_name(struct comm_names *names, unsigned int *used, const char *at, size_t length, bool head, bool tail)
{
	if (length && *at == '^') {
		head = true;
		at++, length--;
	}
	if (length && at[length - 1] == '$') {
		tail = true;
		length--;
	}
	if (length > 2 && !strncmp(at + length - 2, ".*", 2)) {
		tail = false;
		length -= 2;
	}
	if (!length || strcspn(at, "\\^$.[]()*+?{}|") < length || *used + length + tail > 64)
		return false;
	*(head ? &names->begin_at_head : &names->begin) |= 1ULL << *used;
	for (size_t i = 0; i < length; i++)
		names->has[(unsigned char)at[i]] |= 1ULL << (*used)++;
	if (tail)
		names->has[0] |= 1ULL << (*used)++;
	names->end |= 1ULL << (*used - 1);
	return true;
}

bool comm_pattern_names(const char *pattern, struct comm_names *ret_names)
{
	size_t length = strlen(pattern);
	bool head = *pattern == '^' && pattern[1] == '(', tail = length > 1 && !strcmp(pattern + length - 2, ")$");
	const char *at = pattern + head, *end = pattern + length - tail, *bar;
	struct comm_names names = {0};
	unsigned int used = 0;

	if (head || tail || *at == '(') { /* one group around all */
		if (*at != '(' || end[-1] != ')')
			return false;
		at++, end--;
	}
	for (; (bar = memchr(at, '|', (size_t)(end - at))); at = bar + 1)
		if (!add_name(&names, &used, at, (size_t)(bar - at), head, tail))
			return false;
	if (!add_name(&names, &used, at, (size_t)(end - at), head, tail))
		return false;
	*ret_names = names;
	return true;
}

/* --- all of it --- */

enum { LATE_COMMS = 1024 };

struct comm_verdict {
	char comm[COMM_BYTES];
	bool known, wanted;
};

static int compile_command(struct filter *filter, const char *pattern)
{
	int r = comm_pattern_compile(pattern, &filter->regex);

	if (r < 0)
		return r;
	filter->command = true;
	if (comm_pattern_names(pattern, &filter->names)) {
		filter->filters |= RING_FILTER_COMM;
		return 0;
	}
	log_info("-c '%s' is more than names: stacks of all threads are walked, and the recorder picks", pattern);
	filter->late = calloc(LATE_COMMS, sizeof(*filter->late));
	return filter->late ? 0 : -ENOMEM;
}

bool filter_wants(const struct filter *filter, const char *comm)
{
	struct comm_verdict *verdict;
	size_t hash = 0;

	if (!filter->late)
		return true;
	for (int i = 0; i < COMM_BYTES - 1 && comm[i]; i++)
		hash = hash * 31 + (unsigned char)comm[i];
	verdict = filter->late + hash % LATE_COMMS;
	if (!verdict->known || strncmp(verdict->comm, comm, COMM_BYTES - 1) != 0) {
		*verdict = (struct comm_verdict){.known = true};
		memcpy(verdict->comm, comm, strnlen(comm, COMM_BYTES - 1));
		verdict->wanted = !regexec(&filter->regex, verdict->comm, 0, NULL, 0);
	}
	return verdict->wanted;
}

int filter_init(struct filter *filter, const struct record_who *who, bool follow)
{
	int r = 0;

	memset(filter, 0, sizeof(*filter));
	filter->tgids = &who->pids;
	filter->tids = &who->tids;
	if (who->pids.count || who->tids.count)
		filter->filters |= RING_FILTER_IDS;
	if (who->user_threads)
		filter->filters |= RING_FILTER_USER_THREADS;
	if (who->kernel_threads)
		filter->filters |= RING_FILTER_KERNEL_THREADS;
	if (who->cpus)
		filter->filters |= RING_FILTER_CPUS;
	if (follow)
		filter->filters |= RING_FILTER_FOLLOWED;
	if (who->cgroup || who->container)
		filter->filters |= RING_FILTER_CGROUP;
	if (who->command)
		r = compile_command(filter, who->command);
	return r;
}

void filter_deinit(struct filter *filter)
{
	if (filter->command)
		regfree(&filter->regex);
	free(filter->late);
	*filter = (struct filter){0};
}
