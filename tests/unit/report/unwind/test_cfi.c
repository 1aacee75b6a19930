/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Call frame information from hand-written bytes, also such as no assembler writes: which FDE, which rule; and what
 * expressions give, worked out by hand from DWARF 5 §2.5.
 */
#include "report/unwind/unwind_internal.h"

#include <elf.h>

#include "tests/test.h"
#include "tests/unit/cfi_bytes.h"

enum { RA = 16, RSP = 7, RBP = 6, RBX = 3, HEADER_AT = 0x50000 };

static const uint8_t usual[] = {0x0c, RSP, 8, 0x80 | RA, 1}; /* CFA = rsp + 8, ra at CFA - 8 */

struct fixture {
	struct cfi_writer frames, debug, header;
	struct cfi_source source;
	struct cfi_section *section;
	struct cfi_rows rows;
};

static int open_fixture(struct fixture *fixture)
{
	fixture->source.arch = unwind_arch_find(EM_X86_64);
	fixture->source.eh_frame = cfi_written(&fixture->frames);
	fixture->source.debug_frame = cfi_written(&fixture->debug);
	fixture->source.eh_frame_hdr = cfi_written(&fixture->header);
	fixture->source.eh_frame_hdr.address = HEADER_AT;
	if (cfi_section_create(&fixture->source, &fixture->section) < 0)
		return -1;
	return cfi_rows_init(&fixture->rows, 1 << 20);
}

static void close_fixture(struct fixture *fixture)
{
	cfi_rows_deinit(&fixture->rows);
	cfi_section_destroy(fixture->section);
	array_free(&fixture->frames.bytes);
	array_free(&fixture->debug.bytes);
	array_free(&fixture->header.bytes);
}

/* NULL: no rule. */
static const struct cfi_rule *rule_at(struct fixture *fixture, uint64_t address)
{
	uint32_t number;

	if (cfi_rows_find(&fixture->rows, 0, fixture->section, address, &number) < 0 || number == CFI_RULE_NONE)
		return NULL;
	return cfi_rows_rule(&fixture->rows, number);
}

/* The CFA's offset, -1 if there is no rule. */
static int cfa_at(struct fixture *fixture, uint64_t address)
{
	const struct cfi_rule *rule = rule_at(fixture, address);

	return rule ? rule->cfa_value : -1;
}

/* The rule for a register: kind << 16 | value & 0xffff; 0: none. */
static int register_at(struct fixture *fixture, uint64_t address, unsigned int number)
{
	const struct cfi_rule *rule = rule_at(fixture, address);

	for (unsigned int i = 0; rule && i < rule->count; i++)
		if (rule->registers[i].reg == number)
			return rule->registers[i].kind << 16 | (rule->registers[i].value & 0xffff);
	return 0;
}

static int said(enum cfi_rule_kind kind, int value)
{
	return (int)kind << 16 | (value & 0xffff);
}

