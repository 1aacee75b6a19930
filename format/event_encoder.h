/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Encodes events into chunk payloads (FORMAT.md §4). One encoder fills one kind of chunk in a
 * fixed-size buffer and holds the dictionaries of the open chunk (tasks, stack nodes, times per
 * CPU); reset starts the next chunk. Nothing is allocated after creation. A record that does not
 * fit returns -ENOSPC and leaves the chunk unchanged: the caller writes the chunk out, resets, and
 * encodes again (event_log does). An empty chunk has room for any record.
 */
#ifndef RWALKER_FORMAT_EVENT_ENCODER_H
#define RWALKER_FORMAT_EVENT_ENCODER_H

#include "format/event.h"

struct event_encoder;

enum { EVENT_ENCODER_MIN_ROOM = 64 << 10 };

/*
 * max_cpus: one more than the largest cpu number; room: bytes of a chunk's payload, from
 * EVENT_ENCODER_MIN_ROOM to RWK_MAX_RAW_CHUNK. max_cpus 0: for STATE and EMBED only, without the
 * dictionaries that samples and walks need.
 */
int event_encoder_create(size_t room, uint32_t max_cpus, struct event_encoder **ret_encoder);
void event_encoder_destroy(struct event_encoder *encoder);
void event_encoder_reset(struct event_encoder *encoder);

/* The payload so far; *ret_first, *ret_last: least and greatest time in it. */
size_t event_encoder_payload(const struct event_encoder *encoder, const void **ret_bytes, uint64_t *ret_first,
			     uint64_t *ret_last);

/* STATE. 0, -ENOSPC, -EINVAL if a value exceeds a limit of the format. */
int event_encode_meta(struct event_encoder *encoder, const char *key, const char *value);
/* Any record that refers to no task and no stack: STATE, NAMES, WALK, EMBED_UNWIND. The same. */
int event_encode(struct event_encoder *encoder, const struct event *event);

/*
 * EVENTS. Frames are leaf first, kernel ones already (module << 32 | offset). The task is found in
 * or added to the chunk's dictionary; sample->task, ->kernel and ->user are overwritten, as are the
 * flags for the parts that follow: kernel or user stack (count above 0), period, reason and probe
 * (not 0).
 */
struct event_stacks {
	const uint64_t *kernel, *user;
	uint32_t kernel_count, user_count;
	uint64_t kernel_callers; /* 0, or a number that identifies kernel[1] and up for the encoder's lifetime */
	uint32_t user_words; /* of the user_count: marks and words of the stack's top (FORMAT.md §6.2) */
	uint64_t user_owner; /* samples: owner of the user stack, a caller's number; for sample->callers_known */
};
int event_encode_sample(struct event_encoder *encoder, struct event_sample *sample, const struct event_task *task,
			const struct event_stacks *stacks);
/*
 * others, by enum wait_other: the waker if wait->context is not 0, the owner if wait->owner is not.
 * All of these set the flags for the fields that follow, as for samples.
 */
int event_encode_wait(struct event_encoder *encoder, struct event_wait *wait, const struct event_task *task,
		      const struct event_task *others, const struct event_stacks *stacks);
int event_encode_wake(struct event_encoder *encoder, struct event_wake *wake, const struct event_task *task,
		      const struct event_task *target, const struct event_stacks *stacks);
int event_encode_user_stack(struct event_encoder *encoder, struct event_user_stack *record,
			    const struct event_task *task, const struct event_stacks *stacks);
int event_encode_wait_sums(struct event_encoder *encoder, struct event_wait_sums *sums, const struct event_task *task);
/* owner: only if row->owner is not 0. */
int event_encode_walk_task(struct event_encoder *encoder, struct event_walk_task *row, const struct event_task *task,
			   const struct event_task *owner, const struct event_stacks *stacks);

/*
 * EMBED. Writes as many symbols as fit (ascending addresses, else -EINVAL) and sets *ret_taken to
 * their number; -ENOSPC if none fits. Names longer than RWK_MAX_STRING are cut.
 */
int event_encode_embed_module(struct event_encoder *encoder, const struct event_embed_module *module);
int event_encode_embed_symbols(struct event_encoder *encoder, uint32_t module, const struct event_symbol *symbols,
			       size_t count, size_t *ret_taken);
/*
 * Texts at the same address are written once per record. -ENOSPC if the texts of one entry alone exceed a chunk;
 * -ENOMEM.
 */
int event_encode_embed_lines(struct event_encoder *encoder, uint32_t module,
			     const struct event_line *lines, size_t count, size_t *ret_taken);
int event_encode_perf_map(struct event_encoder *encoder, uint32_t tgid, const struct event_symbol *symbols,
			  size_t count, size_t *ret_taken);

#endif
