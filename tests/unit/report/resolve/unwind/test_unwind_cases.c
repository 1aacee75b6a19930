/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Cases that are hard to unwind, each in hand-written assembly (in cases/) that is run, stopped at a known
 * instruction, and unwound: the chain is known by its labels, and continues through this program to a clean end.
 */
#include "report/resolve/unwind/unwinder.h"

#include "tests/test.h"

#if defined(__x86_64__)

#include <dlfcn.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include "tests/unit/report/resolve/unwind/cases/own.h"
#include "tests/unwind_stop.h"

typedef long (*fixture)(void *, void *);

#define LABEL(name) extern const char name[]
LABEL(leaf_first_trap); LABEL(leaf_pushed_trap); LABEL(leaf_popped_trap);
LABEL(leaf_first_return); LABEL(leaf_pushed_return); LABEL(leaf_popped_return);
LABEL(realigned_trap); LABEL(realigned_return_1); LABEL(realigned_return_2);
LABEL(noreturn_trap); LABEL(noreturn_return);
LABEL(signal_trap); LABEL(signal_interrupted); LABEL(signal_return);
LABEL(plt_before_trap); LABEL(plt_after_trap);
LABEL(outermost_trap); LABEL(outermost_return);
LABEL(instructions_trap); LABEL(instructions_return_1); LABEL(instructions_return_2);
LABEL(debug_frame_trap);
LABEL(pointers_trap); LABEL(pointers_return); LABEL(pointers_code);
LABEL(pointers_code_return); LABEL(pointers_code_end);
LABEL(words_trap); LABEL(words_leaf_trap); LABEL(words_zero_return); LABEL(words_rule_trap);
LABEL(words_base);

long words_caller(void *, void *), words_zero_caller(void *, void *), words_rule_caller(void *, void *);
long words_coroutine(void *, void *);
long leaf_first(void *, void *), leaf_pushed(void *, void *), leaf_popped(void *, void *), realigned(void *, void *);
long noreturn(void *, void *), signal_caller(void *, void *), plt_before(void *, void *), plt_after(void *, void *);
long outermost(void *, void *), instructions(void *, void *), debug_frame(void *, void *);
long pointers(void *, void *), pointers_leaf(void *, void *);
void signal_leaf(void);

/* Calls the fixture, and takes what it stopped at. The frame above the fixture's is this one. */
__attribute__((noinline)) static void drive(fixture function, void *first, void *second)
{
	(void)function(first, second);
	__asm__ volatile("");
}

__attribute__((noinline)) static void call_fixture(struct own_process *own, fixture function, void *first, void *second)
{
	own_begin(own, OWN_STACK_BYTES);
	drive(function, first, second);
	__asm__ volatile("");
}

static bool is_in(uint64_t address, const void *function)
{
	return address > (uint64_t)function && address < (uint64_t)function + 128;
}

/* The chain begins with the labels, continues in drive() and ends as it should. */
static void check_chain(struct test *t, const struct unwind_chain *chain, const char *const *labels, size_t count)
{
	for (size_t i = 0; i < count; i++)
		test_check(t, i < chain->count && chain->addresses[i] == (uint64_t)labels[i],
			   "frame %zu is %#" PRIx64 ", not %p", i,
			   i < chain->count ? chain->addresses[i] : 0, labels[i]);
	if (!CHECK(t, chain->count > count + 3))
		return;
	CHECK(t, is_in(chain->addresses[count], drive));
	CHECK(t, is_in(chain->addresses[count + 1], call_fixture));
	CHECK_STR(t, unwind_stop_name(chain->stop), "clean");
	CHECK_INT(t, chain->how[0], UNWIND_BY_REGISTERS | UNWIND_EXACT);
}

static void check_fixture(struct test *t, fixture function, const char *const *labels, size_t count)
{
	struct own_process own;
	struct unwind_chain chain;

	REQUIRE(t, !own_create(&own));
	call_fixture(&own, function, NULL, NULL);
	if (CHECK_INT(t, own.count, 1)) {
		own_unwind(&own, &own.taken[0], SIZE_MAX, NULL, &chain);
		check_chain(t, &chain, labels, count);
	}
	own_destroy(&own);
}

