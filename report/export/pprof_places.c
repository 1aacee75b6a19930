/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/export/pprof_places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/view/event_reader.h"

enum { VARINT = 0, LENGTH_DELIMITED = 2, TYPE_BITS = 3, VARINT_BITS = 7, VARINT_MORE = 0x80, VARINT_MAX = 10 };

void protobuf_deinit(struct protobuf *message)
{
	free(message->bytes);
	*message = (struct protobuf){0};
}

void protobuf_clear(struct protobuf *message)
{
	message->used = 0;
}

/* Room for `size` more bytes. */
static bool grow(struct protobuf *message, size_t size)
{
	size_t wanted;

	message->failed |= __builtin_add_overflow(message->used, size, &wanted) ||
			   array_reserve_raw((void **)&message->bytes, &message->room, wanted, 1) < 0;
	return !message->failed;
}

static void append(struct protobuf *message, const void *bytes, size_t size)
{
	if (!size || !grow(message, size))
		return;
	memcpy(message->bytes + message->used, bytes, size);
	message->used += size;
}

static size_t varint_size(uint64_t number)
{
	size_t size = 1;

	for (; number >= VARINT_MORE; number >>= VARINT_BITS)
		size++;
	return size;
}

static void append_varint(struct protobuf *message, uint64_t number)
{
	if (!grow(message, VARINT_MAX))
		return;
	for (; number >= VARINT_MORE; number >>= VARINT_BITS)
		message->bytes[message->used++] = (uint8_t)(number | VARINT_MORE);
	message->bytes[message->used++] = (uint8_t)number;
}

static void append_key(struct protobuf *message, uint32_t field, unsigned int type)
{
	append_varint(message, (uint64_t)field << TYPE_BITS | type);
}

static void append_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t size)
{
	append_key(message, field, LENGTH_DELIMITED);
	append_varint(message, size);
	append(message, bytes, size);
}

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t number)
{
	if (!number)
		return;
	append_key(message, field, VARINT);
	append_varint(message, number);
}

static void protobuf_text(struct protobuf *message, uint32_t field, const char *text)
{
	append_bytes(message, field, text, strlen(text));
}

void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *part)
{
	message->failed |= part->failed;
	append_bytes(message, field, part->bytes, part->used);
}

void protobuf_numbers(struct protobuf *message, uint32_t field, const uint64_t *numbers, size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += varint_size(numbers[i]);
	if (!count)
		return;
	append_key(message, field, LENGTH_DELIMITED);
	append_varint(message, size);
	for (size_t i = 0; i < count; i++)
		append_varint(message, numbers[i]);
}

/* --- pprof texts --- */

enum { ESCAPE = 4 }; /* bytes of "\x1b" */

int pprof_texts_init(struct pprof_texts *texts, struct protobuf *out)
{
	int r;

	*texts = (struct pprof_texts){.out = out};
	r = hash_map_init(&texts->numbers);
	if (!r)
		(void)pprof_texts_find(texts, "");
	return r;
}

void pprof_texts_deinit(struct pprof_texts *texts)
{
	hash_map_deinit(&texts->numbers);
	free(texts->safe);
}

uint64_t pprof_texts_find(struct pprof_texts *texts, const char *text)
{
	uint64_t *number;
	int r = hash_map_add(&texts->numbers, text, strlen(text), texts->numbers.entries.count, &number);

	if (r > 0)
		protobuf_text(texts->out, PROFILE_STRING_TABLE, text);
	texts->out->failed |= r < 0;
	return r < 0 ? 0 : *number;
}

uint64_t pprof_texts_find_unsafe(struct pprof_texts *texts, const char *text)
{
	size_t length = strlen(text), room;

	if (__builtin_mul_overflow(length, ESCAPE, &room) || __builtin_add_overflow(room, 1, &room) ||
	    array_reserve_raw((void **)&texts->safe, &texts->room, room, 1) < 0) {
		texts->out->failed = true;
		return 0;
	}
	(void)printable_escape(texts->safe, texts->room, text, length);
	return pprof_texts_find(texts, texts->safe);
}

/* --- pprof places --- */

enum { PAGE = 4096 };

int pprof_places_init(struct pprof_places *places, struct profile *profile, struct pprof_texts *texts,
		      const char *none)
{
	*places = (struct pprof_places){.profile = profile, .texts = texts, .out = texts->out};
	places->nodes = profile_nodes(profile, &places->node_count);
	places->frames = profile_frames(profile, &places->frame_count);
	places->modules = profile_modules(profile, &places->module_count);
	places->wanted = calloc(places->node_count + 1, sizeof(*places->wanted));
	places->of_node = calloc(places->node_count + 1, sizeof(*places->of_node));
	places->mappings = calloc(places->module_count + 1, sizeof(*places->mappings));
	if (!places->wanted || !places->of_node || !places->mappings)
		return -ENOMEM;
	return hash_map_init(&places->known) ?:
	       hash_map_init(&places->written) ?:
	       functions_create(profile, FUNCTIONS_BY_MODULE, none, &places->functions);
}

