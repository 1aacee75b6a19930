/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ELF helper's answer about unwind information: reads the sections of a file, picks what is wanted (unwind_pick.h), and
 * sends it. .debug_frame counts where it covers a hit that .eh_frame does not; one that is compressed is not read.
 * That of a separate debug file is not looked for: the opener has the files that were mapped and no others, distributions compress
 * it, and whoever reads the trace finds the debug file by its build-id.
 * Beside it the packed symbols of a stripped file (.gnu_debugdata), as they are: the reader unpacks them.
 */
#ifndef RWALKER_RECORD_UNWIND_ANSWER_H
#define RWALKER_RECORD_UNWIND_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/elf_file.h"
#include "record/unwind_pick.h"

struct unwind_choice_part {
	struct unwind_section_view section;
	struct unwind_pieces all, hit;
};

struct unwind_choice {
	struct elf_unwind sections;
	struct unwind_choice_part parts[2];
	struct elf_section_bytes mini; /* .gnu_debugdata: goes with all of it */
	uint64_t all, hit; /* bytes of either; UINT64_MAX: no trace holds all of it */
	uint32_t left_out; /* entries of hit functions that no trace can hold */
};

/* hits: link-time addresses, ascending; they are consumed. -errno of reading the file, -ENOMEM. */
int unwind_choice_make(const struct elf_file *file, uint64_t *hits, size_t count, struct unwind_choice *choice);
/* Adds the packed symbols of a file that has no others. Where that fails there are none. */
void unwind_choice_add_mini(const struct elf_file *file, struct unwind_choice *choice);
void unwind_choice_deinit(struct unwind_choice *choice);

/* All of it, or what was hit, and the end of the answer. */
int unwind_choice_send(const struct unwind_choice *choice, bool all, int socket, uint32_t token);

#endif
