/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/embed/embed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/embed/symbol_source.h"
#include "record/helper/pick.h"
#include "record/host/clocks.h"
#include "record/host/host.h"
#include "record/place/hits.h"
#include "record/place/module_files.h"
#include "record/place/module_table.h"
#include "record/plan/deadlines.h"
#include "record/plan/recording.h"

struct embedding {
	struct recording *recording;
	struct module_files *files;
	struct symbol_source *source;
	const struct embed_wish *wish;
	const struct embed_watch *watch;
	uint64_t used; /* bytes that were embedded */
	struct embed_budget budget;
	struct embed_result result;
};

/* The hits of one group, and whether it still has to be embedded. */
struct pending {
	const struct hit *hits;
	size_t count;
	struct module_owner owner;
	bool done;
	uint64_t late; /* files of that user, that one too, that are not done before the last round */
};

/* One module, or one process's JIT code, with the hits of all ids that mean the same file. */
struct group {
	const struct module_entry *module; /* NULL: JIT code of `tgid` */
	uint32_t tgid;
	int fd; /* -1: none */
	enum elf_what what;
	bool fd_owned;
	uint64_t *offsets; /* ascending, unique */
	size_t count;
};

/* --- groups -------------------------------------------------------------------------------------- */

/*
 * Modules of one build-id are one file, as a rule: one of them stands for all. A fixed or copied build-id may be that
 * of different files; each of these gets a number, its variant, and they are kept apart.
 */
struct standins {
	struct hash_map modules; /* struct standin_key to the id of the module that stands for it */
	struct hash_map files;	 /* a build-id to the id of the first module, of one file; see several_files() */
	struct hash_map evidence; /* a module to its evidence */
	struct hash_map variants; /* a build-id and evidence to the number of its variant; a build-id to their count */
};

struct standin_key {
	uint8_t id[BUILD_ID_MAX];
	uint64_t id_length, evidence; /* evidence 0: not needed, or unknown */
};

static void standins_deinit(struct standins *standins)
{
	hash_map_deinit(&standins->modules);
	hash_map_deinit(&standins->files);
	hash_map_deinit(&standins->evidence);
	hash_map_deinit(&standins->variants);
}

static int standins_init(struct standins *standins)
{
	int rc = hash_map_init(&standins->modules);

	if (!rc)
		rc = hash_map_init(&standins->files);
	if (!rc)
		rc = hash_map_init(&standins->evidence);
	return rc ? rc : hash_map_init(&standins->variants);
}

static struct standin_key key_of(const struct module_entry *entry, uint64_t evidence)
{
	struct standin_key key = {.id_length = entry->build_id.length, .evidence = evidence};

	memcpy(key.id, entry->build_id.bytes, entry->build_id.length);
	return key;
}

/* Notes the file of a module: the value for its build-id becomes 0 when there is a second one. */
static int file_add(struct standins *standins, const struct module_entry *entry, const struct embedding *embedding)
{
	const struct standin_key key = key_of(entry, 0);
	const struct module_entry *first;
	uint64_t *value;
	int rc = hash_map_add(&standins->files, &key, sizeof(key), entry->id, &value);

	if (rc < 0 || !*value)
		return rc < 0 ? rc : 0;
	first = module_table_find(embedding->recording->modules, (uint32_t)*value);
	if (!first || first->device != entry->device || first->inode != entry->inode)
		*value = 0;
	return 0;
}

static bool several_files(const struct standins *standins, const struct module_entry *entry)
{
	const struct standin_key key = key_of(entry, 0);
	const uint64_t *value = hash_map_find(&standins->files, &key, sizeof(key));

	return value && !*value;
}

/* What tells the file from another one with its build-id; 0: it cannot be read. */
static uint64_t evidence_of(const struct embedding *embedding, const struct module_entry *entry)
{
	const struct symbol_wish wish = {.what = ELF_EVIDENCE};
	int fd = module_files_fd(embedding->files, entry->id);
	struct elf_reply reply;

	if (fd < 0 || symbol_source_ask(embedding->source, &wish, fd, NULL, 0, &reply) || reply.error ||
	    !build_id_equal(&entry->build_id, &reply.build_id))
		return 0;
	return reply.evidence;
}

