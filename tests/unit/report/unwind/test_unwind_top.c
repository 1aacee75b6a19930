/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Callers without frame records, from the words at the top of a stack: only where the unwind table says that a word is
 * the return address. What lies there besides, such as a pointer to a function, is never taken for one.
 */
#include <elf.h>

#include "report/unwind/unwinder.h"
#include "tests/test.h"
#include "tests/unit/cfi_bytes.h"

enum { BIAS = 0x10000000, CODE = 0x1000, FUNCTION = 0x100, OTHER = 0x20000000, MADE = 0x30000000 };

enum function { PLAIN, PUSHED, SAVES_FP, BY_FP, FP_OUTSIDE, LOSES_FP, SIGNAL, FIRST, FUNCTIONS };

struct fixture {
	struct cfi_writer frames;
	struct cfi_section *section;
	struct unwinder *unwinder;
	struct unwind_top top;
	struct unwind_callers callers;
};

static bool find(void *context, uint64_t address, struct unwind_mapping *ret_mapping)
{
	const struct fixture *fixture = context;

	if (address >= BIAS + CODE && address < BIAS + CODE + FUNCTIONS * FUNCTION)
		*ret_mapping = (struct unwind_mapping){.bias = BIAS, .cfi = fixture->section};
	else if (address - OTHER < FUNCTION || address - MADE < FUNCTION)
		*ret_mapping = (struct unwind_mapping){.made = address >= MADE};
	else
		return false;
	return true;
}

/* x86-64: 6 rbp, 7 rsp, 16 the return address. */
static bool open_fixture(struct fixture *f)
{
	struct cfi_source source = {.arch = unwind_arch_find(EM_X86_64)};
	struct cfi_writer *w = &f->frames;
	size_t cie = cfi_put_cie(w, 16, (const uint8_t[]){0x0c, 7, 8, 0x90, 1}, 5);
	uint32_t at = CODE;

	f->top.frame = UNWIND_NO_FRAME;
	CFI_FDE(w, cie, at, FUNCTION, 0);			       /* PLAIN: nothing was pushed */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0e, 32);	       /* PUSHED: three words */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0e, 16, 0x86, 2);  /* SAVES_FP: rbp, at the stack pointer */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0c, 6, 16, 0x86, 2); /* BY_FP */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0c, 6, 24, 0x86, 3); /* FP_OUTSIDE: its record is no frame record */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x07, 6);	       /* LOSES_FP: rbp is undefined */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0c, 12, 16);       /* SIGNAL, and whatever has another base */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x07, 16);	       /* FIRST: has no caller */
	source.eh_frame = cfi_written(w);
	return !cfi_section_create(&source, &f->section) && !unwinder_create(source.arch, 0, &f->unwinder);
}

static void close_fixture(struct fixture *f)
{
	unwinder_destroy(f->unwinder);
	cfi_section_destroy(f->section);
	array_free(&f->frames.bytes);
}

static uint64_t in(enum function function)
{
	return BIAS + CODE + function * FUNCTION + 0x10;
}

static void put_word(struct fixture *f, unsigned int number, uint64_t word)
{
	f->top.words[number] = word;
	f->top.known |= UINT64_C(1) << number;
}

/* callers: ended by 0. */
static void check_callers(struct test *t, struct fixture *f, uint64_t pc, enum unwind_joined joined,
			  const uint64_t *callers)
{
	const struct unwind_space space = {.context = f, .find = find};
	size_t count = 0;

	CHECK_INT(t, unwinder_callers(f->unwinder, &space, pc, &f->top, &f->callers), 0);
	CHECK_INT(t, f->callers.joined, joined);
	for (; callers[count] && count < f->callers.count; count++)
		CHECK(t, f->callers.addresses[count] == callers[count]);
	CHECK_INT(t, f->callers.count, count);
	CHECK(t, !callers[count]);
	f->top = (struct unwind_top){.frame = UNWIND_NO_FRAME};
}

#define NONE ((const uint64_t[]){0})
#define LIST(...) ((const uint64_t[]){__VA_ARGS__, 0})

static void the_word_that_the_table_names_is_the_caller(struct test *t)
{
	struct fixture f = {0};

	REQUIRE(t, open_fixture(&f));
	put_word(&f, 0, in(BY_FP));
	check_callers(t, &f, in(PLAIN), UNWIND_JOINED, LIST(in(BY_FP)));
	put_word(&f, 0, in(FIRST)); /* pushed: a pointer to a function, not the return address */
	put_word(&f, 3, in(BY_FP));
	check_callers(t, &f, in(PUSHED), UNWIND_JOINED, LIST(in(BY_FP)));
	put_word(&f, 3, in(PLAIN)); /* a wrapper in a wrapper */
	put_word(&f, 4, in(BY_FP));
	check_callers(t, &f, in(PUSHED), UNWIND_JOINED, LIST(in(PLAIN), in(BY_FP)));
	put_word(&f, 0, in(PLAIN)); /* the leaf has a frame record: the chain has its caller */
	check_callers(t, &f, in(BY_FP), UNWIND_JOINED, NONE);
	close_fixture(&f);
}

