/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One entry of .eh_frame or .debug_frame: a CIE or an FDE, with its headers decoded and its
 * instructions left as bytes. DWARF 5 §6.4.1 and §7.24, Linux Standard Base 5.0 core §10.6.1. The
 * recorder uses it to pick entries, the reporter to build its index. The bytes are hostile; what is
 * returned points into them.
 */
#ifndef RWALKER_COMMON_ELF_CFI_ENTRY_H
#define RWALKER_COMMON_ELF_CFI_ENTRY_H

#include "common/elf/cfi_pointer.h"

enum cfi_kind { CFI_EH_FRAME, CFI_DEBUG_FRAME };

struct cfi_cie {
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t return_register;
	uint8_t encoding;      /* encoding of the FDE's addresses */
	bool augmented;	       /* its FDEs have augmentation data, with a length, before their instructions */
	bool signal;
	struct cfi_bytes initial;
};

enum cfi_entry_kind { CFI_ENTRY_TERMINATOR, CFI_ENTRY_CIE, CFI_ENTRY_FDE };

struct cfi_entry {
	enum cfi_entry_kind kind;
	size_t body, next; /* offsets: after the CIE pointer; of the next entry */
	size_t cie;	   /* FDE: offset of its CIE */
};

/* The entry at an offset; -EBADMSG if that is not an entry, so that nothing after it can be found. */
int cfi_entry_read(const struct cfi_bytes *section, enum cfi_kind kind, size_t offset, struct cfi_entry *ret_entry);

/* -EBADMSG: malformed, or of an unknown kind. */
int cfi_cie_read(const struct cfi_bytes *section, enum cfi_kind kind, size_t offset, struct cfi_cie *ret_cie);

struct cfi_fde_head {
	uint64_t start, end; /* the code it describes, [start, end) */
	struct cfi_bytes program;
};

int cfi_fde_read(const struct cfi_bytes *section, const struct cfi_entry *entry, const struct cfi_cie *cie,
		 const struct cfi_pointer_bases *bases, struct cfi_fde_head *ret_head);

#endif