/* Numbers the variant; the first is 0. */
static int variant_set(const struct embedding *embedding, struct standins *standins, const struct module_entry *entry,
		       uint64_t evidence)
{
	const struct standin_key all = key_of(entry, 0), one = key_of(entry, evidence);
	uint64_t *count, *number;
	int rc = hash_map_add(&standins->variants, &all, sizeof(all), 0, &count);

	if (rc >= 0)
		rc = hash_map_add(&standins->variants, &one, sizeof(one), *count, &number);
	if (rc < 0)
		return rc;
	if (rc > 0 && (count = hash_map_find(&standins->variants, &all, sizeof(all))) && (*count)++)
		log_warning("'%s' has the build-id of another file, but is not the same: they are kept apart",
			    entry->path);
	return module_table_set_variant(embedding->recording->modules, entry->id, (uint32_t)*number);
}

/* A module that has a descriptor stands for all, if there is one. */
static int standin_add(const struct embedding *embedding, struct standins *standins, uint32_t module)
{
	const struct module_entry *entry = module_table_find(embedding->recording->modules, module);
	uint64_t evidence = 0, *standin;
	struct standin_key key;
	int rc = 0;

	if (!entry || !entry->build_id.length)
		return 0;
	if (several_files(standins, entry))
		evidence = evidence_of(embedding, entry);
	if (evidence)
		rc = variant_set(embedding, standins, entry, evidence);
	key = key_of(entry, evidence);
	if (rc >= 0)
		rc = hash_map_add(&standins->evidence, &module, sizeof(module), evidence, NULL);
	if (rc >= 0)
		rc = hash_map_add(&standins->modules, &key, sizeof(key), module, &standin);
	if (rc < 0)
		return rc;
	if (module_files_fd(embedding->files, (uint32_t)*standin) < 0 && module_files_fd(embedding->files, module) >= 0)
		*standin = module;
	return 0;
}

static uint32_t standin_of(const struct embedding *embedding, const struct standins *standins, uint32_t module)
{
	const struct module_entry *entry = module_table_find(embedding->recording->modules, module);
	const uint64_t *evidence = hash_map_find(&standins->evidence, &module, sizeof(module)), *standin = NULL;

	if (entry && evidence) {
		const struct standin_key key = key_of(entry, *evidence);

		standin = hash_map_find(&standins->modules, &key, sizeof(key));
	}
	return standin ? (uint32_t)*standin : module;
}

static size_t run_length(const struct hit *hits, size_t count)
{
	size_t length = 1;

	while (length < count && hits[length].module == hits[0].module)
		length++;
	return length;
}

/* Hits of one file under several ids become hits of one id, next to each other. */
static int hits_join(const struct embedding *embedding, struct hit *hits, size_t count)
{
	_cleanup_(standins_deinit) struct standins standins = {0};
	int rc = standins_init(&standins);

	for (size_t i = 0; !rc && i < count; i += run_length(hits + i, count - i)) {
		const struct module_entry *entry = module_table_find(embedding->recording->modules, hits[i].module);

		if (entry && entry->build_id.length)
			rc = file_add(&standins, entry, embedding);
	}
	for (size_t i = 0; !rc && i < count; i += run_length(hits + i, count - i))
		rc = standin_add(embedding, &standins, hits[i].module);
	for (size_t i = 0, run; !rc && i < count; i += run) {
		uint32_t standin = standin_of(embedding, &standins, hits[i].module);

		run = run_length(hits + i, count - i);
		for (size_t j = 0; j < run; j++)
			hits[i + j].module = standin;
	}
	if (!rc)
		qsort(hits, count, sizeof(*hits), hit_compare);
	return rc;
}

/* The group of these hits. */
static int group_gather(const struct embedding *embedding, struct group *group, const struct hit *hits, size_t count)
{
	*group = (struct group){.fd = -1, .tgid = hits[0].jit_tgid};
	group->module = module_table_find(embedding->recording->modules, hits[0].module);
	if (hits[0].module)
		group->fd = module_files_fd(embedding->files, hits[0].module);
	group->offsets = malloc(count * sizeof(*group->offsets));
	if (!group->offsets)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!i || hits[i].offset != hits[i - 1].offset)
			group->offsets[group->count++] = hits[i].offset;
	return 0;
}

static void group_find_file(struct embedding *embedding, struct group *group)
{
	group->what = group->module ? ELF_SYMBOLS : ELF_PERF_MAP;
	if (!group->module)
		group->fd = module_files_perf_map(embedding->files, group->tgid);
	else if (group->module->kind == MODULE_VDSO)
		group->fd = vdso_open();
	else
		return;
	group->fd_owned = group->fd >= 0;
}

