/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/symbol/symbol_index.h"

#include <ctype.h>
#include <elf.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/elf/elf_file.h"

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

/* --- the index --- */

int symbol_list_add(struct symbol_list *list, uint64_t address, uint64_t size, const void *name,
		    size_t length)
{
	const size_t offset = list->names.count;

	if (offset + length + 1 > UINT32_MAX || array_reserve(&list->names, offset + length + 1) < 0)
		return -ENOMEM;
	memcpy(list->names.items + offset, name, length);
	list->names.items[offset + length] = '\0';
	list->names.count += length + 1;
	return array_push(&list->symbols, (struct raw_symbol){.address = address, .size = size,
							      .name = (uint32_t)offset, .binding = STB_GLOBAL});
}

int symbol_list_add_symbols(struct symbol_list *list, const struct elf_symbols *symbols, uint64_t base)
{
	size_t offset = list->names.count;

	if (offset + symbols->names_size > UINT32_MAX ||
	    array_reserve(&list->names, offset + symbols->names_size) < 0 ||
	    array_reserve(&list->symbols, list->symbols.count + symbols->count) < 0)
		return -ENOMEM;
	if (symbols->names_size)
		memcpy(list->names.items + offset, symbols->names, symbols->names_size);
	list->names.count += symbols->names_size;
	for (size_t i = 0; i < symbols->count; i++) {
		const struct elf_symbol *symbol = &symbols->items[i];

		if (symbol->name >= symbols->names_size || !symbols->names[symbol->name])
			continue;
		list->symbols.items[list->symbols.count++] =
			(struct raw_symbol){.address = symbol->address - base,
					    .size = symbol->size,
					    .name = (uint32_t)offset + symbol->name,
					    .binding = symbol->binding};
	}
	return 0;
}

int symbol_list_add_elf(struct symbol_list *list, const struct elf_file *elf, uint64_t base)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	int r = elf_file_symbols(elf, &symbols);

	return r < 0 ? r : symbol_list_add_symbols(list, &symbols, base);
}

void symbol_list_deinit(struct symbol_list *list)
{
	array_free(&list->symbols);
	array_free(&list->names);
}

/* How many symbols back to search for an enclosing one; the last symbol ends with its page if it has no size. */
enum { NESTING_MAX = 16, PAGE = 4096 };

struct symbol_index {
	uint64_t *starts; /* ascending, separate from the rest: searching touches nothing else */
	struct symbol_rest {
		uint64_t end;
		uint32_t name;
	} *rest;
	char **pretty; /* entries: NULL if not made yet; the name itself if it is not mangled */
	size_t count;
	struct address_buckets buckets; /* of the starts */
	char *text;
};

static int sort_symbols(const struct symbol_list *list, struct radix_key **ret_keys)
{
	_cleanup_free_ struct radix_key *keys = calloc(list->symbols.count + 1, sizeof(*keys));
	int r;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < list->symbols.count; i++)
		keys[i] = (struct radix_key){.key = list->symbols.items[i].address, .number = (uint32_t)i};
	r = radix_sort(&keys, list->symbols.count);
	if (!r)
		*ret_keys = steal_ptr(keys);
	return r;
}

/* --- choosing the best of several at one address --- */

static int compare_names(const char *a, const char *b)
{
	size_t of_a = strspn(a, "_"), of_b = strspn(b, "_");

	if (of_a != of_b)
		return of_a < of_b ? -1 : 1;
	of_a = strlen(a);
	of_b = strlen(b);
	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return strcmp(a, b);
}

/* Negative: `a` is the better one. */
static int compare_aliases(const struct symbol_list *list, const struct raw_symbol *a,
			   const struct raw_symbol *b)
{
	unsigned int of_a = symbol_rank(a->size, a->binding), of_b = symbol_rank(b->size, b->binding);

	if (of_a != of_b)
		return of_a < of_b ? -1 : 1;
	return compare_names(list->names.items + a->name, list->names.items + b->name);
}

