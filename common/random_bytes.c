/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/random_bytes.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>

int random_bytes(void *bytes, size_t length)
{
	for (size_t done = 0; done < length;) { /* a signal may cut short reads of more than 256 bytes */
		ssize_t drawn = getrandom((char *)bytes + done, length - done, 0);

		if (drawn < 0 && errno == EINTR)
			continue;
		if (drawn <= 0)
			return drawn < 0 ? -errno : -EIO;
		done += (size_t)drawn;
	}
	return 0;
}
