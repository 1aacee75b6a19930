/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Cases that are hard to unwind, each in hand-written assembly (in cases/) that is run, stopped at a known
 * instruction, and unwound: the chain is known by its labels, and continues through this program to a clean end.
 */
#include "report/unwind/unwinder.h"

#include "tests/test.h"

#if defined(__x86_64__)

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/unwind/cfi.h"
#include "tests/unwind_stop.h"

/* --- snapshots of this process, taken by a SIGTRAP handler on a stack of its own; and its address space --- */

enum { OWN_STACK_BYTES = 32768, OWN_SNAPSHOTS = 4096, OWN_STEP_BYTES = 4096, OWN_SIGNAL_STACK = 65536 };

struct own_snapshot {
	uint64_t registers[UNWIND_REGISTERS];
	uint8_t *stack;
	size_t size;
};

struct own_mapping {
	uint64_t start, end, bias;
	uint32_t module; /* UINT32_MAX: none */
};

struct own_module {
	char *path;
	struct elf_file *elf;
	struct elf_symbols symbols;
	struct cfi_file cfi;
};

struct own_process {
	struct unwinder *unwinder;
	ARRAY(struct own_mapping) maps;
	ARRAY(struct own_module) modules;
	uint64_t stack_end;
	uint8_t *signal_stack; /* OWN_SIGNAL_STACK bytes */
	struct own_snapshot *taken; /* OWN_SNAPSHOTS */
	size_t count, stack_bytes;
	uint8_t *stacks;
};

enum { OWN_VDSO_BYTES = 8192, OWN_PAGE = 4096 };

/* What a signal handler reaches; there is one test per program. */
static struct own_process *own_handled;

/* Byte by byte, because a sanitizer would object to reading across the variables of live frames. */
__attribute__((no_sanitize("address"))) static void own_copy(uint8_t *to, const volatile uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
}

static size_t stack_left(const struct own_process *own, uint64_t sp)
{
	uint64_t on_signal_stack = sp - (uint64_t)own->signal_stack;

	return on_signal_stack < OWN_SIGNAL_STACK ? OWN_SIGNAL_STACK - on_signal_stack : own->stack_end - sp;
}

static void own_take(int signal, siginfo_t *info, void *context)
{
	static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
				    REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	struct own_process *own = own_handled;
	struct own_snapshot *snapshot = &own->taken[own->count];
	ucontext_t *user = context;

	(void)signal;
	(void)info;
	if (own->count == OWN_SNAPSHOTS || (own->count + 1) * own->stack_bytes > (size_t)OWN_SNAPSHOTS * OWN_STEP_BYTES)
		return;
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		snapshot->registers[i] = (uint64_t)user->uc_mcontext.gregs[order[i]];
	snapshot->size = stack_left(own, snapshot->registers[7]);
	if (snapshot->size > own->stack_bytes)
		snapshot->size = own->stack_bytes;
	snapshot->stack = own->stacks + own->count++ * own->stack_bytes;
	own_copy(snapshot->stack, (const volatile uint8_t *)snapshot->registers[7], snapshot->size);
}

static struct elf_file *own_elf(const char *path, uint64_t vdso)
{
	_cleanup_close_ int fd = vdso ? memfd_create("vdso", MFD_CLOEXEC) : open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file *elf;

	if (vdso && write(fd, (void *)vdso, OWN_VDSO_BYTES) < 0)
		return NULL;
	return fd < 0 || elf_file_create(dup(fd), &elf) < 0 ? NULL : elf;
}

/* X.so may have an X.debug beside it. */
static struct elf_file *own_debug(const char *path)
{
	size_t length = strlen(path);
	char debug[4300];

	if (length < 3 || strcmp(path + length - 3, ".so") != 0)
		return NULL;
	(void)snprintf(debug, sizeof(debug), "%.*s.debug", (int)length - 3, path);
	return own_elf(debug, 0);
}

static uint32_t own_module(struct own_process *own, const char *path, uint64_t start)
{
	struct own_module module = {.path = strdup(path), .elf = own_elf(path, strcmp(path, "[vdso]") ? 0 : start)};
	struct elf_file *debug;
	int r;

	for (size_t i = 0; i < own->modules.count; i++)
		if (!strcmp(own->modules.items[i].path, path)) {
			elf_file_destroy(module.elf);
			free(module.path);
			return (uint32_t)i;
		}
	debug = module.elf ? own_debug(path) : NULL;
	r = module.elf ? cfi_file_open(module.elf, debug, 0, &module.cfi) : -ENOEXEC;
	if (!r)
		(void)elf_file_symbols(module.elf, &module.symbols);
	elf_file_destroy(debug);
	if (r < 0 || array_push(&own->modules, module) < 0) {
		elf_file_destroy(module.elf);
		free(module.path);
		return UINT32_MAX;
	}
	return (uint32_t)own->modules.count - 1;
}

