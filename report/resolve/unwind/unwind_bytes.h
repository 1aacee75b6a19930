/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The memory in a snapshot: the stack, and another stack that the task switched to. Included by the unwinder only. */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_UNWIND_BYTES_H
#define RWALKER_REPORT_RESOLVE_UNWIND_UNWIND_BYTES_H

#include <string.h>

#include "report/resolve/unwind/unwinder.h"

/* `size` bytes at an address; NULL if they are not in the snapshot. */
static inline const uint8_t *unwind_bytes(const struct unwind_snapshot *snapshot, uint64_t address,
					  size_t size)
{
	uint64_t offset = address - snapshot->stack_address, other = address - snapshot->other_address;

	if (snapshot->stack_size >= size && offset <= snapshot->stack_size - size)
		return snapshot->stack + offset;
	return snapshot->other_size >= size && other <= snapshot->other_size - size ?
	       snapshot->other + other : NULL;
}

/* The 8 bytes at an address; false if they are not in the snapshot. */
static inline bool unwind_read(const struct unwind_snapshot *snapshot, uint64_t address, uint64_t *ret_value)
{
	const uint8_t *bytes = unwind_bytes(snapshot, address, sizeof(*ret_value));

	if (!bytes)
		return false;
	memcpy(ret_value, bytes, sizeof(*ret_value)); /* little-endian, as both machines are */
	return true;
}

#endif
