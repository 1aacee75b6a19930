/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/unwind/cfi.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/elf/elf_cfi.h"

#define BIT(n) (UINT64_C(1) << (n))

/* Preserved: rbx, rbp, r12-r15. In the frame for rt_sigreturn rsp points to the ucontext; registers start at +40. */
static const struct unwind_arch x86_64 = {
	.machine = EM_X86_64,
	.register_count = 17,
	.pc = 16,
	.sp = 7,
	.fp = 6,
	.link = 16,
	.preserved = BIT(3) | BIT(6) | BIT(12) | BIT(13) | BIT(14) | BIT(15),
	.address_mask = UINT64_MAX,
	.signal_frame = {
		[0] = 144, /* rax */
		[1] = 136, /* rdx */
		[2] = 152, /* rcx */
		[3] = 128, /* rbx */
		[4] = 112, /* rsi */
		[5] = 104, /* rdi */
		[6] = 120, /* rbp */
		[7] = 160, /* rsp */
		[8] = 40,
		[9] = 48,
		[10] = 56,
		[11] = 64,
		[12] = 72,
		[13] = 80,
		[14] = 88,
		[15] = 96,
		[16] = 168, /* rip */
	},
};

#define AARCH64_SIGNAL_REGISTER(n) [n] = 312 + 8 * (n)

/*
 * x19-x29. x30 is preserved in the sense of the table: a leaf without a rule returns to it. Pointer
 * authentication keeps its code in bits 63-56 and 54-48 (48-bit addresses); bit 55 is 0 in user
 * space. A stripped address is the same whether it was signed or not, so the RA state does not
 * matter. sp is at the rt_sigframe: 128 bytes of siginfo, the ucontext, in it the registers after
 * fault_address.
 */
static const struct unwind_arch aarch64 = {
	.machine = EM_AARCH64,
	.register_count = 33,
	.pc = 32,
	.sp = 31,
	.fp = 29,
	.link = 30,
	.preserved = BIT(19) | BIT(20) | BIT(21) | BIT(22) | BIT(23) | BIT(24) | BIT(25) | BIT(26) |
		     BIT(27) | BIT(28) | BIT(29) | BIT(30),
	.address_mask = UINT64_C(0x0000ffffffffffff),
	.signal_frame = {
		AARCH64_SIGNAL_REGISTER(0), AARCH64_SIGNAL_REGISTER(1), AARCH64_SIGNAL_REGISTER(2),
		AARCH64_SIGNAL_REGISTER(3), AARCH64_SIGNAL_REGISTER(4), AARCH64_SIGNAL_REGISTER(5),
		AARCH64_SIGNAL_REGISTER(6), AARCH64_SIGNAL_REGISTER(7), AARCH64_SIGNAL_REGISTER(8),
		AARCH64_SIGNAL_REGISTER(9), AARCH64_SIGNAL_REGISTER(10), AARCH64_SIGNAL_REGISTER(11),
		AARCH64_SIGNAL_REGISTER(12), AARCH64_SIGNAL_REGISTER(13), AARCH64_SIGNAL_REGISTER(14),
		AARCH64_SIGNAL_REGISTER(15), AARCH64_SIGNAL_REGISTER(16), AARCH64_SIGNAL_REGISTER(17),
		AARCH64_SIGNAL_REGISTER(18), AARCH64_SIGNAL_REGISTER(19), AARCH64_SIGNAL_REGISTER(20),
		AARCH64_SIGNAL_REGISTER(21), AARCH64_SIGNAL_REGISTER(22), AARCH64_SIGNAL_REGISTER(23),
		AARCH64_SIGNAL_REGISTER(24), AARCH64_SIGNAL_REGISTER(25), AARCH64_SIGNAL_REGISTER(26),
		AARCH64_SIGNAL_REGISTER(27), AARCH64_SIGNAL_REGISTER(28), AARCH64_SIGNAL_REGISTER(29),
		AARCH64_SIGNAL_REGISTER(30), AARCH64_SIGNAL_REGISTER(31), AARCH64_SIGNAL_REGISTER(32),
	},
	.has_ra_state = true,
};

const struct unwind_arch *unwind_arch_find(uint16_t machine)
{
	static const struct unwind_arch *const all[] = {&x86_64, &aarch64};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i]->machine == machine)
			return all[i];
	return NULL;
}

