/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "common/bytes.h"
#include "common/elf/elf_file.h"

/*
 * Skips padding to the next multiple of `alignment`, relative to the start of the notes; it may be
 * cut off at the end.
 */
static void skip_padding(struct byte_cursor *cursor, const uint8_t *start, size_t alignment)
{
	size_t padding = -(size_t)(cursor->next - start) & (alignment - 1), left = byte_cursor_left(cursor);

	(void)byte_cursor_bytes(cursor, padding < left ? padding : left);
}

static bool find_build_id(const uint8_t *notes, size_t length, size_t alignment, struct build_id *ret_id)
{
	struct byte_cursor cursor = byte_cursor_make(notes, length);

	while (byte_cursor_left(&cursor)) {
		uint32_t name_size = byte_cursor_u32(&cursor), size = byte_cursor_u32(&cursor),
			 type = byte_cursor_u32(&cursor);
		const uint8_t *name = byte_cursor_bytes(&cursor, name_size), *bytes;

		skip_padding(&cursor, notes, alignment);
		bytes = byte_cursor_bytes(&cursor, size);
		skip_padding(&cursor, notes, alignment);
		if (bytes && type == NT_GNU_BUILD_ID && name_size == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && size && size <= BUILD_ID_MAX) {
			ret_id->length = (uint8_t)size;
			memcpy(ret_id->bytes, bytes, size);
			return true;
		}
	}
	return false;
}

/* Most notes are aligned to 4 bytes, .note.gnu.property and those merged with it to 8; the run itself does not say. */
void elf_notes_build_id(const void *notes, size_t length, struct build_id *ret_id)
{
	*ret_id = (struct build_id){0};
	if (!find_build_id(notes, length, 4, ret_id))
		(void)find_build_id(notes, length, 8, ret_id);
}
