/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/look.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "common/log.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "record/host/clocks.h"
#include "record/plan/deadlines.h"
#include "record/plan/recording.h"
#include "record/source/drain.h"

ssize_t look_read(struct look *look, int fd, void *to, size_t room)
{
	ssize_t got;

	if (look->drain && look->slice_end && clocks_now() >= look->slice_end) {
		(void)drain_pass(look->drain);
		look->slice_end = 0;
	}
	if (!look->slice_end)
		look->slice_end = clocks_now() + LOOK_SLICE * MILLISECOND;
	do
		got = read(fd, to, room);
	while (got < 0 && (errno == EINTR || errno == EAGAIN));
	return got < 0 ? -errno : got;
}

void look_count(struct recording *recording, uint64_t left_out, const char *missing)
{
	if (!left_out)
		return;
	recording->unlooked += left_out;
	log_warning("a look at all threads was cut short, to disturb nobody: %s of %" PRIu64 " thread%s is not known",
		    missing, left_out, plural(left_out));
}
