/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The functions of one module, found by address. Built once from any source of names (an ELF file,
 * a trace, a text file), then only searched. Of several symbols with the same address the best is
 * kept: the one with the lower rank (symbol_rank()), then with fewer leading
 * underscores, then with the longer name, then the first in byte order. This is perf's order,
 * except for the last step. A symbol without a size extends to the next one, the last to the end of
 * its page. If symbols nest, the innermost wins.
 */
#ifndef RWALKER_REPORT_SYMBOL_SYMBOL_INDEX_H
#define RWALKER_REPORT_SYMBOL_SYMBOL_INDEX_H

#include <stdbool.h>

#include "common/array.h"
#include "common/elf/elf_file.h"

struct symbol_index;

struct raw_symbol {
	uint64_t address, size;
	uint32_t name;	 /* offset in the names */
	uint8_t binding; /* STB_* */
};

struct symbol_list { /* input of an index, in any order */
	ARRAY(struct raw_symbol) symbols;
	ARRAY(char) names; /* NUL-terminated */
};

int symbol_list_add(struct symbol_list *list, uint64_t address, uint64_t size, const void *name,
		    size_t length);
/* Adds all functions of an ELF file, with `base` subtracted from their link-time addresses. */
int symbol_list_add_elf(struct symbol_list *list, const struct elf_file *elf, uint64_t base);
int symbol_list_add_symbols(struct symbol_list *list, const struct elf_symbols *symbols, uint64_t base);
void symbol_list_deinit(struct symbol_list *list);

/* Takes over the list's content; the list is empty afterwards. 0 or -ENOMEM. */
int symbol_index_create(struct symbol_list *list, struct symbol_index **ret_index);
void symbol_index_destroy(struct symbol_index *index);

/* Finds the symbol that contains the address. False: there is none. */
bool symbol_index_find(const struct symbol_index *index, uint64_t address, uint32_t *ret_symbol);
uint64_t symbol_index_start(const struct symbol_index *index, uint32_t symbol);
uint64_t symbol_index_end(const struct symbol_index *index, uint32_t symbol); /* exclusive */
const char *symbol_index_name(const struct symbol_index *index, uint32_t symbol);
/*
 * The name for people (pretty_name()). It is made once, so always request the same form from an
 * index. Returns the same pointer every time.
 */
const char *symbol_index_pretty_name(struct symbol_index *index, uint32_t symbol, bool full);
size_t symbol_index_count(const struct symbol_index *index);

/*
 * Names for people, of C++ (Itanium ABI), Rust (legacy and v0), D and OCaml. In full: demangled, with
 * parameters; a name whose expansion is too large stays as it is. Short: demangled without them, and a list
 * of template or generic arguments, or of parameters of an enclosing function, that is longer than
 * PRETTY_LIST_MAX characters is replaced by "...", from the inside out: std::map<...>::find. What
 * identifies the function stays: (anonymous namespace), {lambda(int)#1}, operator<, operator(), and
 * Rust's <Type as Trait>:: and <impl Trait for Type>::, in which only inner lists are shortened.
 */
enum { PRETTY_LIST_MAX = 40 };

/* New memory; NULL: the name needs no change, or out of memory. */
char *pretty_name(const char *name, bool full);

/* The second half of pretty_name(), for demangled names. New memory; NULL if nothing is too long. */
char *shorten_name(const char *text);

#endif