static void what_is_not_known_is_not_claimed(struct test *t)
{
	struct fixture f = {0};

	REQUIRE(t, open_fixture(&f));
	put_word(&f, 0, in(BY_FP));
	put_word(&f, 1, in(BY_FP));
	check_callers(t, &f, in(PUSHED), UNWIND_JOINED_LATER, NONE); /* the word there is no code */
	put_word(&f, 0, in(BY_FP));
	check_callers(t, &f, in(SIGNAL), UNWIND_JOINED_LATER, NONE);
	check_callers(t, &f, in(FP_OUTSIDE), UNWIND_JOINED_LATER, NONE);
	put_word(&f, 0, OTHER + 8);
	check_callers(t, &f, OTHER + 16, UNWIND_JOINED_LATER, NONE); /* a file without a table */
	put_word(&f, 0, in(BY_FP));
	check_callers(t, &f, in(FIRST), UNWIND_JOINED_NEVER, NONE);
	close_fixture(&f);
}

static void the_frame_pointer_may_be_lost(struct test *t)
{
	struct fixture f = {0};

	REQUIRE(t, open_fixture(&f));
	put_word(&f, 1, in(BY_FP)); /* rbp was saved and has another value by now: the chain is not one */
	check_callers(t, &f, in(SAVES_FP), UNWIND_JOINED_NEVER, LIST(in(BY_FP)));
	put_word(&f, 1, in(BY_FP));
	f.top.saved = 1; /* it was saved and still has its value */
	check_callers(t, &f, in(SAVES_FP), UNWIND_JOINED, LIST(in(BY_FP)));
	put_word(&f, 1, in(BY_FP));
	f.top.next = in(BY_FP); /* the record is a frame record, although the table does not use it */
	check_callers(t, &f, in(SAVES_FP), UNWIND_JOINED, NONE);
	f.top.frame = 2; /* the word that the table names is the one behind what the frame pointer points to */
	check_callers(t, &f, in(PUSHED), UNWIND_JOINED, NONE);
	put_word(&f, 0, in(BY_FP));
	check_callers(t, &f, in(LOSES_FP), UNWIND_JOINED_NEVER, LIST(in(BY_FP)));
	close_fixture(&f);
}

/* As is the convention: nothing else is known of code made at run time, and of callers without a table. */
static void code_without_a_table(struct test *t)
{
	struct fixture f = {0};

	REQUIRE(t, open_fixture(&f));
	put_word(&f, 0, in(BY_FP));
	check_callers(t, &f, MADE + 16, UNWIND_JOINED, NONE);
	put_word(&f, 0, MADE + 16);
	check_callers(t, &f, in(PLAIN), UNWIND_JOINED, LIST(MADE + 16));
	put_word(&f, 0, OTHER + 16);
	check_callers(t, &f, in(PLAIN), UNWIND_JOINED, LIST(OTHER + 16));
	close_fixture(&f);
}

/* 29 the frame pointer, 30 the link register, 31 the stack pointer. */
static void aarch64_has_a_link_register(struct test *t)
{
	struct cfi_source source = {.arch = unwind_arch_find(EM_AARCH64)};
	struct fixture f = {.top.frame = UNWIND_NO_FRAME};
	struct cfi_writer *w = &f.frames;
	size_t cie = cfi_put_cie(w, 30, (const uint8_t[]){0x0c, 31, 0}, 3);

	CFI_FDE(w, cie, CODE, FUNCTION, 0);
	CFI_FDE(w, cie, CODE + FUNCTION, FUNCTION, 0x0e, 32, 0x9d, 4, 0x9e, 3); /* a record at the stack pointer */
	source.eh_frame = cfi_written(w);
	REQUIRE(t, !cfi_section_create(&source, &f.section) && !unwinder_create(source.arch, 0, &f.unwinder));
	f.top.link = in((enum function)1);
	check_callers(t, &f, in((enum function)0), UNWIND_JOINED_LATER, LIST(in((enum function)1)));
	f.top.link = in((enum function)1);
	f.top.frame = 0;
	check_callers(t, &f, in((enum function)0), UNWIND_JOINED, LIST(in((enum function)1)));
	f.top.link = in((enum function)0); /* of a call that has returned */
	f.top.frame = 0;
	check_callers(t, &f, in((enum function)1), UNWIND_JOINED, NONE);
	check_callers(t, &f, in((enum function)0), UNWIND_JOINED_LATER, NONE);
	close_fixture(&f);
}

TEST_MAIN(TEST(the_word_that_the_table_names_is_the_caller), TEST(what_is_not_known_is_not_claimed),
	  TEST(the_frame_pointer_may_be_lost), TEST(code_without_a_table), TEST(aarch64_has_a_link_register))
