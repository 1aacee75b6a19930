/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The short path for plain steps gives the same as the long one, step by step: on stacks of words
 * that are mostly return addresses into functions of all kinds, a few of them changed from one
 * walk to the next, so that predictions of callers are mostly right, often wrong, and sometimes
 * of another length.
 */
#include <elf.h>

#include "report/unwind/unwind_internal.h"
#include "tests/test.h"
#include "tests/unit/cfi_bytes.h"

enum { BIAS = 0x10000000, CODE = 0x1000, FUNCTION = 0x100, STACK = 0x7ff00000, WORDS = 160,
       FUNCTIONS = 13, WALKS = 15000 };

struct fixture {
	struct cfi_writer frames;
	struct cfi_section *section;
	struct unwinder *by_steps, *by_plain;
	uint64_t registers[UNWIND_REGISTERS], stack[WORDS], random;
	struct unwind_snapshot snapshot;
	struct unwind_frame walked[UNWIND_DEPTH + 1]; /* step by step */
	struct unwind_chain want, chain;
	unsigned long plain_steps, outermost;
};

static bool find(void *context, uint64_t address, struct unwind_mapping *ret_mapping)
{
	const struct fixture *fixture = context;

	if (address < BIAS + CODE || address >= BIAS + CODE + (FUNCTIONS + 1) * FUNCTION)
		return false;
	*ret_mapping = (struct unwind_mapping){.bias = BIAS, .cfi = fixture->section};
	return true;
}

static uint32_t draw(struct fixture *f, uint32_t below)
{
	f->random = f->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((f->random >> 33) % below);
}

/* x86-64: 3 rbx, 6 rbp, 7 rsp, 12 r12, 16 the return address. Behind the last one there is code without an FDE. */
static void write_functions(struct fixture *f)
{
	struct cfi_writer *w = &f->frames;
	size_t cie = cfi_put_cie(w, 16, (const uint8_t[]){0x0c, 7, 8, 0x90, 1}, 5);
	uint32_t at = CODE;

	CFI_FDE(w, cie, at, FUNCTION, 0);
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0e, 16, 0x83, 2);
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0e, 48, 0x86, 2, 0x83, 3, 0x8c, 4);
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0e, 32, 0x8c, 2);
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0c, 6, 16, 0x86, 2);		 /* by rbp */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0c, 6, 24, 0x86, 3, 0x83, 2);	 /* by rbp */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x07, 3, 0x07, 6);			 /* rbx and rbp are lost */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0c, 12, 16);			 /* by r12 */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x09, 3, 12);				 /* rbx is in r12 */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0e, 24, 0x05, 3, 0xe8, 0x07, 0x86, 2); /* a slot far below */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x11, 3, 0x80, 0xc0, 0x7f);		 /* one 64 KiB above */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x07, 16, 0x83, 2);			 /* outermost */
	CFI_FDE(w, cie, at += FUNCTION, FUNCTION, 0x0c, 6, 16, 0x07, 16);		 /* outermost, by rbp */
}

static bool open_fixture(struct fixture *f)
{
	struct cfi_source source = {.arch = unwind_arch_find(EM_X86_64)};

	write_functions(f);
	source.eh_frame = cfi_written(&f->frames);
	f->snapshot = (struct unwind_snapshot){
		.registers = f->registers,
		.stack = (const uint8_t *)f->stack,
		.stack_address = STACK,
	};
	return !cfi_section_create(&source, &f->section) && !unwinder_create(source.arch, 0, &f->by_steps) &&
	       !unwinder_create(source.arch, 0, &f->by_plain);
}

static void close_fixture(struct fixture *f)
{
	unwinder_destroy(f->by_steps);
	unwinder_destroy(f->by_plain);
	cfi_section_destroy(f->section);
	array_free(&f->frames.bytes);
}

/* A return address: mostly into the first functions, because at others a walk ends sooner. */
static uint64_t any_code(struct fixture *f)
{
	uint32_t function = draw(f, draw(f, 4) ? 4 : FUNCTIONS + 1);

	return BIAS + CODE + function * FUNCTION + 0x20 + draw(f, 2);
}

