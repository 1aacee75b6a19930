/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A module's call frame information: finds the FDE of an address and reads the headers of the FDE
 * and its CIE. Sources: DWARF 5 §6.4.1 (.debug_frame), Linux Standard Base 5.0 core §10.6
 * (.eh_frame and .eh_frame_hdr).
 *
 * Built once from untrusted bytes; immutable afterwards and safe to share between threads. The
 * index is taken from .eh_frame_hdr if that has a sorted table in the usual encoding, else from one
 * pass over .eh_frame. .debug_frame is used only for addresses that .eh_frame does not cover.
 * Addresses are link-time addresses. FDEs are numbered from 0, those of .eh_frame first, each by
 * start. Memory is bounded by the size of the sections.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_CFI_SECTION_H
#define RWALKER_REPORT_RESOLVE_UNWIND_CFI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/elf/cfi_entry.h"
#include "report/resolve/unwind/unwind_arch.h"

struct cfi_source {
	const struct unwind_arch *arch;
	struct cfi_bytes eh_frame, eh_frame_hdr, debug_frame;
	uint64_t text_address, data_address; /* bases of textrel and datarel pointers; 0: unknown */
	uint64_t signal_trampoline;	     /* the return address of signal handlers, if it has no FDE; 0: none */
};

struct cfi_section;

/* -E2BIG: a section above 1 GiB; -ENOMEM. Malformed sections yield an index of what can be read. */
int cfi_section_create(const struct cfi_source *source, struct cfi_section **ret_section);
void cfi_section_destroy(struct cfi_section *section);

const struct unwind_arch *cfi_section_arch(const struct cfi_section *section);
uint64_t cfi_section_signal_trampoline(const struct cfi_section *section);
uint32_t cfi_section_count(const struct cfi_section *section);

/* The last FDE of that section that starts at or before the address; the FDE says whether it covers the address. */
bool cfi_section_find(const struct cfi_section *section, enum cfi_kind kind, uint64_t address,
		      uint32_t *ret_number);

struct cfi_fde {
	enum cfi_kind kind;
	uint64_t start, end; /* the code it describes, [start, end), limited to 32 bits */
	uint64_t code_alignment;
	int64_t data_alignment;
	uint8_t return_register; /* number in the table of the architecture */
	uint8_t encoding;	 /* encoding of pointers in the programs */
	bool signal;		 /* augmentation S: a signal frame */
	struct cfi_bytes section;
	struct cfi_bytes initial, program; /* the instructions of the CIE and of the FDE */
	struct cfi_pointer_bases bases;
};

/* -EBADMSG if it or its CIE is malformed. */
int cfi_section_fde(const struct cfi_section *section, uint32_t number, struct cfi_fde *ret_fde);

/* A range of bytes of one of the two sections; for expressions, whose offsets are in rules. */
struct cfi_bytes cfi_section_bytes(const struct cfi_section *section, enum cfi_kind kind);

#endif
