/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/samples.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>

#include "record/plan/filter.h"
#include "record/plan/recording.h"
#include "record/source/ring_sample.h"
#include "record/source/ring_task.h"

int samples_open(struct samples *samples, struct recording *recording, const struct filter *filter)
{
	*samples = (struct samples){
		.recording = recording,
		.filter = filter,
		.filtered = calloc(recording->max_cpus, sizeof(*samples->filtered)),
		.whole = calloc(recording->max_cpus, sizeof(*samples->whole)),
	};
	if (samples->filtered && samples->whole)
		return 0;
	samples_close(samples);
	return -ENOMEM;
}

void samples_close(struct samples *samples)
{
	free(samples->filtered);
	free(samples->whole);
	samples->filtered = samples->whole = NULL;
}

void samples_take(struct samples *samples, const struct ring_head *head, size_t length)
{
	const struct ring_sample *raw = (const void *)head;
	struct event_sample sample = {0};
	struct event_task task;

	if (!ring_sample_is_sound(raw, length, samples->recording->max_cpus)) {
		samples->refused++;
		return;
	}
	task = ring_task_event(samples->recording, &raw->task);
	if (filter_wants(samples->filter, task.comm)) {
		sample.period = raw->period == samples->period ? 0 : raw->period;
		samples->refused += ring_sample_add(samples->recording, samples->snapshots, raw,
						    &task, &sample) == -EINVAL;
	} else {
		samples->filtered[head->cpu]++;
	}
	samples->whole[head->cpu] += ring_sample_is_whole(raw, &sample);
}
