/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/profile_objects.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/profile/profile_internal.h"
#include "report/profile/profile_waits.h"

enum { OPERATIONS_MAX = 4096 }; /* each new one is compared with all others */

static int intern_text(struct profile *profile, const char *text, size_t length, const char **ret_text)
{
	return text_pool_add(&profile->texts, text, length, ret_text);
}

/* Both lists begin with an item for "not known". */
static int begin(struct profile *profile)
{
	struct profile_object none = {.comm = "", .name = "", .local = "", .peer = ""};

	if (profile->objects.count)
		return 0;
	if (array_push(&profile->operations, (struct profile_operation){.name = ""}) < 0 ||
	    array_push(&profile->operation_keys, UINT64_MAX) < 0 || array_push(&profile->object_recordings, 0) < 0)
		return -ENOMEM;
	return array_push(&profile->objects, none);
}

/* --- operations: there are few --- */

static size_t name_operation(const struct trace_model *model, uint64_t call, char *text, size_t room)
{
	static const char *const names[] = {[WAIT_IN_FAULT] = "page fault",
					    [WAIT_IN_KERNEL_THREAD] = "kernel thread",
					    [WAIT_IN_IO_WORKER] = "io_uring worker", [WAIT_IN_STOP] = "stopped"};
	const uint64_t kind = call & ((1 << WAIT_CALL_BITS) - 1);
	const char *name;
	size_t length = trace_model_call_name(model, call, &name);

	if (kind >= WAIT_IN_FAULT && kind < sizeof(names) / sizeof(names[0]))
		return (size_t)snprintf(text, room, "%s", names[kind]);
	if (!length)
		return (size_t)snprintf(text, room, "call %" PRIu64, call >> WAIT_CALL_BITS);
	return (size_t)snprintf(text, room, "%.*s", (int)length, name);
}

static enum profile_direction direction_of(const char *name)
{
	static const char *const reads[] = {"read", "readv", "pread64", "preadv", "preadv2"};
	static const char *const writes[] = {"write", "writev", "pwrite64", "pwritev", "pwritev2", "vmsplice"};

	for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++)
		if (!strcmp(name, reads[i]))
			return PROFILE_READS;
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
		if (!strcmp(name, writes[i]))
			return PROFILE_WRITES;
	return PROFILE_NEITHER;
}

static bool is_for_many(const char *name)
{
	static const char *const calls[] = {"poll", "ppoll", "ppoll_time64", "select", "_newselect", "pselect6",
					    "pselect6_time64", "epoll_wait", "epoll_wait_old", "epoll_pwait",
					    "epoll_pwait2"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(name, calls[i]))
			return true;
	return false;
}

static int find_operation(struct profile *profile, const struct trace_model *model, uint64_t call,
			  uint32_t *ret_number)
{
	const uint64_t kind = call & ((1 << WAIT_CALL_BITS) - 1);
	const char *machine;
	uint64_t key;
	struct profile_operation operation = {.kind = (enum wait_call)kind};
	char text[64];
	size_t length;

	if (!kind || kind > WAIT_IN_STOP || call >> 60 || profile->operations.count == OPERATIONS_MAX)
		return 0;
	machine = trace_model_meta(model, "machine");
	key = call << 1 | (machine && !strcmp(machine, "aarch64"));
	for (size_t i = 1; i < profile->operations.count; i++)
		if (profile->operation_keys.items[i] == key) {
			*ret_number = (uint32_t)i;
			return 0;
		}
	length = name_operation(model, call, text, sizeof(text));
	*ret_number = (uint32_t)profile->operations.count;
	if (intern_text(profile, text, length, &operation.name) < 0 ||
	    array_push(&profile->operation_keys, key) < 0)
		return -ENOMEM;
	operation.direction = direction_of(operation.name);
	operation.many = is_for_many(operation.name);
	return array_push(&profile->operations, operation);
}

/* --- objects --- */

