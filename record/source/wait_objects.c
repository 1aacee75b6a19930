/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/wait_objects.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "bpf/ring.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "format/limits.h"
#include "record/host/clocks.h"
#include "record/place/kernel_map.h"
#include "record/plan/recording.h"

/* --- names of block devices --- */

enum { DEVICES = 4096, NAME_ROOM = 40 /* DISK_NAME_LEN, "p", a number */, PART = 4096 };

struct block_device {
	uint64_t number;
	char name[NAME_ROOM];
};

struct block_devices {
	size_t count;
	uint64_t read; /* when, CLOCK_MONOTONIC ns */
	char text[PART];
	struct block_device items[DEVICES];
};

static void parse_line(struct block_devices *devices, const char *line)
{
	struct block_device *device = &devices->items[devices->count];
	unsigned int major_number, minor_number;

	if (devices->count < DEVICES &&
	    sscanf(line, " %u %u %*u %39s", &major_number, &minor_number, device->name) == 3) {
		device->number = makedev(major_number, minor_number);
		devices->count++;
	}
}

static size_t block_devices_parse(struct block_devices *devices, const char *text, size_t length)
{
	char line[128];
	size_t done = 0;
	const char *end;

	while ((end = memchr(text + done, '\n', length - done))) {
		const size_t size = (size_t)(end - text) - done;

		if (size < sizeof(line)) {
			memcpy(line, text + done, size);
			line[size] = '\0';
			parse_line(devices, line);
		}
		done += size + 1;
	}
	return done;
}

static void read_all(struct block_devices *devices)
{
	_cleanup_close_ int fd = open("/proc/partitions", O_RDONLY | O_CLOEXEC);
	size_t held = 0;
	ssize_t got;

	devices->count = 0;
	devices->read = clocks_now();
	while (fd >= 0 && held < PART && (got = read(fd, devices->text + held, PART - held)) > 0) {
		const size_t length = held + (size_t)got, done = block_devices_parse(devices, devices->text, length);

		held = length - done;
		memmove(devices->text, devices->text + done, held);
	}
}

static int block_devices_create(struct block_devices **ret_devices)
{
	struct block_devices *devices = calloc(1, sizeof(*devices));

	if (!devices)
		return -ENOMEM;
	read_all(devices);
	*ret_devices = devices;
	return 0;
}

static void block_devices_destroy(struct block_devices *devices)
{
	free(devices);
}

static const char *look_up(const struct block_devices *devices, uint64_t device)
{
	for (size_t i = 0; i < devices->count; i++)
		if (devices->items[i].number == device)
			return devices->items[i].name;
	return NULL;
}

static const char *block_devices_find(struct block_devices *devices, uint64_t device)
{
	const char *name = look_up(devices, device);

	if (name || clocks_now() < devices->read + SECOND / 10)
		return name;
	read_all(devices);
	return look_up(devices, device);
}

enum { TOLD_NUMBER_BITS = 25, TOLD_HASH_BITS = 19 };
enum { OBJECTS = 32768, LOCKS = 8192, NAMES = 8192, NAME_BYTES = 1 << 20 };

static_assert((int)RING_OBJECT_ADDRESS == (int)RWK_MAX_ADDRESS, "the programs' addresses are the format's");

struct kept_name {
	uint32_t hash; /* of all that names an object, TOLD_HASH_BITS, not 0 */
	uint32_t at, length, flags;
	uint32_t mapping; /* of a futex, and what follows: as in struct ring_name */
	uint64_t device, inode, offset;
};

struct wait_objects {
	struct recording *recording;
	struct hash_map numbers; /* by struct ring_object, without what differs from wait to wait */
	struct hash_map locks;	 /* by address: its number in the trace */
	struct hash_map names;	 /* by token: index in `kept` */
	struct kept_name *kept;
	struct block_devices *devices;
	char *bytes;
	uint32_t used;
	uint32_t last; /* number given */
	uint64_t last_lock;
	__u64 *forgotten[2]; /* what wait_objects_share() was given; NULL: nothing */
};

