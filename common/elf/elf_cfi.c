/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/elf/elf_cfi.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"

/* --- numbers and pointers --- */

static uint64_t read_raw(struct byte_cursor *cursor, uint8_t encoding)
{
	switch (encoding & POINTER_FORMAT) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return byte_cursor_u64(cursor);
	case DW_EH_PE_udata4:
		return byte_cursor_u32(cursor);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int64_t)(int32_t)byte_cursor_u32(cursor);
	case DW_EH_PE_udata2:
		return byte_cursor_u16(cursor);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int64_t)(int16_t)byte_cursor_u16(cursor);
	case DW_EH_PE_uleb128:
		return byte_cursor_varint(cursor);
	case DW_EH_PE_sleb128:
		return (uint64_t)byte_cursor_signed(cursor);
	default:
		cursor->bad = true;
		return 0;
	}
}

/* Advances to the next address that is a multiple of 8, for an aligned pointer. */
static void align(struct byte_cursor *cursor, const struct cfi_bytes *section)
{
	uint64_t address = section->address + (uint64_t)(cursor->next - section->bytes);

	(void)byte_cursor_bytes(cursor, (size_t)(-address & 7));
}

static bool find_base(const struct cfi_pointer_bases *bases, uint8_t encoding, uint64_t position, uint64_t *ret_base)
{
	switch (encoding & POINTER_BASE) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_aligned:
		*ret_base = 0;
		return true;
	case DW_EH_PE_pcrel:
		*ret_base = position;
		return true;
	case DW_EH_PE_textrel:
		*ret_base = bases->text;
		return bases->text;
	case DW_EH_PE_datarel:
		*ret_base = bases->data;
		return bases->data;
	case DW_EH_PE_funcrel:
		*ret_base = bases->function;
		return true;
	default:
		return false;
	}
}

uint64_t cfi_read_pointer(struct byte_cursor *cursor, const struct cfi_bytes *section, uint8_t encoding,
			  const struct cfi_pointer_bases *bases, bool skip)
{
	uint64_t position, raw, base = 0;

	if (cursor->bad || encoding == DW_EH_PE_omit)
		return 0;
	if ((encoding & POINTER_BASE) == DW_EH_PE_aligned)
		align(cursor, section);
	if (cursor->bad)
		return 0;
	position = section->address + (uint64_t)(cursor->next - section->bytes);
	raw = read_raw(cursor, encoding);
	if (skip || cursor->bad || !raw)
		return skip ? 0 : raw;
	if (encoding & DW_EH_PE_indirect || !find_base(bases, encoding, position, &base)) {
		cursor->bad = true;
		return 0;
	}
	return base + raw;
}

/* --- entries --- */

enum {
	LENGTH_64 = 0xffffffff,
	LENGTH_RESERVED = 0xfffffff0,
	ADDRESS_BYTES = 8,
	/* Bytes; compilers use seven letters. A CIE may be read again for each FDE, so it must be cheap. */
	AUGMENTATION_MAX = 16,
};

static struct byte_cursor cursor_at(const struct cfi_bytes *section, size_t start, size_t end)
{
	return byte_cursor_make(section->bytes + start, end - start);
}

static size_t offset_of(const struct cfi_bytes *section, const struct byte_cursor *cursor)
{
	return (size_t)(cursor->next - section->bytes);
}

/* .debug_frame names the CIE by its offset, .eh_frame by the distance back to it from the position of that number. */
static int find_cie(enum cfi_kind kind, size_t position, uint64_t id, bool wide, struct cfi_entry *entry)
{
	bool is_cie = kind == CFI_EH_FRAME ? !id : id == (wide ? UINT64_MAX : UINT32_MAX);

	entry->kind = is_cie ? CFI_ENTRY_CIE : CFI_ENTRY_FDE;
	if (is_cie)
		return 0;
	if (kind == CFI_EH_FRAME && id > position)
		return -EBADMSG;
	entry->cie = kind == CFI_EH_FRAME ? position - id : id;
	return 0;
}

