/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What takes records of waits, wakeups and stacks, on a made-up kernel and recording. */
#pragma once

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/source/waits.h"
#include "tests/test.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/fake_probe_struct.h"
#include "tests/unit/record/made_recording.h"
#include "tests/unit/record/made_waits.h"

enum { CPU = 2, TID = 70, WAKER = 90, SOURCE = 2 };
#define CODE UINT64_C(0x400000)

struct bench {
	struct kernel_map map;
	struct made_recording made;
	struct probe probe;
	struct filter filter;
	struct waits waits;
};

static inline void bench_open(struct bench *b)
{
	*b = (struct bench){0};
	made_recording_open_with(&b->made, FAKE_CPUS, &b->map);
	b->waits = (struct waits){.recording = &b->made.recording, .probe = &b->probe, .filter = &b->filter};
	made_check(waits_init(&b->waits));
}

static inline void bench_close(struct bench *b)
{
	waits_deinit(&b->waits);
	made_recording_close(&b->made);
}

static inline void take(struct bench *b, const struct made_wait_record *record)
{
	waits_take(&b->waits, &record->raw.head, made_wait_bytes(record));
}

static inline void take_user(struct bench *b, const struct made_user_record *record)
{
	waits_take(&b->waits, &record->raw.head, made_user_bytes(record));
}

static inline struct made_wake_record wake(uint64_t time)
{
	return (struct made_wake_record){.raw = {.head = {.time = time, .cpu = CPU,
							  .kind = RING_WAKE, .source = SOURCE + 1},
						 .context = RING_WAKER_TASK,
						 .kernel_count = 1,
						 .user_count = 1,
						 .task = made_ring_task(WAKER, "waker"),
						 .target = made_ring_task(TID, "sleeper")},
					 .frames = {FAKE_KERNEL + 0x30, CODE + 0x40}};
}

/* What a look at all tasks finds: its rows, of the last one without `cut` bytes. */
static inline int looked(const struct made_wait_record *records, size_t count, size_t cut)
{
	int fd = memfd_create("look", MFD_CLOEXEC);
	off_t at = 0;

	for (size_t i = 0; i < count; i++) {
		size_t bytes = made_wait_bytes(&records[i]) - (i == count - 1 ? cut : 0);

		if (fd < 0 || pwrite(fd, &records[i], bytes, at) != (ssize_t)bytes)
			abort();
		at += (off_t)bytes;
	}
	return fd;
}
