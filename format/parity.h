/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Recovery of a damaged chunk (FORMAT.md §3.5). STATE and EMBED chunks, on which all names depend,
 * form groups of RWK_PARITY_MEMBERS; after each group a PARITY chunk holds their headers (magic and
 * header_crc 0) and the exclusive or of their stored bytes. If all but one chunk of a group are
 * intact, the lost one is the exclusive or of the rest: a single damaged chunk never costs a name,
 * for an eighth of the space that copies would take.
 */
#ifndef RWALKER_FORMAT_PARITY_H
#define RWALKER_FORMAT_PARITY_H

#include <stdbool.h>

#include "format/limits.h"
#include "format/trace.h"

struct parity { /* a group that is being filled, or the payload of a PARITY chunk */
	uint32_t count;
	size_t length; /* of the longest member's stored bytes and padding */
	struct rwk_chunk_header members[RWK_PARITY_MEMBERS];
	uint8_t *bytes; /* RWK_MAX_PARITY */
};

int parity_init(struct parity *parity); /* -ENOMEM */
void parity_deinit(struct parity *parity);

/* Whether this chunk is protected: its type is, and it is not too long. */
bool parity_covers(const struct rwk_chunk_header *header);
/* Adds a chunk with its sequence number; `stored` includes the padding. The group must not be full. */
void parity_add(struct parity *parity, const struct rwk_chunk_header *header, const void *stored);
/* Removes one again, which leaves the exclusive or of the others. */
void parity_remove(struct parity *parity, const void *stored, size_t length);

/* The PARITY chunk's payload, at most parity_size() bytes. */
size_t parity_size(const struct parity *parity);
void parity_pack(const struct parity *parity, void *payload);
/* Reads a payload into a group; -EBADMSG if it is malformed. */
int parity_unpack(struct parity *parity, const void *payload, size_t length);
void parity_reset(struct parity *parity);

#endif
