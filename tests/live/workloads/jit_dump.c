/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A compiler of one function: machine code in anonymous memory, and a jit-PID.dump in the folder
 * given as argument, mapped executable as perf's jitdump-specification.txt requires. With "map"
 * instead of a folder it writes a /tmp/perf-PID.map and prints its path; with "none" it writes no
 * file, because there is one already. Spins in that code for the given seconds.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct header {
	uint32_t magic, version, total_size, machine, pad, pid;
	uint64_t timestamp, flags;
};

struct load {
	uint32_t id, total_size;
	uint64_t timestamp;
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

/* Counts its argument down to 0. */
static const uint8_t code[] = {
	0x55,			/* push %rbp */
	0x48, 0x89, 0xe5,	/* mov %rsp, %rbp */
	0x48, 0x83, 0xef, 0x01, /* 1: sub $1, %rdi */
	0x75, 0xfa,		/* jne 1b */
	0x5d, 0xc3,		/* pop %rbp; ret */
};
static const char name[] = "jitted_spin(long)";

static int write_dump(const char *folder, uint64_t address)
{
	struct header header = {0x4a695444, 1, sizeof(header), 62, 0, (uint32_t)getpid(), 0, 0};
	struct load load = {.total_size = sizeof(load) + sizeof(name) + sizeof(code),
			    .pid = (uint32_t)getpid(),
			    .tid = (uint32_t)getpid(),
			    .vma = address,
			    .address = address,
			    .size = sizeof(code)};
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, &header, sizeof(header)) < 0)
		return 0;
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 0;
	return write(fd, &load, sizeof(load)) > 0 && write(fd, name, sizeof(name)) > 0 &&
	       write(fd, code, sizeof(code)) > 0;
}

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

static int write_names(const char *where, uintptr_t address)
{
	if (!strcmp(where, "none"))
		return 1;
	return strcmp(where, "map") ? write_dump(where, address) : write_map(address);
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
	if (!write_names(argv[1], (uintptr_t)memory))
		return 1;
	while (clock() < end)
		spin(10000000);
	return 0;
}
