/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The door to libiberty's demangler: C++ (Itanium ABI), Rust (legacy and v0), D; and OCaml. Names are hostile:
 * input and output are bounded, and a name whose expansion exceeds the limit is left unchanged.
 */
#ifndef RWALKER_REPORT_RESOLVE_SYMBOL_DEMANGLE_H
#define RWALKER_REPORT_RESOLVE_SYMBOL_DEMANGLE_H

/* New memory, or NULL if the name is not mangled, malformed, or too large. */
char *demangle(const char *name); /* without parameters and return types, as in perf */
char *demangle_full(const char *name);

#endif
