/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Bytes from a trace, a host or an ELF on their way to a terminal or a file that a person opens.
 * C0 and C1 controls, DEL, malformed UTF-8, bidirectional overrides (U+202A-202E, U+2066-2069) and
 * U+2028/2029 become \xNN, byte by byte; everything else passes unchanged. Also when piped.
 */
#ifndef RWALKER_COMMON_PRINTABLE_H
#define RWALKER_COMMON_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes at most room-1 bytes and a NUL; never cuts inside an escape or a character. Returns the number
 * of bytes written, without the NUL. `length` bytes are read; a NUL among them is escaped too.
 */
size_t printable_escape(char *out, size_t room, const void *bytes, size_t length);

/* The same, straight to a stream. */
void printable_write(FILE *out, const void *bytes, size_t length);

#endif