#define CHECK_FIXTURE(t, function, ...)                                                            \
	do {                                                                                       \
		const char *const labels_[] = {__VA_ARGS__};                                       \
		check_fixture(t, function, labels_, sizeof(labels_) / sizeof(*labels_));           \
	} while (0)

static void case_01_leaf(struct test *t)
{
	CHECK_FIXTURE(t, leaf_first, leaf_first_trap, leaf_first_return);
	CHECK_FIXTURE(t, leaf_pushed, leaf_pushed_trap, leaf_pushed_return);
	CHECK_FIXTURE(t, leaf_popped, leaf_popped_trap, leaf_popped_return);
}

static void case_02_no_frame_pointers_and_realigned(struct test *t)
{
	CHECK_FIXTURE(t, realigned, realigned_trap, realigned_return_1, realigned_return_2);
}

static void case_03_call_at_the_end(struct test *t)
{
	CHECK_FIXTURE(t, noreturn, noreturn_trap, noreturn_return);
}

static void handle_illegal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	signal_leaf();
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2; /* ud2 */
}

/* The place of a label in the chain, or its length. */
static size_t place_of(const struct unwind_chain *chain, const char *label)
{
	size_t i = 0;

	while (i < chain->count && chain->addresses[i] != (uint64_t)label)
		i++;
	return i;
}

static void case_04_signal(struct test *t)
{
	struct sigaction action = {.sa_sigaction = handle_illegal, .sa_flags = SA_SIGINFO};
	struct own_process own;
	struct unwind_chain chain;
	size_t at;

	REQUIRE(t, !own_create(&own) && !sigaction(SIGILL, &action, NULL));
	call_fixture(&own, signal_caller, NULL, NULL);
	CHECK_INT(t, own.count, 1);
	own_unwind(&own, &own.taken[0], SIZE_MAX, NULL, &chain);
	at = place_of(&chain, signal_interrupted);
	CHECK_INT(t, at, 3); /* the leaf, the handler, the trampoline */
	if (CHECK(t, at + 3 < chain.count)) {
		CHECK_INT(t, chain.how[at], UNWIND_BY_CFI | UNWIND_EXACT);
		CHECK(t, chain.addresses[at + 1] == (uint64_t)signal_return);
		CHECK(t, is_in(chain.addresses[at + 2], drive));
	}
	CHECK_INT(t, chain.stop, UNWIND_CLEAN);
	own_destroy(&own);
	(void)signal(SIGILL, SIG_DFL);
}

