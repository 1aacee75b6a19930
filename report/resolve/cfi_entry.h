/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One entry of .eh_frame or .debug_frame: a CIE or an FDE, its headers decoded, its instructions left as bytes.
 * DWARF 5 §6.4.1 and §7.24, Linux Standard Base 5.0 core §10.6.1. Used by the index (cfi_section.c) only.
 */
#ifndef RWALKER_REPORT_RESOLVE_CFI_ENTRY_H
#define RWALKER_REPORT_RESOLVE_CFI_ENTRY_H

#include "report/resolve/cfi_section.h"

struct cfi_cie {
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t return_register;
	uint8_t encoding;      /* of the FDE's addresses */
	bool augmented;	       /* its FDEs have a length and data before their instructions */
	bool signal;
	struct cfi_bytes initial;
};

enum cfi_entry_kind { CFI_ENTRY_TERMINATOR, CFI_ENTRY_CIE, CFI_ENTRY_FDE };

struct cfi_entry {
	enum cfi_entry_kind kind;
	size_t body, next; /* offsets: behind the CIE pointer; of the entry that follows */
	size_t cie;	   /* of an FDE: offset of its CIE */
};

/* What stands at an offset; -EBADMSG where that is no entry, and so nothing behind it can be found. */
int cfi_entry_read(const struct cfi_bytes *section, enum cfi_kind kind, size_t offset, struct cfi_entry *ret_entry);

/* -EBADMSG: malformed, or of a kind we do not know. */
int cfi_cie_read(const struct cfi_bytes *section, enum cfi_kind kind, size_t offset, struct cfi_cie *ret_cie);

/* All of an FDE but what its CIE gives for the whole FDE: start, end, program. */
int cfi_fde_read(const struct cfi_bytes *section, const struct cfi_entry *entry, const struct cfi_cie *cie,
		 const struct cfi_pointer_bases *bases, struct cfi_fde *ret_fde);

#endif