/* --- the FDEs of a module --- */

enum { SECTION_MAX_BYTES = 1 << 30, HEADER_VERSION = 1, TABLE_ENTRY = 8 };

/* FDEs by start. The starts have their own array, so that a search touches nothing else. */
struct fde_index {
	uint64_t *starts;
	uint32_t *offsets;
	uint32_t count;
};

struct cfi_section {
	struct cfi_source source;
	struct fde_index indexes[2]; /* by enum cfi_kind */
};

static const struct cfi_bytes *bytes_of(const struct cfi_section *section, enum cfi_kind kind)
{
	return kind == CFI_EH_FRAME ? &section->source.eh_frame : &section->source.debug_frame;
}

static int index_reserve(struct fde_index *index, size_t count)
{
	index->starts = calloc(count ? count : 1, sizeof(*index->starts));
	index->offsets = calloc(count ? count : 1, sizeof(*index->offsets));
	return index->starts && index->offsets ? 0 : -ENOMEM;
}

static void index_deinit(struct fde_index *index)
{
	free(index->starts);
	free(index->offsets);
	*index = (struct fde_index){0};
}

/* --- from .eh_frame_hdr --- */

/* The table of .eh_frame_hdr in the encoding used by all linkers: pairs of 32-bit offsets from its own start. */
static bool find_table(const struct cfi_section *section, struct byte_cursor *ret_table, size_t *ret_count)
{
	const struct cfi_bytes *header = &section->source.eh_frame_hdr;
	const struct cfi_pointer_bases bases = {.data = header->address};
	struct byte_cursor cursor = byte_cursor_make(header->bytes, header->size);
	uint8_t version = byte_cursor_u8(&cursor), frame_encoding = byte_cursor_u8(&cursor);
	uint8_t count_encoding = byte_cursor_u8(&cursor), table_encoding = byte_cursor_u8(&cursor);
	uint64_t count;

	if (version != HEADER_VERSION || table_encoding != (DW_EH_PE_datarel | DW_EH_PE_sdata4) ||
	    count_encoding == DW_EH_PE_omit)
		return false;
	(void)cfi_read_pointer(&cursor, header, frame_encoding, &bases, true);
	count = cfi_read_pointer(&cursor, header, count_encoding, &bases, false);
	if (cursor.bad || !count || count > byte_cursor_left(&cursor) / TABLE_ENTRY)
		return false;
	*ret_table = cursor;
	*ret_count = count;
	return true;
}

