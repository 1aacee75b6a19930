/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Walks over hand-written stacks: aarch64 on any machine, with signed return addresses;
 * signal trampolines; how chains end. One module at MODULE with call frame information, code
 * without any at JIT.
 */
#include "report/unwind/unwinder.h"

#include <elf.h>

#include "tests/test.h"
#include "tests/unit/cfi_bytes.h"
#include "tests/unwind_stop.h"

enum { BIAS = 0x10000000,
       MODULE_END = 0x10000,
       JIT = 0x70000000,
       JIT_END = 0x70010000,
       STACK = 0x7ff00000,
       WORDS = 4096 };

/* Link-time addresses of the functions of the module; each has 256 bytes. */
enum { LEAF = 0x1000,
       MIDDLE = 0x1100,
       OUTER = 0x1200,
       STUCK = 0x1300,
       FIRST = 0x1400,
       TRAMPOLINE = 0x1600,
       SIGNAL = 0x1700 };

#define IN_MODULE(function) ((uint64_t)BIAS + (function) + 0x20)

struct fixture {
	const struct unwind_arch *arch;
	struct cfi_writer frames;
	struct cfi_section *section;
	struct unwinder *unwinder;
	uint64_t registers[UNWIND_REGISTERS], stack[WORDS];
	struct unwind_snapshot snapshot;
	struct unwind_chain chain;
	bool made; /* the code at JIT is known to be made at run time */
};

static bool find(void *context, uint64_t address, struct unwind_mapping *ret_mapping)
{
	const struct fixture *fixture = context;
	bool in_module = address >= BIAS && address < BIAS + MODULE_END;

	if (!in_module && (address < JIT || address >= JIT_END))
		return false;
	*ret_mapping = (struct unwind_mapping){.bias = BIAS, .cfi = in_module ? fixture->section : NULL,
					       .made = !in_module && fixture->made};
	return true;
}

/* The functions of 256 bytes at JIT: plain, one that begins threads, one that switches stacks. */
static bool find_name(void *context, uint64_t address, struct unwind_named *ret_named)
{
	static const enum unwind_named_kind kinds[] = {NAMED_PLAIN, NAMED_FIRST, NAMED_CHILD, NAMED_SWITCH};
	uint64_t number = (address - JIT) / 256;

	(void)context;
	if (address < JIT || number >= sizeof(kinds) / sizeof(kinds[0]))
		return false;
	*ret_named = (struct unwind_named){.start = JIT + number * 256, .kind = kinds[number]};
	return true;
}

static int open_fixture(struct fixture *fixture, uint16_t machine)
{
	struct cfi_source source = {.eh_frame = cfi_written(&fixture->frames), .signal_trampoline = TRAMPOLINE};

	fixture->arch = source.arch = unwind_arch_find(machine);
	fixture->registers[fixture->arch->sp] = STACK;
	fixture->snapshot = (struct unwind_snapshot){
		.registers = fixture->registers,
		.known = (UINT64_C(1) << UNWIND_REGISTERS) - 1,
		.stack = (const uint8_t *)fixture->stack,
		.stack_address = STACK,
		.stack_size = sizeof(fixture->stack),
		.cut = true,
		.other_cut = true,
	};
	if (cfi_section_create(&source, &fixture->section) < 0)
		return -1;
	return unwinder_create(fixture->arch, 0, &fixture->unwinder);
}

static void run(struct fixture *fixture, uint64_t pc)
{
	const struct unwind_space space = {.context = fixture, .find = find, .find_name = find_name, .generation = 1};

	static struct unwind_chain first;

	fixture->registers[fixture->arch->pc] = pc;
	first.count = 0;
	(void)unwinder_run(fixture->unwinder, &space, &fixture->snapshot, &first);
	for (int again = 0; again < 2; again++) { /* with what was found before */
		fixture->chain.count = 0;
		(void)unwinder_run(fixture->unwinder, &space, &fixture->snapshot, &fixture->chain);
		if (memcmp(fixture->chain.addresses, first.addresses, first.count * sizeof(*first.addresses)) != 0 ||
		    fixture->chain.count != first.count || fixture->chain.stop != first.stop)
			abort();
	}
}

static void close_fixture(struct fixture *fixture)
{
	unwinder_destroy(fixture->unwinder);
	cfi_section_destroy(fixture->section);
	array_free(&fixture->frames.bytes);
}

static void check_chain(struct test *t, const struct fixture *fixture, const uint64_t *want,
			size_t count, enum unwind_stop stop)
{
	CHECK_INT(t, fixture->chain.count, count);
	for (size_t i = 0; i < count && i < fixture->chain.count; i++)
		CHECK_INT(t, fixture->chain.addresses[i], want[i]);
	CHECK_STR(t, unwind_stop_name(fixture->chain.stop), unwind_stop_name(stop));
}