/* From the segment that holds the mapping's file offset. */
static uint64_t own_bias(const struct own_module *module, uint64_t start, uint64_t offset)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(module->elf, &segments);

	for (size_t i = 0; i < count; i++)
		if (segments[i].flags & PF_X && offset <= segments[i].file_offset &&
		    segments[i].file_offset - offset < OWN_PAGE)
			return start + (segments[i].file_offset - offset) - segments[i].address;
	return start - offset;
}

static void own_read_maps(struct own_process *own)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4500], mode[8], path[4200];
	uint64_t offset;

	while (maps && fgets(line, sizeof(line), maps)) {
		struct own_mapping map = {.module = UINT32_MAX};

		path[0] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4199[^\n]",
			   &map.start, &map.end, mode, &offset, path) < 4)
			continue;
		if (!strcmp(path, "[stack]"))
			own->stack_end = map.end;
		if (mode[2] != 'x')
			continue;
		if (path[0])
			map.module = own_module(own, path, map.start);
		if (map.module != UINT32_MAX)
			map.bias = own_bias(&own->modules.items[map.module], map.start, offset);
		(void)array_push(&own->maps, map);
	}
	if (maps)
		(void)fclose(maps);
}

static bool own_find(void *context, uint64_t address, struct unwind_mapping *ret_mapping)
{
	const struct own_process *own = context;

	for (size_t i = 0; i < own->maps.count; i++) {
		const struct own_mapping *map = &own->maps.items[i];

		if (address < map->start || address >= map->end)
			continue;
		*ret_mapping = (struct unwind_mapping){
			.bias = map->bias,
			.module = map->module,
			.cfi = map->module == UINT32_MAX ? NULL : own->modules.items[map->module].cfi.section,
		};
		return true;
	}
	return false;
}

/* Forgets the snapshots taken so far; from now on each has `bytes` of stack. */
static void own_begin(struct own_process *own, size_t bytes)
{
	own->count = 0;
	own->stack_bytes = bytes;
	array_free(&own->maps);
	own_read_maps(own);
}

static bool own_find_name(void *context, uint64_t address, struct unwind_named *ret_named)
{
	const struct own_process *own = context;
	const struct elf_symbols *symbols;
	struct unwind_mapping mapping;

	if (!own_find(context, address, &mapping) || !mapping.cfi)
		return false;
	symbols = &own->modules.items[mapping.module].symbols;
	for (size_t i = 0; i < symbols->count; i++) {
		const struct elf_symbol *symbol = &symbols->items[i];

		if (address - mapping.bias - symbol->address >= symbol->size)
			continue;
		ret_named->start = symbol->address + mapping.bias;
		ret_named->kind = unwind_named_kind(symbols->names + symbol->name);
		return true;
	}
	return false;
}

static int own_create(struct own_process *own)
{
	struct sigaction action = {.sa_sigaction = own_take, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t alternate = {.ss_size = OWN_SIGNAL_STACK};

	*own = (struct own_process){.signal_stack = malloc(OWN_SIGNAL_STACK)};
	alternate.ss_sp = own->signal_stack;
	own->taken = calloc(OWN_SNAPSHOTS, sizeof(*own->taken));
	own->stacks = malloc((size_t)OWN_SNAPSHOTS * OWN_STEP_BYTES);
	if (!own->taken || !own->stacks || !own->signal_stack ||
	    unwinder_create(unwind_arch_find(EM_X86_64), 0, &own->unwinder) < 0)
		return -ENOMEM;
	own_handled = own;
	sigaltstack(&alternate, NULL);
	return sigaction(SIGTRAP, &action, NULL);
}

static void own_destroy(struct own_process *own)
{
	(void)signal(SIGTRAP, SIG_DFL);
	(void)sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
	free(own->signal_stack);
	for (size_t i = 0; i < own->modules.count; i++) {
		cfi_file_close(&own->modules.items[i].cfi);
		elf_symbols_deinit(&own->modules.items[i].symbols);
		elf_file_destroy(own->modules.items[i].elf);
		free(own->modules.items[i].path);
	}
	array_free(&own->modules);
	array_free(&own->maps);
	free(own->taken);
	free(own->stacks);
	unwinder_destroy(own->unwinder);
}

/* The chain of one snapshot, of which `size` bytes of stack are used. */
static void own_unwind(struct own_process *own, const struct own_snapshot *snapshot, size_t size,
		const struct unwind_tail *tail, struct unwind_chain *chain)
{
	const struct unwind_space space = {.context = own,
					   .find = own_find,
					   .find_name = own_find_name};
	const struct unwind_snapshot input = {
		.registers = snapshot->registers,
		.known = (UINT64_C(1) << 17) - 1,
		.stack = snapshot->stack,
		.stack_address = snapshot->registers[7],
		.stack_size = size < snapshot->size ? size : snapshot->size,
		.cut = size < snapshot->size || snapshot->size == own->stack_bytes,
		.tail = tail ? *tail : (struct unwind_tail){0},
	};

	chain->count = 0;
	(void)unwinder_run(own->unwinder, &space, &input, chain);
}

/* --- fixtures that are linked into this program --- */

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
