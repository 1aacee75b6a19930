/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/jit_owners.h"

#include <stddef.h>
#include <unistd.h>

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

static void set_tmp(struct jit_owner *owner, int tmp)
{
	if (owner->tmp_plus_1)
		(void)close(owner->tmp_plus_1 - 1);
	owner->tmp_plus_1 = tmp + 1;
}

bool jit_owners_note(struct jit_owners *owners, uint32_t tgid, bool initial, uint64_t now)
{
	uint32_t at = find(owners, tgid);

	if (at == JIT_OWNERS) {
		at = owners->count++ % JIT_OWNERS;
		set_tmp(&owners->table[at], -1);
		owners->table[at] = (struct jit_owner){.tgid = tgid, .initial = initial};
	} else if (now - owners->table[at].asked < SECOND) {
		return false;
	}
	owners->table[at].asked = now;
	return true;
}

void jit_owners_set(struct jit_owners *owners, uint32_t tgid, const struct opener_owner *owner, int tmp)
{
	uint32_t at = find(owners, tgid);

	if (at == JIT_OWNERS) {
		if (tmp >= 0)
			(void)close(tmp);
		return;
	}
	if (owners->table[at].initial && !owners->table[at].owner.start)
		owners->table[at].settled = owner->map_size;
	if (owners->table[at].owner.start && owners->table[at].owner.start != owner->start)
		owners->table[at].settled = 0; /* another process by now */
	owners->table[at].owner = *owner;
	set_tmp(&owners->table[at], tmp);
}

uint64_t jit_owners_settled(const struct jit_owners *owners, uint32_t tgid)
{
	uint32_t at = find(owners, tgid);

	return at < JIT_OWNERS ? owners->table[at].settled : 0;
}

int jit_owners_tmp(const struct jit_owners *owners, uint32_t tgid)
{
	uint32_t at = find(owners, tgid);

	return at < JIT_OWNERS ? owners->table[at].tmp_plus_1 - 1 : -1;
}

struct opener_owner jit_owners_find(const struct jit_owners *owners, uint32_t tgid)
{
	uint32_t at = find(owners, tgid);

	return at < JIT_OWNERS ? owners->table[at].owner : (struct opener_owner){0};
}
