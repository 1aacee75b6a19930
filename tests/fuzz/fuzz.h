/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What every fuzz target has. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define fuzz_require(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* The bytes as a file; the caller closes it. */
static inline int fuzz_file(const void *bytes, size_t length)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	fuzz_require(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	return fd;
}

/* A copy of exactly that size, so that reads past its end are found. */
static inline uint8_t *fuzz_copy(const void *bytes, size_t length)
{
	uint8_t *copy = malloc(length ? length : 1);

	fuzz_require(copy != NULL);
	if (length)
		memcpy(copy, bytes, length);
	return copy;
}
