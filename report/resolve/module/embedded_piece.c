/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/embedded_piece.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int embedded_piece_take(const struct event_embed_unwind *piece, struct elf_section_bytes *section)
{
	bool first = !section->bytes;

	if (!piece->size || piece->offset > piece->size || piece->bytes.length > piece->size - piece->offset)
		return 0;
	if (first) {
		section->bytes = calloc(1, piece->size);
		if (!section->bytes)
			return -ENOMEM;
		section->size = piece->size;
		section->address = piece->address;
	}
	if (section->size != piece->size || section->address != piece->address)
		return 0; /* it seems to be of another file with the same build-id: do not mix them */
	memcpy(section->bytes + piece->offset, piece->bytes.bytes, piece->bytes.length);
	return first;
}
