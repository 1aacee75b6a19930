/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/parity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/chunk.h"

int parity_init(struct parity *parity)
{
	*parity = (struct parity){.bytes = calloc(1, RWK_MAX_PARITY)};
	return parity->bytes ? 0 : -ENOMEM;
}

void parity_deinit(struct parity *parity)
{
	free(parity->bytes);
	*parity = (struct parity){0};
}

void parity_reset(struct parity *parity)
{
	memset(parity->bytes, 0, parity->length);
	parity->length = 0;
	parity->count = 0;
}

bool parity_covers(const struct rwk_chunk_header *header)
{
	return (header->type == RWK_CHUNK_STATE || header->type == RWK_CHUNK_EMBED) &&
	       rwk_chunk_stored_length(header) <= RWK_MAX_PARITY;
}

void parity_remove(struct parity *parity, const void *stored, size_t length)
{
	const uint8_t *bytes = stored;

	for (size_t i = 0; i < length; i++)
		parity->bytes[i] ^= bytes[i];
}

void parity_add(struct parity *parity, const struct rwk_chunk_header *header, const void *stored)
{
	size_t length = rwk_chunk_stored_length(header);
	struct rwk_chunk_header *member = &parity->members[parity->count++];

	/* A search for chunks byte by byte must not take the member's header for the member. */
	*member = *header;
	memset(member->magic, 0, sizeof(member->magic));
	member->header_crc = 0;
	if (parity->length < length)
		parity->length = length;
	parity_remove(parity, stored, length); /* its own inverse */
}

size_t parity_size(const struct parity *parity)
{
	return sizeof(uint64_t) + parity->count * sizeof(parity->members[0]) + parity->length;
}

void parity_pack(const struct parity *parity, void *payload)
{
	uint64_t count = parity->count;
	size_t headers = parity->count * sizeof(parity->members[0]);
	uint8_t *at = payload;

	memcpy(at, &count, sizeof(count));
	memcpy(at + sizeof(count), parity->members, headers);
	memcpy(at + sizeof(count) + headers, parity->bytes, parity->length);
}

static bool members_take(struct parity *parity, const uint8_t *headers)
{
	for (uint32_t i = 0; i < parity->count; i++) {
		struct rwk_chunk_header *member = &parity->members[i];

		memcpy(member, headers + i * sizeof(*member), sizeof(*member));
		if (!parity_covers(member) || member->raw_size > RWK_MAX_RAW_CHUNK)
			return false;
		if (rwk_chunk_stored_length(member) > parity->length)
			parity->length = rwk_chunk_stored_length(member);
	}
	return true;
}

int parity_unpack(struct parity *parity, const void *payload, size_t length)
{
	const uint8_t *at = payload;
	uint64_t count = 0;
	size_t headers;

	parity_reset(parity);
	if (length >= sizeof(count))
		memcpy(&count, at, sizeof(count));
	headers = count <= RWK_PARITY_MEMBERS ? (size_t)count * sizeof(parity->members[0]) : SIZE_MAX;
	if (!count || length - sizeof(count) < headers)
		return -EBADMSG;
	parity->count = (uint32_t)count;
	if (!members_take(parity, at + sizeof(count)) || length != parity_size(parity)) {
		parity->count = 0;
		parity->length = 0;
		return -EBADMSG;
	}
	memcpy(parity->bytes, at + sizeof(count) + headers, parity->length);
	return 0;
}
