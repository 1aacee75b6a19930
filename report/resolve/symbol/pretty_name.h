/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names for people, of C++ (Itanium ABI), Rust (legacy and v0), D and OCaml. In full: demangled, with
 * parameters; a name whose expansion is too large stays as it is. Short: demangled without them, and a list
 * of template or generic arguments, or of parameters of an enclosing function, that is longer than
 * PRETTY_LIST_MAX characters is replaced by "...", from the inside out: std::map<...>::find. What
 * identifies the function stays: (anonymous namespace), {lambda(int)#1}, operator<, operator(), and
 * Rust's <Type as Trait>:: and <impl Trait for Type>::, in which only inner lists are shortened.
 */
#ifndef RWALKER_REPORT_RESOLVE_SYMBOL_PRETTY_NAME_H
#define RWALKER_REPORT_RESOLVE_SYMBOL_PRETTY_NAME_H

#include <stdbool.h>

enum { PRETTY_LIST_MAX = 40 };

/* New memory; NULL: the name needs no change, or out of memory. */
char *pretty_name(const char *name, bool full);

/* The second half of pretty_name(), for demangled names. New memory; NULL if nothing is too long. */
char *shorten_name(const char *text);

#endif
