/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/trigger_rule.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/time_units.h"
#include "record/plan/record_options.h"

/* text: the whole rule; at: the rest that is not parsed yet. */
struct rule_parser {
	const char *text, *at;
	struct trigger_rule *rule;
};

static const uint64_t LEAST_PRESSURE = 500 * MILLISECOND, MOST_PRESSURE = 10 * SECOND;

static int expected(const struct rule_parser *parser, const char *what)
{
	if (!*parser->at)
		return log_error(EINVAL, "--trigger '%s' is incomplete: it expects %s at its end", parser->text, what);
	return log_error(EINVAL, "--trigger '%s' expects %s where it has '%s'", parser->text, what, parser->at);
}

static bool skip(struct rule_parser *parser, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(parser->at, word, length) != 0)
		return false;
	parser->at += length;
	return true;
}

static int copy_name(struct rule_parser *parser, const char *end, const char *what)
{
	size_t length = (size_t)(end - parser->at);

	if (!length)
		return expected(parser, what);
	if (length >= TRIGGER_TEXT_MAX)
		return log_error(EINVAL, "--trigger '%s': %s has at most %d bytes", parser->text, what,
				 TRIGGER_TEXT_MAX - 1);
	memcpy(parser->rule->name, parser->at, length);
	parser->rule->name[length] = '\0';
	parser->at = end;
	return 0;
}

/* --- values --- */

/* A time, up to the first character that no time has. */
static int parse_time(struct rule_parser *parser, const char *what, uint64_t *ret_ns)
{
	char text[32];
	size_t length = strspn(parser->at, "0123456789.nusmhd");

	if (!length || length >= sizeof(text))
		return expected(parser, what);
	memcpy(text, parser->at, length);
	text[length] = '\0';
	if (duration_parse(text, SECOND, ret_ns) < 0 || !*ret_ns)
		return expected(parser, what);
	parser->at += length;
	return 0;
}

static int parse_percent(struct rule_parser *parser)
{
	char *end;
	double percent = strtod(parser->at, &end);

	if (!isdigit((unsigned char)*parser->at) || end == parser->at || *end != '%' || percent <= 0 || percent > 1e6)
		return expected(parser, "a percentage such as 30%");
	parser->rule->value = (uint64_t)(percent * 100 + 0.5);
	parser->at = end + 1;
	return 0;
}

static int parse_window(struct rule_parser *parser, const char *what)
{
	if (!skip(parser, "/"))
		return expected(parser, what);
	return parse_time(parser, what + strlen("'/' and "), &parser->rule->window);
}

static int parse_limit(struct rule_parser *parser)
{
	return skip(parser, ">") ? 0 : expected(parser, "'>'");
}

/* --- whom --- */

/* Skips a state of a sleeping task. */
static bool skip_state(struct rule_parser *parser)
{
	if (!*parser->at || !strchr("SDTtKI", *parser->at))
		return false;
	parser->rule->states |= task_state_bits(*parser->at++);
	return true;
}

static int parse_comm(struct rule_parser *parser)
{
	const char *end;

	if (!skip(parser, "/"))
		return expected(parser, "a pattern such as /^redis/");
	end = strchr(parser->at, '/');
	if (!end)
		return expected(parser, "a '/' at the end of the pattern");
	if (copy_name(parser, end, "a pattern") < 0)
		return -EINVAL;
	parser->at++;
	return 0;
}

/* "D", "comm=/re/", "D,comm=/re/" */
static int parse_whom(struct rule_parser *parser, bool states)
{
	do {
		if (skip(parser, "comm=")) {
			if (parse_comm(parser) < 0)
				return -EINVAL;
		} else if (!states || !skip_state(parser)) {
			return expected(parser, states ? "states from SDTtKI, or comm=/PATTERN/" : "comm=/PATTERN/");
		} else {
			while (skip_state(parser))
				continue;
		}
	} while (skip(parser, ","));
	return 0;
}

/* --- kinds --- */

static int parse_task_rule(struct rule_parser *parser, bool states, const char *example)
{
	if (skip(parser, ":") && parse_whom(parser, states) < 0)
		return -EINVAL;
	if (parse_limit(parser) < 0)
		return -EINVAL;
	return parse_time(parser, example, &parser->rule->value);
}

static int parse_wait(struct rule_parser *parser)
{
	return parse_task_rule(parser, true, "a time such as 500ms");
}

static int parse_runq(struct rule_parser *parser)
{
	return parse_task_rule(parser, false, "a time such as 50ms");
}