static void group_deinit(struct group *group)
{
	if (group->fd_owned && group->fd >= 0)
		(void)close(group->fd);
	free(group->offsets);
}

/* --- one group ----------------------------------------------------------------------------------- */

static int tell_module(struct embedding *embedding, const struct group *group, enum embed_status status,
		       const struct elf_reply *reply)
{
	struct event_segment segments[ELF_REPLY_SEGMENTS];
	struct event_embed_module event = {.module = group->module->id, .status = status, .segments = segments};

	if (reply) {
		event.machine = reply->machine;
		event.segment_count = reply->segment_count < ELF_REPLY_SEGMENTS ? reply->segment_count :
										  ELF_REPLY_SEGMENTS;
		for (uint32_t i = 0; i < event.segment_count; i++)
			segments[i] = (struct event_segment){
				reply->segments[i].file_offset, reply->segments[i].address,
				reply->segments[i].file_size, reply->segments[i].memory_size,
				reply->segments[i].flags};
	}
	return recording_check(embedding->recording, event_log_add_embed_module(embedding->recording->log, &event));
}

static int tell_missing(struct embedding *embedding, const struct group *group, enum embed_status status)
{
	embedding->result.missing++;
	return group->module ? tell_module(embedding, group, status, NULL) : 0;
}

static int copy_symbols(struct embedding *embedding, const struct group *group)
{
	struct event_log *log = embedding->recording->log;
	const struct event_symbol *symbols;
	size_t count;
	int rc;

	while ((rc = symbol_source_next(embedding->source, &symbols, &count)) > 0) {
		if (group->module)
			rc = event_log_add_embed_symbols(log, group->module->id, symbols, count);
		else
			rc = event_log_add_perf_map(log, group->tgid, symbols, count);
		if (recording_check(embedding->recording, rc))
			return rc;
	}
	return rc ? tell_missing(embedding, group, EMBED_UNREADABLE) : 0;
}

static int copy_unwind(struct embedding *embedding, const struct group *group)
{
	struct event_embed_unwind piece;
	int rc;

	while ((rc = symbol_source_next_unwind(embedding->source, &piece)) > 0) {
		piece.module = group->module->id;
		rc = event_log_add_embed_unwind(embedding->recording->log, &piece);
		if (recording_check(embedding->recording, rc))
			return rc;
	}
	return rc ? tell_missing(embedding, group, EMBED_UNREADABLE) : 0;
}

static void skip_all(struct embedding *embedding)
{
	const struct event_symbol *symbols;
	struct event_embed_unwind piece;
	size_t count;

	while (symbol_source_next(embedding->source, &symbols, &count) > 0)
		continue;
	while (symbol_source_next_unwind(embedding->source, &piece) > 0)
		continue;
}

/*
 * The names of a file that was replaced between its mapping and our opening it must not be used for
 * the other file's addresses.
 */
static bool other_file(const struct embedding *embedding, const struct group *group, const struct elf_reply *reply)
{
	const struct module_entry *module = group->what == ELF_SYMBOLS ? group->module : NULL;

	if (!module)
		return false;
	return module->build_id.length ? !build_id_equal(&module->build_id, &reply->build_id) :
					 module_files_changed(embedding->files, module->id);
}

static int debug_open(struct embedding *embedding, const struct group *group)
{
	char path[DEBUG_PICK_PATH];

	if (group->what != ELF_SYMBOLS || !group->module || !debug_pick_path(&group->module->build_id, path))
		return -1;
	return module_files_debug(embedding->files, path);
}

/* A map may hold any text, so only what was hit is written. */
static uint64_t full_room(const struct embedding *embedding, const struct group *group)
{
	bool full = group->what == ELF_SYMBOLS && embedding->wish->level == EMBED_LEVEL_FULL;

	return full && embedding->used < EMBED_FULL_BYTES ? EMBED_FULL_BYTES - embedding->used : 0;
}

static int group_ask(struct embedding *embedding, const struct group *group, struct elf_reply *ret_reply)
{
	const struct embed_wish *level = embedding->wish;
	_cleanup_close_ int debug = debug_open(embedding, group);
	const struct symbol_wish wish = {
		.what = group->what,
		.unwind = group->module ? level->unwind : ELF_UNWIND_NONE,
		.mini = group->module && level->level == EMBED_LEVEL_FULL,
		.debug_fd = debug,
		.settled = group->module ? 0 : module_files_map_settled(embedding->files, group->tgid),
		.full_room = full_room(embedding, group),
		.room = EMBED_BYTES - embedding->used,
	};

	return symbol_source_ask(embedding->source, &wish, group->fd, group->offsets, group->count, ret_reply);
}

