/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/recording.h"

#include <errno.h>

#include "format/event_log.h"

int recording_check(struct recording *recording, int result)
{
	if (result == -EINVAL && !event_log_error(recording->log)) {
		recording->refused++;
		return 0;
	}
	if (result < 0 && !recording->error) {
		recording->error = result;
		recording->stop = RECORDING_FAILED;
	}
	return result;
}
