/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Call frame information: pointers (Linux Standard Base 5.0 core §10.5.1, "DWARF Exception Header Encoding"), entries, and
 * the functions that they describe.
 */
#ifndef RWALKER_COMMON_ELF_ELF_CFI_H
#define RWALKER_COMMON_ELF_ELF_CFI_H

#include "common/array.h"
#include "common/bytes.h"
#include "common/elf/elf_file.h"

struct cfi_bytes { /* a section, or a part of one */
	const uint8_t *bytes; /* the caller's; must outlive everything made from them */
	size_t size;	      /* 0: no such section */
	uint64_t address;     /* link-time address of the section's first byte */
};

struct cfi_pointer_bases { /* bases of relative values; text, data 0: unknown */
	uint64_t section, text, data, function;
};

enum { /* the parts of an encoding, DW_EH_PE_*: format and base of a value; the rest is DW_EH_PE_indirect */
	POINTER_FORMAT = 0x0f,
	POINTER_BASE = 0x70,
};

/*
 * Reads one pointer; the cursor goes bad if that fails. `section` contains the bytes that the
 * cursor walks. A raw value of 0 means "none" and yields 0 whatever its base. With `skip` the
 * pointer is only skipped, and may be indirect: such a value is in the memory of the process, which
 * is not available here.
 */
uint64_t cfi_read_pointer(struct byte_cursor *cursor, const struct cfi_bytes *section, uint8_t encoding,
			  const struct cfi_pointer_bases *bases, bool skip);

/*
 * One entry of .eh_frame or .debug_frame: a CIE or an FDE, with its headers decoded and its
 * instructions left as bytes. DWARF 5 §6.4.1 and §7.24, Linux Standard Base 5.0 core §10.6.1. The
 * recorder uses it to pick entries, the reporter to build its index. The bytes are hostile; what is
 * returned points into them.
 */
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

/*
 * Passes all readable FDEs to `take`, until that returns anything but 0; not those that begin at 0, of code that the linker
 * left out. The pass ends where the next entry cannot be found. Returns what `take` returned last.
 */
typedef int cfi_take_fde(void *data, size_t offset, const struct cfi_fde_head *head);
int cfi_each_fde(const struct cfi_bytes *section, enum cfi_kind kind, const struct cfi_pointer_bases *bases,
		 cfi_take_fde *take, void *data);

/*
 * Starts and ends of functions, from a file's call frame information: all that is known of code
 * without symbols. A part that the compiler split off (a function's cold part) counts as a function
 * of its own.
 */
struct cfi_function {
	uint64_t start, end; /* [start, end), link-time */
};

struct cfi_functions {
	ARRAY(struct cfi_function) list; /* by start */
};

/* Those in .eh_frame and .debug_frame. Malformed or compressed sections yield what can be read. -ENOMEM. */
int cfi_functions_of_file(const struct elf_file *file, struct cfi_functions *ret_functions);
void cfi_functions_deinit(struct cfi_functions *functions);

/* The function that contains the address; NULL if there is none. */
const struct cfi_function *cfi_functions_find(const struct cfi_functions *functions, uint64_t address);

#endif