int wait_objects_create(struct recording *recording, struct wait_objects **ret_objects)
{
	struct wait_objects *objects = calloc(1, sizeof(*objects));
	int r;

	if (!objects)
		return -ENOMEM;
	objects->recording = recording;
	objects->kept = calloc(NAMES, sizeof(*objects->kept));
	objects->bytes = malloc(NAME_BYTES);
	r = objects->kept && objects->bytes ? 0 : -ENOMEM;
	if (!r)
		r = hash_map_init_fixed(&objects->numbers, OBJECTS, OBJECTS * sizeof(struct ring_object));
	if (!r)
		r = hash_map_init_fixed(&objects->locks, LOCKS, LOCKS * sizeof(uint64_t));
	if (!r)
		r = hash_map_init_fixed(&objects->names, NAMES, NAMES * sizeof(uint64_t));
	if (!r)
		r = block_devices_create(&objects->devices);
	if (!r)
		r = event_log_want_names(recording->log);
	if (r < 0) {
		wait_objects_destroy(objects);
		return r;
	}
	*ret_objects = objects;
	return 0;
}

void wait_objects_destroy(struct wait_objects *objects)
{
	if (!objects)
		return;
	hash_map_deinit(&objects->numbers);
	hash_map_deinit(&objects->locks);
	hash_map_deinit(&objects->names);
	block_devices_destroy(objects->devices);
	free(objects->kept);
	free(objects->bytes);
	free(objects);
}

void wait_objects_share(struct wait_objects *objects, __u64 *forgotten)
{
	objects->forgotten[objects->forgotten[0] != NULL] = forgotten;
}

/* --- names --- */

static uint32_t hash_name(const struct ring_name *name)
{
	const uint64_t parts[] = {name->length, name->flags, name->mapping,
				  name->device, name->inode, name->offset};
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		hash = hash_mix(hash ^ parts[i]);
	for (uint32_t i = RING_NAME_BYTES - name->length; i < RING_NAME_BYTES; i++)
		hash = hash_mix(hash ^ (unsigned char)name->bytes[i]);
	return hash >> (64 - TOLD_HASH_BITS) ?: 1;
}

/* Names are written again from time to time. */
static void keep_name(struct wait_objects *objects, const struct ring_name *name)
{
	struct kept_name kept = {.hash = hash_name(name), .at = objects->used,
				 .length = name->length, .flags = name->flags,
				 .mapping = name->mapping, .device = name->device, .inode = name->inode,
				 .offset = name->offset};
	uint64_t *number;
	int r = hash_map_add(&objects->names, &name->token, sizeof(name->token), objects->names.entries.count, &number);

	if (r < 0 || (!r && objects->kept[*number].hash == kept.hash))
		return;
	memcpy(objects->bytes + kept.at, name->bytes + RING_NAME_BYTES - name->length, name->length);
	objects->kept[*number] = kept;
	objects->used += name->length;
}

static void forget_names(struct wait_objects *objects)
{
	hash_map_clear(&objects->names);
	objects->used = 0;
	for (size_t i = 0; i < sizeof(objects->forgotten) / sizeof(objects->forgotten[0]); i++)
		if (objects->forgotten[i])
			__atomic_fetch_add(objects->forgotten[i], 1, __ATOMIC_RELAXED);
}

void wait_objects_name(struct wait_objects *objects, const struct ring_name *name)
{
	if (!name->token || (!name->length && !name->mapping) || name->length > RING_NAME_BYTES)
		return;
	if (objects->names.entries.count == NAMES || objects->used + name->length > NAME_BYTES)
		forget_names(objects);
	keep_name(objects, name);
}

static const struct kept_name *find_name(const struct wait_objects *objects, uint64_t token)
{
	const uint64_t *number = token ? hash_map_find(&objects->names, &token, sizeof(token)) : NULL;

	return number ? &objects->kept[*number] : NULL;
}

/* --- objects --- */

/* Converts the kernel's form, with 12 and 20 bits, to that of stat(2). */
static uint64_t device_of(uint64_t device)
{
	return makedev((unsigned int)(device >> 20), (unsigned int)(device & 0xfffff));
}

