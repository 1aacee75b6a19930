/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * make_trace TEXT TRACE: makes a trace, of one section, of the lines that `rwalker-report --dump` prints (FORMAT.md,
 * appendix B), so that a sample is a text. It knows the records by format/event_layout.c: a new kind needs nothing
 * here, unless it refers to tasks or has a list. By hand, less will do:
 *
 *	base 90000s                                        `@` before a number adds this
 *	# a comment
 *	kernel-symbol module=1 offset=0x2000 size=0x100 name="io_schedule"
 *	task tgid=812 tid=812 comm="postgres"              number 1
 *	wait cpu=1 task=1 source=3 state=2 kernel=io_schedule;entry_SYSCALL_64 time=@1000ms length=40ms
 *
 * Fields that are not given are 0, but out_cpu of WAIT is `cpu`, and run_queue all of a wait that was not blocked. A
 * number has a unit: s, ms, us or none. A stack is the number of a node, or addresses and names of kernel symbols (`name+0x20`; 16 bytes without), the leaf first.
 * Flags for the parts of a record follow from the parts. Without `chunk` lines, of which only the type counts, a chunk
 * ends where a record of another type of chunk begins. A line `section` with id and realtime comes first, one with
 * closed and reason last; without them the trace is closed. A closed one gets END.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "format/chunk.h"
#include "format/event_encoder.h"
#include "format/event_layout.h"
#include "format/limits.h"
#include "format/lz4_block.h"

enum { STACKS = 2 };

struct node {
	uint32_t parent;
	uint64_t address;
};

struct maker {
	const char *path;
	unsigned int line;
	uint64_t base;
	FILE *out;
	struct rwk_file_header header;
	struct rwk_trailer trailer;
	bool open;
	uint64_t offset;
	uint64_t chunks;
	bool ended; /* the last chunk is END */
	struct event_encoder *encoder;
	enum rwk_chunk_type type; /* of the chunk that is being filled; 0: none is */
	bool given;		  /* by a line `chunk` */
	uint8_t *stored;
	void *scratch;
	ARRAY(struct event_task) tasks;
	ARRAY(struct node) nodes;
	ARRAY(struct event_symbol) kernel; /* `size`: the module */
	uint64_t frames[STACKS][RWK_MAX_PATH];
	struct event_stacks stacks;
	struct event event; /* whose list is being read; kind 0: none is */
	ARRAY(struct event_segment) segments;
	ARRAY(struct event_symbol) symbols;
	ARRAY(struct event_line) lines;
	ARRAY(struct event_line_level) levels; /* of all lines */
};