static int parse_stuck(struct rule_parser *parser)
{
	if (skip(parser, ":") && !skip(parser, "D"))
		return expected(parser, "D");
	if (parse_limit(parser) < 0)
		return -EINVAL;
	return parse_time(parser, "a time such as 5s", &parser->rule->value);
}

static int parse_pressure(struct rule_parser *parser)
{
	static const char *const names[PRESSURES] = {"cpu", "io", "memory"};

	for (unsigned int i = 0; i < PRESSURES; i++)
		if (skip(parser, names[i])) {
			parser->rule->pressure = (enum trigger_pressure)i;
			if (skip(parser, ".some"))
				return 0;
			parser->rule->full = true;
			return skip(parser, ".full") ? 0 : expected(parser, ".some or .full");
		}
	return expected(parser, "cpu, io or memory");
}

static int parse_psi(struct rule_parser *parser)
{
	const char *limit, *slash = NULL;

	if (!skip(parser, ":"))
		return expected(parser, "':' and what is short, as in psi:io.some");
	limit = strchr(parser->at, '>');
	for (const char *at = parser->at; limit && at < limit; at++)
		slash = *at == '/' ? at : slash;
	if (slash) {
		if (copy_name(parser, slash, "a cgroup") < 0)
			return -EINVAL;
		parser->at++;
	}
	if (parse_pressure(parser) < 0 || parse_limit(parser) < 0 || parse_percent(parser) < 0 ||
	    parse_window(parser, "'/' and a time such as 2s") < 0)
		return -EINVAL;
	if (parser->rule->window < LEAST_PRESSURE || parser->rule->window > MOST_PRESSURE)
		return log_error(EINVAL, "--trigger '%s': the kernel watches pressure for 500ms to 10s", parser->text);
	if (parser->rule->value > 10000)
		return log_error(EINVAL, "--trigger '%s' never fires: pressure is at most 100%%", parser->text);
	return 0;
}

static int parse_cpu(struct rule_parser *parser)
{
	const char *limit = strrchr(parser->at, '>');

	if (!skip(parser, ":"))
		return expected(parser, "':' and a cgroup, as in cpu:system.slice");
	if (!limit)
		return expected(parser, "a cgroup and '>'");
	if (copy_name(parser, limit, "a cgroup") < 0 || parse_limit(parser) < 0 || parse_percent(parser) < 0)
		return -EINVAL;
	return parse_window(parser, "'/' and a time such as 5s");
}

/* "exec:pgrep stress/10s"; the command may be in quotes of either kind. What follows the last slash is the time. */
static int parse_exec(struct rule_parser *parser)
{
	const char *slash = strrchr(parser->at, '/'), *end = slash;
	char quote;

	if (!skip(parser, ":"))
		return expected(parser, "':' and a command, as in exec:'pgrep stress'/10s");
	quote = *parser->at == '\'' || *parser->at == '"' ? *parser->at : '\0';
	parser->at += quote != '\0';
	if (quote && slash && slash > parser->at && slash[-1] == quote)
		end = slash - 1;
	else if (quote || !slash)
		return expected(parser, quote ? "a command, a quote, '/' and a time such as 10s" :
						"a command, '/' and a time such as 10s");
	if (copy_name(parser, end, "a command") < 0)
		return -EINVAL;
	parser->at = slash;
	if (parse_window(parser, "'/' and a time such as 10s") < 0)
		return -EINVAL;
	if (parser->rule->window < SECOND)
		return log_error(EINVAL, "--trigger '%s': a command runs at most once a second", parser->text);
	return 0;
}

int trigger_rule_parse(const char *text, struct trigger_rule *ret_rule)
{
	static const struct {
		const char *name;
		enum trigger_kind kind;
		int (*parse)(struct rule_parser *parser);
	} kinds[] = {
		{"wait", TRIGGER_WAIT, parse_wait}, {"runq", TRIGGER_RUNQ, parse_runq},
		{"stuck", TRIGGER_STUCK, parse_stuck}, {"psi", TRIGGER_PSI, parse_psi},
		{"cpu", TRIGGER_CPU, parse_cpu}, {"exec", TRIGGER_EXEC, parse_exec},
	};
	struct rule_parser parser = {.text = text, .at = text, .rule = ret_rule};
	int r = -ENOENT;

	*ret_rule = (struct trigger_rule){.text = text};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && r == -ENOENT; i++)
		if (skip(&parser, kinds[i].name)) {
			ret_rule->kind = kinds[i].kind;
			r = kinds[i].parse(&parser);
		}
	if (r == -ENOENT)
		return expected(&parser, "wait, runq, stuck, psi, cpu or exec");
	if (r >= 0 && *parser.at)
		return expected(&parser, "its end");
	return r;
}