static void rare_instructions(struct test *t)
{
	struct fixture f = {0};
	size_t cie = cfi_put_cie(&f.frames, RA, usual, sizeof(usual));

	CFI_FDE(&f.frames, cie, 0x1000, 0x20000,
		0x2e, 0x80, 0x01,	 /* GNU_args_size 128 */
		0x2f, RBP, 3,		 /* GNU_negative_offset_extended: -(3 * -8) */
		0x05, RBX, 4,		 /* offset_extended */
		0x11, 12, 0x7d,		 /* offset_extended_sf -3 */
		0x14, 13, 2,		 /* val_offset */
		0x15, 14, 0x7e,		 /* val_offset_sf -2 */
		0x09, 15, 11,		 /* register */
		0x05, 40, 4,		 /* of a vector register: skipped */
		0x04, 0, 0, 1, 0,	 /* advance_loc4 0x10000 */
		0x12, RBX, 0x7c,	 /* def_cfa_sf -4 */
		0x08, RBP, 0x07, 12,	 /* same_value, undefined */
		0x03, 0, 1,		 /* advance_loc2 */
		0x13, 0x7b);		 /* def_cfa_offset_sf -5 */
	REQUIRE(t, !open_fixture(&f));
	CHECK_INT(t, register_at(&f, 0x1000, RBP), said(CFI_OFFSET, 24));
	CHECK_INT(t, register_at(&f, 0x1000, RBX), said(CFI_OFFSET, -32));
	CHECK_INT(t, register_at(&f, 0x1000, 12), said(CFI_OFFSET, 24));
	CHECK_INT(t, register_at(&f, 0x1000, 13), said(CFI_VALUE_OFFSET, -16));
	CHECK_INT(t, register_at(&f, 0x1000, 14), said(CFI_VALUE_OFFSET, 16));
	CHECK_INT(t, register_at(&f, 0x1000, 15), said(CFI_REGISTER, 11));
	CHECK_INT(t, cfa_at(&f, 0x10fff), 8);
	CHECK_INT(t, cfa_at(&f, 0x11000), 32);
	CHECK_INT(t, rule_at(&f, 0x11000)->cfa_register, RBX);
	CHECK(t, rule_at(&f, 0x11000)->same >> RBP & 1);
	CHECK(t, !(rule_at(&f, 0x11000)->same >> 12 & 1) && !register_at(&f, 0x11000, 12));
	CHECK_INT(t, cfa_at(&f, 0x11100), 40);
	close_fixture(&f);
}

static void states_and_places(struct test *t)
{
	struct fixture f = {0};
	size_t cie = cfi_put_cie(&f.frames, RA, usual, sizeof(usual));

	CFI_FDE(&f.frames, cie, 0x1000, 0x100, 0x0a, 0x41, 0x0e, 32, 0x80 | RBX, 3, 0x0a, 0x41,
		0x0c, RBP, 1, 0x41, 0x0b, 0x41, 0x0b);
	/* set_loc, pcrel like all addresses of that CIE */
	cfi_begin_fde(&f.frames, cie, 0x2000, 0x100);
	CFI_PUT(&f.frames, 0x01);
	cfi_put_uint(&f.frames, 0x2010 - (CFI_AT + (uint32_t)f.frames.bytes.count), 4);
	CFI_PUT(&f.frames, 0x0e, 64);
	cfi_end(&f.frames);
	REQUIRE(t, !open_fixture(&f));
	CHECK_INT(t, cfa_at(&f, 0x1001), 32);
	CHECK_INT(t, cfa_at(&f, 0x1002), 1);
	CHECK_INT(t, cfa_at(&f, 0x1003), 32); /* the CFA is restored, too */
	CHECK_INT(t, register_at(&f, 0x1003, RBX), said(CFI_OFFSET, -24));
	CHECK_INT(t, cfa_at(&f, 0x1004), 8);
	CHECK_INT(t, register_at(&f, 0x1004, RBX), 0);
	CHECK_INT(t, cfa_at(&f, 0x200f), 8);
	CHECK_INT(t, cfa_at(&f, 0x2010), 64);
	close_fixture(&f);
}