static _Noreturn __attribute__((format(printf, 2, 3))) void fail(const struct maker *m, const char *form, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%u: ", m->path, m->line);
	va_start(arguments, form);
	vfprintf(stderr, form, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

static void check(const struct maker *m, int r, const char *what)
{
	if (r < 0)
		fail(m, "%s: %s", what, strerror(-r));
}

/* --- the container ------------------------------------------------------------------------------------- */

static void put(struct maker *m, const void *bytes, size_t length)
{
	if (length && fwrite(bytes, length, 1, m->out) != 1)
		fail(m, "cannot write");
	m->offset += length;
}

static void put_chunk(struct maker *m, enum rwk_chunk_type type, const void *payload, size_t length, uint64_t first,
		      uint64_t last)
{
	bool secret = type == RWK_CHUNK_SNAPSHOTS || type == RWK_CHUNK_NAMES;
	struct rwk_chunk_header header = {.type = (uint16_t)type, .flags = secret ? RWK_CHUNK_SENSITIVE : 0,
					  .first_time = first, .last_time = last, .sequence = m->chunks++};

	if (!m->offset) {
		rwk_file_header_seal(&m->header);
		put(m, &m->header, sizeof(m->header));
	}
	rwk_chunk_pack(&header, payload, length, m->stored, m->scratch);
	rwk_chunk_header_seal(&header, m->header.crc);
	m->ended = type == RWK_CHUNK_END;
	put(m, &header, sizeof(header));
	put(m, m->stored, rwk_chunk_stored_length(&header));
}

static void end_chunk(struct maker *m)
{
	uint64_t first, last;
	const void *bytes;
	size_t length = event_encoder_payload(m->encoder, &bytes, &first, &last);

	if (m->type)
		put_chunk(m, m->type, bytes, length, first, last);
	event_encoder_reset(m->encoder);
	m->type = 0;
}

static void end_trace(struct maker *m)
{
	end_chunk(m);
	if (m->open)
		return;
	if (!m->ended)
		put_chunk(m, RWK_CHUNK_END, NULL, 0, 0, 0);
	m->trailer.chunk_count = m->chunks;
	rwk_trailer_seal(&m->trailer, m->header.crc);
	put(m, &m->trailer, sizeof(m->trailer));
}

static void begin_chunk(struct maker *m, enum rwk_chunk_type type, bool given)
{
	end_chunk(m);
	m->type = type;
	m->given = given;
}

static bool belongs(enum event_kind kind, enum rwk_chunk_type type)
{
	if (kind < EVENT_TASK)
		return type == RWK_CHUNK_STATE || type == RWK_CHUNK_END;
	return type == (kind < EVENT_EMBED_MODULE ? RWK_CHUNK_EVENTS : kind < EVENT_SNAPSHOT ? RWK_CHUNK_EMBED :
			kind == EVENT_SNAPSHOT	  ? RWK_CHUNK_SNAPSHOTS :
						    RWK_CHUNK_NAMES);
}

static void find_chunk(struct maker *m, enum event_kind kind)
{
	if (m->type && belongs(kind, m->type))
		return;
	if (m->given)
		fail(m, "a record of another type of chunk");
	for (unsigned int type = RWK_CHUNK_STATE; type <= RWK_CHUNK_NAMES; type++)
		if (belongs(kind, type)) {
			begin_chunk(m, type, false);
			return;
		}
}

/* --- words --------------------------------------------------------------------------------------------- */

static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t"), *end = word;

	for (bool quoted = false; *end && (quoted || !isspace((unsigned char)*end)); end++)
		quoted ^= *end == '"';
	*line = *end ? end + 1 : end;
	*end = '\0';
	return *word ? word : NULL;
}

/* A word of the form `key=value` becomes both. */
static char *split(const struct maker *m, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		fail(m, "'%s' has no value", word);
	*value = '\0';
	return value + 1;
}

static uint64_t number(const struct maker *m, const char *text)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	bool relative = *text == '@';
	char *end;
	uint64_t value = strtoull(text + relative, &end, 0);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (end != text + relative && !strcmp(end, units[i].name))
			return value * units[i].ns + (relative ? m->base : 0);
	fail(m, "'%s' is no number", text);
}

static uint8_t hex_byte(const struct maker *m, const char *digits)
{
	char text[3] = {digits[0], digits[0] ? digits[1] : '\0'}, *end;
	unsigned long byte = strtoul(text, &end, 16);

	if (end != text + 2)
		fail(m, "'%s' are no hex digits", text);
	return (uint8_t)byte;
}

/* In place; `N*XX`: that byte N times. */
static struct event_text bytes_of(const struct maker *m, char *value)
{
	char *times = strchr(value, '*'), *bytes;
	uint32_t length = times ? (uint32_t)strtoul(value, NULL, 10) : 0;

	if (times && (bytes = malloc(length + (size_t)1)))
		return (struct event_text){memset(bytes, hex_byte(m, times + 1), length), length};
	for (; value[2 * (size_t)length]; length++)
		value[length] = (char)hex_byte(m, value + 2 * (size_t)length);
	return (struct event_text){value, length};
}

/* In place: without the quotes, \xNN and \\ as bytes. */
static struct event_text text_of(const struct maker *m, char *value)
{
	size_t length = strlen(value), used = 0;

	if (length < 2 || value[0] != '"' || value[length - 1] != '"')
		fail(m, "%s: a text has quotes", value);
	for (size_t i = 1; i < length - 1; i++) {
		if (value[i] == '\\' && value[i + 1] == 'x') {
			value[used++] = (char)hex_byte(m, value + i + 2);
			i += 3;
		} else {
			i += value[i] == '\\';
			value[used++] = value[i];
		}
	}
	return (struct event_text){value, (uint32_t)used};
}

/* --- stacks -------------------------------------------------------------------------------------------- */

static uint64_t address_of(const struct maker *m, const char *word)
{
	size_t length = strcspn(word, "+");

	/* The last one of a name. */
	for (size_t i = m->kernel.count; i-- > 0;) {
		const struct event_symbol *symbol = &m->kernel.items[i];

		if (length == symbol->name.length && !memcmp(word, symbol->name.bytes, length))
			return symbol->size << 32 | (symbol->address + (word[length] ? number(m, word + length + 1) : 16));
	}
	return number(m, word);
}

