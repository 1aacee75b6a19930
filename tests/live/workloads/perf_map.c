/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * perf_map map|none SECONDS: a compiler of one function: machine code in anonymous memory. With "map" it writes a
 * /tmp/perf-PID.map and prints its path; with "none" it writes no file, because there is one already. Spins in
 * that code.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Counts its argument down to 0. */
static const uint8_t code[] = {
	0x55,			/* push %rbp */
	0x48, 0x89, 0xe5,	/* mov %rsp, %rbp */
	0x48, 0x83, 0xef, 0x01, /* 1: sub $1, %rdi */
	0x75, 0xfa,		/* jne 1b */
	0x5d, 0xc3,		/* pop %rbp; ret */
};
static const char name[] = "jitted_spin(long)";

static int write_map(uintptr_t address)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "wx");
	if (!file)
		return 0;
	puts(path);
	fprintf(file, "%lx %zx %s\n", (unsigned long)address, sizeof(code), name);
	return !fclose(file);
}

int main(int argc, char **argv)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	clock_t end = clock() + (argc > 2 ? atoi(argv[2]) : 1) * CLOCKS_PER_SEC;
	void (*spin)(long);

	if (memory == MAP_FAILED || argc < 2)
		return 1;
	memcpy(memory, code, sizeof(code));
	memcpy(&spin, &memory, sizeof(spin));
	if (!strcmp(argv[1], "map") && !write_map((uintptr_t)memory))
		return 1;
	while (clock() < end)
		spin(10000000);
	return 0;
}
