/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/comm_pattern.h"

#include <errno.h>
#include <string.h>

#include "common/log.h"

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
