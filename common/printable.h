/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Text for people: foreign bytes that a terminal may print, and the plural. */
#ifndef RWALKER_COMMON_PRINTABLE_H
#define RWALKER_COMMON_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* "" for 1, else "s": "%zu module%s". Nouns with another plural, and verbs, are chosen by the caller, or better avoided. */
static inline const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/*
 * Escapes bytes from a trace, a host or an ELF file for a terminal or a file that a person opens.
 * C0 and C1 controls, DEL, malformed UTF-8, and characters that reorder text or are not seen
 * (bidirectional marks, embeddings, overrides and isolates, zero-width characters, tags,
 * U+2028/2029) become \xNN, byte by byte; everything else passes unchanged. Pipes are no
 * exception.
 *
 * Names are escaped so that no two look the same: their backslashes are doubled. In whole lines of
 * text, which contain what a user typed, a backslash passes.
 */

/*
 * Writes at most room-1 bytes and a NUL; never cuts inside an escape or a character. Returns the
 * number of bytes written, without the NUL. `length` bytes are read; a NUL among them is escaped
 * too.
 */
size_t printable_escape(char *out, size_t room, const void *bytes, size_t length); /* a name */
size_t printable_escape_line(char *out, size_t room, const void *bytes, size_t length);

/* A copy to free, as long as it needs. NULL: there is no memory. */
char *printable_copy(const char *text); /* a name */
char *printable_copy_line(const char *text);

/* The same, written to a stream. */
void printable_write(FILE *out, const void *bytes, size_t length); /* a name */
void printable_write_line(FILE *out, const void *bytes, size_t length);

#endif