int cfi_entry_read(const struct cfi_bytes *section, enum cfi_kind kind, size_t offset, struct cfi_entry *ret_entry)
{
	struct cfi_entry entry = {.kind = CFI_ENTRY_TERMINATOR};
	struct byte_cursor cursor;
	uint64_t length, id;
	size_t position;
	bool wide;

	if (offset > section->size)
		return -EBADMSG;
	cursor = cursor_at(section, offset, section->size);
	length = byte_cursor_u32(&cursor);
	wide = length == LENGTH_64;
	if (wide)
		length = byte_cursor_u64(&cursor);
	if ((!wide && length >= LENGTH_RESERVED) || length > byte_cursor_left(&cursor))
		return -EBADMSG;
	entry.next = offset_of(section, &cursor) + length;
	if (!length) { /* between the parts that a linker joined, or at the end */
		*ret_entry = entry;
		return cursor.bad ? -EBADMSG : 0;
	}
	cursor.end = section->bytes + entry.next;
	position = offset_of(section, &cursor);
	id = wide && kind == CFI_DEBUG_FRAME ? byte_cursor_u64(&cursor) : byte_cursor_u32(&cursor);
	if (cursor.bad)
		return -EBADMSG;
	entry.body = offset_of(section, &cursor);
	*ret_entry = entry;
	return find_cie(kind, position, id, wide, ret_entry);
}

/* Interprets the letters of the augmentation; the data is read only as far as the letters are known. */
static void read_augmentation(const struct cfi_bytes *section, const char *letters, struct byte_cursor data,
			      struct cfi_cie *cie)
{
	static const struct cfi_pointer_bases none;

	for (; *letters && !data.bad; letters++)
		switch (*letters) {
		case 'R':
			cie->encoding = byte_cursor_u8(&data);
			break;
		case 'P':
			(void)cfi_read_pointer(&data, section, byte_cursor_u8(&data), &none, true);
			break;
		case 'L':
			(void)byte_cursor_u8(&data);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* aarch64: the key of pointer authentication; tagged memory */
		case 'G':
			break;
		default:
			return;
		}
}

static int read_cie_body(const struct cfi_bytes *section, enum cfi_kind kind, struct byte_cursor *cursor,
			 struct cfi_cie *cie)
{
	uint8_t version = byte_cursor_u8(cursor);
	const char *letters = (const char *)cursor->next;
	size_t left = byte_cursor_left(cursor);
	size_t letters_size = strnlen(letters, left < AUGMENTATION_MAX ? left : AUGMENTATION_MAX) + 1;

	(void)byte_cursor_bytes(cursor, letters_size);
	if (cursor->bad || letters_size > AUGMENTATION_MAX)
		return -EBADMSG;
	if (version != 1 && version != 3 && !(version == 4 && kind == CFI_DEBUG_FRAME))
		return -EBADMSG;
	if (!strcmp(letters, "eh")) /* of gcc 2: a pointer */
		(void)byte_cursor_bytes(cursor, ADDRESS_BYTES);
	else if (*letters && *letters != 'z')
		return -EBADMSG;
	if (version == 4 && (byte_cursor_u8(cursor) != ADDRESS_BYTES || byte_cursor_u8(cursor)))
		return -EBADMSG; /* size of addresses, of segment selectors */
	cie->code_alignment = byte_cursor_varint(cursor);
	cie->data_alignment = byte_cursor_signed(cursor);
	cie->return_register = version == 1 ? byte_cursor_u8(cursor) : byte_cursor_varint(cursor);
	if (*letters == 'z') {
		cie->augmented = true;
		read_augmentation(section, letters + 1, byte_cursor_sub(cursor, byte_cursor_varint(cursor)), cie);
	}
	return cursor->bad ? -EBADMSG : 0;
}

static struct cfi_bytes rest_of(const struct cfi_bytes *section, const struct byte_cursor *cursor)
{
	return (struct cfi_bytes){
		.bytes = cursor->next,
		.size = byte_cursor_left(cursor),
		.address = section->address + offset_of(section, cursor),
	};
}

