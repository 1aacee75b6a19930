/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names for people. In full: demangled, with parameters. Short: demangled without them, and where a list of template or generic
 * arguments, or the parameters of an enclosing function, is longer than PRETTY_LIST_MAX characters, "..." stands for it, from the
 * inside out: std::map<...>::find. What says which function it is stays: (anonymous namespace), {lambda(int)#1}, operator<,
 * operator(), and Rust's <Type as Trait>:: and <impl Trait for Type>::, in which only inner lists are shortened.
 */
#ifndef RWALKER_REPORT_RESOLVE_PRETTY_NAME_H
#define RWALKER_REPORT_RESOLVE_PRETTY_NAME_H

#include <stdbool.h>

enum { PRETTY_LIST_MAX = 40 };

/* New memory; NULL: the name is as good as it is, or there is no memory. */
char *pretty_name(const char *name, bool full);

/* The second half of it, for names that are demangled: new memory, NULL where nothing is too long. */
char *shorten_name(const char *text);

#endif
