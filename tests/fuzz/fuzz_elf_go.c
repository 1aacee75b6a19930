/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Go's function table made of any bytes: it ends soon, ascends, and its names are no longer than the bytes allow. */
#include "common/elf/elf_go.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(int condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct elf_symbols symbols;
	struct elf_go_table table = {0};
	size_t name_bytes = 0;

	if (length < 2)
		return 0;
	table.text = bytes[0] & 1 ? 0 : 0x1000;
	table.text_end = table.text + bytes[1];
	table.bytes = bytes + 2;
	table.size = length - 2;
	if (elf_go_parse(&table, &symbols) < 0)
		return 0;
	require(symbols.names_size && !symbols.names[symbols.names_size - 1]);
	for (size_t i = 0; i < symbols.count; i++) {
		require(symbols.items[i].name < symbols.names_size && symbols.items[i].size);
		require(!i || symbols.items[i].address >= symbols.items[i - 1].address);
		name_bytes += strlen(symbols.names + symbols.items[i].name);
	}
	require(name_bytes <= 4 * table.size);
	elf_symbols_deinit(&symbols);
	return 0;
}
