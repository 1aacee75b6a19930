/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Like bpf/kernel.h, for pages of files. */
#ifndef RWALKER_BPF_KERNEL_PAGES_H
#define RWALKER_BPF_KERNEL_PAGES_H

#include "bpf/kernel_locks.bpf.h"

#define WQ_FLAG_EXCLUSIVE 1
#define PG_LOCKED 0		/* include/linux/page-flags.h, the first */
#define PAGE_MAPPING_FLAGS 3	/* in a pointer that is not to a mapping: anonymous memory and the like */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct folio {
	struct address_space *mapping;
	unsigned long index;
};

struct address_space {
	struct inode *host;
};

struct wait_page_queue { /* on the stack of folio_wait_bit_common() */
	struct folio *folio;
	int bit_nr;
	struct wait_queue_entry wait;
};

struct file___mapping {
	struct address_space *f_mapping;
};

struct vm_area_struct___mapped {
	struct file *vm_file;
};

#pragma clang attribute pop

#endif
