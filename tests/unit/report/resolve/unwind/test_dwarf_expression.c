/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Expressions and their results, worked out by hand from DWARF 5 §2.5. */
#include "report/resolve/unwind/dwarf_expression.h"

#include "tests/test.h"

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

TEST_MAIN(TEST(constants), TEST(arithmetic), TEST(comparisons_are_signed), TEST(stack), TEST(registers_and_memory),
	  TEST(branches), TEST(malformed))