/* Gives a lock a number, because its address must not leave the recorder. */
static uint64_t number_lock(struct wait_objects *objects, uint64_t address)
{
	uint64_t *number;
	int r = hash_map_add(&objects->locks, &address, sizeof(address), objects->last_lock + 1, &number);

	if (r == -ENOSPC) {
		hash_map_clear(&objects->locks);
		r = hash_map_add(&objects->locks, &address, sizeof(address), objects->last_lock + 1, &number);
	}
	if (r > 0)
		objects->last_lock++;
	return r < 0 ? 0 : *number;
}

static void describe_lock(struct wait_objects *objects, const struct ring_object *raw, struct event_object *object)
{
	const char *name = kernel_map_variable(objects->recording->kernel_map, raw->place);

	object->place = number_lock(objects, raw->place);
	object->lock = raw->lock;
	object->flags = raw->process ? OBJECT_MMAP_LOCK : 0;
	if (name)
		object->name = (struct event_text){name, (uint32_t)strlen(name)};
}

/* The name of a futex is that of the mapped file; if that is the program's own, its inode is in the record. */
static void describe_futex(const struct ring_object *raw, const struct kept_name *name, struct event_object *object)
{
	object->mapping = raw->mapping;
	if (raw->mapping || !name)
		return;
	object->mapping = name->mapping;
	object->device = device_of(name->device);
	object->inode = name->inode;
	object->offset = name->mapping == OBJECT_IN_SHARED ? name->offset : 0;
}

static struct event_text block_device_name(struct wait_objects *objects, uint64_t device)
{
	const char *name = block_devices_find(objects->devices, device);

	return name ? (struct event_text){name, (uint32_t)strlen(name)} : (struct event_text){0};
}

static struct event_object describe(struct wait_objects *objects, const struct ring_object *raw,
				    const struct kept_name *name)
{
	struct event_object object = {
		.kind = raw->kind, .flags = name ? name->flags : 0, .tgid = raw->process,
		.descriptor = raw->descriptor, .device = device_of(raw->device), .inode = raw->inode,
		.place = raw->place, .state = raw->state, .port = raw->port,
		.peer_port = raw->peer_port, .peer = raw->peer, .net = raw->net,
	};
	uint64_t function;

	if (raw->kind == OBJECT_FUTEX)
		describe_futex(raw, name, &object);
	if (raw->kind == OBJECT_CGROUP)
		object.offset = raw->offset;
	if (raw->kind == OBJECT_LOCK)
		describe_lock(objects, raw, &object);
	if (raw->kind == OBJECT_BLOCK)
		object.name = block_device_name(objects, object.device);
	if (raw->kind != OBJECT_WORK)
		return object;
	function = kernel_map_normalize(objects->recording->kernel_map, raw->place);
	object.module = (uint32_t)(function >> 32);
	object.place = (uint32_t)function;
	return object;
}

static bool has_addresses(const struct ring_object *raw)
{
	static const __u8 none[RING_OBJECT_ADDRESS];

	return memcmp(raw->address, none, sizeof(none)) != 0 || memcmp(raw->peer_address, none, sizeof(none)) != 0;
}

