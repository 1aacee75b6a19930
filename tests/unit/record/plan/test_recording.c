/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What ends a recording, and what is only counted. */
#include "record/plan/recording.h"

#include <errno.h>

#include "tests/test.h"
#include "tests/unit/record/made_recording.h"

static const struct event NAME = {.kind = EVENT_OBJECT_NAME, .object_name = {.number = 7, .path = {"web", 3}}};

static void one_record_that_is_refused(struct test *t)
{
	struct made_recording made;
	struct recording *recording = &made.recording;

	made_recording_open(&made, 4);
	CHECK_INT(t, event_log_add(recording->log, &NAME), -EINVAL); /* without a place for names */
	CHECK_INT(t, recording_check(recording, event_log_add(recording->log, &NAME)), 0);
	CHECK_INT(t, recording->refused, 1);
	CHECK_INT(t, recording->error, 0);
	CHECK_INT(t, recording->stop, RECORDING_RUNS);
	made_check(event_log_want_names(recording->log));
	CHECK_INT(t, recording_check(recording, event_log_add(recording->log, &NAME)), 0);
	CHECK_INT(t, recording->refused, 1);
	made_recording_close(&made);
}

static void a_log_that_cannot_be_written(struct test *t)
{
	struct made_recording made;
	struct recording *recording = &made.recording;
	const struct event cgroup = {.kind = EVENT_CGROUP, .cgroup = {.id = 7, .time = 1}};

	made_recording_open(&made, 4);
	made_check(event_log_add(recording->log, &cgroup));
	made.io.call = CALL_WRITEV;
	made.io.nth = made.io.counts[CALL_WRITEV] + 1;
	made.io.error = -EINVAL;
	CHECK_INT(t, recording_check(recording, event_log_flush(recording->log)), -EINVAL);
	CHECK_INT(t, recording->error, -EINVAL);
	CHECK_INT(t, recording->stop, RECORDING_FAILED);
	CHECK_INT(t, recording_check(recording, -ENOMEM), -ENOMEM);
	CHECK_INT(t, recording->error, -EINVAL); /* the first is kept */
	CHECK_INT(t, recording->refused, 0);
	made_recording_close(&made);
}

TEST_MAIN(TEST(one_record_that_is_refused), TEST(a_log_that_cannot_be_written))