#define CHECK_CHAIN(t, fixture, stop, ...)                           \
	check_chain((t), (fixture), (const uint64_t[]){__VA_ARGS__}, \
		    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (stop))

/* --- aarch64: CFA = sp; a frame of 32 bytes {x29, x30}; by x29; one that says its return address is as it was --- */

static void write_aarch64(struct fixture *f)
{
	size_t cie = cfi_put_cie(&f->frames, 30, (const uint8_t[]){0x0c, 31, 0}, 3);

	CFI_FDE(&f->frames, cie, LEAF, 0x100, 0);
	CFI_FDE(&f->frames, cie, MIDDLE, 0x100, 0x2d, 0x0e, 32, 0x80 | 29, 4, 0x80 | 30, 3);
	CFI_FDE(&f->frames, cie, OUTER, 0x100, 0x0c, 29, 16, 0x80 | 29, 2, 0x80 | 30, 1, 0x05, 72, 5);
	CFI_FDE(&f->frames, cie, STUCK, 0x100, 0x0e, 16);
	CFI_FDE(&f->frames, cie, FIRST, 0x100, 0x07, 30);
}

static bool begin_aarch64(struct fixture *f)
{
	*f = (struct fixture){0};
	write_aarch64(f);
	return !open_fixture(f, EM_AARCH64);
}

static void aarch64_chain(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_aarch64(&f));
	f.registers[30] = IN_MODULE(MIDDLE) | UINT64_C(0x2a) << 56; /* signed */
	f.registers[29] = 1;                                        /* not needed yet */
	f.stack[0] = STACK + 64;                                    /* MIDDLE's: x29, x30 */
	f.stack[1] = IN_MODULE(OUTER) | UINT64_C(0xff7f) << 48;
	f.stack[8] = STACK + 96; /* OUTER's record, at x29 */
	f.stack[9] = JIT + 0x40;
	f.stack[12] = 0; /* the JIT function's record, at its x29 */
	f.stack[13] = IN_MODULE(FIRST) | UINT64_C(0x0012) << 48;
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_CLEAN, IN_MODULE(LEAF), IN_MODULE(MIDDLE), IN_MODULE(OUTER),
		    JIT + 0x40, IN_MODULE(FIRST));
	CHECK_INT(t, f.chain.how[1], UNWIND_BY_CFI);
	CHECK_INT(t, f.chain.how[4], UNWIND_BY_FRAME_POINTER);
	/* A mask of fewer bits, as the kernel may report: the remainder is not an address. */
	f.snapshot.address_mask = UINT64_C(0x00ffffffffffffff);
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_BAD_RETURN, IN_MODULE(LEAF), IN_MODULE(MIDDLE));
	close_fixture(&f);
}

/* Only an interrupted function may still have its return address in x30. */
static void aarch64_stuck(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_aarch64(&f));
	f.registers[30] = IN_MODULE(STUCK);
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_BAD_RETURN, IN_MODULE(LEAF), IN_MODULE(STUCK));
	close_fixture(&f);
}

/*
 * The handler returns to the trampoline, which has no FDE; the interrupted leaf is found through
 * x30 in the signal frame.
 */
static void aarch64_trampoline(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_aarch64(&f));
	f.registers[30] = BIAS + TRAMPOLINE;
	f.stack[39 + 30] = IN_MODULE(FIRST);
	f.stack[39 + 31] = STACK + 1024;
	f.stack[39 + 32] = BIAS + LEAF;
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_CLEAN, IN_MODULE(LEAF), BIAS + TRAMPOLINE, BIAS + LEAF, IN_MODULE(FIRST));
	CHECK_INT(t, f.chain.how[2], UNWIND_BY_CFI | UNWIND_EXACT);
	close_fixture(&f);
}

/* --- x86-64 --- */

static void write_x86_64(struct fixture *f)
{
	size_t cie = cfi_put_cie(&f->frames, 16, (const uint8_t[]){0x0c, 7, 8, 0x90, 1}, 5);

	CFI_FDE(&f->frames, cie, LEAF, 0x100, 0);
	CFI_FDE(&f->frames, cie, MIDDLE, 0x100, 0x0e, 16);
	CFI_FDE(&f->frames, cie, OUTER, 0x100, 0x0c, 6, 16, 0x86, 2);
	CFI_FDE(&f->frames, cie, STUCK, 0x100, 0x0e, 0); /* CFA = rsp */
	CFI_FDE(&f->frames, cie, FIRST, 0x100, 0x07, 16);
	cie = f->frames.bytes.count; /* of signals: rip, rsp at rsp + 8, rsp + 16, by expressions */
	cfi_begin(&f->frames, false);
	cfi_put_uint(&f->frames, 0, 4);
	CFI_PUT(&f->frames, 1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, 0x1b);
	CFI_PUT(&f->frames, 0x0f, 3, 0x77, 16, 0x06, 0x10, 16, 2, 0x77, 8, 0x10, 7, 2, 0x77, 16);
	cfi_end(&f->frames);
	CFI_FDE(&f->frames, cie, SIGNAL, 0x100, 0);
}

