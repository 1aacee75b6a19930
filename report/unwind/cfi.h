/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A module's call frame information, and what differs between machines. */
#ifndef RWALKER_REPORT_UNWIND_CFI_H
#define RWALKER_REPORT_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_cfi.h"
#include "common/elf/elf_file.h"

/*
 * The differences between the supported machines, as a constant table for each. Chosen at run time
 * by the machine of the trace, so that an aarch64 snapshot can be unwound on x86-64. Registers have
 * their DWARF numbers: System V ABI, AMD64 supplement, figure 3.36; DWARF for the Arm 64-bit
 * Architecture, §4.1. The program counter has its own slot, which is the return address column on
 * x86-64 and DWARF's number of PC on aarch64.
 */
enum { UNWIND_REGISTERS = 33 };

struct unwind_arch {
	uint16_t machine;	/* EM_* */
	uint8_t register_count; /* numbers below it are tracked; others (vectors, flags) are ignored */
	uint8_t pc, sp, fp;
	uint8_t link; /* where a call puts the return address; == pc if it is pushed on the stack */
	uint64_t preserved;	 /* bit n: register n is preserved unless a function's rules say otherwise */
	uint64_t address_mask;	 /* bits that may be set in a user code address, if the snapshot does not say */
	uint16_t signal_frame[UNWIND_REGISTERS]; /* offset of each register from sp in the signal trampoline */
	bool has_ra_state;	 /* DW_CFA_AARCH64_negate_ra_state */
};

/* NULL if the machine is not supported. */
const struct unwind_arch *unwind_arch_find(uint16_t machine);

static inline uint64_t unwind_bit(unsigned int number)
{
	return UINT64_C(1) << number;
}

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
struct cfi_section;

struct cfi_source {
	const struct unwind_arch *arch;
	struct cfi_bytes eh_frame, eh_frame_hdr, debug_frame;
	uint64_t text_address, data_address; /* bases of textrel and datarel pointers; 0: unknown */
	uint64_t signal_trampoline;	     /* the return address of signal handlers, if it has no FDE; 0: none */
};

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

/* The call frame information of an ELF file, read and indexed; the bytes live as long as the index. */

struct cfi_file {
	struct elf_unwind bytes;
	struct cfi_section *section;
};

/*
 * `debug`: the file's separate debug file, whose .debug_frame is used if the file has none; NULL:
 * there is none. `signal_trampoline`: link-time address of __kernel_rt_sigreturn (aarch64's vDSO)
 * or __restore_rt (musl), which may have no FDE; 0: unknown. -ENOTSUP: unsupported machine;
 * -EBADMSG, -E2BIG, -ENOMEM, -errno of reading.
 */
int cfi_file_open(const struct elf_file *elf, const struct elf_file *debug, uint64_t signal_trampoline,
		  struct cfi_file *ret_file);
/* For a file whose bytes have been read; `source` has everything but the sections. As cfi_section_create(). */
int cfi_file_index(struct cfi_file *file, struct cfi_source source);
void cfi_file_close(struct cfi_file *file);

/* The function that contains the address (elf_cfi.h), without reading all FDEs. False: none, or no index. */
bool cfi_file_function(const struct cfi_file *file, uint64_t address, struct cfi_function *ret_function);

#endif
