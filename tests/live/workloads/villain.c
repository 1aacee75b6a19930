/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * villain [-]: a program that wants the recorder to read a file for it: somebody has put names into its perf-PID.map,
 * its own file or its debug file. Until it is killed it spins, a millisecond out of two hundred, in its own function
 * and in machine code at a fixed address. With "-" it ends after the first millisecond.
 */
#include "workload.h"

#define CODE_AT ((void *)0x200000000) /* hostile_files.py knows it, too */

/* Counts its argument down to 0. */
static const uint8_t code[] = {
	0x55,			/* push %rbp */
	0x48, 0x89, 0xe5,	/* mov %rsp, %rbp */
	0x48, 0x83, 0xef, 0x01, /* 1: sub $1, %rdi */
	0x75, 0xfa,		/* jne 1b */
	0x5d, 0xc3,		/* pop %rbp; ret */
};

static volatile unsigned long sink;

__attribute__((noinline)) void own_code_of_the_villain_(unsigned long rounds) /* as long as other names */
{
	while (rounds--)
		sink += rounds;
}

static void spin(void (*made)(long))
{
	clock_t end = clock() + CLOCKS_PER_SEC / 1000;

	while (clock() < end) {
		made(100000);
		own_code_of_the_villain_(20000);
	}
}

int main(int argc, char **argv)
{
	void *memory = mmap(CODE_AT, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	void (*made)(long);

	must(memory == CODE_AT, "memory");
	memcpy(memory, code, sizeof(code));
	memcpy(&made, &memory, sizeof(made));
	do {
		spin(made);
		if (argc > 1)
			return 0;
		rest(200 * NS_PER_MS);
	} while (1);
}
