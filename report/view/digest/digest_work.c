/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/digest/digest_work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_THREADS = 4 };

struct pool_key { /* without padding */
	uint32_t node, process, host;
};

static struct pool_key key_of(const struct digest_work *work, const struct profile_wait *wait)
{
	const struct profile_task *task = &work->waits->tasks[wait->task];

	return (struct pool_key){wait->node, task->tgid, task->host};
}

/* Waits for a lock are in other functions: pthread_mutex_lock() and the like. */
static bool is_condition(const char *name)
{
	name += strspn(name, "_");
	return !strncmp(name, "pthread_cond_", sizeof("pthread_cond_") - 1) ||
	       !strncmp(name, "sem_wait", sizeof("sem_wait") - 1) ||
	       !strncmp(name, "sem_timedwait", sizeof("sem_timedwait") - 1) ||
	       !strncmp(name, "new_sem_wait", sizeof("new_sem_wait") - 1);
}

static int look_at(struct digest_work *work, uint32_t node)
{
	int r = chain_read(&work->chain, work->profile, node);

	work->conditions[node] = 2;
	for (size_t i = work->chain.kernel_count; !r && i < work->chain.frames.count; i++) {
		const struct profile_symbol *symbol = profile_symbol(work->profile, work->chain.frames.items[i]);

		if (symbol && symbol->name && is_condition(symbol->name))
			work->conditions[node] = 1;
	}
	return r;
}

static bool may_be_pool(const struct digest_work *work, const struct profile_wait *wait)
{
	const unsigned int locked = PROFILE_HELD_BY_OWNER | PROFILE_HELD_LOCKED;

	return wait->wait_class == PROFILE_BLOCKED && wait->object && !(wait->held & locked) &&
	       work->waits->objects[wait->object].kind == PROFILE_OBJECT_FUTEX;
}

static int add_wait(struct digest_work *work, const struct profile_wait *wait)
{
	const struct pool_key key = key_of(work, wait);
	struct pool *pool;
	uint64_t *number;
	int r = work->conditions[wait->node] ? 0 : look_at(work, wait->node);

	/* A wait without a time limit comes from a recorder that tells locks from other futexes. */
	if (r < 0 || (work->conditions[wait->node] != 1 && !(wait->held & PROFILE_ENDLESS)))
		return r;
	r = hash_map_add(&work->known, &key, sizeof(key), work->pools.count, &number);
	if (r > 0)
		r = array_push(&work->pools, (struct pool){.last_task = PROFILE_NO_TASK});
	if (r < 0)
		return r;
	pool = &work->pools.items[*number];
	pool->threads += pool->last_task != wait->task; /* waits are ordered by task */
	pool->last_task = wait->task;
	pool->weight = wait_add(pool->weight, wait->weight);
	return 0;
}

int digest_work_init(struct digest_work *work, struct profile *profile, const struct waits *waits, uint64_t duration)
{
	size_t count;
	int r;

	*work = (struct digest_work){.profile = profile, .waits = waits, .duration = duration};
	(void)profile_nodes(profile, &count);
	work->conditions = calloc(count + 1, sizeof(*work->conditions));
	r = work->conditions ? hash_map_init(&work->known) : -ENOMEM;
	for (size_t i = 0; i < waits->count && !r; i++)
		if (may_be_pool(work, &waits->items[i]))
			r = add_wait(work, &waits->items[i]);
	return r;
}

void digest_work_deinit(struct digest_work *work)
{
	hash_map_deinit(&work->known);
	array_free(&work->pools);
	chain_deinit(&work->chain);
	free(work->conditions);
	*work = (struct digest_work){0};
}

static bool is_for_connections(const struct waits *waits, const struct profile_wait *wait)
{
	return (wait->object && waits->objects[wait->object].flags & PROFILE_OBJECT_LISTENS) ||
	       (wait->ready && waits->objects[wait->ready].flags & PROFILE_OBJECT_LISTENS);
}

bool digest_work_has(const struct digest_work *work, const struct profile_wait *wait)
{
	const struct pool_key key = key_of(work, wait);
	const uint64_t *number;
	const struct pool *pool;

	if (wait->wait_class != PROFILE_BLOCKED)
		return false;
	if (is_for_connections(work->waits, wait))
		return true;
	number = may_be_pool(work, wait) ? hash_map_find(&work->known, &key, sizeof(key)) : NULL;
	if (!number)
		return false;
	pool = &work->pools.items[*number];
	return pool->threads >= POOL_THREADS && pool->weight / pool->threads >= work->duration / 2;
}