/* The handler has a stack of its own, and the snapshot ends with it: the interrupted instruction is still known. */
static void case_04_signal_stack(struct test *t)
{
	struct sigaction action = {.sa_sigaction = handle_illegal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct own_process own;
	struct unwind_chain chain;

	REQUIRE(t, !own_create(&own) && !sigaction(SIGILL, &action, NULL));
	call_fixture(&own, signal_caller, NULL, NULL);
	CHECK_INT(t, own.count, 1);
	CHECK(t, own.taken[0].registers[7] - (uint64_t)own.signal_stack < OWN_SIGNAL_STACK);
	own_unwind(&own, &own.taken[0], SIZE_MAX, NULL, &chain);
	CHECK_INT(t, place_of(&chain, signal_interrupted), chain.count - 1);
	CHECK_INT(t, chain.how[chain.count - 1], UNWIND_BY_CFI | UNWIND_EXACT);
	CHECK_INT(t, chain.stop, UNWIND_SWITCHED);
	own_destroy(&own);
	(void)signal(SIGILL, SIG_DFL);
}

static void case_05_plt(struct test *t)
{
	CHECK_FIXTURE(t, plt_before, plt_before_trap);
	CHECK_FIXTURE(t, plt_after, plt_after_trap);
}

static void case_06_outermost(struct test *t)
{
	struct own_process own;
	struct unwind_chain chain;

	REQUIRE(t, !own_create(&own));
	call_fixture(&own, outermost, NULL, NULL);
	own_unwind(&own, &own.taken[0], SIZE_MAX, NULL, &chain);
	CHECK_INT(t, chain.count, 2);
	CHECK(t, chain.addresses[1] == (uint64_t)outermost_return);
	CHECK_INT(t, chain.stop, UNWIND_CLEAN);
	own_destroy(&own);
}

static void case_07_instructions(struct test *t)
{
	CHECK_FIXTURE(t, instructions, instructions_trap, instructions_return_1, instructions_return_2);
}

static void case_08_debug_frame(struct test *t)
{
	CHECK_FIXTURE(t, debug_frame, debug_frame_trap);
}

/* Every instruction of a function of the vDSO, which is in no file; the way there is a PLT, which may have no FDE. */
static void case_11_vdso(struct test *t)
{
	unsigned long base = getauxval(AT_SYSINFO_EHDR), inside = 0;
	struct own_process own;
	struct unwind_chain chain;
	struct timespec now;

	if (!base)
		SKIP(t, "no vDSO");
	REQUIRE(t, !own_create(&own));
	own_begin(&own, OWN_STEP_BYTES);
	__asm__ volatile("pushf; orl $0x100, (%%rsp); popf" ::: "memory", "cc");
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	__asm__ volatile("pushf; andl $~0x100, (%%rsp); popf" ::: "memory", "cc");
	for (size_t i = 0; i < own.count; i++) {
		bool reaches = false;

		if (own.taken[i].registers[16] - base >= 8192)
			continue;
		inside++;
		own_unwind(&own, &own.taken[i], SIZE_MAX, NULL, &chain);
		for (size_t frame = 0; frame < chain.count; frame++)
			reaches |= chain.addresses[frame] - (uint64_t)case_11_vdso < 1024;
		test_check(t, reaches, "step %zu at %#" PRIx64 ": %zu frames, %s", i,
			   own.taken[i].registers[16], chain.count, unwind_stop_name(chain.stop));
	}
	CHECK(t, inside > 10);
	own_destroy(&own);
}

static void case_14_frame_pointers(struct test *t)
{
	size_t size = (size_t)(pointers_code_end - pointers_code);
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct own_process own;
	struct unwind_chain chain;

	REQUIRE(t, code != MAP_FAILED && !own_create(&own));
	memcpy(code, pointers_code, size);
	REQUIRE(t, !mprotect(code, 4096, PROT_READ | PROT_EXEC));
	call_fixture(&own, pointers, code, (void *)pointers_leaf);
	own_unwind(&own, &own.taken[0], SIZE_MAX, NULL, &chain);
	check_chain(t, &chain,
		    (const char *const[]){pointers_trap, code + (pointers_code_return - pointers_code),
					  pointers_return}, 3);
	CHECK_INT(t, chain.how[1], UNWIND_BY_CFI);
	CHECK_INT(t, chain.how[2], UNWIND_BY_FRAME_POINTER);
	CHECK_INT(t, chain.how[3], UNWIND_BY_CFI);
	own_destroy(&own);
	(void)munmap(code, 4096);
}

/* Truncated anywhere, the chain is the beginning of the complete one, and says that it was truncated. */
static void case_16_truncated(struct test *t)
{
	struct own_process own;
	struct unwind_chain whole, cut;

	REQUIRE(t, !own_create(&own));
	call_fixture(&own, realigned, NULL, NULL);
	own_unwind(&own, &own.taken[0], SIZE_MAX, NULL, &whole);
	for (size_t size = 0; size < own.taken[0].size; size += 8) {
		own_unwind(&own, &own.taken[0], size, NULL, &cut);
		CHECK(t, cut.count <= whole.count);
		CHECK_MEM(t, cut.addresses, whole.addresses, cut.count * sizeof(*cut.addresses));
		CHECK_INT(t, cut.stop,
			  cut.count == whole.count && cut.stop == UNWIND_CLEAN ? UNWIND_CLEAN :
										 UNWIND_TRUNCATED);
	}
	own_destroy(&own);
}

/* The recorded frame-pointer chain continues beyond the truncation. */
static void case_16_tail(struct test *t)
{
	struct own_process own;
	struct unwind_chain chain;
	uint64_t addresses[] = {(uint64_t)realigned_return_1, (uint64_t)realigned_return_2,
				(uint64_t)drive + 8};
	const struct unwind_tail tail = {.addresses = addresses, .count = 3};

	REQUIRE(t, !own_create(&own));
	call_fixture(&own, realigned, NULL, NULL);
	own_unwind(&own, &own.taken[0], 48, &tail, &chain);
	REQUIRE(t, chain.count == 4);
	CHECK_INT(t, chain.how[1], UNWIND_BY_CFI);
	CHECK_INT(t, chain.addresses[2], realigned_return_2);
	CHECK_INT(t, chain.how[2], UNWIND_BY_TAIL);
	CHECK_INT(t, chain.addresses[3], (uint64_t)drive + 8);
	CHECK_INT(t, chain.stop, UNWIND_TRUNCATED);
	own_destroy(&own);
}

/* --- fixtures in shared objects, each linked in its own way (cases/shared/) --- */

static void *open_shared(const char *name)
{
	char own[4096] = "", path[4200];

	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0)
		return NULL;
	(void)snprintf(path, sizeof(path), "%s/cases/shared/%s.so", dirname(own), name);
	return dlopen(path, RTLD_NOW);
}