static uint32_t add_frame(const struct maker *m, uint64_t *frames, uint32_t count, uint64_t address)
{
	if (count == RWK_MAX_PATH)
		fail(m, "too many frames");
	frames[count] = address;
	return count + 1;
}

static uint32_t frames_of(const struct maker *m, char *value, uint64_t *frames)
{
	bool node = value[strspn(value, "0123456789")] == '\0';
	uint32_t count = 0;

	if (!strcmp(value, "-"))
		return 0;
	if (!node) {
		for (char *word; (word = strsep(&value, ";"));)
			count = add_frame(m, frames, count, address_of(m, word));
		return count;
	}
	for (uint64_t at = number(m, value); at >= 2; at = m->nodes.items[at].parent) {
		if (at >= m->nodes.count)
			fail(m, "there is no node %s", value);
		count = add_frame(m, frames, count, m->nodes.items[at].address);
	}
	return count;
}

static void take_node(struct maker *m, const char *line)
{
	struct node node;
	size_t number;

	if (sscanf(line, "%zu parent=%" SCNu32 " address=%" SCNi64, &number, &node.parent, (int64_t *)&node.address) != 3 ||
	    number != m->nodes.count || node.parent >= number)
		fail(m, "this is not node %zu", m->nodes.count);
	check(m, array_push(&m->nodes, node), "node");
}

/* --- records ------------------------------------------------------------------------------------------- */

static void set_field(struct maker *m, const struct event_field *field, char *value, void *record)
{
	char *place = (char *)record + field->offset;
	bool user = field->type == FIELD_USER;
	struct event_text text;

	switch (field->type) {
	case FIELD_TEXT:
		*(struct event_text *)(void *)place = text_of(m, value);
		return;
	case FIELD_BYTES:
		*(struct event_text *)(void *)place = bytes_of(m, value);
		return;
	case FIELD_COMM:
		text = text_of(m, value);
		memcpy(place, text.bytes, text.length < RWK_MAX_COMM ? text.length : RWK_MAX_COMM);
		return;
	case FIELD_KERNEL:
	case FIELD_USER:
		*(user ? &m->stacks.user_count : &m->stacks.kernel_count) = frames_of(m, value, m->frames[user]);
		return;
	default:
		if (field->type >= FIELD_OF_TASK)
			*(uint32_t *)(void *)place = (uint32_t)number(m, value);
		else
			*(uint64_t *)(void *)place = number(m, value);
	}
}

/* Part of it may be time on the run queue. */
static bool is_partly(const struct event_wait *wait)
{
	return wait->wait_class == WAIT_BLOCKED || wait->wait_class == WAIT_STARTED;
}

static void take_fields(struct maker *m, const struct event_layout *layout, char *line)
{
	struct event *event = &m->event;

	*event = (struct event){.kind = layout->kind};
	m->stacks = (struct event_stacks){.kernel = m->frames[0], .user = m->frames[1]};
	if (layout->kind == EVENT_WAIT)
		event->wait.out_cpu = UINT32_MAX, event->wait.run_queue = UINT64_MAX;
	for (char *word; (word = next_word(&line));) {
		char *value = split(m, word);
		const struct event_field *field = layout->fields;

		while (field->type && strcmp(field->name, word))
			field++;
		if (!field->type)
			fail(m, "%s has no field '%s'", layout->name, word);
		set_field(m, field, value, event_record(event));
	}
	if (layout->kind != EVENT_WAIT)
		return;
	if (event->wait.out_cpu == UINT32_MAX)
		event->wait.out_cpu = event->wait.cpu;
	if (event->wait.run_queue == UINT64_MAX)
		event->wait.run_queue = is_partly(&event->wait) ? 0 : event->wait.length - event->wait.throttled;
}

static const struct event_task *task_of(const struct maker *m, uint32_t number)
{
	static const struct event_task none;

	if (number > m->tasks.count)
		fail(m, "there is no task %u", number);
	return number ? &m->tasks.items[number - 1] : &none;
}