static void tell(struct wait_objects *objects, const struct ring_object *raw, uint32_t number)
{
	struct recording *recording = objects->recording;
	const struct kept_name *name = find_name(objects, raw->token);
	struct event event = {.kind = EVENT_OBJECT, .object = describe(objects, raw, name)};
	struct event_object_name text = {.number = number};

	event.object.number = number;
	if (recording_check(recording, event_log_add(recording->log, &event)) < 0)
		return;
	if (name)
		text.path = (struct event_text){objects->bytes + name->at, name->length};
	if (has_addresses(raw)) {
		text.address = (struct event_text){(const char *)raw->address, sizeof(raw->address)};
		text.peer_address = (struct event_text){(const char *)raw->peer_address, sizeof(raw->peer_address)};
	}
	if (!text.path.length && !text.address.length)
		return;
	event = (struct event){.kind = EVENT_OBJECT_NAME, .object_name = text};
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

/*
 * Value of a table: a number, with which name the object was written (0: none), and in which segment. An object is
 * written in each segment in which it is used.
 */
enum { TOLD_SEGMENT_BITS = 64 - TOLD_NUMBER_BITS - TOLD_HASH_BITS };
static_assert((uint32_t)RWK_MAX_OBJECTS < 1U << TOLD_NUMBER_BITS, "a number fits");

static uint64_t told(const struct wait_objects *objects, uint32_t number, uint32_t hash)
{
	return (uint64_t)objects->recording->segment << (64 - TOLD_SEGMENT_BITS) | (uint64_t)hash << TOLD_NUMBER_BITS |
	       number;
}

static bool is_old(const struct wait_objects *objects, uint64_t value)
{
	return value >> (64 - TOLD_SEGMENT_BITS) != told(objects, 0, 0) >> (64 - TOLD_SEGMENT_BITS);
}

/*
 * At most the last OBJECTS numbers are remembered; a number is reused only long after that. Returns
 * 0 if there are no more.
 */
static uint32_t next_number(struct wait_objects *objects)
{
	if (objects->last == RWK_MAX_OBJECTS && !objects->recording->config->flight.wanted)
		return 0;
	objects->last = objects->last % RWK_MAX_OBJECTS + 1;
	return objects->last;
}

/* Empties the table if it is full. Returns >0 if the object is new, 0 if not, -errno. */
static int find_number(struct wait_objects *objects, const struct ring_object *key, uint64_t **ret_value)
{
	int r = hash_map_add(&objects->numbers, key, sizeof(*key), 0, ret_value);

	if (r != -ENOSPC)
		return r;
	hash_map_clear(&objects->numbers);
	return hash_map_add(&objects->numbers, key, sizeof(*key), 0, ret_value);
}

/*
 * The name of a futex may come after its first waits: its mapping cannot be looked up while the
 * process changes its mappings. The object is then written again, with the same number, so those
 * waits have the name, too. A name may also be forgotten, but what was written about a number
 * remains. With another name, it is another object from then on.
 */
static uint32_t number_of(struct wait_objects *objects, const struct ring_object *raw)
{
	const struct kept_name *name = find_name(objects, raw->token);
	const uint32_t hash = name ? name->hash : 0;
	struct ring_object key = *raw;
	uint32_t number, former;
	uint64_t *value;
	int r;

	key.call = key.asked = 0;
	key.context = key.flags = key.beside = 0;
	r = find_number(objects, &key, &value);
	if (r < 0)
		return 0;
	number = (uint32_t)*value & ((1U << TOLD_NUMBER_BITS) - 1);
	former = (uint32_t)(*value >> TOLD_NUMBER_BITS) & ((1U << TOLD_HASH_BITS) - 1);
	if (!r && !is_old(objects, *value) && (former == hash || !hash))
		return number;
	if (r > 0 || (former && former != hash))
		number = next_number(objects);
	*value = told(objects, number, hash);
	if (number)
		tell(objects, &key, number);
	return number;
}

void wait_objects_take(struct wait_objects *objects, const struct ring_object *raw, struct event_wait *wait)
{
	if (raw->context > WAIT_IN_STOP || raw->kind > OBJECT_BLOCK)
		return;
	wait->call = raw->call << WAIT_CALL_BITS | raw->context;
	wait->asked = raw->asked;
	if (raw->kind != OBJECT_NONE)
		wait->object = number_of(objects, raw);
}

void wait_objects_beside(struct wait_objects *objects, const struct ring_beside *raw, struct event_wait *wait)
{
	wait->owner = (raw->held & HELD_BY_OWNER) != 0;
	wait->flags |= (raw->held & HELD_BY_READER ? WAIT_OWNER_READS : 0) |
		       (raw->held & HELD_FROM_READING ? WAIT_FOR_READING : 0) |
		       (raw->held & HELD_AT_END ? WAIT_OWNER_AT_END : 0) |
		       (raw->held & HELD_CHANGED ? WAIT_OWNER_CHANGED : 0);
	wait->ready = raw->ready;
	if (raw->object.kind != OBJECT_NONE && raw->object.kind <= OBJECT_BLOCK)
		wait->ready_object = number_of(objects, &raw->object);
}

void wait_objects_throttler(struct wait_objects *objects, const struct ring_throttle *raw, struct event_wait *wait)
{
	const struct ring_object group = {.kind = OBJECT_CGROUP, .inode = raw->id, .offset = raw->quota,
					  .place = raw->period, .token = raw->token};

	if (raw->token)
		wait->throttler = number_of(objects, &group);
}
