/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * POSIX.1-2017, XBD 9.4 "Extended Regular Expressions", and 9.3.5 for bracket expressions, in the C
 * locale. Where the text says "undefined" but people use it, we follow glibc: an empty alternative
 * matches the empty string, `{,n}` counts from 0.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "common/log.h"
#include "record/plan/comm_regex_internal.h"

struct parser {
	const char *pattern, *next;
	unsigned int depth;
	struct regex_tree tree;
};

static int parse_alternatives(struct parser *parser, uint32_t *ret_node);

static int refuse(const struct parser *parser, const char *why)
{
	return log_error(EINVAL, "-c '%s': %s at byte %zu", parser->pattern, why,
			 (size_t)(parser->next - parser->pattern) + 1);
}

static int add_node(struct parser *parser, const struct regex_node *node, uint32_t *ret_node)
{
	int r = array_push(&parser->tree.nodes, *node);

	if (r < 0)
		return r;
	*ret_node = (uint32_t)parser->tree.nodes.count - 1;
	return 0;
}

static int add_pair(struct parser *parser, enum regex_kind kind, uint32_t left, uint32_t right, uint32_t *ret_node)
{
	return add_node(parser, &(struct regex_node){.kind = kind, .left = left, .right = right}, ret_node);
}

static bool take(struct parser *parser, char wanted)
{
	if (*parser->next != wanted)
		return false;
	parser->next++;
	return true;
}

/* --- bracket expressions --- */