static int group_copy(struct embedding *embedding, const struct group *group, const struct elf_reply *reply)
{
	int rc = 0;

	if (group->module)
		rc = tell_module(embedding, group, reply->full ? EMBED_FULL : EMBED_MIN, reply);
	embedding->used += reply->bytes;
	embedding->result.embedded++;
	embedding->result.no_unwind += reply->unwind_error != 0;
	embedding->result.unwind_left_out += reply->unwind_left_out;
	if (!rc)
		rc = copy_symbols(embedding, group);
	return rc ? rc : copy_unwind(embedding, group);
}

static bool is_refused(const struct embedding *embedding, const struct group *group)
{
	return group->module && module_files_refused(embedding->files, group->module->id);
}

/* *ret_late: there was not enough time for the file, and nothing was written. */
static int group_embed(struct embedding *embedding, struct group *group, bool *ret_late)
{
	struct elf_reply reply;
	int r;

	group_find_file(embedding, group);
	if (group->fd < 0)
		return tell_missing(embedding, group, is_refused(embedding, group) ? EMBED_REFUSED : EMBED_NO_FILE);
	r = group_ask(embedding, group, &reply);
	*ret_late = r == -ETIMEDOUT;
	if (*ret_late)
		return 0;
	if (r || (reply.error && reply.error != -ENOSPC))
		return tell_missing(embedding, group, EMBED_UNREADABLE);
	if (other_file(embedding, group, &reply)) {
		skip_all(embedding);
		return tell_missing(embedding, group, EMBED_CHANGED);
	}
	if (reply.error || reply.bytes > EMBED_BYTES - embedding->used)
		return tell_missing(embedding, group, EMBED_NO_ROOM);
	return group_copy(embedding, group, &reply);
}

/* --- all ----------------------------------------------------------------------------------------- */

static bool cancelled(const struct embedding *embedding)
{
	const struct embed_watch *watch = embedding->watch;

	return watch && watch->cancelled && watch->cancelled(watch->context);
}

/* What points to memory with a name was marked twice: it has the names of its process. */
static bool has_file(const struct module_entry *module)
{
	return module->kind != MODULE_ANONYMOUS;
}

static bool is_new_group(const struct hit *hits, size_t i)
{
	return !i || hits[i].module != hits[i - 1].module || hits[i].jit_tgid != hits[i - 1].jit_tgid;
}

/* The groups of all hits, in their order. */
static int groups_list(const struct embedding *embedding, const struct hit *hits, size_t count,
		       struct pending **ret_list, size_t *ret_count)
{
	size_t groups = 0, used = 0;
	struct pending *list;

	for (size_t i = 0; i < count; i++)
		groups += is_new_group(hits, i);
	list = calloc(groups + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (is_new_group(hits, i))
			list[used++] = (struct pending){
				.hits = &hits[i],
				.owner = module_files_owner(embedding->files, hits[i].module, hits[i].jit_tgid)};
		list[used - 1].count++;
	}
	*ret_list = list;
	*ret_count = used;
	return 0;
}

static int pending_embed(struct embedding *embedding, struct pending *pending, unsigned int patience_ms)
{
	const uint64_t begun = clocks_now();
	struct group group;
	bool late = false;
	int r = group_gather(embedding, &group, pending->hits, pending->count);

	symbol_source_limit(embedding->source, begun + patience_ms * MILLISECOND);
	if (!r && (group.module ? has_file(group.module) : group.tgid))
		r = group_embed(embedding, &group, &late);
	embed_budget_spend(&embedding->budget, pending->owner.uid, clocks_now() - begun);
	pending->done = !late;
	embedding->result.modules += !late;
	group_deinit(&group);
	return r;
}

static int round_embed(struct embedding *embedding, enum embed_round round, struct pending *list, size_t count)
{
	const struct embed_watch *watch = embedding->watch;
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		unsigned int ms = 0;

		if (cancelled(embedding))
			return -ECANCELED;
		if (!list[i].done)
			ms = embed_budget_ms(&embedding->budget, round, list[i].owner.uid, clocks_now());
		if (ms)
			r = pending_embed(embedding, &list[i], ms);
		if (ms && watch && watch->progress)
			watch->progress(watch->context, embedding->result.modules, count);
	}
	return r;
}

