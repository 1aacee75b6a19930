/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/service/resident.h"

#include <link.h>
#include <stdint.h>
#include <sys/mman.h>

/* Locks the segments of one object that the loader has mapped. mlock() reads them, and takes care of whole pages. */
static int keep_object(struct dl_phdr_info *object, size_t size, void *context)
{
	size_t *kept = context;

	(void)size;
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && !mlock((const void *)start, segment->p_memsz))
			*kept += segment->p_memsz;
	}
	return 0;
}

size_t resident_keep(void)
{
	size_t kept = 0;

	(void)dl_iterate_phdr(keep_object, &kept);
	return kept;
}
