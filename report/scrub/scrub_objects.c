/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What waits were for. Names are already stand-ins (report/tool/condense_objects.c); any other text is left out. */
#include <string.h>

#include "report/scrub/common_names.h"
#include "report/scrub/scrub_internal.h"

static int number_of(struct scrub *scrub, enum scrub_class class, struct scrub_numbers *numbers, uint64_t given,
		     uint64_t *ret_number)
{
	*ret_number = given;
	return scrub_wants(scrub, class) ? scrub_number(numbers, given, ret_number) : 0;
}

static int take_port(struct scrub *scrub, uint32_t given, uint32_t *ret_port)
{
	uint64_t port;
	int r = number_of(scrub, SCRUB_HOST, &scrub->ports, given, &port);

	*ret_port = (uint32_t)port;
	return r;
}

static int take_file(struct scrub *scrub, const struct event_object *object, struct event_object *out)
{
	int r = number_of(scrub, SCRUB_PATHS, &scrub->devices, object->device, &out->device);

	if (!r)
		r = number_of(scrub, SCRUB_PATHS, &scrub->inodes, object->inode, &out->inode);
	return r < 0 ? r : number_of(scrub, SCRUB_PATHS, &scrub->inodes, object->peer, &out->peer);
}

/* The name of a variable of the kernel. */
static struct event_text lock_name(const struct scrub *scrub, const struct event_text *name)
{
	const bool common = scrub_is_common_kernel(scrub) && common_identifier(name->bytes, name->length);

	return common ? *name : (struct event_text){0};
}

static struct event_text block_name(const struct scrub *scrub, const struct event_text *name)
{
	const bool common = !scrub_wants(scrub, SCRUB_PATHS) || common_block_device(name->bytes, name->length);

	return common ? *name : (struct event_text){0};
}

int scrub_object(struct scrub *scrub, struct event *event)
{
	const struct event_object object = event->object;
	struct event_object *out = &event->object;
	const bool function = object.kind == OBJECT_WORK, lock = object.kind == OBJECT_LOCK;
	int r;

	*out = (struct event_object){.number = object.number, .kind = object.kind, .descriptor = object.descriptor,
				     .flags = object.flags & (OBJECT_DELETED | OBJECT_CUT | OBJECT_ABSTRACT |
								 OBJECT_MMAP_LOCK),
				     .module = function ? object.module : 0, .place = function ? object.place : 0,
				     .mapping = object.mapping, .offset = object.offset, .family = object.family,
				     .state = object.state, .lock = object.lock,
				     .name = lock ? lock_name(scrub, &object.name) : (struct event_text){0}};
	r = scrub_pid(scrub, object.tgid, &out->tgid);
	if (!r)
		r = take_file(scrub, &object, out);
	if (!r && object.kind == OBJECT_FUTEX)
		r = scrub_variable(scrub, &object.name, &out->name);
	if (!r && object.kind == OBJECT_BLOCK)
		out->name = block_name(scrub, &object.name);
	if (!r && lock)
		out->place = object.place;
	else if (!r && !function)
		r = number_of(scrub, SCRUB_ADDRESSES, &scrub->futexes, object.place, &out->place);
	if (!r)
		r = take_port(scrub, object.port, &out->port);
	return r < 0 ? r : take_port(scrub, object.peer_port, &out->peer_port);
}

/* "file#3" */
static bool is_stand_in(const struct event_text *text)
{
	static const char *const words[] = {"file#", "name#", "peer#"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]), digits = 0;

		if (text->length <= length || memcmp(text->bytes, words[i], length) != 0)
			continue;
		while (length + digits < text->length && strchr("0123456789", text->bytes[length + digits]))
			digits++;
		return length + digits == text->length && digits < 10;
	}
	return false;
}

bool scrub_object_name(struct event *event)
{
	const struct event_object_name name = event->object_name;

	event->object_name = (struct event_object_name){.number = name.number, .path = name.path};
	return is_stand_in(&name.path);
}
