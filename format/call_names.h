/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names of system calls by number (the kernel's syscall tables). Traces hold numbers, which a
 * reader on another kind of machine must be able to name as well.
 */
#ifndef RWALKER_FORMAT_CALL_NAMES_H
#define RWALKER_FORMAT_CALL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum call_table { CALLS_UNKNOWN, CALLS_X86_64, CALLS_I386, CALLS_AARCH64 };

/* machine: as uname(2) spells it; compat: the table for its 32-bit programs. */
enum call_table call_table_of(const char *machine, bool compat);

/* The length of the name, which is not terminated; 0: the number has no name here. */
size_t call_name(enum call_table table, uint64_t number, const char **ret_name);

#endif