/* The chain of `fixture` in the shared object begins with these labels. */
static void check_shared(struct test *t, const char *name, const char *const *labels, size_t count)
{
	void *shared = open_shared(name);
	const char *addresses[8] = {0};

	if (!test_check(t, !!shared, "%s", shared ? name : dlerror()))
		return;
	for (size_t i = 0; i < count; i++)
		addresses[i] = dlsym(shared, labels[i]);
	check_fixture(t, (fixture)dlsym(shared, "fixture"), addresses, count);
	(void)dlclose(shared);
}

static void case_08_compressed(struct test *t)
{
	static const char *const labels[] = {"fixture_trap"};

	check_shared(t, "case08_zlib", labels, 1);
	check_shared(t, "case08_gnu", labels, 1); /* .zdebug_frame */
}

static void case_08_debug_file(struct test *t)
{
	check_shared(t, "case08_split", (const char *const[]){"fixture_trap"}, 1);
}

static void case_09_segments(struct test *t)
{
	check_shared(t, "case09_segments", (const char *const[]){"fixture_trap", "fixture_return"}, 2);
}

static void case_13_module_without_cfi(struct test *t)
{
	void *shared = open_shared("case13_pointers");
	struct own_process own;
	struct unwind_chain chain;

	REQUIRE(t, shared && !own_create(&own));
	call_fixture(&own, (fixture)dlsym(shared, "fixture"), (void *)pointers_leaf, NULL);
	own_unwind(&own, &own.taken[0], SIZE_MAX, NULL, &chain);
	check_chain(t, &chain,
		    (const char *const[]){pointers_trap, dlsym(shared, "fixture_return_1"),
					  dlsym(shared, "fixture_return_2")}, 3);
	CHECK_INT(t, chain.how[1], UNWIND_BY_CFI);
	CHECK_INT(t, chain.how[2], UNWIND_BY_FRAME_POINTER);
	CHECK_INT(t, chain.how[3], UNWIND_BY_FRAME_POINTER);
	CHECK_INT(t, chain.how[4], UNWIND_BY_CFI);
	own_destroy(&own);
	(void)dlclose(shared);
}

