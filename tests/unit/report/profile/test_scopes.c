/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An honest trace, and what strangers claim about the same host, modules and processes: it must not appear in the honest
 * one's stacks.
 */
#include "report/profile/profile_internal.h"

#include <fcntl.h>

#include "format/section_id.h"
#include "tests/test.h"
#include "tests/unit/report/made_profile.h"

enum { KERNEL = 1, PROGRAM, LIBRARY, ANON, TGID = 10 };

#define K(offset) ((uint64_t)KERNEL << 32 | (offset))

struct texts { /* stacks with weights, one per line, as first seen */
	char text[4096];
	size_t used;
};

/* "WHO_SUFFIX" */
static struct event_text name_of(const char *who, const char *suffix, char room[static 64])
{
	(void)snprintf(room, 64, "%s_%s", who, suffix);
	return made_text(room);
}

static void embed(struct made_trace *trace, const char *who, uint32_t module, uint64_t base)
{
	const struct event_segment segment = {.address = base, .file_size = 0x4000, .memory_size = 0x4000, .flags = 5};
	const struct event_line_level level = {.function = made_text(who), .file = made_text(who), .line = 7};
	const struct event_line line = {.address = base + 0x1000, .levels = &level, .level_count = 1};
	char room[64];
	struct event_symbol symbol = {.address = base + 0x1000, .size = 0x100, .name = name_of(who, "user", room)};

	made_trace_embed(trace, module, &segment, 1, &symbol, 1);
	made_trace_check(event_log_add_embed_lines(trace->log, module, &line, 1), "lines");
}

/* Two samples of the comm `who`. */
static struct made_trace *begin_section(const char *path, int flags, const char *who)
{
	const struct event_source source = {.id = 1, .kind = SOURCE_CPU, .weight = WEIGHT_NS, .start = 1,
					    .stop = 2000, .period = 1, .frequency = 1000, .flags = SOURCE_USER_STACKS};
	struct made_trace *trace = made_trace_begin_at(path, flags);
	char room[64];

	made_trace_meta(trace, "hostname", "here");
	made_trace_meta(trace, "boot_id", "1-2-3");
	made_trace_source(trace, &source, "cpu-clock");
	made_trace_module(trace, KERNEL, MODULE_KERNEL, "[kernel]", "aabb");
	made_trace_module(trace, PROGRAM, MODULE_FILE, "/usr/bin/program", "0102");
	made_trace_module(trace, LIBRARY, MODULE_FILE, "/usr/lib/library.so", "0304");
	made_trace_module(trace, ANON, MODULE_ANONYMOUS, "[anon]", "");
	made_trace_map(trace, 2, TGID, 0x1000, 0x4000, 0, PROGRAM, MAPPING_INITIAL);
	made_trace_map(trace, 2, TGID, 0x5000, 0x4000, 0, LIBRARY, MAPPING_INITIAL);
	made_trace_map(trace, 2, TGID, 0x9000, 0x1000, 0, ANON, MAPPING_INITIAL);
	made_trace_kernel_symbol(trace, KERNEL, 0x100, 0x100, name_of(who, "kernel", room).bytes);
	for (uint64_t time = 100; time < 102; time++)
		made_trace_sample(trace, &(struct made_sample){
						 .time = time, .tgid = TGID, .tid = TGID, .comm = who,
						 .kernel = (uint64_t[]){K(0x110), 0},
						 .user = (uint64_t[]){0x2010, 0x6010, 0x9010, 0x2020, 0}});
	return trace;
}

static void make_section(const char *path, int flags, const char *who)
{
	made_trace_end(begin_section(path, flags, who));
}

/* What somebody added to a section later. `id`: of that section; NULL: the one before. */
static void add_to(const char *path, const char *who, const char *id)
{
	struct made_trace *trace = made_trace_begin_at(path, O_APPEND);

	if (id)
		made_trace_meta(trace, SECTION_ADDS_TO, id);
	made_trace_module(trace, 5, MODULE_FILE, "/usr/bin/program", "0102");
	embed(trace, who, 5, 0);
	made_trace_end(trace);
}

static void append(struct texts *texts, const char *text)
{
	texts->used += (size_t)snprintf(texts->text + texts->used, sizeof(texts->text) - texts->used, "%s", text);
}

/* Root first. */
static void append_chain(struct texts *texts, struct profile *profile, uint32_t node)
{
	size_t count;
	const struct profile_node *nodes = profile_nodes(profile, &count);
	const struct profile_frame *frames = profile_frames(profile, &count);
	const struct profile_module *modules = profile_modules(profile, &count);
	const struct profile_symbol *symbol;
	char text[160];

	if (!node)
		return;
	append_chain(texts, profile, nodes[node].parent);
	symbol = profile_symbol(profile, nodes[node].frame);
	(void)snprintf(text, sizeof(text), ";%s %s+%llx %s", modules[frames[nodes[node].frame].module].name,
		       symbol->name ? symbol->name : "?",
		       (unsigned long long)(symbol->name ? symbol->offset : frames[nodes[node].frame].address),
		       symbol->file ? symbol->file : "");
	append(texts, text);
}

/* The stacks of the honest comm in the files. */
static struct texts stacks_of(const char *const *paths, size_t count, const char *who)
{
	const struct profile_task *tasks;
	const struct profile_entry *entries;
	struct profile *profile;
	struct texts texts = {0};
	size_t task_count, entry_count;