/* 1: the table is usable; 0: it is not sorted or points elsewhere. */
static int index_from_header(struct cfi_section *section)
{
	const struct cfi_bytes *header = &section->source.eh_frame_hdr, *frames = &section->source.eh_frame;
	struct fde_index *index = &section->indexes[CFI_EH_FRAME];
	struct byte_cursor table;
	uint64_t previous = 0;
	size_t count;

	if (!header->size || !find_table(section, &table, &count))
		return 0;
	if (index_reserve(index, count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint64_t start = header->address + (uint64_t)(int64_t)(int32_t)byte_cursor_u32(&table);
		uint64_t offset = header->address +
				  (uint64_t)(int64_t)(int32_t)byte_cursor_u32(&table) -
				  frames->address;

		if (start < previous || offset >= frames->size) {
			index_deinit(index);
			return 0;
		}
		previous = start;
		index->starts[i] = start;
		index->offsets[i] = (uint32_t)offset;
	}
	index->count = (uint32_t)count;
	return 1;
}

/* --- from one pass over the section --- */

typedef ARRAY(struct radix_key) key_list;

static struct cfi_pointer_bases bases_of(const struct cfi_section *section, enum cfi_kind kind)
{
	return (struct cfi_pointer_bases){
		.section = bytes_of(section, kind)->address,
		.text = section->source.text_address,
		.data = section->source.data_address,
	};
}

static int add_start(void *data, size_t offset, const struct cfi_fde_head *fde)
{
	key_list *keys = data;

	return array_push(keys, (struct radix_key){.key = fde->start, .number = (uint32_t)offset});
}

static int index_from_pass(struct cfi_section *section, enum cfi_kind kind)
{
	struct fde_index *index = &section->indexes[kind];
	const struct cfi_pointer_bases bases = bases_of(section, kind);
	key_list keys = {0};
	int r = cfi_each_fde(bytes_of(section, kind), kind, &bases, add_start, &keys);

	if (!r && keys.count)
		r = radix_sort(&keys.items, keys.count);
	if (!r)
		r = index_reserve(index, keys.count);
	for (size_t i = 0; !r && i < keys.count; i++) {
		if (index->count && index->starts[index->count - 1] == keys.items[i].key)
			continue; /* keep the first one */
		index->starts[index->count] = keys.items[i].key;
		index->offsets[index->count++] = keys.items[i].number;
	}
	array_free(&keys);
	return r;
}

int cfi_section_create(const struct cfi_source *source, struct cfi_section **ret_section)
{
	struct cfi_section *section;
	int r;

	if (source->eh_frame.size > SECTION_MAX_BYTES || source->eh_frame_hdr.size > SECTION_MAX_BYTES ||
	    source->debug_frame.size > SECTION_MAX_BYTES)
		return -E2BIG;
	section = calloc(1, sizeof(*section));
	if (!section)
		return -ENOMEM;
	section->source = *source;
	r = index_from_header(section);
	if (!r)
		r = index_from_pass(section, CFI_EH_FRAME);
	if (r >= 0)
		r = index_from_pass(section, CFI_DEBUG_FRAME);
	if (r < 0) {
		cfi_section_destroy(section);
		return r;
	}
	*ret_section = section;
	return 0;
}

void cfi_section_destroy(struct cfi_section *section)
{
	if (!section)
		return;
	index_deinit(&section->indexes[CFI_EH_FRAME]);
	index_deinit(&section->indexes[CFI_DEBUG_FRAME]);
	free(section);
}

/* --- queries --- */

const struct unwind_arch *cfi_section_arch(const struct cfi_section *section)
{
	return section->source.arch;
}

uint64_t cfi_section_signal_trampoline(const struct cfi_section *section)
{
	return section->source.signal_trampoline;
}

uint32_t cfi_section_count(const struct cfi_section *section)
{
	return section->indexes[CFI_EH_FRAME].count + section->indexes[CFI_DEBUG_FRAME].count;
}

struct cfi_bytes cfi_section_bytes(const struct cfi_section *section, enum cfi_kind kind)
{
	return *bytes_of(section, kind);
}

bool cfi_section_find(const struct cfi_section *section, enum cfi_kind kind, uint64_t address,
		      uint32_t *ret_number)
{
	const struct fde_index *index = &section->indexes[kind];
	const uint64_t *base = index->starts;
	uint32_t count = index->count;

	if (!count || address < base[0])
		return false;
	while (count > 1) { /* the number of iterations depends on the count only: no mispredictions */
		uint32_t half = count / 2;

		base += base[half] <= address ? half : 0;
		count -= half;
	}
	*ret_number = (uint32_t)(base - index->starts) +
		      (kind == CFI_EH_FRAME ? 0 : section->indexes[CFI_EH_FRAME].count);
	return true;
}

/* The head of the FDE with that number in the section of its kind, and its CIE. */
static int read_head(const struct cfi_section *section, uint32_t number, const struct cfi_fde *fde,
		     struct cfi_fde_head *ret_head, struct cfi_cie *ret_cie)
{
	size_t offset = section->indexes[fde->kind].offsets[number];
	struct cfi_entry entry;
	int r = cfi_entry_read(&fde->section, fde->kind, offset, &entry);

	if (!r && entry.kind != CFI_ENTRY_FDE)
		r = -EBADMSG;
	if (!r)
		r = cfi_cie_read(&fde->section, fde->kind, entry.cie, ret_cie);
	if (!r)
		r = cfi_fde_read(&fde->section, &entry, ret_cie, &fde->bases, ret_head);
	return !r && ret_cie->return_register >= section->source.arch->register_count ? -EBADMSG : r;
}

int cfi_section_fde(const struct cfi_section *section, uint32_t number, struct cfi_fde *ret_fde)
{
	uint32_t of_eh_frame = section->indexes[CFI_EH_FRAME].count;
	enum cfi_kind kind = number < of_eh_frame ? CFI_EH_FRAME : CFI_DEBUG_FRAME;
	struct cfi_fde fde = {.kind = kind, .section = *bytes_of(section, kind),
			      .bases = bases_of(section, kind)};
	struct cfi_fde_head head;
	struct cfi_cie cie;
	int r = read_head(section, kind == CFI_EH_FRAME ? number : number - of_eh_frame, &fde, &head, &cie);

	if (r < 0)
		return r;
	fde.start = head.start;
	fde.end = head.end - head.start > UINT32_MAX ? head.start + UINT32_MAX : head.end;
	fde.program = head.program;
	fde.bases.function = fde.start;
	fde.code_alignment = cie.code_alignment;
	fde.data_alignment = cie.data_alignment;
	fde.return_register = (uint8_t)cie.return_register;
	fde.encoding = cie.encoding;
	fde.signal = cie.signal;
	fde.initial = cie.initial;
	*ret_fde = fde;
	return 0;
}

/* --- of a file --- */

enum { UNPACKED_MAX_BYTES = 256 << 20 };

/* Leaves out a .debug_frame that cannot be unpacked. 0 or -ENOMEM. */
static int unpack(struct cfi_file *file)
{
	struct elf_section_bytes *section = &file->bytes.debug_frame;
	int r = section->compressed ? elf_section_unpack(section, UNPACKED_MAX_BYTES) : 0;

	if (r < 0) {
		free(section->bytes);
		*section = (struct elf_section_bytes){0};
	}
	return r == -ENOMEM ? r : 0;
}

static int add_debug_file(const struct elf_file *debug, struct elf_unwind *unwind)
{
	struct elf_unwind separate;
	int r = elf_file_unwind(debug, &separate);

	if (r < 0)
		return r;
	if (!unwind->debug_frame.bytes) {
		unwind->debug_frame = separate.debug_frame;
		separate.debug_frame = (struct elf_section_bytes){0};
	}
	elf_unwind_deinit(&separate);
	return 0;
}

static struct cfi_bytes as_cfi_bytes(const struct elf_section_bytes *bytes)
{
	return (struct cfi_bytes){.bytes = bytes->bytes, .size = bytes->size, .address = bytes->address};
}

int cfi_file_index(struct cfi_file *file, struct cfi_source source)
{
	source.eh_frame = as_cfi_bytes(&file->bytes.eh_frame);
	source.eh_frame_hdr = as_cfi_bytes(&file->bytes.eh_frame_hdr);
	source.debug_frame = as_cfi_bytes(&file->bytes.debug_frame);
	return cfi_section_create(&source, &file->section);
}

int cfi_file_open(const struct elf_file *elf, const struct elf_file *debug, uint64_t signal_trampoline,
		  struct cfi_file *ret_file)
{
	const struct cfi_source source = {.arch = unwind_arch_find(elf_file_machine(elf)),
					  .text_address = elf_file_text_address(elf),
					  .signal_trampoline = signal_trampoline};
	_cleanup_(cfi_file_close) struct cfi_file file = {0};
	int r = source.arch ? elf_file_unwind(elf, &file.bytes) : -ENOTSUP;

	if (!r)
		r = unpack(&file);
	if (!r && debug)
		r = add_debug_file(debug, &file.bytes);
	if (!r)
		r = unpack(&file);
	if (!r)
		r = cfi_file_index(&file, source);
	if (r < 0)
		return r;
	*ret_file = file;
	file = (struct cfi_file){0};
	return 0;
}

void cfi_file_close(struct cfi_file *file)
{
	cfi_section_destroy(file->section);
	elf_unwind_deinit(&file->bytes);
	file->section = NULL;
}

/* FDEs that start at 0 belong to code that the linker dropped. */
bool cfi_file_function(const struct cfi_file *file, uint64_t address, struct cfi_function *ret_function)
{
	static const enum cfi_kind kinds[] = {CFI_EH_FRAME, CFI_DEBUG_FRAME};

	for (size_t i = 0; file->section && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct cfi_fde fde;
		uint32_t number;

		if (!cfi_section_find(file->section, kinds[i], address, &number) ||
		    cfi_section_fde(file->section, number, &fde) < 0 || !fde.start ||
		    address < fde.start || address >= fde.end)
			continue;
		*ret_function = (struct cfi_function){fde.start, fde.end};
		return true;
	}
	return false;
}