int cfi_cie_read(const struct cfi_bytes *section, enum cfi_kind kind, size_t offset, struct cfi_cie *ret_cie)
{
	struct cfi_cie cie = {.encoding = DW_EH_PE_absptr};
	struct byte_cursor cursor;
	struct cfi_entry entry;
	int r = cfi_entry_read(section, kind, offset, &entry);

	if (r < 0)
		return r;
	if (entry.kind != CFI_ENTRY_CIE)
		return -EBADMSG;
	cursor = cursor_at(section, entry.body, entry.next);
	r = read_cie_body(section, kind, &cursor, &cie);
	if (r < 0)
		return r;
	cie.initial = rest_of(section, &cursor);
	*ret_cie = cie;
	return 0;
}

int cfi_fde_read(const struct cfi_bytes *section, const struct cfi_entry *entry, const struct cfi_cie *cie,
		 const struct cfi_pointer_bases *bases, struct cfi_fde_head *ret_head)
{
	struct byte_cursor cursor = cursor_at(section, entry->body, entry->next);
	uint64_t start = cfi_read_pointer(&cursor, section, cie->encoding, bases, false);
	uint64_t length = cfi_read_pointer(&cursor, section, cie->encoding & POINTER_FORMAT, bases, false), end;

	if (cie->augmented)
		(void)byte_cursor_bytes(&cursor, byte_cursor_varint(&cursor));
	if (cursor.bad || __builtin_add_overflow(start, length, &end))
		return -EBADMSG;
	*ret_head = (struct cfi_fde_head){.start = start, .end = end, .program = rest_of(section, &cursor)};
	return 0;
}

/* --- functions --- */

void cfi_functions_deinit(struct cfi_functions *functions)
{
	array_free(&functions->list);
}

int cfi_each_fde(const struct cfi_bytes *section, enum cfi_kind kind, const struct cfi_pointer_bases *bases,
		 cfi_take_fde *take, void *data)
{
	size_t cie_offset = SIZE_MAX;
	struct cfi_cie cie = {0};
	struct cfi_entry entry;
	bool readable = false;
	int r = 0;

	for (size_t offset = 0; !r && offset < section->size; offset = entry.next) {
		struct cfi_fde_head head;

		if (cfi_entry_read(section, kind, offset, &entry) < 0)
			break;
		if (entry.kind != CFI_ENTRY_FDE)
			continue;
		if (entry.cie != cie_offset) {
			cie_offset = entry.cie;
			readable = !cfi_cie_read(section, kind, cie_offset, &cie);
		}
		if (readable && !cfi_fde_read(section, &entry, &cie, bases, &head) && head.start && head.start < head.end)
			r = take(data, offset, &head);
	}
	return r;
}

static int take_function(void *data, size_t offset, const struct cfi_fde_head *head)
{
	struct cfi_functions *functions = data;

	(void)offset;
	return array_push(&functions->list, (struct cfi_function){head->start, head->end});
}

static int read_section(const struct elf_section_bytes *section, enum cfi_kind kind, uint64_t text,
			struct cfi_functions *functions)
{
	const struct cfi_bytes bytes = {section->bytes, section->compressed ? 0 : section->size, section->address};
	const struct cfi_pointer_bases bases = {.section = section->address, .text = text};

	return cfi_each_fde(&bytes, kind, &bases, take_function, functions);
}

static int compare(const void *left, const void *right)
{
	const struct cfi_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

int cfi_functions_of_file(const struct elf_file *file, struct cfi_functions *ret_functions)
{
	const uint64_t text = elf_file_text_address(file);
	_cleanup_(elf_unwind_deinit) struct elf_unwind unwind = {0};
	struct cfi_functions functions = {0};
	int r = elf_file_unwind(file, &unwind);

	if (!r)
		r = read_section(&unwind.eh_frame, CFI_EH_FRAME, text, &functions);
	if (!r)
		r = read_section(&unwind.debug_frame, CFI_DEBUG_FRAME, text, &functions);
	if (r < 0) {
		cfi_functions_deinit(&functions);
		return r;
	}
	if (functions.list.count)
		qsort(functions.list.items, functions.list.count, sizeof(*functions.list.items), compare);
	*ret_functions = functions;
	return 0;
}

const struct cfi_function *cfi_functions_find(const struct cfi_functions *functions, uint64_t address)
{
	size_t above = SORTED_FIRST(i, functions->list.count, functions->list.items[i].start > address);

	return above && address < functions->list.items[above - 1].end ? &functions->list.items[above - 1] : NULL;
}