static int intern_address(struct profile *profile, const uint8_t *address, const char **ret_text)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool v4 = !memcmp(address, mapped, sizeof(mapped));
	char text[INET6_ADDRSTRLEN] = "";

	(void)inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? address + sizeof(mapped) : address, text, sizeof(text));
	return intern_text(profile, text, strlen(text), ret_text);
}

static bool listens(const struct event_object *about)
{
	enum { TCP_LISTEN_STATE = 10 };

	return (about->kind == OBJECT_TCP || about->kind == OBJECT_UNIX) && about->state == TCP_LISTEN_STATE;
}

static const char *name_of(const struct trace_model *model, const struct trace_object *object)
{
	const struct event_object *about = &object->about;
	const char *function = about->kind == OBJECT_WORK ?
			       trace_model_kernel_function(model, about->module, about->place) : NULL;

	return function ? function : object->path;
}

static int make_object(struct profile *profile, const struct trace_model *model, uint32_t host, uint32_t recording,
		       const struct trace_object *object)
{
	const struct event_object *about = &object->about;
	const char *name = name_of(model, object);
	struct profile_object made = {
		.kind = (uint8_t)about->kind,
		.flags = (uint8_t)((about->flags & (OBJECT_LISTENS - 1)) | (listens(about) ? OBJECT_LISTENS : 0)),
		.lock = about->lock < LOCK_KINDS ? (uint8_t)about->lock : LOCK_UNKNOWN,
		.port = (uint16_t)about->port, .peer_port = (uint16_t)about->peer_port, .host = host,
		.process = about->tgid, .descriptor = about->descriptor, .device = about->device,
		.inode = about->inode, .net = about->net, .peer_inode = about->peer,
		.address = about->kind == OBJECT_WORK ? 0 : about->place,
		.mapping = about->mapping < OBJECT_MAPPINGS ? (uint8_t)about->mapping : OBJECT_IN_UNKNOWN,
		.offset = about->offset, .comm = "", .local = "", .peer = "",
	};
	int r = intern_text(profile, name, strlen(name), &made.name);

	if (!r && object->has_addresses)
		r = intern_address(profile, object->address, &made.local);
	if (!r && object->has_addresses)
		r = intern_address(profile, object->peer_address, &made.peer);
	if (!r)
		r = array_push(&profile->object_recordings, recording);
	return r < 0 ? r : array_push(&profile->objects, made);
}

/* The profile's number for an object of the trace; leaves *ret_number alone if the object is not known. */
static int find_object(struct profile *profile, const struct trace_model *model, uint32_t host, uint32_t recording,
		       uint32_t number, uint32_t *ret_number)
{
	struct trace_object *object = number ? trace_model_object(model, number) : NULL;
	int r = 0;

	if (!object || !object->about.kind || object->about.kind >= OBJECT_KINDS)
		return 0;
	if (!object->number) {
		r = make_object(profile, model, host, recording, object);
		object->number = (uint32_t)profile->objects.count - 1;
	}
	*ret_number = object->number;
	return r;
}

int profile_bind_object(struct profile *profile, const struct trace_model *model, uint32_t host,
			const struct event_wait *record, struct profile_wait *wait)
{
	int r = begin(profile);

	wait->asked = record->asked;
	wait->ready_descriptor = record->ready;
	wait->held |= (record->flags & WAIT_FOR_READING ? HELD_FROM_READING : 0) |
		      (record->flags & WAIT_OWNER_AT_END ? HELD_AT_END : 0) |
		      (record->flags & WAIT_OWNER_CHANGED ? HELD_CHANGED : 0);
	if (!r)
		r = find_operation(profile, model, record->call, &wait->operation);
	if (!r)
		r = find_object(profile, model, host, wait->recording, record->object, &wait->object);
	if (!r)
		r = find_object(profile, model, host, wait->recording, record->ready_object, &wait->ready);
	return r;
}

/* --- their processes --- */