static uint64_t any_word(struct fixture *f, uint32_t at)
{
	uint32_t kind = draw(f, 32);

	if (kind < 28)
		return any_code(f);
	return kind < 31 ? STACK + 8 * (at + draw(f, 16)) : draw(f, 3);
}

static void change(struct fixture *f)
{
	static const uint8_t used[] = {3, 6, 12, 16};

	for (uint32_t i = draw(f, 4); i-- > 0;) {
		uint32_t at = draw(f, WORDS);

		f->stack[at] = any_word(f, at);
	}
	for (size_t i = 0; i < sizeof(used); i++)
		if (!draw(f, 4))
			f->registers[used[i]] = any_word(f, 0);
	f->registers[7] = STACK + 8 * draw(f, 3);
	f->registers[16] = any_code(f);
	f->snapshot.known = (UINT64_C(1) << 17) - 1;
	if (!draw(f, 4))
		f->snapshot.known &= ~unwind_bit(used[draw(f, 3)]);
	f->snapshot.stack_size = draw(f, 3) ? sizeof(f->stack) : 8 * draw(f, WORDS);
}

static void walk_by_steps(struct fixture *f, const struct unwind_space *space)
{
	struct unwind_chain *chain = &f->want;
	struct unwind_walk walk;
	int r = unwind_walk_begin(&walk, f->by_steps, space, &f->snapshot);

	for (chain->count = 0; !r && chain->count < UNWIND_DEPTH; r = unwind_walk_next(&walk)) {
		f->walked[chain->count] = walk.frame;
		chain->addresses[chain->count] = walk.frame.registers[16];
		chain->how[chain->count++] = walk.frame.how | (walk.frame.exact ? UNWIND_EXACT : 0);
	}
	chain->stop = unwind_reason(&walk, (enum unwind_stop)r);
}

static bool same_frame(const struct unwind_frame *a, const struct unwind_frame *b)
{
	for (unsigned int i = 0; i < UNWIND_REGISTERS; i++)
		if (a->known >> i & 1 && a->registers[i] != b->registers[i])
			return false;
	return a->known == b->known && a->exact == b->exact && a->how == b->how;
}

/* Where the plain steps from the leaf on end. */
static bool plain_agrees(struct fixture *f, const struct unwind_space *space)
{
	struct unwind_walk walk;
	int r = unwind_walk_begin(&walk, f->by_plain, space, &f->snapshot);

	f->chain.count = 1;
	if (r < 0 || (r = unwind_plain_steps(&walk, &f->chain)) < 0 || f->chain.count > f->want.count)
		return false;
	f->plain_steps += f->chain.count - 1;
	f->outermost += r == UNWIND_CLEAN;
	if (r == UNWIND_CLEAN)
		return f->chain.count == f->want.count && f->want.stop == UNWIND_CLEAN;
	return same_frame(&walk.frame, &f->walked[f->chain.count - 1]);
}

static bool chain_agrees(struct fixture *f, const struct unwind_space *space)
{
	const struct unwind_chain *want = &f->want, *chain = &f->chain;

	return !unwinder_run(f->by_plain, space, &f->snapshot, &f->chain) && chain->count == want->count &&
	       chain->stop == want->stop &&
	       !memcmp(chain->addresses, want->addresses, want->count * sizeof(*want->addresses)) &&
	       !memcmp(chain->how, want->how, want->count);
}

static void agrees_with_steps(struct test *t)
{
	static struct fixture f;
	struct unwind_space space = {.context = &f, .find = find};
	unsigned int walks = 0, agree = 0;

	f = (struct fixture){.random = 5};
	REQUIRE(t, open_fixture(&f));
	for (uint32_t i = 0; i < WORDS; i++)
		f.stack[i] = any_word(&f, i);
	for (; walks < WALKS; walks++) {
		change(&f);
		space.generation = 1 + walks / (WALKS / 2);
		walk_by_steps(&f, &space);
		agree += plain_agrees(&f, &space) && chain_agrees(&f, &space);
	}
	CHECK_INT(t, agree, WALKS);
	CHECK(t, f.plain_steps > WALKS);
	CHECK(t, f.outermost > WALKS / 20);
	close_fixture(&f);
}

TEST_MAIN(TEST(agrees_with_steps))
