/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/symbol/pretty_name.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "report/resolve/symbol/demangle.h"

enum { DEPTH_MAX = 128 };

struct bracket {
	char opener;
	bool kept;    /* not shortened, regardless of its length */
	size_t inner; /* start of its content in the output */
};

struct shortening {
	const char *text;
	size_t at;	       /* in the text */
	size_t behind_operator; /* position after the sign of "operator<"; 0: none */
	char *out;
	size_t length;
	struct bracket stack[DEPTH_MAX];
	size_t depth;
	bool changed, odd; /* odd: unbalanced brackets */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void copy(struct shortening *s, size_t count)
{
	memcpy(s->out + s->length, s->text + s->at, count);
	s->length += count;
	s->at += count;
}

/* Copies "operator" and its sign, whose brackets are not brackets. False: the text here is something else. */
static bool take_operator(struct shortening *s)
{
	static const char *const signs[] = {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>",
					    "<=", ">=", "->", "<", ">"};
	static const char word[] = "operator";
	const char *here = s->text + s->at;

	if (strncmp(here, word, sizeof(word) - 1) != 0 || (s->at && is_word(here[-1])) ||
	    is_word(here[sizeof(word) - 1]))
		return false;
	copy(s, sizeof(word) - 1);
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (!strncmp(s->text + s->at, signs[i], strlen(signs[i]))) {
			copy(s, strlen(signs[i]));
			s->behind_operator = s->at;
			break;
		}
	return true;
}

/*
 * Whether '<' starts a list: it does after a name or an operator, and where a type may be, as in
 * Rust's "<T as Trait>"; else it means "less".
 */
static bool opens(const struct shortening *s, bool *ret_kept)
{
	char before = s->at ? s->text[s->at - 1] : '(';
	bool of_operator = s->behind_operator &&
			   (s->at == s->behind_operator ||
			    (s->at == s->behind_operator + 1 && before == ' '));

	*ret_kept = !strncmp(s->text + s->at, "<impl ", 6);
	if (of_operator || is_word(before) || before == ':' || before == '}' || before == '>')
		return true;
	*ret_kept = true;
	return strchr("(<[,;& *", before);
}

static void push(struct shortening *s, bool kept)
{
	char opener = s->text[s->at];

	copy(s, 1);
	if (s->depth == DEPTH_MAX)
		s->odd = true;
	else
		s->stack[s->depth++] = (struct bracket){.opener = opener, .kept = kept, .inner = s->length};
}

static void close_list(struct shortening *s)
{
	static const char kept_text[] = "anonymous namespace";
	const struct bracket *bracket = &s->stack[--s->depth];
	size_t length = s->length - bracket->inner;
	const char *content = s->out + bracket->inner;

	if (length > PRETTY_LIST_MAX && !bracket->kept &&
	    !(length == sizeof(kept_text) - 1 && !memcmp(content, kept_text, length))) {
		memcpy(s->out + bracket->inner, "...", 3);
		s->length = bracket->inner + 3;
		s->changed = true;
	}
	copy(s, 1);
}

static void take_bracket(struct shortening *s, char c)
{
	bool kept = false;

	if (c == '(' || (c == '<' && opens(s, &kept))) {
		push(s, kept);
	} else if (c == '>' && s->depth && s->stack[s->depth - 1].opener == '<' &&
		   (!s->at || s->text[s->at - 1] != '-')) {
		close_list(s);
	} else if (c == ')') {
		while (s->depth && s->stack[s->depth - 1].opener != '(') /* it was a "less", not a bracket */
			s->depth--;
		if (s->depth)
			close_list(s);
		else
			s->odd = true;
	} else {
		copy(s, 1);
	}
}

char *shorten_name(const char *text)
{
	struct shortening *s;
	char *out = NULL;

	if (!strpbrk(text, "<(") || strlen(text) <= PRETTY_LIST_MAX)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->text = text;
	s->out = malloc(strlen(text) + 1);
	while (s->out && text[s->at] && !s->odd) {
		if (take_operator(s))
			continue;
		if (strchr("<>()", text[s->at]))
			take_bracket(s, text[s->at]);
		else
			copy(s, 1);
	}
	if (s->out && s->changed && !s->odd && !s->depth) {
		s->out[s->length] = '\0';
		out = s->out;
	} else {
		free(s->out);
	}
	free(s);
	return out;
}

char *pretty_name(const char *name, bool full)
{
	char *text = full ? demangle_full(name) : demangle(name), *shorter;

	shorter = text && !full ? shorten_name(text) : NULL;
	if (!shorter)
		return text;
	free(text);
	return shorter;
}