static void count_late(struct embedding *embedding, const struct pending *list, size_t count)
{
	embed_budget_forget_late(&embedding->budget);
	for (size_t i = 0; i < count; i++) {
		const struct module_entry *module =
			module_table_find(embedding->recording->modules, list[i].hits[0].module);
		char map[32];

		(void)snprintf(map, sizeof(map), "/tmp/perf-%" PRIu32 ".map", list[i].hits[0].jit_tgid);
		if (!list[i].done)
			embed_budget_add_late(&embedding->budget, list[i].owner.uid, module ? module->path : map);
	}
}

/* Of a user's files the smallest first: so the time is enough for more of them. */
static int pending_compare(const void *left, const void *right)
{
	const struct pending *l = left, *r = right;

	if (l->late != r->late)
		return l->late < r->late ? -1 : 1;
	if (l->owner.bytes != r->owner.bytes)
		return l->owner.bytes < r->owner.bytes ? -1 : 1;
	return l->hits < r->hits ? -1 : 1;
}

static void sort_pending(const struct embedding *embedding, struct pending *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		list[i].late = embed_budget_late(&embedding->budget, list[i].owner.uid);
	qsort(list, count, sizeof(*list), pending_compare);
}

static int tell_late(struct embedding *embedding, const struct pending *list, size_t count)
{
	char *text = embedding->result.late;
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		const struct hit *hit = &list[i].hits[0];
		struct group group = {.module = module_table_find(embedding->recording->modules, hit->module),
				      .tgid = hit->jit_tgid};

		r = list[i].done ? 0 : tell_missing(embedding, &group, EMBED_LATE);
	}
	if (!*embed_budget_text(&embedding->budget, text, sizeof(embedding->result.late)) || r)
		return r;
	return recording_check(embedding->recording, event_log_add_meta(embedding->recording->log, "embed_late", text));
}

static int groups_embed(struct embedding *embedding, const struct hit *hits, size_t count)
{
	_cleanup_free_ struct pending *list = NULL;
	size_t groups;
	int r = groups_list(embedding, hits, count, &list, &groups);

	for (enum embed_round round = EMBED_ROUND_ROOT; round < EMBED_ROUNDS && !r; round++) {
		if (round != EMBED_ROUND_USERS)
			sort_pending(embedding, list, groups);
		r = round_embed(embedding, round, list, groups);
		if (!r)
			count_late(embedding, list, groups);
	}
	return r ? r : tell_late(embedding, list, groups);
}

static int tell_refusals(struct embedding *embedding)
{
	char text[512];

	module_files_refusals(embedding->files, text, sizeof(text));
	if (!*text)
		return 0;
	return recording_check(embedding->recording, event_log_add_meta(embedding->recording->log, "refused", text));
}

int embed_run(struct recording *recording, struct module_files *files, struct spawner *spawner,
	      const struct embed_wish *wish, const struct embed_watch *watch,
	      struct embed_result *ret_result)
{
	struct embedding embedding = {.recording = recording, .files = files, .wish = wish, .watch = watch};
	struct hit *hits;
	size_t count;
	int rc = 0;

	if (wish->level != EMBED_LEVEL_NONE) {
		embed_budget_init(&embedding.budget, clocks_now());
		(void)module_files_poll(files, 200);
		count = hits_sorted(recording->hits, &hits);
		rc = symbol_source_create(spawner, wish->soon, &embedding.source);
		if (!rc)
			symbol_source_limit(embedding.source, clocks_now() + EMBED_USER * MILLISECOND);
		if (!rc)
			rc = hits_join(&embedding, hits, count);
		if (!rc)
			rc = groups_embed(&embedding, hits, count);
		symbol_source_destroy(embedding.source);
		if (!rc)
			rc = tell_refusals(&embedding);
	}
	*ret_result = embedding.result;
	return rc;
}

void embed_warn(const struct embed_result *result)
{
	if (result->no_unwind)
		log_warning("cannot read the unwind information of %zu module%s: the reporter "
			    "will need the original files", result->no_unwind, plural(result->no_unwind));
	if (result->unwind_left_out)
		log_warning("the unwind information of %" PRIu64 " function%s does not fit into "
			    "the trace: the reporter will need the original files",
			    result->unwind_left_out, plural(result->unwind_left_out));
	if (*result->late)
		log_warning("not read within %d s, so that names are missing: %s", EMBED_TIME / 1000, result->late);
}
