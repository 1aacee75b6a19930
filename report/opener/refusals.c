/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/opener/refusals.h"

#include <string.h>

#include "common/hash.h"

static uint64_t hash_of(const char *path)
{
	uint64_t hash = 1;

	for (; *path; path++)
		hash = hash_mix(hash ^ (unsigned char)*path);
	return hash ? hash : 1;
}

/* Also notes it, if it is new and there is room. */
static bool is_known(struct refusals *refusals, uint64_t hash)
{
	const uint32_t mask = (1u << REFUSALS_KNOWN_BITS) - 1;
	uint32_t slot = hash_slot(hash, REFUSALS_KNOWN_BITS);

	for (; refusals->known[slot]; slot = (slot + 1) & mask)
		if (refusals->known[slot] == hash)
			return true;
	if (refusals->known_count < mask / 4 * 3) {
		refusals->known[slot] = hash;
		refusals->known_count++;
	}
	return false;
}

void refusals_add(struct refusals *refusals, enum opener_reason reason, const char *path)
{
	char *example = refusals->examples[reason];
	size_t length = strlen(path);

	if (is_known(refusals, hash_of(path)))
		return;
	refusals->counts[reason]++;
	if (length < PATH_MAX && (!*example || strcmp(path, example) < 0))
		memcpy(example, path, length + 1);
}
