/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/symbol/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

static char *demangle_with(const char *name, int options)
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

char *demangle(const char *name)
{
	return demangle_with(name, DMGL_NO_OPTS);
}

char *demangle_full(const char *name)
{
	return demangle_with(name, DMGL_PARAMS | DMGL_ANSI);
}
