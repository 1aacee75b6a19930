/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/symbol/pretty_name.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- libiberty's demangler, which is given hostile names: its input and output are bounded --- */

enum { INPUT_MAX = 4096, OUTPUT_MAX = 4096, PIECES_MAX = 1 << 16, REFERENCES_MAX = 24 };

struct output {
	char text[OUTPUT_MAX + 1];
	size_t length, pieces;
	jmp_buf too_large;
};

/*
 * A short name can expand to gigabytes. The demangler has no way to stop early, so we jump out of
 * it. That leaks nothing: the callback interface builds everything on the stack.
 */
static void take_piece(const char *piece, size_t length, void *context)
{
	struct output *output = context;

	if (length > OUTPUT_MAX - output->length || output->pieces++ == PIECES_MAX)
		longjmp(output->too_large, 1);
	if (length) /* else the piece may be NULL */
		memcpy(output->text + output->length, piece, length);
	output->length += length;
}

static bool looks_rust(const char *name)
{
	return !strncmp(name, "_R", 2) || (!strncmp(name, "_ZN", 3) && strstr(name, "17h"));
}

static bool looks_cxx(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_GLOBAL__", 9);
}

/* A function of its own, so that longjmp() clobbers no variable of the caller. */
static bool expand(const char *name, int options, struct output *output)
{
	if (setjmp(output->too_large))
		return false;
	if (looks_rust(name) && rust_demangle_callback(name, options, take_piece, output))
		return true;
	output->length = 0;
	return looks_cxx(name) && cplus_demangle_v3_callback(name, options, take_piece, output);
}

/* libiberty's demangler of D has no callback. Only references to earlier parts (Q) make the result much larger. */
static char *demangle_d(const char *name)
{
	size_t references = 0;
	char *text;

	for (const char *c = name; *c; c++)
		references += *c == 'Q';
	text = references > REFERENCES_MAX ? NULL : dlang_demangle(name, DMGL_DLANG);
	if (!text || strlen(text) <= OUTPUT_MAX)
		return text;
	free(text);
	return NULL;
}

/* OCaml's native compiler: "caml", the module, "__" for ".", and $hh for other bytes. */
static char *demangle_ocaml(const char *name)
{
	char *text = malloc(strlen(name) + 1), *out = text;

	for (const char *c = name + strlen("caml"); text && *c; c++) {
		unsigned char byte = (unsigned char)*c;

		if (c[0] == '_' && c[1] == '_' && c[2]) {
			byte = '.';
			c++;
		} else if (*c == '$' && isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2])) {
			byte = (unsigned char)strtoul((char[]){c[1], c[2], 0}, NULL, 16);
			c += 2;
		}
		if (byte)
			*out++ = (char)byte;
	}
	if (text)
		*out = '\0';
	return text;
}

static bool looks_d(const char *name)
{
	return !strncmp(name, "_D", 2) && (isdigit((unsigned char)name[2]) || !strcmp(name, "_Dmain"));
}

static bool looks_ocaml(const char *name)
{
	return !strncmp(name, "caml", 4) && isupper((unsigned char)name[4]) && strstr(name, "__");
}

static char *demangle(const char *name, int options)
{
	struct output *output;
	char *text = NULL;

	if (strnlen(name, INPUT_MAX + 1) > INPUT_MAX)
		return NULL;
	if (looks_d(name))
		return demangle_d(name);
	if (looks_ocaml(name))
		return demangle_ocaml(name);
	if (!looks_cxx(name) && !looks_rust(name))
		return NULL;
	output = malloc(sizeof(*output));
	if (!output)
		return NULL;
	output->length = output->pieces = 0;
	if (expand(name, options, output) && output->length) {
		output->text[output->length] = '\0';
		text = strdup(output->text);
	}
	free(output);
	return text;
}

/* --- shortening --- */

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
	char *text = demangle(name, full ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS), *shorter;

	shorter = text && !full ? shorten_name(text) : NULL;
	if (!shorter)
		return text;
	free(text);
	return shorter;
}