void pprof_places_deinit(struct pprof_places *places)
{
	protobuf_deinit(&places->location);
	protobuf_deinit(&places->line);
	functions_destroy(places->functions);
	hash_map_deinit(&places->known);
	hash_map_deinit(&places->written);
	array_free(&places->places);
	array_free(&places->chain);
	free(places->wanted);
	free(places->of_node);
	free(places->mappings);
}

/* --- from chains to places --- */

int pprof_places_want(struct pprof_places *places, uint32_t node)
{
	return event_reader_mark(places->profile, node, places->wanted);
}

/* Finds a place, or adds it if it is new. *ret_place: its number plus 1. */
static int find_place(struct pprof_places *places, uint32_t frame, uint32_t outer, uint32_t *ret_place)
{
	const uint32_t key[] = {frame, outer};
	uint64_t *number;
	int r = hash_map_add(&places->known, key, sizeof(key), places->places.count, &number);

	if (r > 0)
		r = array_push(&places->places, (struct pprof_place){.frame = frame, .outer = outer});
	if (r < 0)
		return r;
	*ret_place = (uint32_t)*number + 1;
	return 0;
}

/* A node's callers have lower numbers. */
int pprof_places_find(struct pprof_places *places)
{
	int r = 0;

	for (uint32_t node = 1; !r && node < places->node_count; node++) {
		uint32_t frame = places->nodes[node].frame, outer = 0;

		if (!places->wanted[node])
			continue;
		if (frame >= places->frame_count)
			return -EBADMSG;
		if (places->frames[frame].inline_depth)
			outer = places->of_node[places->nodes[node].parent];
		r = find_place(places, frame, outer, &places->of_node[node]);
	}
	return r;
}

/* --- from places to locations --- */

/*
 * A function has a number for each file that its lines are in: one name may be in several files. It
 * gets no system name: if that were equal to the name, pprof would take it for a mangled one, and
 * shorten it.
 */
static int write_function(struct pprof_places *places, const char *name, const char *file, uint64_t *ret_number)
{
	_cleanup_(protobuf_deinit) struct protobuf function = {0};
	_cleanup_free_ char *key = NULL;
	uint64_t *number;
	int length = asprintf(&key, "%s\n%s", name, file ? file : ""), r;

	if (length < 0) {
		key = NULL;
		return -ENOMEM;
	}
	r = hash_map_add(&places->written, key, (size_t)length, places->written.entries.count + 1, &number);
	if (r < 0)
		return r;
	*ret_number = *number;
	if (!r)
		return 0;
	protobuf_number(&function, FUNCTION_ID, *ret_number);
	protobuf_number(&function, FUNCTION_NAME, pprof_texts_find(places->texts, name));
	protobuf_number(&function, FUNCTION_FILENAME, file ? pprof_texts_find_unsafe(places->texts, file) : 0);
	protobuf_message(places->out, PROFILE_FUNCTION, &function);
	return 0;
}

static void write_line(struct pprof_places *places, uint64_t function, uint64_t line)
{
	protobuf_clear(&places->line);
	protobuf_number(&places->line, LINE_FUNCTION_ID, function);
	protobuf_number(&places->line, LINE_LINE, line);
	protobuf_message(&places->location, LOCATION_LINE, &places->line);
}

/* Whether the module has a file in which others could look up names. */
static bool has_file(const struct pprof_places *places, uint32_t module)
{
	return module && module < places->module_count && places->modules[module].path[0] &&
	       places->modules[module].path[0] != '[';
}

static int write_frame(struct pprof_places *places, const struct pprof_place *place, struct pprof_mapping *mapping)
{
	const struct profile_frame *frame = &places->frames[place->frame];
	const struct profile_symbol *symbol = profile_symbol(places->profile, place->frame);
	bool named = symbol && (symbol->placed || (symbol->name && symbol->name[0]));
	uint64_t number;
	uint32_t function;
	int r;

	if (!named && !frame->note && has_file(places, frame->module))
		return 0;
	r = functions_find(places->functions, place->frame, &function);
	if (r < 0)
		return r;
	r = write_function(places, functions_name(places->functions, function), symbol ? symbol->file : NULL, &number);
	if (r < 0)
		return r;
	mapping->functions = true;
	mapping->lines |= symbol && symbol->file;
	write_line(places, number, symbol ? symbol->line : 0);
	return 0;
}

/* An address within the call instruction: it precedes the return address. */
static uint64_t address_of(const struct profile_frame *frame)
{
	return frame->caller && frame->address ? frame->address - 1 : frame->address;
}