static bool begin_x86_64(struct fixture *f)
{
	*f = (struct fixture){0};
	write_x86_64(f);
	return !open_fixture(f, EM_X86_64);
}

static void x86_64_trampoline(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_x86_64(&f));
	f.stack[0] = BIAS + TRAMPOLINE;
	f.stack[1 + 160 / 8] = STACK + 1024; /* rsp */
	f.stack[1 + 168 / 8] = BIAS + MIDDLE;
	f.stack[1024 / 8 + 1] = IN_MODULE(FIRST);
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_CLEAN, IN_MODULE(LEAF), BIAS + TRAMPOLINE, BIAS + MIDDLE, IN_MODULE(FIRST));
	CHECK_INT(t, f.chain.how[2], UNWIND_BY_CFI | UNWIND_EXACT);
	close_fixture(&f);
}

static void ends(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_x86_64(&f));
	run(&f, IN_MODULE(LEAF)); /* to address 0, which is no root */
	CHECK_CHAIN(t, &f, UNWIND_BAD_RETURN, IN_MODULE(LEAF));
	f.stack[0] = 0x1234;
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_BAD_RETURN, IN_MODULE(LEAF));
	f.stack[0] = IN_MODULE(STUCK);
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_BAD_RETURN, IN_MODULE(LEAF), IN_MODULE(STUCK));
	f.stack[0] = IN_MODULE(OUTER);
	f.registers[6] = STACK + sizeof(f.stack) - 8;
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_TRUNCATED, IN_MODULE(LEAF), IN_MODULE(OUTER));
	f.stack[0] = JIT + 0x100;
	f.registers[6] = 12345; /* no frame pointer */
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_NO_CFI, IN_MODULE(LEAF), JIT + 0x100);
	f.registers[6] = 0; /* nor is a frame pointer of 0 */
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_NO_CFI, IN_MODULE(LEAF), JIT + 0x100);
	f.snapshot.stack_size = 0;
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_TRUNCATED, IN_MODULE(LEAF));
	close_fixture(&f);
}

/* A signal handler's stack and the interrupted one: both are read, each at its own addresses. */
static void two_stacks(struct test *t)
{
	enum { FIRST = 10,
	       ALL = 100 };
	static struct fixture f;
	size_t whole;

	REQUIRE(t, begin_x86_64(&f));
	for (size_t i = 0; i < WORDS; i++)
		f.stack[i] = IN_MODULE(MIDDLE);
	f.snapshot.stack_size = ALL * sizeof(*f.stack);
	run(&f, IN_MODULE(LEAF));
	whole = f.chain.count;
	CHECK_INT(t, f.chain.stop, UNWIND_TRUNCATED);
	f.snapshot.stack_size = FIRST * sizeof(*f.stack);
	run(&f, IN_MODULE(LEAF));
	CHECK(t, f.chain.count > 2 && f.chain.count < whole);
	f.snapshot.other = (const uint8_t *)(f.stack + FIRST);
	f.snapshot.other_address = STACK + FIRST * sizeof(*f.stack);
	f.snapshot.other_size = (ALL - FIRST) * sizeof(*f.stack);
	run(&f, IN_MODULE(LEAF));
	CHECK_INT(t, f.chain.count, whole);
	CHECK_INT(t, f.chain.stop, UNWIND_TRUNCATED);
	close_fixture(&f);
}

static void depth(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_x86_64(&f));
	for (size_t i = 0; i < WORDS; i++)
		f.stack[i] = IN_MODULE(MIDDLE);
	run(&f, IN_MODULE(LEAF));
	CHECK_INT(t, f.chain.count, UNWIND_DEPTH);
	CHECK_INT(t, f.chain.stop, UNWIND_TOO_DEEP);
	close_fixture(&f);
}

/* Frame pointers that go round in a circle, or backwards. */
static void circle(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_x86_64(&f));
	f.registers[6] = STACK + 64;
	f.stack[8] = STACK + 64;
	f.stack[9] = JIT + 0x10;
	run(&f, JIT);
	CHECK_CHAIN(t, &f, UNWIND_NO_CFI, JIT, JIT + 0x10);
	close_fixture(&f);
}

