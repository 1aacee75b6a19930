/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Allocates memory, page after page, until the kernel kills it. */
#include <stdlib.h>
#include <string.h>

int main(void)
{
	enum { BLOCK = 1 << 20 };

	for (;;) {
		char *block = malloc(BLOCK);

		if (block)
			memset(block, 1, BLOCK);
	}
}