/* A malformed instruction ends the program there: rows before it are kept, the rest has no rule. */
static void broken_programs(struct test *t)
{
	struct fixture f = {0};
	size_t cie = cfi_put_cie(&f.frames, RA, usual, sizeof(usual));

	CFI_FDE(&f.frames, cie, 0x1000, 0x100, 0x44, 0x0e, 16, 0x44, 0x3f);	      /* no such instruction */
	CFI_FDE(&f.frames, cie, 0x2000, 0x100, 0x44, 0x0b);			      /* nothing was remembered */
	CFI_FDE(&f.frames, cie, 0x3000, 0x100, 0x44, 0x0f, 1, 0x30, 0x44, 0x0e, 16);  /* the CFA is an expression */
	CFI_FDE(&f.frames, cie, 0x4000, 0x100, 0x44, 0x0f, 0x70, 0x30);		      /* longer than the entry */
	/* An aarch64 instruction, on x86-64. */
	CFI_FDE(&f.frames, cie, 0x5000, 0x100, 0x44, 0x2d);
	cfi_begin_fde(&f.frames, cie, 0x6000, 0x100);
	for (int i = 0; i < 65; i++)
		CFI_PUT(&f.frames, 0x41, 0x0a);
	cfi_end(&f.frames);
	REQUIRE(t, !open_fixture(&f));
	CHECK_INT(t, cfa_at(&f, 0x1003), 8);
	CHECK_INT(t, cfa_at(&f, 0x1004), 16);
	CHECK_INT(t, cfa_at(&f, 0x1008), -1);
	for (uint64_t at = 0x2000; at <= 0x5000; at += 0x1000) {
		CHECK_INT(t, cfa_at(&f, at), 8);
		if (at != 0x3000)
			CHECK_INT(t, cfa_at(&f, at + 4), -1);
		CHECK_INT(t, cfa_at(&f, at + 8), -1);
	}
	CHECK_INT(t, cfa_at(&f, 0x6040), 8);
	CHECK_INT(t, cfa_at(&f, 0x6041), -1);
	close_fixture(&f);
}

static void put_fde_of_64_bits(struct cfi_writer *writer, size_t cie, uint32_t start)
{
	cfi_begin(writer, true);
	cfi_put_uint(writer, writer->bytes.count - cie, 4);
	cfi_put_uint(writer, start - (CFI_AT + (uint32_t)writer->bytes.count), 4);
	cfi_put_uint(writer, 0x100, 4);
	CFI_PUT(writer, 0, 0x0e, 40);
	cfi_end(writer);
}

/* Augmentations: personality and LSDA; absolute addresses; 'S'; an unknown one; gcc 2's. */
static void put_odd_cies(struct cfi_writer *writer)
{
	size_t at = writer->bytes.count;

	cfi_begin(writer, false);
	cfi_put_uint(writer, 0, 4);
	CFI_PUT(writer, 1, 'z', 'P', 'L', 'R', 'S', 0, 1, 0x78, RA, 7, 0x9b, 1, 2, 3, 4, 0x1b, 0x00, 0x0c, RSP, 80);
	cfi_end(writer);
	cfi_begin(writer, false);
	cfi_put_uint(writer, writer->bytes.count - at, 4);
	cfi_put_uint(writer, 0x5000, 8);
	cfi_put_uint(writer, 0x100, 8);
	CFI_PUT(writer, 4, 1, 2, 3, 4);
	cfi_end(writer);
	for (const char *odd = "!e"; *odd; odd++) {
		at = writer->bytes.count;
		cfi_begin(writer, false);
		cfi_put_uint(writer, 0, 4);
		CFI_PUT(writer, 1, (uint8_t)*odd, *odd == 'e' ? 'h' : '!', 0);
		if (*odd == 'e')
			cfi_put_uint(writer, 0x1234, 8);
		CFI_PUT(writer, 1, 0x78, RA, 0x0c, RSP, 88);
		cfi_end(writer);
		cfi_begin(writer, false);
		cfi_put_uint(writer, writer->bytes.count - at, 4);
		cfi_put_uint(writer, *odd == 'e' ? 0x7000 : 0x6000, 8);
		cfi_put_uint(writer, 0x100, 8);
		cfi_end(writer);
	}
}

