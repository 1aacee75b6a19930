/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An aarch64 module (cases/shared/case18_aarch64.S), read and unwound on any machine; its stack is
 * written by hand, with signatures in the return addresses.
 */
#include "report/resolve/unwind/cfi_file.h"

#include <elf.h>
#include <fcntl.h>
#include <libgen.h>
#include <unistd.h>

#include "report/resolve/unwind/unwinder.h"
#include "tests/test.h"
#include "tests/unwind_stop.h"

enum { X19 = 19, X29 = 29, X30 = 30, SP = 31, PC = 32, WORDS = 64 };

static const uint64_t BIAS = 0x5500000000, STACK = 0x7fc0000000;

struct module {
	struct elf_file *elf;
	struct elf_symbols symbols;
	struct cfi_file cfi;
};

static int open_module(struct module *module)
{
	char own[4096] = "", path[4200];
	int fd, r;

	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0)
		return -errno;
	(void)snprintf(path, sizeof(path), "%s/cases/shared/case18_aarch64.so", dirname(own));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = elf_file_create(fd, &module->elf);
	if (!r)
		r = elf_file_symbols(module->elf, &module->symbols);
	if (!r)
		r = cfi_file_open(module->elf, NULL, 0, &module->cfi);
	(void)close(fd);
	return r;
}

static void close_module(struct module *module)
{
	cfi_file_close(&module->cfi);
	elf_symbols_deinit(&module->symbols);
	elf_file_destroy(module->elf);
}

static uint64_t address_of(const struct module *module, const char *name)
{
	for (size_t i = 0; i < module->symbols.count; i++)
		if (!strcmp(module->symbols.names + module->symbols.items[i].name, name))
			return BIAS + module->symbols.items[i].address;
	return 0;
}

static bool find(void *context, uint64_t address, struct unwind_mapping *ret_mapping)
{
	const struct module *module = context;

	if (address < BIAS || address >= BIAS + (1 << 20))
		return false;
	*ret_mapping = (struct unwind_mapping){.bias = BIAS, .cfi = module->cfi.section};
	return true;
}

/*
 * signs() has 32 bytes at the beginning of the stack; grows() 48 that it allocated, and its record;
 * first() uses x19.
 */
static void case_18_signed_return_addresses(struct test *t)
{
	static struct unwind_chain chain;
	struct module module = {0};
	uint64_t registers[UNWIND_REGISTERS] = {0}, stack[WORDS] = {0};
	const struct unwind_space space = {.context = &module, .find = find};
	const struct unwind_snapshot snapshot = {
		.registers = registers,
		.known = (UINT64_C(1) << UNWIND_REGISTERS) - 1,
		.stack = (const uint8_t *)stack,
		.stack_address = STACK,
		.stack_size = sizeof(stack),
	};
	static const char *const labels[] = {"leaf_here", "signs_return", "grows_return", "first_return"};
	struct unwinder *unwinder;
	int r = open_module(&module);

	if (r == -ENOENT)
		SKIP(t, "no ld.lld-14 here");
	REQUIRE(t, !r && !unwinder_create(unwind_arch_find(EM_AARCH64), 0, &unwinder));
	CHECK_INT(t, elf_file_machine(module.elf), EM_AARCH64);
	registers[PC] = address_of(&module, "leaf_here");
	registers[SP] = STACK;
	registers[X30] = address_of(&module, "signs_return");
	registers[X29] = STACK;
	registers[X19] = 1;						     /* signs() uses it */
	stack[0] = STACK + 80;						     /* x29 of grows() */
	stack[1] = address_of(&module, "grows_return") | UINT64_C(0x5b7f) << 48; /* as paciasp leaves it */
	stack[2] = STACK + 256;						     /* x19 */
	stack[10] = 0;							     /* grows(): x29, x30 */
	stack[11] = address_of(&module, "first_return") | UINT64_C(0x0055) << 48;
	REQUIRE(t, !unwinder_run(unwinder, &space, &snapshot, &chain));
	CHECK_INT(t, chain.count, 4);
	for (size_t i = 0; i < 4 && i < chain.count; i++) {
		CHECK_INT(t, chain.addresses[i], address_of(&module, labels[i]));
		CHECK_INT(t, chain.how[i], i ? UNWIND_BY_CFI : UNWIND_BY_REGISTERS | UNWIND_EXACT);
	}
	CHECK_STR(t, unwind_stop_name(chain.stop), "clean");
	unwinder_destroy(unwinder);
	close_module(&module);
}

TEST_MAIN(TEST(case_18_signed_return_addresses))