static int encode(struct maker *m, struct event *event)
{
	struct event_encoder *encoder = m->encoder;
	struct event_task others[WAIT_OTHERS];
	size_t taken = 0;

	switch (event->kind) {
	case EVENT_SAMPLE:
		return event_encode_sample(encoder, &event->sample, task_of(m, event->sample.task), &m->stacks);
	case EVENT_WALK_TASK:
		return event_encode_walk_task(encoder, &event->walk_task, task_of(m, event->walk_task.task),
					      task_of(m, event->walk_task.owner), &m->stacks);
	case EVENT_WAIT:
		others[WAIT_WAKER] = *task_of(m, event->wait.waker);
		others[WAIT_OWNER] = *task_of(m, event->wait.owner);
		return event_encode_wait(encoder, &event->wait, task_of(m, event->wait.task), others, &m->stacks);
	case EVENT_WAKE:
		return event_encode_wake(encoder, &event->wake, task_of(m, event->wake.task),
					 task_of(m, event->wake.target), &m->stacks);
	case EVENT_USER_STACK:
		return event_encode_user_stack(encoder, &event->user_stack, task_of(m, event->user_stack.task), &m->stacks);
	case EVENT_WAIT_SUMS:
		return event_encode_wait_sums(encoder, &event->wait_sums, task_of(m, event->wait_sums.task));
	case EVENT_EMBED_MODULE:
		event->embed_module.segments = m->segments.items;
		event->embed_module.segment_count = (uint32_t)m->segments.count;
		return event_encode_embed_module(encoder, &event->embed_module);
	case EVENT_EMBED_SYMBOLS:
		return event_encode_embed_symbols(encoder, event->embed_symbols.module, m->symbols.items,
						  m->symbols.count, &taken);
	case EVENT_EMBED_LINES:
		for (size_t i = 0, k = 0; i < m->lines.count; k += m->lines.items[i++].level_count)
			m->lines.items[i].levels = m->levels.items + k;
		return event_encode_embed_lines(encoder, event->embed_lines.module, m->lines.items, m->lines.count, &taken);
	case EVENT_PERF_MAP:
		return event_encode_perf_map(encoder, event->perf_map.tgid, m->symbols.items, m->symbols.count, &taken);
	default:
		return event_encode(encoder, event);
	}
}

static void add(struct maker *m)
{
	struct event event = m->event;
	int r;

	if (!event.kind)
		return;
	find_chunk(m, event.kind);
	r = encode(m, &event);
	if (r == -ENOSPC && !m->given) {
		begin_chunk(m, m->type, false);
		event = m->event;
		r = encode(m, &event);
	}
	check(m, r, event_layout_find(event.kind)->name);
	m->event.kind = 0;
	m->segments.count = m->symbols.count = m->lines.count = m->levels.count = 0;
}

static void take_record(struct maker *m, const struct event_layout *layout, char *line)
{
	const struct event_kernel_symbol *symbol = &m->event.kernel_symbol;
	bool list = layout->kind == EVENT_EMBED_MODULE || layout->kind == EVENT_EMBED_SYMBOLS ||
		    layout->kind == EVENT_PERF_MAP || layout->kind == EVENT_EMBED_LINES;

	take_fields(m, layout, line);
	if (layout->kind == EVENT_KERNEL_SYMBOL)
		check(m, array_push(&m->kernel, (struct event_symbol){symbol->offset, symbol->module, symbol->name}), "symbol");
	if (layout->kind == EVENT_TASK) {
		check(m, array_push(&m->tasks, m->event.task), "task");
		m->event.kind = 0;
	}
	if (!list)
		add(m);
}

/* An entry of the list that belongs to the record before it. */
static void take_entry(struct maker *m, bool is_symbol, char *line)
{
	struct event_segment segment;
	struct event_symbol symbol;
	char *name = strstr(line, "name=");

	if (is_symbol && name && sscanf(line, "address=%" SCNx64 " size=%" SCNx64, &symbol.address, &symbol.size) == 2) {
		name += strlen("name=");
		symbol.name = text_of(m, next_word(&name));
		check(m, array_push(&m->symbols, symbol), "symbol");
	} else if (!is_symbol && sscanf(line, "file_offset=%" SCNx64 " address=%" SCNx64 " file_size=%" SCNx64
					" memory_size=%" SCNx64 " flags=%" SCNx64, &segment.file_offset, &segment.address,
					&segment.file_size, &segment.memory_size, &segment.flags) == 5) {
		check(m, array_push(&m->segments, segment), "segment");
	} else {
		fail(m, "'%s' is no entry", line);
	}
}

static struct event_text named_text(struct maker *m, const char *line, const char *name)
{
	char *at = strstr(line, name);

	if (!at)
		fail(m, "there is no %s", name);
	at += strlen(name);
	return text_of(m, next_word(&at));
}

/* The same of a line, and of a level of the last line. */
static void take_source_line(struct maker *m, char *text)
{
	struct event_line line = {0};

	if (sscanf(text, "address=%" SCNx64, &line.address) != 1)
		fail(m, "'%s' is no line", text);
	check(m, array_push(&m->lines, line), "line");
}

