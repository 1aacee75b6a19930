/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The profile of fake_seam.h: arrays of fixed size that a test fills. */
#pragma once

#include "report/profile/seam/profile_account.h"
#include "report/profile/seam/profile_events.h"
#include "report/profile/seam/profile_apart.h"
#include "report/profile/seam/profile_objects.h"
#include "report/profile/seam/profile_origin.h"

enum { FAKE_MAX = 512, FAKE_TEXT = 8192 };

struct profile {
	struct profile *base; /* for views that compare */
	struct profile_source sources[8];
	struct profile_task tasks[FAKE_MAX];
	struct profile_module modules[16];
	struct profile_frame frames[FAKE_MAX];
	struct profile_symbol symbols[FAKE_MAX];
	struct profile_node nodes[FAKE_MAX];
	struct profile_entry entries[FAKE_MAX];
	struct profile_walk walks[8];
	struct profile_walk_task walk_tasks[FAKE_MAX];
	struct profile_wait waits[FAKE_MAX];
	struct profile_object objects[16];
	struct profile_operation operations[16];
	struct profile_task_sums sums[FAKE_MAX];
	struct profile_recording recordings[4];
	struct profile_wait_totals totals[8]; /* by source */
	struct profile_event events[FAKE_MAX];
	struct profile_probe probes[16];
	struct profile_origin origins[4];
	struct profile_losses losses;
	struct profile_set_apart set_apart;
	uint64_t realtime; /* of time 0 of every recording; 0: not known */
	struct profile_account_note notes[8];
	size_t source_count, task_count, module_count, frame_count, node_count, entry_count,
		walk_count, walk_task_count,
		wait_count, sum_count, recording_count, event_count, probe_count, note_count,
		origin_count, object_count, operation_count;
	bool lost;
	char text[FAKE_TEXT]; /* holds all names */
	size_t text_used;
};
