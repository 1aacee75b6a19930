/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A module's call frame information: finds the FDE of an address and reads the headers of the FDE and its CIE. Sources:
 * DWARF 5 §6.4.1 (.debug_frame), Linux Standard Base 5.0 core §10.6 (.eh_frame and .eh_frame_hdr).
 *
 * Made once from bytes that nobody vouches for; immutable afterwards and free to be shared by threads. The index is taken
 * from .eh_frame_hdr where that has a sorted table of the usual encoding, else from one pass over .eh_frame. .debug_frame
 * counts only where .eh_frame says nothing. Addresses are link-time ones. FDEs are numbered from 0, those of .eh_frame
 * first, each by start. Memory is bounded by the size of the sections.
 */
#ifndef RWALKER_REPORT_RESOLVE_CFI_SECTION_H
#define RWALKER_REPORT_RESOLVE_CFI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cfi_entry.h"
#include "report/resolve/unwind_arch.h"

struct cfi_source {
	const struct unwind_arch *arch;
	struct cfi_bytes eh_frame, eh_frame_hdr, debug_frame;
	uint64_t text_address, data_address; /* what textrel and datarel pointers count from; 0: unknown */
	uint64_t signal_trampoline;	     /* where signal handlers return to, if it has no FDE; 0: none */
};

struct cfi_section;

/* -E2BIG: a section above 1 GiB; -ENOMEM. Broken sections give an index of what can be read. */
int cfi_section_create(const struct cfi_source *source, struct cfi_section **ret_section);
void cfi_section_destroy(struct cfi_section *section);

const struct unwind_arch *cfi_section_arch(const struct cfi_section *section);
uint64_t cfi_section_signal_trampoline(const struct cfi_section *section);
uint32_t cfi_section_count(const struct cfi_section *section);

/* The last FDE of that section that starts at or before the address; whether it reaches that far stands in the FDE. */
bool cfi_section_find(const struct cfi_section *section, enum cfi_kind kind, uint64_t address, uint32_t *ret_number);

struct cfi_fde {
	enum cfi_kind kind;
	uint64_t start, end; /* code it describes, [start, end), cut to what 32 bits hold */
	uint64_t code_alignment;
	int64_t data_alignment;
	uint8_t return_register; /* number in the table of the architecture */
	uint8_t encoding;	 /* of pointers in the programs */
	bool signal;		 /* augmentation S: a frame that a signal pushed */
	struct cfi_bytes section;
	struct cfi_bytes initial, program; /* the CIE's instructions, the FDE's */
	struct cfi_pointer_bases bases;
};

/* -EBADMSG where it or its CIE is malformed. */
int cfi_section_fde(const struct cfi_section *section, uint32_t number, struct cfi_fde *ret_fde);

/* A run of the bytes of one of the two sections; for expressions, of which rules hold the offset. */
struct cfi_bytes cfi_section_bytes(const struct cfi_section *section, enum cfi_kind kind);

#endif