static void entries(struct test *t)
{
	struct fixture f = {0};
	size_t cie = cfi_put_cie(&f.frames, RA, usual, sizeof(usual));

	CFI_FDE(&f.frames, cie, 0x3000, 0x100, 0x0e, 16);
	cfi_put_uint(&f.frames, 0, 4);	/* where the linker joined two files */
	CFI_FDE(&f.frames, cie, 0x1000, 0x100, 0x0e, 24);
	CFI_FDE(&f.frames, cie, CFI_AT + (uint32_t)f.frames.bytes.count + 8, 0x100, 0x0e, 32); /* dropped: 0 */
	CFI_FDE(&f.frames, cie, 0x2000, 0, 0x0e, 32);						/* empty */
	put_fde_of_64_bits(&f.frames, cie, 0x4000);
	put_odd_cies(&f.frames);
	REQUIRE(t, !open_fixture(&f));
	CHECK_INT(t, cfi_section_count(f.section), 5);
	CHECK_INT(t, cfa_at(&f, 0x1050), 24);
	CHECK_INT(t, cfa_at(&f, 0x2000), -1);
	CHECK_INT(t, cfa_at(&f, 0x3050), 16);
	CHECK_INT(t, cfa_at(&f, 0x4050), 40);
	CHECK_INT(t, cfa_at(&f, 0x5050), 80);
	CHECK(t, rule_at(&f, 0x5050)->flags == CFI_RULE_SIGNAL);
	CHECK_INT(t, cfa_at(&f, 0x6050), -1);
	CHECK_INT(t, cfa_at(&f, 0x7050), 88);
	close_fixture(&f);
}

/*
 * CIEs with many letters, FDEs that refer to one or the other in turn: reading each letter for each
 * FDE took minutes.
 */
static void long_augmentations(struct test *t)
{
	enum { LETTERS = 1 << 20, ENTRIES = 1 << 15 };
	struct fixture f = {0};
	size_t cies[2];

	for (int i = 0; i < 2; i++) {
		cies[i] = f.frames.bytes.count;
		cfi_begin(&f.frames, false);
		cfi_put_uint(&f.frames, 0, 4);
		CFI_PUT(&f.frames, 1, 'z');
		for (int k = 0; k < LETTERS; k++)
			CFI_PUT(&f.frames, 'S');
		CFI_PUT(&f.frames, 0, 1, 0x78, RA, 0, 0x0c, RSP, 8);
		cfi_end(&f.frames);
	}
	for (uint32_t i = 0; i < ENTRIES; i++) {
		cfi_begin(&f.frames, false);
		cfi_put_uint(&f.frames, f.frames.bytes.count - cies[i % 2], 4);
		cfi_put_uint(&f.frames, 0x1000 + 16 * i, 8);
		cfi_put_uint(&f.frames, 16, 8);
		CFI_PUT(&f.frames, 0);
		cfi_end(&f.frames);
	}
	REQUIRE(t, !open_fixture(&f));
	CHECK_INT(t, cfi_section_count(f.section), 0);
	close_fixture(&f);
}

static void put_debug_frame(struct cfi_writer *writer, uint64_t start, uint8_t cfa, bool wide)
{
	size_t cie = writer->bytes.count;

	cfi_begin(writer, wide);
	cfi_put_uint(writer, UINT64_MAX, wide ? 8 : 4);
	CFI_PUT(writer, 4, 0, 8, 0, 1, 0x78, RA, 0x0c, RSP, cfa);
	cfi_end(writer);
	cfi_begin(writer, wide);
	cfi_put_uint(writer, cie, wide ? 8 : 4);
	cfi_put_uint(writer, start, 8);
	cfi_put_uint(writer, 0x100, 8);
	cfi_end(writer);
}

