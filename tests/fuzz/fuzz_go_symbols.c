/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Go's function table of any bytes: it ends soon, ascends, and its names are no more than the bytes can hold. */
#include "report/resolve/go_symbols.h"

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
	struct symbol_list list = {0};
	struct symbol_index *index;
	struct go_table table = {0};

	if (length < 2)
		return 0;
	table.text = bytes[0] & 1 ? 0 : 0x1000;
	table.text_end = table.text + bytes[1];
	table.bytes = bytes + 2;
	table.size = length - 2;
	if (!go_symbols_parse(&table, &list)) {
		for (size_t i = 0; i < list.symbols.count; i++) {
			require(list.symbols.items[i].name < list.names.count && list.symbols.items[i].size);
			require(!i || list.symbols.items[i].address >= list.symbols.items[i - 1].address);
		}
		require(list.names.count <= 4 * table.size + list.symbols.count);
		if (!symbol_index_create(&list, &index))
			symbol_index_destroy(index);
	}
	symbol_list_deinit(&list);
	return 0;
}