/* A call through a wild pointer: a word where the return address may be is no caller. */
static void wild_call(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_x86_64(&f));
	f.stack[0] = IN_MODULE(MIDDLE);
	f.stack[2] = IN_MODULE(FIRST);
	run(&f, 0);
	CHECK_CHAIN(t, &f, UNWIND_NO_CFI, 0);
	close_fixture(&f);
}

/* After the first instruction of a function that keeps frame pointers: its record is there, but rbp is not set yet. */
static void frame_pointer_just_saved(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_x86_64(&f));
	f.registers[6] = STACK + 64; /* the caller's */
	f.stack[0] = STACK + 64;
	f.stack[1] = JIT + 0x40;
	f.stack[8] = 0;
	f.stack[9] = IN_MODULE(FIRST);
	run(&f, JIT);
	CHECK_CHAIN(t, &f, UNWIND_CLEAN, JIT, JIT + 0x40, IN_MODULE(FIRST));
	CHECK_INT(t, f.chain.how[1], UNWIND_BY_FRAME_POINTER);
	f.stack[1] = 77; /* a copy of the frame pointer that happens to be there */
	run(&f, JIT);
	CHECK_CHAIN(t, &f, UNWIND_CLEAN, JIT, IN_MODULE(FIRST));
	CHECK_INT(t, f.chain.how[1], UNWIND_BY_OUTER_RECORD); /* its caller may be missing */
	f.made = true;
	run(&f, JIT);
	CHECK_INT(t, f.chain.how[1], UNWIND_BY_FRAME_POINTER);
	close_fixture(&f);
}

/* A leaf without a record, in code without call frame information, whose frame pointer leads nowhere. */
static void leaf_without_record(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_x86_64(&f));
	f.registers[6] = STACK - 4096; /* a frame on another stack */
	f.stack[0] = IN_MODULE(MIDDLE);
	f.stack[2] = IN_MODULE(FIRST);
	run(&f, JIT);
	CHECK_CHAIN(t, &f, UNWIND_NO_CFI, JIT);
	close_fixture(&f);
}

/* A chain is whole in a function in which threads begin, and nowhere else. */
static void first_functions(struct test *t)
{
	static struct fixture f;

	REQUIRE(t, begin_x86_64(&f));
	f.stack[0] = JIT + 0x140;
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_CLEAN, IN_MODULE(LEAF), JIT + 0x140);
	f.stack[0] = JIT + 0x240; /* after the call of the new thread's first function */
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_CLEAN, IN_MODULE(LEAF), JIT + 0x240);
	f.stack[0] = IN_MODULE(FIRST); /* the caller of clone() has callers */
	f.registers[6] = 0;
	run(&f, JIT + 0x240);
	CHECK_CHAIN(t, &f, UNWIND_NO_CFI, JIT + 0x240);
	f.stack[0] = JIT + 0x40;
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_NO_CFI, IN_MODULE(LEAF), JIT + 0x40);
	close_fixture(&f);
}

/* Go's systemstack() and the like: frames above on that stack called nothing. Recorded frame pointers continue. */
static void switched_stack(struct test *t)
{
	uint64_t addresses[] = {JIT + 0x340, JIT + 0x60, IN_MODULE(FIRST)};
	static struct fixture f;

	REQUIRE(t, begin_x86_64(&f));
	f.stack[0] = JIT + 0x340;
	f.stack[1] = IN_MODULE(MIDDLE);
	f.registers[6] = STACK + 64;
	f.stack[8] = STACK + 128;
	f.stack[9] = IN_MODULE(MIDDLE);
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_SWITCHED, IN_MODULE(LEAF), JIT + 0x340);
	f.snapshot.tail = (struct unwind_tail){.addresses = addresses, .count = 3};
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_SWITCHED, IN_MODULE(LEAF), JIT + 0x340, JIT + 0x60, IN_MODULE(FIRST));
	CHECK_INT(t, f.chain.how[2], UNWIND_BY_TAIL);
	addresses[1] = 0x1234; /* up to what is not code */
	run(&f, IN_MODULE(LEAF));
	CHECK_CHAIN(t, &f, UNWIND_SWITCHED, IN_MODULE(LEAF), JIT + 0x340);
	close_fixture(&f);
}

TEST_MAIN(TEST(first_functions), TEST(switched_stack), TEST(aarch64_chain), TEST(aarch64_stuck),
	  TEST(aarch64_trampoline), TEST(x86_64_trampoline), TEST(ends), TEST(two_stacks),
	  TEST(depth), TEST(circle), TEST(wild_call), TEST(frame_pointer_just_saved),
	  TEST(leaf_without_record))
