/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/jit_owners.h"

#include <stddef.h>

#include "common/time_units.h"

/* The latest first: a process maps such memory several times in a row. */
static uint32_t find(const struct jit_owners *owners, uint32_t tgid)
{
	uint32_t kept = owners->count < JIT_OWNERS ? owners->count : JIT_OWNERS;

	for (uint32_t i = 1; i <= kept; i++) {
		uint32_t at = (owners->count - i) % JIT_OWNERS;

		if (owners->table[at].tgid == tgid)
			return at;
	}
	return JIT_OWNERS;
}

bool jit_owners_note(struct jit_owners *owners, uint32_t tgid, uint64_t now)
{
	uint32_t at = find(owners, tgid);

	if (at == JIT_OWNERS) {
		at = owners->count++ % JIT_OWNERS;
		owners->table[at] = (struct jit_owner){.tgid = tgid};
	} else if (now - owners->table[at].asked < SECOND) {
		return false;
	}
	owners->table[at].asked = now;
	return true;
}

void jit_owners_set(struct jit_owners *owners, uint32_t tgid, const struct opener_owner *owner)
{
	uint32_t at = find(owners, tgid);

	if (at < JIT_OWNERS)
		owners->table[at].owner = *owner;
}

struct opener_owner jit_owners_find(const struct jit_owners *owners, uint32_t tgid)
{
	uint32_t at = find(owners, tgid);

	return at < JIT_OWNERS ? owners->table[at].owner : (struct opener_owner){0};
}