void profile_name_objects(struct profile *profile)
{
	for (size_t i = 0; i < profile->objects.count; i++) {
		struct profile_object *object = &profile->objects.items[i];
		const struct profile_process *process =
			profile_find_process(profile, profile->object_recordings.items[i], object->process);

		if (!object->process || !process || process->reused) /* which of them? */
			continue;
		object->comm = process->comm;
		if (object->kind == OBJECT_CHILD && process->task != PROFILE_NO_TASK)
			object->users[PROFILE_NEITHER] = (struct profile_users){1, process->task, true};
	}
}

/* --- access --- */

size_t profile_objects(const struct profile *profile, const struct profile_object **ret_objects)
{
	*ret_objects = profile->objects.items;
	return profile->objects.count;
}

size_t profile_operations(const struct profile *profile, const struct profile_operation **ret_operations)
{
	*ret_operations = profile->operations.items;
	return profile->operations.count;
}

/* --- who is at the ends of pipes and connections --- */

enum { NO_END = UINT32_MAX, MOST_FRAMES = 32 };
#define SEVERAL_SOCKETS UINT64_MAX

struct object_ends { /* numbers of ends, or NO_END */
	uint32_t own, other;
};

struct user_key { /* without padding */
	uint32_t end, direction, process;
};

struct joiner {
	struct profile *profile;
	struct object_ends *ends; /* by object */
	struct hash_map numbers;  /* of ends, by text */
	struct hash_map users;
	ARRAY(struct profile_users) sums; /* by end and direction */
	ARRAY(uint64_t) sockets; /* by end of a connection: the inode; 0: not seen; SEVERAL_SOCKETS */
	uint8_t *act; /* by node of a waker's stack: enum act, plus 1; 0: not looked at */
};

/* What the stack of a waker says about the wakeup. */
enum act { ACT_NONE, ACT_READ, ACT_WRITE, ACT_TIMEOUT };

static void joiner_deinit(struct joiner *joiner)
{
	free(joiner->ends);
	free(joiner->act);
	array_free(&joiner->sums);
	array_free(&joiner->sockets);
	hash_map_deinit(&joiner->users);
	hash_map_deinit(&joiner->numbers);
}

__attribute__((format(printf, 3, 4))) static int number_end(struct joiner *joiner, uint32_t *ret_number,
							    const char *format, ...)
{
	uint64_t *number;
	va_list arguments;
	char text[180];
	int r;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	r = hash_map_add(&joiner->numbers, text, strlen(text), joiner->numbers.entries.count, &number);

	for (unsigned int i = 0; r > 0 && i < PROFILE_DIRECTIONS; i++)
		if (array_push(&joiner->sums, (struct profile_users){0}) < 0)
			return -ENOMEM;
	if (r > 0 && array_push(&joiner->sockets, 0) < 0)
		return -ENOMEM;
	if (r < 0)
		return r;
	*ret_number = (uint32_t)*number;
	return 0;
}

static void count_socket(struct joiner *joiner, uint32_t end, uint64_t inode)
{
	uint64_t *seen = &joiner->sockets.items[end];

	if (inode)
		*seen = !*seen || *seen == inode ? inode : SEVERAL_SOCKETS;
}

/* Connections that had the same addresses and ports, one after the other: which end belongs to which is not known. */
static void leave_out_ambiguous(struct joiner *joiner)
{
	for (size_t i = 0; i < joiner->profile->objects.count; i++) {
		struct object_ends *ends = &joiner->ends[i];

		if (joiner->profile->objects.items[i].kind == OBJECT_TCP && ends->own != NO_END &&
		    (joiner->sockets.items[ends->own] == SEVERAL_SOCKETS ||
		     joiner->sockets.items[ends->other] == SEVERAL_SOCKETS))
			*ends = (struct object_ends){NO_END, NO_END};
	}
}

