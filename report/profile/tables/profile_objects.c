/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_objects.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/profile/tables/profile_processes.h"

enum { OPERATIONS_MAX = 4096 }; /* each new one is compared with all others */

static int keep_text(struct profile *profile, const char *text, size_t length, const char **ret_text)
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
	if (keep_text(profile, text, length, &operation.name) < 0 ||
	    array_push(&profile->operation_keys, key) < 0)
		return -ENOMEM;
	operation.direction = direction_of(operation.name);
	operation.many = is_for_many(operation.name);
	return array_push(&profile->operations, operation);
}

/* --- objects --- */

static int keep_address(struct profile *profile, const uint8_t *address, const char **ret_text)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool v4 = !memcmp(address, mapped, sizeof(mapped));
	char text[INET6_ADDRSTRLEN] = "";

	(void)inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? address + sizeof(mapped) : address, text, sizeof(text));
	return keep_text(profile, text, strlen(text), ret_text);
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
	int r = keep_text(profile, name, strlen(name), &made.name);

	if (!r && object->has_addresses)
		r = keep_address(profile, object->address, &made.local);
	if (!r && object->has_addresses)
		r = keep_address(profile, object->peer_address, &made.peer);
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

		if (!object->process || !process)
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
