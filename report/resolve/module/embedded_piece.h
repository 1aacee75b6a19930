/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Joins sections that a trace holds in pieces (EVENT_EMBED_UNWIND). The pieces are untrusted. */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_EMBEDDED_PIECE_H
#define RWALKER_REPORT_RESOLVE_MODULE_EMBEDDED_PIECE_H

#include "common/elf/elf_file.h"
#include "report/read/trace_file.h"

/*
 * Copies a piece into its section, which the first piece creates. Bytes that no piece covers are
 * zero. 1: it was the first; 0: copied, or ignored because it does not fit the others; -ENOMEM.
 */
int embedded_piece_take(const struct event_embed_unwind *piece, struct elf_section_bytes *section);

#endif
