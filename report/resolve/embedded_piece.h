/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sections that a trace holds in pieces (EVENT_EMBED_UNWIND), put together again. What it says of them may be anything. */
#ifndef RWALKER_REPORT_RESOLVE_EMBEDDED_PIECE_H
#define RWALKER_REPORT_RESOLVE_EMBEDDED_PIECE_H

#include "common/elf_file.h"
#include "report/read/trace_file.h"

/*
 * Puts a piece into its section, which is made with the first one, bytes in no piece being zero. 1: it was the first; 0: it was put
 * there, or makes no sense beside the others and was left out; -ENOMEM.
 */
int embedded_piece_take(const struct event_embed_unwind *piece, struct elf_section_bytes *section);

#endif