/* Of a connection: within one network namespace, as each has a 127.0.0.1 of its own. */
static int name_ends(struct joiner *joiner, size_t number)
{
	const struct profile_object *object = &joiner->profile->objects.items[number];
	const uint32_t recording = joiner->profile->object_recordings.items[number];
	struct object_ends *ends = &joiner->ends[number];
	int r = 0;

	*ends = (struct object_ends){NO_END, NO_END};
	if (object->kind == OBJECT_PIPE) {
		r = number_end(joiner, &ends->own, "%u pipe %" PRIu64 " %" PRIu64, recording, object->device,
			       object->inode);
		ends->other = ends->own;
	} else if (object->kind == OBJECT_UNIX) {
		r = number_end(joiner, &ends->own, "%u unix %" PRIu64, recording, object->inode);
		if (!r && object->peer_inode)
			r = number_end(joiner, &ends->other, "%u unix %" PRIu64, recording, object->peer_inode);
	} else if (object->kind == OBJECT_TCP && object->net && object->port && object->peer_port && *object->local &&
		   *object->peer) {
		r = number_end(joiner, &ends->own, "%u tcp %" PRIu64 " %s %u %s %u", recording, object->net,
			       object->local, object->port, object->peer, object->peer_port);
		if (!r)
			r = number_end(joiner, &ends->other, "%u tcp %" PRIu64 " %s %u %s %u", recording, object->net,
				       object->peer, object->peer_port, object->local, object->port);
		if (!r)
			count_socket(joiner, ends->own, object->inode);
	}
	return r;
}

/* --- users --- */

static int add_user(struct joiner *joiner, uint32_t end, enum profile_direction direction, uint32_t task)
{
	const struct profile_task *user = &joiner->profile->tasks.items[task], *known;
	const struct user_key key = {end, direction, user->tgid};
	struct profile_users *users = &joiner->sums.items[end * PROFILE_DIRECTIONS + direction];
	int r = hash_map_add(&joiner->users, &key, sizeof(key), 0, NULL);

	if (r < 0)
		return r;
	users->processes += r > 0;
	if (r > 0 && users->processes == 1) {
		users->task = task;
		users->one_thread = true;
		return 0;
	}
	known = &joiner->profile->tasks.items[users->task];
	users->one_thread &= known->tid == user->tid && known->start == user->start;
	if (user->tgid == known->tgid && user->tid == user->tgid)
		users->task = task; /* a process has the comm of its first thread */
	return 0;
}

static enum act act_of_function(const char *name)
{
	static const struct {
		const char *name;
		enum act act;
	} functions[] = {{"pipe_read", ACT_READ},	     {"anon_pipe_read", ACT_READ},
			 {"fifo_pipe_read", ACT_READ},	     {"pipe_write", ACT_WRITE},
			 {"anon_pipe_write", ACT_WRITE},    {"fifo_pipe_write", ACT_WRITE},
			 {"unix_stream_sendmsg", ACT_WRITE}, {"unix_dgram_sendmsg", ACT_WRITE},
			 {"unix_stream_read_generic", ACT_READ}, {"hrtimer_wakeup", ACT_TIMEOUT}};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(name, functions[i].name))
			return functions[i].act;
	return ACT_NONE;
}

/* Decided by the kernel function nearest to the leaf that says anything. */
static enum act act_of_waker(struct joiner *joiner, uint32_t leaf)
{
	struct profile *profile = joiner->profile;
	enum act act = ACT_NONE;
	uint32_t node = leaf;

	if (joiner->act[leaf])
		return (enum act)(joiner->act[leaf] - 1);
	for (unsigned int i = 0; i < MOST_FRAMES && node && act == ACT_NONE; i++) {
		const uint32_t frame = profile->nodes.items[node].frame;
		const char *name = profile->frames.items[frame].kernel ? profile_symbol(profile, frame)->name : NULL;

		if (!name && !profile->frames.items[frame].kernel)
			break;
		act = name ? act_of_function(name) : ACT_NONE;
		node = profile->nodes.items[node].parent;
	}
	joiner->act[leaf] = (uint8_t)(act + 1);
	return act;
}