static void keep_best(struct symbol_index *index, const struct symbol_list *list,
		      const struct radix_key *keys)
{
	size_t count = list->symbols.count;

	for (size_t i = 0; i < count;) {
		const struct raw_symbol *best = &list->symbols.items[keys[i].number];
		size_t first = i;

		for (i++; i < count && keys[i].key == keys[first].key; i++) {
			const struct raw_symbol *other = &list->symbols.items[keys[i].number];

			if (compare_aliases(list, other, best) < 0)
				best = other;
		}
		index->starts[index->count] = best->address;
		index->rest[index->count].name = best->name;
		if (__builtin_add_overflow(best->address, best->size, &index->rest[index->count].end))
			index->rest[index->count].end = UINT64_MAX;
		index->count++;
	}
}

static void close_gaps(struct symbol_index *index)
{
	for (size_t i = 0; i < index->count; i++) {
		if (index->rest[i].end != index->starts[i])
			continue;
		index->rest[i].end = i + 1 < index->count ? index->starts[i + 1] :
							    (index->starts[i] | (PAGE - 1)) + 1;
	}
}

int symbol_index_create(struct symbol_list *list, struct symbol_index **ret_index)
{
	_cleanup_free_ struct radix_key *keys = NULL;
	struct symbol_index *index = calloc(1, sizeof(*index));
	size_t room = list->symbols.count + 1;
	int r = index ? sort_symbols(list, &keys) : -ENOMEM;

	if (!r) {
		index->starts = calloc(room, sizeof(*index->starts));
		index->rest = calloc(room, sizeof(*index->rest));
		r = index->starts && index->rest ? 0 : -ENOMEM;
	}
	if (!r) {
		keep_best(index, list, keys);
		close_gaps(index);
		r = address_buckets_init(&index->buckets, index->starts, index->count);
	}
	if (r < 0) {
		symbol_index_destroy(index);
		return r;
	}
	index->text = list->names.items;
	list->names.items = NULL;
	list->names.count = list->names.capacity = 0;
	symbol_list_deinit(list);
	*ret_index = index;
	return 0;
}

void symbol_index_destroy(struct symbol_index *index)
{
	if (!index)
		return;
	for (size_t i = 0; index->pretty && i < index->count; i++)
		if (index->pretty[i] != index->text + index->rest[i].name)
			free(index->pretty[i]);
	free(index->pretty);
	free(index->starts);
	free(index->rest);
	address_buckets_deinit(&index->buckets);
	free(index->text);
	free(index);
}

bool symbol_index_find(const struct symbol_index *index, uint64_t address, uint32_t *ret_symbol)
{
	size_t at;

	if (!address_buckets_find(&index->buckets, index->starts, index->count, address, &at))
		return false;
	for (size_t back = 0; back < NESTING_MAX && back <= at; back++)
		if (address < index->rest[at - back].end) {
			*ret_symbol = (uint32_t)(at - back);
			return true;
		}
	return false;
}

uint64_t symbol_index_start(const struct symbol_index *index, uint32_t symbol)
{
	return index->starts[symbol];
}

uint64_t symbol_index_end(const struct symbol_index *index, uint32_t symbol)
{
	return index->rest[symbol].end;
}

const char *symbol_index_name(const struct symbol_index *index, uint32_t symbol)
{
	return index->text + index->rest[symbol].name;
}

const char *symbol_index_pretty_name(struct symbol_index *index, uint32_t symbol, bool full)
{
	char *name = index->text + index->rest[symbol].name;

	if (!index->pretty)
		index->pretty = calloc(index->count, sizeof(*index->pretty));
	if (!index->pretty)
		return name;
	if (!index->pretty[symbol]) {
		char *text = pretty_name(name, full);

		index->pretty[symbol] = text ? text : name;
	}
	return index->pretty[symbol];
}

size_t symbol_index_count(const struct symbol_index *index)
{
	return index->count;
}