/* .debug_frame counts where .eh_frame has nothing. */
static void debug_frame(struct test *t)
{
	struct fixture f = {0};
	size_t cie = cfi_put_cie(&f.frames, RA, usual, sizeof(usual));

	CFI_FDE(&f.frames, cie, 0x1000, 0x100, 0x0e, 16);
	put_debug_frame(&f.debug, 0x1080, 48, false);
	put_debug_frame(&f.debug, 0x2000, 56, true);
	REQUIRE(t, !open_fixture(&f));
	CHECK_INT(t, cfa_at(&f, 0x10ff), 16);
	CHECK_INT(t, cfa_at(&f, 0x1100), 48);
	CHECK_INT(t, cfa_at(&f, 0x117f), 48);
	CHECK_INT(t, cfa_at(&f, 0x1180), -1);
	CHECK_INT(t, cfa_at(&f, 0x2000), 56);
	CHECK(t, rule_at(&f, 0x2000)->flags & CFI_RULE_DEBUG_FRAME);
	close_fixture(&f);
}

/* The table of .eh_frame_hdr is used if it is sorted and points into .eh_frame; else the section is read through. */
static void header(struct test *t)
{
	static const uint32_t starts[][2] = {{0x1000, 0x2000}, {0x2000, 0x1000}, {0x1000, 0x2000}, {0x1000, 0x1800}};

	for (int kind = 0; kind < 4; kind++) {
		struct fixture f = {0};
		size_t cie = cfi_put_cie(&f.frames, RA, usual, sizeof(usual)), at[2];

		at[0] = f.frames.bytes.count;
		CFI_FDE(&f.frames, cie, 0x1000, 0x100, 0x0e, 16);
		at[1] = f.frames.bytes.count;
		CFI_FDE(&f.frames, cie, 0x2000, 0x100, 0x0e, 24);
		CFI_PUT(&f.header, 1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 2, 0, 0, 0);
		for (int i = 0; i < 2; i++) {
			size_t target = at[starts[kind][i] != 0x1000];

			cfi_put_uint(&f.header, starts[kind][i] - HEADER_AT, 4);
			cfi_put_uint(&f.header, CFI_AT + target + (kind == 2 ? 100000 : 0) - HEADER_AT, 4);
		}
		REQUIRE(t, !open_fixture(&f));
		CHECK_INT(t, cfi_section_count(f.section), 2);
		CHECK_INT(t, cfa_at(&f, 0x1000), 16);
		CHECK_INT(t, cfa_at(&f, 0x1100), -1);
		CHECK_INT(t, cfa_at(&f, 0x20ff), 24);
		CHECK_INT(t, cfa_at(&f, 0x1900), -1); /* the FDE itself counts */
		close_fixture(&f);
	}
}

/* With almost no room, rules are dropped and compiled again, and are the same. */
static void budget(struct test *t)
{
	struct fixture f = {0};
	size_t cie = cfi_put_cie(&f.frames, RA, usual, sizeof(usual));

	for (uint32_t i = 0; i < 100; i++)
		CFI_FDE(&f.frames, cie, 0x1000 + i * 16, 16, 0x0e, (uint8_t)i, 0x44, 0x0e, (uint8_t)(i + 1));
	REQUIRE(t, !open_fixture(&f));
	f.rows.budget = 500;
	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t i = 0; i < 100; i++) {
			CHECK_INT(t, cfa_at(&f, 0x1000 + i * 16), i);
			CHECK_INT(t, cfa_at(&f, 0x1008 + i * 16), i + 1);
		}
	CHECK(t, f.rows.epoch > 10);
	CHECK(t, f.rows.rows.count < 40);
	close_fixture(&f);
}

/* --- expressions --- */

enum { REGISTERS = 17, STEPS = 200 };

/* 16 bytes of memory at 0x1000: 0x10 ... 0x1f. */
static int read_memory(void *memory, uint64_t address, size_t size, uint64_t *ret_value)
{
	(void)memory;
	*ret_value = 0;
	if (address < 0x1000 || address + size > 0x1010)
		return -EFAULT;
	for (size_t i = 0; i < size; i++)
		*ret_value |= (address - 0x1000 + i + 0x10) << (8 * i);
	return 0;
}