static void take_level(struct maker *m, char *text)
{
	const char *number = strstr(text, " line=");
	struct event_line_level level = {.line = number ? (uint32_t)strtoul(number + strlen(" line="), NULL, 10) : 0};

	if (!m->lines.count)
		fail(m, "a level without a line");
	level.file = named_text(m, text, "file=");
	level.function = named_text(m, text, "function=");
	check(m, array_push(&m->levels, level), "level");
	m->lines.items[m->lines.count - 1].level_count++;
}

/* --- lines --------------------------------------------------------------------------------------------- */

static void take_chunk(struct maker *m, const char *line)
{
	static const char *const names[] = {"", "STATE", "EVENTS", "EMBED", "END", "SNAPSHOTS", "NAMES"};
	const char *type = strstr(line, "type ");
	char name[16] = "";

	m->tasks.count = 0;
	m->nodes.count = 2;
	if (type)
		(void)sscanf(type, "type %15s", name);
	for (unsigned int i = 1; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i])) {
			begin_chunk(m, i, true);
			return;
		}
	fail(m, "'%s' is no type of chunk", name);
}

static void take_section(struct maker *m, char *line)
{
	if (number(m, next_word(&line)))
		fail(m, "there is only one section: join traces by cat(1)");
	for (char *word, *value; (word = next_word(&line)) && (value = next_word(&line));)
		if (!strcmp(word, "id"))
			memcpy(m->header.section_id, bytes_of(m, value).bytes, sizeof(m->header.section_id));
		else if (!strcmp(word, "realtime"))
			m->header.realtime = number(m, value);
		else if (!strcmp(word, "closed"))
			m->open = !number(m, value);
		else if (!strcmp(word, "reason"))
			m->trailer.end_reason = (uint32_t)number(m, value);
}

static const struct event_layout *find_layout(const struct maker *m, const char *name)
{
	for (uint64_t kind = 0; kind < 256; kind++) {
		const struct event_layout *layout = event_layout_find(kind);

		if (layout && !strcmp(layout->name, name))
			return layout;
	}
	fail(m, "'%s' is no record", name);
}

static void take_line(struct maker *m, char *line)
{
	char *name = next_word(&line);

	if (!name || *name == '#' || !strcmp(name, "index"))
		return;
	if (!strcmp(name, "segment") || !strcmp(name, "symbol")) {
		take_entry(m, name[1] == 'y', line);
		return;
	}
	if (!strcmp(name, "line") || !strcmp(name, "level")) {
		(name[2] == 'n' ? take_source_line : take_level)(m, line);
		return;
	}
	add(m);
	if (!strcmp(name, "base"))
		m->base = number(m, next_word(&line));
	else if (!strcmp(name, "section"))
		take_section(m, line);
	else if (!strcmp(name, "chunk"))
		take_chunk(m, line);
	else if (!strcmp(name, "node"))
		take_node(m, line);
	else
		take_record(m, find_layout(m, name), line);
}

static char *read_text(const struct maker *m)
{
	FILE *in = fopen(m->path, "r");
	char *text = NULL;
	size_t room = 0;

	if (!in || getdelim(&text, &room, '\0', in) < 0)
		fail(m, "cannot read: %s", strerror(errno));
	fclose(in);
	return text;
}

int main(int argc, char **argv)
{
	struct maker m = {.path = argv[1], .out = argc == 3 ? fopen(argv[2], "w") : NULL,
			  .header = {.section_id = {0x5a}, .realtime = UINT64_C(1700000000000000000)}};
	char *text;

	if (!m.out)
		fail(&m, "make_trace TEXT TRACE: %s", strerror(errno));
	m.stored = malloc(RWK_MAX_STORED_CHUNK + 8);
	m.scratch = malloc(lz4_block_scratch());
	check(&m, event_encoder_create(RWK_MAX_RAW_CHUNK, RWK_MAX_CPUS, &m.encoder), "encoder");
	check(&m, array_reserve(&m.nodes, 2), "nodes");
	m.nodes.count = 2;
	text = read_text(&m); /* texts of records point into it */
	for (char *line; (line = strsep(&text, "\n"));) {
		m.line++;
		take_line(&m, line);
	}
	add(&m);
	end_trace(&m);
	if (fclose(m.out))
		fail(&m, "cannot write: %s", strerror(errno));
	return 0; /* the end of the process frees the rest */
}