	if (profile_create(paths, count, &everything, &no_files, &profile) < 0)
		return texts;
	tasks = profile_tasks(profile, &task_count);
	entry_count = profile_entries(profile, &entries);
	for (size_t i = 0; i < entry_count; i++) {
		char text[64];

		if (entries[i].task >= task_count || strcmp(tasks[entries[i].task].comm, who) != 0)
			continue;
		append_chain(&texts, profile, entries[i].node);
		(void)snprintf(text, sizeof(text), " %llu\n", (unsigned long long)entries[i].samples);
		append(&texts, text);
	}
	profile_destroy(profile);
	return texts;
}

struct place {
	char folder[32], honest[64], evil[64], both[64];
};

static void place_make(struct place *place)
{
	memcpy(place->folder, "/tmp/rwalker-scopes-XXXXXX", 27);
	if (!mkdtemp(place->folder))
		abort();
	(void)snprintf(place->honest, sizeof(place->honest), "%s/honest", place->folder);
	(void)snprintf(place->evil, sizeof(place->evil), "%s/evil", place->folder);
	(void)snprintf(place->both, sizeof(place->both), "%s/both", place->folder);
}

static void place_remove(const struct place *place)
{
	(void)unlink(place->honest);
	(void)unlink(place->evil);
	(void)unlink(place->both);
	(void)rmdir(place->folder);
}

/* The id of a section of a file. */
static void read_id(const char *path, size_t number, char text[static SECTION_ID_TEXT])
{
	struct trace_file *file;

	if (trace_file_open(path, NULL, &file) < 0)
		abort();
	section_id_text(&file->sections[number].header, text);
	trace_file_close(file);
}

static void additions_count_where_they_belong(struct test *t)
{
	char id[SECTION_ID_TEXT];
	struct texts texts;
	struct place place;

	place_make(&place);
	make_section(place.both, O_TRUNC, "honest");
	make_section(place.both, O_APPEND, "evil");
	read_id(place.both, 0, id);
	add_to(place.both, "late", NULL);
	texts = stacks_of((const char *const[]){place.both}, 1, "honest");
	CHECK(t, texts.used && !strstr(texts.text, "late_user"));
	texts = stacks_of((const char *const[]){place.both}, 1, "evil");
	CHECK(t, strstr(texts.text, "late_user+10 "));
	add_to(place.both, "named", id);
	texts = stacks_of((const char *const[]){place.both}, 1, "honest");
	CHECK(t, strstr(texts.text, "named_user+10 ") && !strstr(texts.text, "late_user"));
	texts = stacks_of((const char *const[]){place.both}, 1, "evil");
	CHECK(t, strstr(texts.text, "late_user+10 ") && !strstr(texts.text, "named_user"));
	/* In a file of its own it adds to nothing, whatever it claims. */
	make_section(place.honest, O_TRUNC, "honest");
	read_id(place.honest, 0, id);
	(void)unlink(place.evil);
	make_section(place.evil, O_TRUNC, "evil");
	add_to(place.evil, "named", id);
	texts = stacks_of((const char *const[]){place.honest, place.evil}, 2, "honest");
	CHECK(t, texts.used && !strstr(texts.text, "named_user"));
	place_remove(&place);
}

/* A program that was mapped without its build-id, in the section or in what was added to it later. */
static void add_program(struct made_trace *trace, uint32_t id, uint64_t inode, const char *build_id)
{
	const struct event event = {.kind = EVENT_MODULE,
				    .module = {.id = id,
					       .kind = MODULE_FILE,
					       .path = made_text("/usr/bin/program"),
					       .build_id = made_text(build_id),
					       .device = 1,
					       .inode = inode}};

	made_trace_check(event_log_add(trace->log, &event), "module");
}

/* Stacks of a section whose program had no build-id, with names added later for the inode and build-ids. */
static struct texts stacks_named_late(uint64_t inode, const char *const *build_ids, size_t count)
{
	struct made_trace *trace;
	struct place place;
	struct texts texts;

	place_make(&place);
	trace = begin_section(place.both, O_TRUNC, "honest");
	add_program(trace, PROGRAM, 7, "");
	made_trace_end(trace);
	trace = made_trace_begin_at(place.both, O_APPEND);
	for (size_t i = 0; i < count; i++) {
		add_program(trace, 5 + (uint32_t)i, inode, build_ids[i]);
		embed(trace, "late", 5 + (uint32_t)i, 0);
	}
	made_trace_end(trace);
	texts = stacks_of((const char *const[]){place.both}, 1, "honest");
	place_remove(&place);
	return texts;
}

/* A recorder that was killed may lack a build-id: names added later with one count if the file is the same. */
static void build_ids_may_come_later(struct test *t)
{
	static const char *const ids[] = {"first id", "other id"};
	struct texts texts = stacks_named_late(7, ids, 1);

	CHECK(t, strstr(texts.text, "late_user+10 "));
	texts = stacks_named_late(8, ids, 1);
	CHECK(t, texts.used && !strstr(texts.text, "late_user"));
	texts = stacks_named_late(7, ids, 2);
	CHECK(t, texts.used && !strstr(texts.text, "late_user"));
	texts = stacks_named_late(7, (const char *const[]){"first id", "first id"}, 2);
	CHECK(t, strstr(texts.text, "late_user+10 "));
}

TEST_MAIN(TEST(additions_count_where_they_belong), TEST(build_ids_may_come_later))