static int run(const uint8_t *bytes, size_t size, const uint64_t *initial, uint64_t *ret_value)
{
	static const uint64_t registers[REGISTERS] = {[6] = 0x1000, [7] = 0x2000, [16] = 0x40100b};
	unsigned int steps = STEPS;
	const struct expression_context context = {
		.registers = registers,
		.known = UINT64_C(1) << 6 | UINT64_C(1) << 7 | UINT64_C(1) << 16,
		.register_count = REGISTERS,
		.bias = 0x500000,
		.read = read_memory,
		.steps_left = &steps,
	};

	return expression_evaluate(&context, bytes, size, initial, ret_value);
}

static void check(struct test *t, const uint8_t *bytes, size_t size, int64_t want, int line)
{
	uint64_t value = 0;
	int r = run(bytes, size, NULL, &value);

	test_check(t, !r && (int64_t)value == want, "line %d: %d, %lld, not %lld", line, r,
		   (long long)value, (long long)want);
}

static void check_error(struct test *t, const uint8_t *bytes, size_t size, int want, int line)
{
	uint64_t value = 0;
	int r = run(bytes, size, NULL, &value);

	test_check(t, r == want, "line %d: %d, not %d", line, r, want);
}

#define B(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define GIVES(want, ...) check(t, B(__VA_ARGS__), want, __LINE__)
#define FAILS(want, ...) check_error(t, B(__VA_ARGS__), want, __LINE__)