static int write_location(struct pprof_places *places, uint32_t number)
{
	struct pprof_place *place = &places->places.items[number - 1];
	const struct profile_frame *frame = &places->frames[place->frame];
	uint32_t module = frame->module < places->module_count ? frame->module : 0;
	struct pprof_mapping *mapping = &places->mappings[module];
	uint64_t address = address_of(frame);
	int r = 0;

	place->written = true;
	mapping->limit = address >= mapping->limit ? address + 1 : mapping->limit;
	protobuf_clear(&places->location);
	protobuf_number(&places->location, LOCATION_ID, number);
	protobuf_number(&places->location, LOCATION_MAPPING_ID, module);
	protobuf_number(&places->location, LOCATION_ADDRESS, address);
	for (uint32_t at = number; at && !r; at = places->places.items[at - 1].outer)
		r = write_frame(places, &places->places.items[at - 1], mapping);
	protobuf_message(places->out, PROFILE_LOCATION, &places->location);
	return r;
}

/* A sample must have a location, or else pprof only counts it in the total. */
static int write_nothing(struct pprof_places *places)
{
	uint64_t function;
	int r = 0;

	if (!places->nothing) {
		places->nothing = places->places.count + 1;
		r = write_function(places, functions_name(places->functions, FUNCTION_NONE), NULL, &function);
		if (r < 0)
			return r;
		protobuf_clear(&places->location);
		protobuf_number(&places->location, LOCATION_ID, places->nothing);
		write_line(places, function, 0);
		protobuf_message(places->out, PROFILE_LOCATION, &places->location);
	}
	return array_push(&places->chain, places->nothing);
}

int pprof_places_write(struct pprof_places *places, uint32_t node)
{
	bool within = false; /* the previous node was inlined in this one, and its location has both */
	int r = 0;

	places->chain.count = 0;
	if (!node)
		return write_nothing(places);
	for (; node && !r; node = places->nodes[node].parent) {
		uint32_t place = places->of_node[node];

		if (!within) {
			r = places->places.items[place - 1].written ? 0 : write_location(places, place);
			if (!r)
				r = array_push(&places->chain, place);
		}
		within = places->places.items[place - 1].outer;
	}
	return r;
}

/* --- mappings --- */

/* Addresses are those of the module's file, so it is mapped from 0 on. It ends with the page of the last address. */
static void write_mapping(struct pprof_places *places, uint32_t module)
{
	_cleanup_(protobuf_deinit) struct protobuf message = {0};
	const struct pprof_mapping *mapping = &places->mappings[module];
	const struct profile_module *names = &places->modules[module];
	uint64_t name = pprof_texts_find_unsafe(places->texts, has_file(places, module) ? names->path : names->name);
	uint64_t build_id = pprof_texts_find_unsafe(places->texts, names->build_id);
	uint64_t limit = (mapping->limit / PAGE + 1) * PAGE;

	protobuf_number(&message, MAPPING_ID, module);
	protobuf_number(&message, MAPPING_MEMORY_LIMIT, limit > mapping->limit ? limit : mapping->limit);
	protobuf_number(&message, MAPPING_FILENAME, name);
	protobuf_number(&message, MAPPING_BUILD_ID, build_id);
	protobuf_number(&message, MAPPING_HAS_FUNCTIONS, mapping->functions);
	protobuf_number(&message, MAPPING_HAS_FILENAMES, mapping->lines);
	protobuf_number(&message, MAPPING_HAS_LINE_NUMBERS, mapping->lines);
	protobuf_number(&message, MAPPING_HAS_INLINE_FRAMES, mapping->lines);
	protobuf_message(places->out, PROFILE_MAPPING, &message);
}

void pprof_places_weigh(struct pprof_places *places, uint32_t node, uint64_t weight)
{
	places->weighed++;
	for (; node; node = places->nodes[node].parent) {
		uint32_t module = places->frames[places->nodes[node].frame].module;
		struct pprof_mapping *mapping = &places->mappings[module < places->module_count ? module : 0];

		if (mapping->weighed != places->weighed)
			mapping->weight += weight;
		mapping->weighed = places->weighed;
	}
}

/* The program that most of the weight passed through; 0: there is none. */
static uint32_t main_module(const struct pprof_places *places)
{
	uint32_t found = 0;

	for (uint32_t module = 1; module < places->module_count; module++)
		if (has_file(places, module) && !places->modules[module].kernel &&
		    !strstr(places->modules[module].name, ".so") && places->mappings[module].limit &&
		    places->mappings[module].weight > places->mappings[found].weight)
			found = module;
	return found;
}

void pprof_places_write_mappings(struct pprof_places *places)
{
	uint32_t first;

	places->mappings[0].weight = 0;
	first = main_module(places);
	if (first)
		write_mapping(places, first);
	for (uint32_t module = 1; module < places->module_count; module++)
		if (places->mappings[module].limit && module != first)
			write_mapping(places, module);
}