static const struct {
	const char *name;
	int (*has)(int byte);
} classes[] = {
	{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
	{"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
	{"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
};

static int add_class(struct parser *parser, const char *name, size_t length, struct byte_set *set)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		if (strlen(classes[i].name) != length || memcmp(classes[i].name, name, length))
			continue;
		for (int byte = 1; byte < 256; byte++)
			if (classes[i].has(byte))
				byte_set_add(set, (uint8_t)byte);
		return 0;
	}
	return refuse(parser, "unknown character class");
}

/*
 * "[:alpha:]", "[=a=]" or "[.-.]" after its "["; *ret_byte is -1 for the first two, which cannot be
 * the end of a range.
 */
static int parse_named(struct parser *parser, struct byte_set *set, int *ret_byte)
{
	char mark = *parser->next++;
	const char *name = parser->next, close[] = {mark, ']', '\0'};
	const char *end = *name ? strstr(name + (mark != ':'), close) : NULL; /* "[.].]" names "]" */
	size_t length = end ? (size_t)(end - name) : 0;

	if (!end)
		return refuse(parser, "unmatched '[:', '[.' or '[='");
	if (mark != ':' && length != 1)
		return refuse(parser, "collating element of more than one byte");
	if (mark == ':') {
		int r = add_class(parser, name, length, set);

		if (r < 0)
			return r;
	}
	if (mark == '=')
		byte_set_add(set, (uint8_t)*name);
	parser->next = end + 2;
	*ret_byte = mark == '.' ? (uint8_t)*name : -1;
	return 0;
}

/* One end of a range, or a whole class. */
static int parse_element(struct parser *parser, struct byte_set *set, int *ret_byte)
{
	const char *next = parser->next;

	if (!*next)
		return refuse(parser, "unmatched '['");
	if (next[0] == '[' && next[1] && strchr(":.=", next[1])) {
		parser->next++;
		return parse_named(parser, set, ret_byte);
	}
	*ret_byte = (uint8_t)*parser->next++;
	return 0;
}

/* An element or a range; `first`: first in its brackets, where "-" and "]" are literal. */
static int parse_range(struct parser *parser, bool first, struct byte_set *set)
{
	int from, to, r;

	if (!first && parser->next[0] == '-' && parser->next[1] != ']')
		return refuse(parser, "stray '-' in brackets (put it first or last)");
	r = parse_element(parser, set, &from);
	if (r < 0)
		return r;
	to = from;
	if (parser->next[0] == '-' && parser->next[1] != ']') {
		if (from < 0)
			return refuse(parser, "range that begins with a class");
		parser->next++;
		r = parse_element(parser, set, &to);
		if (r < 0)
			return r;
		if (to < from)
			return refuse(parser, to < 0 ? "range that ends with a class" :
						       "range that ends before it begins");
	}
	for (int byte = from; from >= 0 && byte <= to; byte++)
		byte_set_add(set, (uint8_t)byte);
	return 0;
}

/* After the "[". */
static int parse_bracket(struct parser *parser, uint32_t *ret_node)
{
	struct regex_node node = {.kind = REGEX_BYTES};
	bool negated = take(parser, '^'), first = true;

	while (first || *parser->next != ']') {
		int r = parse_range(parser, first, &node.set);

		if (r < 0)
			return r;
		first = false;
	}
	parser->next++;
	for (int i = 0; negated && i < 4; i++)
		node.set.bits[i] = ~node.set.bits[i];
	return add_node(parser, &node, ret_node);
}

/* --- the rest --- */

/* After the backslash. */
static int parse_escape(struct parser *parser, struct byte_set *set)
{
	char byte = *parser->next;

	if (!byte)
		return refuse(parser, "trailing '\\'");
	if (isdigit((unsigned char)byte))
		return refuse(parser, "back-reference, which POSIX EREs do not have,");
	if (isalpha((unsigned char)byte))
		return refuse(parser, "'\\' before a letter, which POSIX leaves undefined (write "
				      "[[:digit:]], [[:alnum:]_], [[:space:]]),");
	if (strchr("<>`'", byte))
		return refuse(parser, "word or buffer anchor, which POSIX EREs do not have,");
	byte_set_add(set, (uint8_t)byte);
	parser->next++;
	return 0;
}

static int parse_group(struct parser *parser, uint32_t *ret_node)
{
	int r;

	if (++parser->depth > REGEX_MAX_DEPTH)
		return log_error(E2BIG, "-c '%s': more than %d nested parentheses", parser->pattern, REGEX_MAX_DEPTH);
	r = parse_alternatives(parser, ret_node);
	if (r < 0)
		return r;
	parser->depth--;
	return take(parser, ')') ? 0 : refuse(parser, "unmatched '('");
}

/* One atom without its repetition. */
static int parse_atom(struct parser *parser, uint32_t *ret_node)
{
	struct regex_node node = {.kind = REGEX_BYTES};
	char byte = *parser->next++;
	int r = 0;

	switch (byte) {
	case '(':
		return parse_group(parser, ret_node);
	case '[':
		return parse_bracket(parser, ret_node);
	case '^':
		node.kind = REGEX_BEGIN;
		break;
	case '$':
		node.kind = REGEX_END;
		break;
	case '.':
		memset(&node.set, 0xff, sizeof(node.set));
		break;
	case '\\':
		r = parse_escape(parser, &node.set);
		break;
	case '*':
	case '+':
	case '?':
	case '{':
		parser->next--;
		r = refuse(parser, "nothing to repeat");
		if (byte == '*' && parser->next == parser->pattern) /* as in a shell */
			log_info("a pattern is found anywhere in a name: 'nginx' does what '*nginx*' was to do");
		return r;
	case ')':
		parser->next--;
		return refuse(parser, "unmatched ')'");
	default:
		byte_set_add(&node.set, (uint8_t)byte);
	}
	return r < 0 ? r : add_node(parser, &node, ret_node);
}

/* A number of an interval; -1: none. */
static int parse_count(struct parser *parser, int *ret_count)
{
	int count = isdigit((unsigned char)*parser->next) ? 0 : -1;

	while (isdigit((unsigned char)*parser->next)) {
		count = count * 10 + (*parser->next++ - '0');
		if (count > REGEX_MAX_COUNT)
			return refuse(parser, "interval with too large a count");
	}
	*ret_count = count;
	return 0;
}

/* "2}", "2,}", "2,3}" or ",3}". */
static int parse_interval(struct parser *parser, struct regex_node *node)
{
	int min, max, r = parse_count(parser, &min);
	bool comma;

	if (r < 0)
		return r;
	max = min;
	comma = take(parser, ',');
	if (comma)
		r = parse_count(parser, &max);
	if (r < 0)
		return r;
	if (!take(parser, '}') || (min < 0 && max < 0))
		return refuse(parser, "interval other than {n}, {n,}, {n,m} or {,m},");
	if (max >= 0 && max < min)
		return refuse(parser, "interval that ends before it begins");
	node->min = min < 0 ? 0 : min < REGEX_MANY ? min : REGEX_MANY;
	node->max = max < 0 ? REGEX_UNBOUNDED : max < REGEX_MANY ? max : REGEX_MANY;
	return 0;
}

static int parse_repeats(struct parser *parser, uint32_t *node_number)
{
	for (;;) {
		struct regex_node node = {.kind = REGEX_REPEAT, .left = *node_number, .max = REGEX_UNBOUNDED};
		int r = 0;

		if (take(parser, '+'))
			node.min = 1;
		else if (take(parser, '?'))
			node.max = 1;
		else if (take(parser, '{'))
			r = parse_interval(parser, &node);
		else if (!take(parser, '*'))
			return 0;
		if (!r)
			r = add_node(parser, &node, node_number);
		if (r < 0)
			return r;
	}
}

/* Consecutive atoms, up to "|", ")" or the end. */
static int parse_branch(struct parser *parser, uint32_t *ret_node)
{
	uint32_t branch, atom;
	int r = add_node(parser, &(struct regex_node){.kind = REGEX_EMPTY}, &branch);

	while (!r && *parser->next && *parser->next != '|' && !(*parser->next == ')' && parser->depth)) {
		bool is_anchor = strchr("^$", *parser->next);

		r = parse_atom(parser, &atom);
		if (!r && !is_anchor) /* a repetition after an anchor has nothing to repeat */
			r = parse_repeats(parser, &atom);
		if (!r)
			r = add_pair(parser, REGEX_CAT, branch, atom, &branch);
	}
	if (!r)
		*ret_node = branch;
	return r;
}

static int parse_alternatives(struct parser *parser, uint32_t *ret_node)
{
	uint32_t whole, branch;
	int r = parse_branch(parser, &whole);

	while (!r && take(parser, '|')) {
		r = parse_branch(parser, &branch);
		if (!r)
			r = add_pair(parser, REGEX_ALT, whole, branch, &whole);
	}
	if (!r)
		*ret_node = whole;
	return r;
}

int regex_tree_parse(const char *pattern, struct regex_tree *ret_tree)
{
	struct parser parser = {.pattern = pattern, .next = pattern};
	int r;

	if (strlen(pattern) > REGEX_MAX_PATTERN)
		return log_error(E2BIG, "-c: the regular expression is longer than %d bytes", REGEX_MAX_PATTERN);
	r = parse_alternatives(&parser, &parser.tree.root);
	if (r < 0) {
		regex_tree_deinit(&parser.tree);
		return r;
	}
	*ret_tree = parser.tree;
	return 0;
}

void regex_tree_deinit(struct regex_tree *tree)
{
	array_free(&tree->nodes);
}
