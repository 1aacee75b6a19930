/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Calls and jumps in machine code: those of this program compared with objdump; every form of a call, by its bytes. */
#include "common/elf/call_code.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"

struct tally {
	unsigned long calls, wrong, others, taken_for_calls;
};

/* "  401136:\te8 c5 fe ff ff       \tcall   401000 <name>"; a mnemonic may have prefixes before it. */
static void judge_line(const char *line, struct tally *tally)
{
	uint8_t bytes[32] = {0};
	const char *at = strchr(line, ':'), *call = strstr(line, "call ");
	size_t length = 0;
	uint64_t start = strtoull(line, NULL, 16);
	struct call_code code;
	unsigned int byte;
	int used;

	if (!at || at[1] != '\t')
		return;
	for (at += 2; sscanf(at, "%2x%n", &byte, &used) == 1 && used == 2 && length < 16; at += 3)
		bytes[CALL_CODE_BYTES + length++] = (uint8_t)byte;
	if (!strpbrk(at, "abcdefghijklmnopqrstuvwxyz")) /* the rest of a long one */
		return;
	if (!call_code_before(EM_X86_64, bytes + length, start + length, &code))
		code = (struct call_code){0};
	if (!call) {
		tally->others++;
		tally->taken_for_calls += code.direct || code.indirect;
		return;
	}
	tally->calls++;
	if (strchr(call, '*'))
		tally->wrong += !code.indirect;
	else
		tally->wrong += !code.direct || code.target != strtoull(call + strcspn(call, " "), NULL, 16);
}

static void agrees_with_objdump(struct test *t)
{
	char command[96], line[512];
	struct tally tally = {0};
	FILE *objdump;

#if !defined(__x86_64__)
	SKIP(t, "objdump's output is read for x86-64");
#endif
	(void)snprintf(command, sizeof(command), "objdump -d --insn-width=16 /proc/%d/exe 2>/dev/null", getpid());
	objdump = popen(command, "r");
	while (objdump && fgets(line, sizeof(line), objdump))
		judge_line(line, &tally);
	if (objdump)
		(void)pclose(objdump);
	if (!tally.others)
		SKIP(t, "no objdump");
	CHECK(t, tally.calls > 40);
	CHECK_INT(t, tally.wrong, 0);
	CHECK(t, tally.taken_for_calls * 50 < tally.others);
}

static void every_form(struct test *t)
{
	static const struct {
		uint8_t length, bytes[CALL_CODE_BYTES];
		bool call;
	} forms[] = {
		{2, {0xff, 0xd0}, true},                   /* *%rax */
		{3, {0x41, 0xff, 0xd4}, true},             /* *%r12 */
		{2, {0xff, 0x10}, true},                   /* *(%rax) */
		{3, {0xff, 0x14, 0x24}, true},             /* *(%rsp) */
		{3, {0xff, 0x50, 0x18}, true},             /* *24(%rax) */
		{4, {0xff, 0x54, 0x24, 0x08}, true},       /* *8(%rsp) */
		{6, {0xff, 0x15, 1, 2, 0, 0}, true},       /* *x(%rip) */
		{6, {0xff, 0x90, 1, 2, 0, 0}, true},       /* *513(%rax) */
		{7, {0xff, 0x94, 0xc3, 1, 2, 0, 0}, true}, /* *513(%rbx,%rax,8) */
		{7, {0xff, 0x14, 0xc5, 1, 2, 0, 0}, true}, /* *513(,%rax,8) */
		{2, {0xff, 0xe0}, false},                  /* jmp *%rax */
		{2, {0xff, 0xc0}, false},                  /* inc %eax */
		{5, {0xe9, 1, 2, 0, 0}, false},
	};
	struct call_code code;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint8_t bytes[CALL_CODE_BYTES] = {0};

		memcpy(bytes + sizeof(bytes) - forms[i].length, forms[i].bytes, forms[i].length);
		test_check(t, call_code_before(EM_X86_64, bytes, 0x1000, &code) == forms[i].call, "form %zu", i);
	}
}

