/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ELF helper's answer about unwind information: reads the sections of a file, picks what is
 * wanted (unwind_pick.h), and sends it. .debug_frame counts if it covers a hit that .eh_frame does
 * not. Sections packed by zlib are unpacked; those packed otherwise count as missing.
 *
 * The .debug_frame of a separate debug file is not looked for: distributions compress it, and the
 * reader of the trace finds the debug file by its build-id.
 *
 * Also sent: the packed symbols of a stripped file (.gnu_debugdata), as they are: the reader unpacks
 * them.
 */
#ifndef RWALKER_RECORD_HELPER_UNWIND_ANSWER_H
#define RWALKER_RECORD_HELPER_UNWIND_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/elf/elf_file.h"
#include "record/pick/unwind_pick.h"

struct unwind_choice_part {
	struct unwind_section_view section;
	struct unwind_pieces all, hit;
};

struct unwind_choice_blob { /* sent whole or not at all */
	uint32_t section;	/* enum unwind_section */
	bool with_hits;		/* also if only what was hit is sent */
	struct elf_section_bytes bytes;
};

enum { UNWIND_CHOICE_BLOBS = 2 };

struct unwind_choice {
	struct elf_unwind sections;
	struct unwind_choice_part parts[2];
	struct unwind_choice_blob blobs[UNWIND_CHOICE_BLOBS];
	size_t blob_count;
	bool only_hit; /* set before it is made: without the rest */
	uint64_t all, hit; /* bytes of either; UINT64_MAX: does not fit into any trace */
	uint32_t left_out; /* entries of hit functions that no trace can hold */
};

/*
 * hits: link-time addresses, ascending; they are consumed. 0, -errno of reading the file, -ENOMEM.
 */
int unwind_choice_make(const struct elf_file *file, uint64_t *hits, size_t count, struct unwind_choice *choice);
/* Adds the packed symbols of a file that has no others. If that fails, there are none. */
void unwind_choice_add_mini(const struct elf_file *file, struct unwind_choice *choice);
void unwind_choice_deinit(struct unwind_choice *choice);

/* Sends all of it, or what was hit, and then the end of the answer. */
int unwind_choice_send(const struct unwind_choice *choice, bool all, int socket, uint32_t token);

#endif