/* No word on the stack is a caller because it could be one: the chain ends, and says why. */
static void case_20_words(struct test *t)
{
	static const struct {
		fixture function;
		const char *labels[2];
		size_t count;
		enum unwind_stop stop;
	} cases[] = {
		{words_caller, {words_trap}, 1, UNWIND_NO_CFI},
		{words_zero_caller, {words_leaf_trap, words_zero_return}, 2, UNWIND_NO_CFI},
		{words_rule_caller, {words_rule_trap}, 1, UNWIND_BAD_RETURN},
	};
	struct own_process own;
	struct unwind_chain chain;

	REQUIRE(t, !own_create(&own));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		call_fixture(&own, cases[i].function, NULL, NULL);
		own_unwind(&own, &own.taken[0], SIZE_MAX, NULL, &chain);
		CHECK_STR(t, unwind_stop_name(chain.stop), unwind_stop_name(cases[i].stop));
		REQUIRE(t, CHECK_INT(t, chain.count, cases[i].count));
		for (size_t at = 0; at < chain.count; at++)
			CHECK(t, chain.addresses[at] == (uint64_t)cases[i].labels[at]);
	}
	own_destroy(&own);
}

static void case_20_coroutine(struct test *t)
{
	static _Alignas(64) char stack[2 * OWN_STACK_BYTES];
	struct own_process own;
	struct unwind_chain chain;

	REQUIRE(t, !own_create(&own));
	call_fixture(&own, words_coroutine, stack + OWN_STACK_BYTES, NULL);
	own_unwind(&own, &own.taken[0], SIZE_MAX, NULL, &chain);
	REQUIRE(t, chain.count == 2);
	CHECK(t, chain.addresses[1] == (uint64_t)words_base);
	CHECK_STR(t, unwind_stop_name(chain.stop), "other stack");
	own_destroy(&own);
}

static void case_19_hostile(struct test *t)
{
	static const struct {
		const char *function, *trap;
		enum unwind_stop stop; /* GOES_ON: as for code without an FDE */
	} cases[] = {
		{"hostile_loop", "hostile_loop_trap", UNWIND_NO_CFI},
		{"hostile_pushes", "hostile_pushes_trap", UNWIND_NO_CFI},
		{"hostile_pops", "hostile_pops_trap", UNWIND_NO_CFI},
		{"hostile_unknown", "hostile_unknown_trap", UNWIND_NO_CFI},
		{"hostile_far", "hostile_far_trap", UNWIND_GOES_ON},
		{"hostile_shrinks", "hostile_shrinks_trap", UNWIND_BAD_RETURN},
		{"hostile_restores", "hostile_restores_trap", UNWIND_GOES_ON},
		{"hostile_instruction", "hostile_instruction_trap", UNWIND_GOES_ON},
	};
	void *shared = open_shared("case19_hostile");
	struct own_process own;
	struct unwind_chain chain;

	REQUIRE(t, shared && !own_create(&own));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		call_fixture(&own, (fixture)dlsym(shared, cases[i].function), NULL, NULL);
		own_unwind(&own, &own.taken[0], SIZE_MAX, NULL, &chain);
		test_check(t, cases[i].stop ? chain.count == 1 && chain.stop == cases[i].stop :
					      chain.count == 1 || chain.how[1] == UNWIND_BY_OUTER_RECORD,
			   "%s: %zu frames, %s", cases[i].function, chain.count, unwind_stop_name(chain.stop));
		CHECK(t, chain.addresses[0] == (uint64_t)dlsym(shared, cases[i].trap));
	}
	own_destroy(&own);
	(void)dlclose(shared);
}

TEST_MAIN(TEST(case_01_leaf), TEST(case_02_no_frame_pointers_and_realigned), TEST(case_03_call_at_the_end),
	  TEST(case_04_signal), TEST(case_04_signal_stack), TEST(case_05_plt), TEST(case_06_outermost),
	  TEST(case_07_instructions), TEST(case_08_debug_frame), TEST(case_08_compressed), TEST(case_08_debug_file),
	  TEST(case_09_segments), TEST(case_11_vdso), TEST(case_13_module_without_cfi),
	  TEST(case_14_frame_pointers), TEST(case_16_truncated), TEST(case_16_tail),
	  TEST(case_19_hostile), TEST(case_20_words), TEST(case_20_coroutine))

#else

static void needs_x86_64(struct test *t)
{
	SKIP(t, "the fixtures are x86-64");
}

TEST_MAIN(TEST(needs_x86_64))

#endif