static void constants(struct test *t)
{
	GIVES(0, 0x30);
	GIVES(31, 0x4f);
	GIVES(255, 0x08, 0xff);
	GIVES(-1, 0x09, 0xff);
	GIVES(0xfffe, 0x0a, 0xfe, 0xff);
	GIVES(-2, 0x0b, 0xfe, 0xff);
	GIVES(0xfffffffd, 0x0c, 0xfd, 0xff, 0xff, 0xff);
	GIVES(-3, 0x0d, 0xfd, 0xff, 0xff, 0xff);
	GIVES(0x0807060504030201, 0x0e, 1, 2, 3, 4, 5, 6, 7, 8);
	GIVES(-4, 0x0f, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
	GIVES(300, 0x10, 0xac, 0x02);
	GIVES(-127, 0x11, 0x81, 0x7f);
	GIVES(0x500040, 0x03, 0x40, 0, 0, 0, 0, 0, 0, 0); /* an address is moved by the bias */
}

static void arithmetic(struct test *t)
{
	GIVES(9, 0x34, 0x35, 0x22);
	GIVES(-1, 0x34, 0x35, 0x1c);
	GIVES(20, 0x34, 0x35, 0x1e);
	GIVES(-2, 0x09, 0xf7, 0x34, 0x1b);	/* -9 / 4 */
	GIVES(1, 0x39, 0x34, 0x1d);		/* 9 mod 4 */
	GIVES(4, 0x36, 0x3c, 0x1a);
	GIVES(14, 0x36, 0x3c, 0x21);
	GIVES(10, 0x36, 0x3c, 0x27);
	GIVES(-5, 0x35, 0x1f);
	GIVES(-6, 0x35, 0x20);
	GIVES(5, 0x35, 0x1f, 0x19);
	GIVES(133, 0x35, 0x23, 0x80, 0x01);
	GIVES(80, 0x35, 0x34, 0x24);
	GIVES(0, 0x35, 0x08, 64, 0x24);
	GIVES(0x0fffffffffffffff, 0x09, 0xff, 0x34, 0x25);
	GIVES(-1, 0x09, 0xff, 0x34, 0x26);
	GIVES(-1, 0x09, 0x80, 0x08, 200, 0x26);
	GIVES(INT64_MIN, 0x0f, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b); /* INT64_MIN / -1 */
}

static void comparisons_are_signed(struct test *t)
{
	GIVES(1, 0x09, 0xff, 0x30, 0x2d);
	GIVES(0, 0x09, 0xff, 0x30, 0x2b);
	GIVES(1, 0x31, 0x31, 0x2a);
	GIVES(1, 0x31, 0x31, 0x2c);
	GIVES(1, 0x31, 0x31, 0x29);
	GIVES(0, 0x31, 0x31, 0x2e);
}

static void stack(struct test *t)
{
	GIVES(6, 0x33, 0x12, 0x22);			 /* dup */
	GIVES(3, 0x33, 0x34, 0x13);			 /* drop */
	GIVES(3, 0x33, 0x34, 0x14);			 /* over */
	GIVES(3, 0x33, 0x34, 0x35, 0x15, 2);		 /* pick */
	GIVES(1, 0x33, 0x34, 0x16, 0x1c);		 /* swap: 4 - 3 */
	GIVES(2, 0x31, 0x32, 0x33, 0x17);		 /* rot: 3 1 2 */
	GIVES(1, 0x31, 0x32, 0x33, 0x17, 0x13);
	GIVES(3, 0x31, 0x32, 0x33, 0x17, 0x13, 0x13);
}

static void registers_and_memory(struct test *t)
{
	GIVES(0x2008, 0x77, 8);
	GIVES(0xff8, 0x76, 0x78);
	GIVES(0x2008, 0x92, 7, 8);
	GIVES(0x1716151413121110, 0x76, 0, 0x06);
	GIVES(0x1312, 0x76, 2, 0x94, 2);
	FAILS(-ENODATA, 0x70, 0);
	FAILS(-ENODATA, 0x92, 17, 0);
	FAILS(-ENODATA, 0x92, 80, 0);
	FAILS(-EFAULT, 0x76, 9, 0x06);
	FAILS(-EBADMSG, 0x76, 0, 0x94, 9);
	GIVES(0x2010, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22); /* a PLT, at offset 11 */
}

static void branches(struct test *t)
{
	GIVES(7, 0x2f, 1, 0, 0x96, 0x37);
	GIVES(1, 0x31, 0x31, 0x28, 1, 0, 0x34);
	GIVES(4, 0x31, 0x30, 0x28, 1, 0, 0x34);
	/* 10 -> 0 by ones */
	GIVES(0, 0x3a, 0x31, 0x1c, 0x12, 0x30, 0x2b, 0x28, 0xf8, 0xff);
	FAILS(-ELOOP, 0x2f, 0xfd, 0xff);
	FAILS(-EBADMSG, 0x2f, 0xfc, 0xff);
	FAILS(-EBADMSG, 0x2f, 1, 0);
}

static void malformed(struct test *t)
{
	uint64_t value, initial = 5;

	FAILS(-EBADMSG, 0x08);
	FAILS(-EBADMSG, 0x22);
	FAILS(-EBADMSG, 0x13);
	FAILS(-EBADMSG, 0x31, 0x15, 1);
	FAILS(-EBADMSG, 0x31, 0x16);
	FAILS(-EBADMSG, 0x31, 0x30, 0x1b);
	FAILS(-EBADMSG, 0x31, 0x30, 0x1d);
	FAILS(-EBADMSG, 0x31, 0x31, 0x9c); /* DW_OP_call_frame_cfa is not allowed here */
	FAILS(-EBADMSG, 0x31, 0x31, 0xe0);
	FAILS(-EBADMSG, 0x31, 0x12, 0x2f, 0xfc, 0xff); /* more than the stack can hold */
	CHECK_INT(t, run(NULL, 0, NULL, &value), -EBADMSG);
	CHECK(t, !run(NULL, 0, &initial, &value) && value == 5);
}

TEST_MAIN(TEST(rare_instructions), TEST(states_and_places), TEST(broken_programs), TEST(entries),
	  TEST(long_augmentations), TEST(debug_frame), TEST(header), TEST(budget), TEST(constants),
	  TEST(arithmetic), TEST(comparisons_are_signed), TEST(stack), TEST(registers_and_memory),
	  TEST(branches), TEST(malformed))
