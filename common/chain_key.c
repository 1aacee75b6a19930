/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/chain_key.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>

int chain_factors_draw(struct chain_factors *factors)
{
	uint8_t *bytes = (uint8_t *)factors;
	size_t done = 0;

	while (done < sizeof(*factors)) { /* up to 256 bytes a call come whole */
		size_t wanted = sizeof(*factors) - done < 256 ? sizeof(*factors) - done : 256;
		ssize_t drawn = getrandom(bytes + done, wanted, 0);

		if (drawn < 0 && errno == EINTR)
			continue;
		if (drawn <= 0)
			return -EIO;
		done += (size_t)drawn;
	}
	return 0;
}
