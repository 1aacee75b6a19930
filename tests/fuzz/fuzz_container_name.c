/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Files of container runtimes made of any bytes: a name fits, and is not empty. The first byte is the runtime. */
#include "record/pick/container_name.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const char id[] = "3f4e5d6c7b8a99887766554433221100ffeeddccbbaa00112233445566778899";
	char name[CONTAINER_NAME];
	char *copy;

	if (!length)
		return 0;
	copy = malloc(length); /* of just that size, for the sanitizer */
	if (!copy)
		abort();
	memcpy(copy, bytes, length);
	memset(name, 'x', sizeof(name));
	if (container_name_find((enum container_runtime)(bytes[0] % (CONTAINER_OTHER + 1)), id, copy + 1, length - 1,
				name) &&
	    (!*name || !memchr(name, '\0', sizeof(name))))
		abort();
	free(copy);
	return 0;
}
