/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* jit-PID.dump made of any bytes: it ends soon, addresses ascend and are unique, and names are within the file. */
#include "record/pick/jit_log.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(int condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_symbols symbols;

	require(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	if (!jit_log_read(fd, &symbols)) {
		require(symbols.names_size && !symbols.names[symbols.names_size - 1]);
		for (size_t i = 0; i < symbols.count; i++) {
			require(symbols.items[i].name < symbols.names_size && symbols.items[i].size);
			require(!i || symbols.items[i].address > symbols.items[i - 1].address);
		}
		elf_symbols_deinit(&symbols);
	}
	(void)close(fd);
	return 0;
}