/* A task that ended a wait for this object in a read or write uses the same pipe, or the other socket. */
static int add_waker(struct joiner *joiner, const struct profile_wait *wait, bool pipe)
{
	const uint32_t end = joiner->ends[wait->object].other;
	enum profile_direction direction = PROFILE_NEITHER;
	enum act act;

	if (end == NO_END || !wait->waker_node || wait->waker == PROFILE_NO_TASK ||
	    wait->waker_context != WAKER_TASK)
		return 0;
	act = act_of_waker(joiner, wait->waker_node);
	if (act != ACT_READ && act != ACT_WRITE)
		return 0;
	if (pipe)
		direction = act == ACT_READ ? PROFILE_READS : PROFILE_WRITES;
	return add_user(joiner, end, direction, wait->waker);
}

static int add_wait(struct joiner *joiner, const struct profile_wait *wait)
{
	struct profile *profile = joiner->profile;
	const bool pipe = profile->objects.items[wait->object].kind == OBJECT_PIPE;
	const enum profile_direction direction = profile->operations.items[wait->operation].direction;
	int r = 0;

	if (wait->object && joiner->ends[wait->object].own != NO_END && (!pipe || direction != PROFILE_NEITHER))
		r = add_user(joiner, joiner->ends[wait->object].own, pipe ? direction : PROFILE_NEITHER, wait->task);
	if (!r && wait->object)
		r = add_waker(joiner, wait, pipe);
	if (r < 0 || !wait->ready || joiner->ends[wait->ready].own == NO_END ||
	    profile->objects.items[wait->ready].kind == OBJECT_PIPE)
		return r;
	return add_user(joiner, joiner->ends[wait->ready].own, PROFILE_NEITHER, wait->task);
}

static void set_users(struct joiner *joiner, size_t number)
{
	struct profile_object *object = &joiner->profile->objects.items[number];
	const uint32_t other = joiner->ends[number].other;
	const struct profile_users *users;

	if (other == NO_END)
		return;
	users = &joiner->sums.items[other * PROFILE_DIRECTIONS];
	memcpy(object->users, users, sizeof(object->users));
}

/* --- waits that timed out --- */

/* hrtimer_wakeup() only wakes threads that sleep until that time. */
static void mark_timeout(struct joiner *joiner, struct profile_wait *wait)
{
	if (joiner->profile->operations.items[wait->operation].many && !wait->ready && wait->waker_node &&
	    act_of_waker(joiner, wait->waker_node) == ACT_TIMEOUT)
		wait->held |= PROFILE_TIMED_OUT;
}

static int join(struct joiner *joiner)
{
	struct profile *profile = joiner->profile;
	int r = 0;

	for (size_t i = 0; i < profile->objects.count && !r; i++)
		r = name_ends(joiner, i);
	if (!r)
		leave_out_ambiguous(joiner);
	for (size_t i = 0; i < profile->waits.count && !r; i++) {
		mark_timeout(joiner, &profile->waits.items[i]);
		r = add_wait(joiner, &profile->waits.items[i]);
	}
	for (size_t i = 0; i < profile->throughout.count && !r; i++)
		r = add_wait(joiner, &profile->throughout.items[i]);
	for (size_t i = 0; i < profile->walk_tasks.count && !r; i++) {
		const struct profile_wait wait = profile_walk_wait(&profile->walk_tasks.items[i]);

		r = add_wait(joiner, &wait);
	}
	for (size_t i = 0; i < profile->objects.count && !r; i++)
		set_users(joiner, i);
	return r;
}

int profile_join_ends(struct profile *profile)
{
	struct joiner joiner = {.profile = profile};
	int r;

	if (!profile->objects.count)
		return 0;
	joiner.ends = calloc(profile->objects.count, sizeof(*joiner.ends));
	joiner.act = calloc(profile->nodes.count + 1, sizeof(*joiner.act));
	r = joiner.ends && joiner.act ? hash_map_init(&joiner.numbers) : -ENOMEM;
	if (!r)
		r = hash_map_init(&joiner.users);
	if (!r)
		r = join(&joiner);
	joiner_deinit(&joiner);
	return r;
}