static void jumps(struct test *t)
{
	static const uint8_t plt[JUMP_CODE_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 1, 2, 3, 4};
	static const uint8_t lazy[JUMP_CODE_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 1, 0, 0, 0, 0xf2, 0xe9, 1, 2, 3, 4};
	static const uint8_t thunk[JUMP_CODE_BYTES] = {0xe9, 0xfb, 0x0f, 0, 0};
	static const uint8_t plain[JUMP_CODE_BYTES] = {0x55, 0x48, 0x89, 0xe5};
	static const uint8_t body[] = {0x31, 0xc0, 0x74, 0x02, 0x0f, 0x84, 0xf8, 0x0f, 0, 0, 0xc3};
	uint64_t target = 0;

	CHECK_INT(t, jump_code_at(EM_X86_64, plt, 0x1000, &target), JUMP_CODE_ANYWHERE);
	CHECK_INT(t, jump_code_at(EM_X86_64, lazy, 0x1000, &target), JUMP_CODE_ANYWHERE);
	CHECK_INT(t, jump_code_at(EM_X86_64, thunk, 0x1000, &target), JUMP_CODE_DIRECT);
	CHECK_INT(t, target, 0x2000);
	CHECK_INT(t, jump_code_at(EM_X86_64, plain, 0x1000, &target), JUMP_CODE_NONE);
	CHECK_INT(t, jump_code_leads(EM_X86_64, body, sizeof(body), 0x1000, 0x2000, 0x2010), JUMP_CODE_DIRECT);
	CHECK_INT(t, jump_code_leads(EM_X86_64, body, sizeof(body), 0x1000, 0x3000, 0x3010), JUMP_CODE_NONE);
	CHECK(t, frame_code_kept(EM_X86_64, plain, sizeof(plain)));
	CHECK(t, !frame_code_kept(EM_X86_64, thunk, sizeof(thunk)));
	CHECK(t, return_code_at(EM_X86_64, (const uint8_t[]){0xf3, 0xc3}, 2));
}

static void put(uint8_t *to, uint32_t code)
{
	memcpy(to, &code, sizeof(code));
}

static void aarch64(struct test *t)
{
	uint8_t bytes[JUMP_CODE_BYTES] = {0};
	struct call_code code;
	uint64_t target = 0;

	put(bytes + CALL_CODE_BYTES - 4, 0x97fffffe); /* bl .-8 */
	CHECK(t, call_code_before(EM_AARCH64, bytes, 0x1004, &code) && code.direct && code.target == 0xff8);
	put(bytes + CALL_CODE_BYTES - 4, 0xd63f0100); /* blr x8 */
	CHECK(t, call_code_before(EM_AARCH64, bytes, 0x1004, &code) && code.indirect);
	put(bytes + CALL_CODE_BYTES - 4, 0xd73f0909); /* blraa x8, x9 */
	CHECK(t, call_code_before(EM_AARCH64, bytes, 0x1004, &code) && code.indirect);
	put(bytes + CALL_CODE_BYTES - 4, 0xd61f0100); /* br x8 */
	CHECK(t, !call_code_before(EM_AARCH64, bytes, 0x1004, &code));
	put(bytes, 0xb0000090);      /* adrp x16 */
	put(bytes + 4, 0xf9400211);  /* ldr x17 */
	put(bytes + 8, 0x91000210);  /* add x16 */
	put(bytes + 12, 0xd61f0220); /* br x17 */
	CHECK_INT(t, jump_code_at(EM_AARCH64, bytes, 0x1000, &target), JUMP_CODE_ANYWHERE);
	put(bytes, 0x14000400); /* b .+4096 */
	CHECK_INT(t, jump_code_at(EM_AARCH64, bytes, 0x1000, &target), JUMP_CODE_DIRECT);
	CHECK_INT(t, target, 0x2000);
	put(bytes, 0xa9be7bfd);     /* stp x29, x30, [sp, #-32]! */
	put(bytes + 4, 0x910003fd); /* mov x29, sp */
	CHECK(t, !frame_code_kept(EM_AARCH64, bytes, 4) && frame_code_kept(EM_AARCH64, bytes, 8));
	put(bytes, 0xd65f03c0);
	CHECK(t, return_code_at(EM_AARCH64, bytes, 4));
}

TEST_MAIN(TEST(agrees_with_objdump), TEST(every_form), TEST(jumps), TEST(aarch64))
