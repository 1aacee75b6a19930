/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_store.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/resolve/cache/name_place.h"

enum { ANSWERS_MAX = 100000, MODULES_SHOWN = 1000000, EQUALS_KEPT = 3 };

struct name_store {
	struct sqlite_file *file;
};

static const char *const tables[] = {
	"CREATE TABLE module(id INTEGER PRIMARY KEY, build_id BLOB NOT NULL UNIQUE, name TEXT NOT NULL, "
	"last_used INTEGER NOT NULL)",
	"CREATE TABLE content(id INTEGER PRIMARY KEY, module INTEGER NOT NULL, kind INTEGER NOT NULL, "
	"rank INTEGER NOT NULL, source TEXT NOT NULL, bytes BLOB NOT NULL, UNIQUE(module, kind, rank, source))",
	"CREATE TABLE answer(build_id BLOB NOT NULL, what TEXT NOT NULL, servers TEXT NOT NULL, "
	"tried INTEGER NOT NULL, path TEXT NOT NULL, checksum INTEGER NOT NULL, "
	"PRIMARY KEY(build_id, what, servers)) WITHOUT ROWID",
};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

static void cleanup_query(struct sqlite_query **query)
{
	sqlite_query_destroy(*query);
}

/* --- opening --- */

/* 1: the schema is exactly ours; 0: it is not. A foreign trigger or index makes it another schema. */
static int has_our_schema(struct sqlite_file *file)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	size_t seen = 0;
	int r = sqlite_query_create(file,
				    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid",
				    &query);

	while (!r && (r = sqlite_query_next(query)) > 0) {
		if (seen == TABLES || strcmp(sqlite_query_text(query, 0), tables[seen]) != 0)
			return 0;
		seen++;
		r = 0;
	}
	return r < 0 ? r : seen == TABLES;
}

static int make_schema(struct sqlite_file *file)
{
	char settings[96];
	int r = 0;

	(void)snprintf(settings, sizeof(settings), "PRAGMA application_id = %d; PRAGMA user_version = %d;",
		       NAME_APPLICATION_ID, NAME_STORE_VERSION);
	for (size_t i = 0; i < TABLES && !r; i++)
		r = sqlite_file_run(file, tables[i]);
	return r < 0 ? r : sqlite_file_run(file, settings);
}

static int is_empty(struct sqlite_file *file, bool *ret_empty)
{
	int64_t count;
	int r = sqlite_file_number(file, "SELECT count(*) FROM sqlite_schema", &count);

	if (!r)
		*ret_empty = !count;
	return r;
}

/* Checks again under the lock: another process may have been faster. */
static int make_if_empty(struct sqlite_file *file)
{
	bool empty = false;
	int r = sqlite_file_run(file, "BEGIN IMMEDIATE");

	if (r < 0)
		return r;
	r = is_empty(file, &empty);
	if (!r && empty)
		r = make_schema(file);
	if (!r)
		r = sqlite_file_run(file, "COMMIT");
	if (r < 0)
		(void)sqlite_file_run(file, "ROLLBACK");
	return r;
}

static int judge(struct sqlite_file *file, enum name_store_state *ret_state)
{
	int64_t version;
	int r = sqlite_file_number(file, "PRAGMA user_version", &version);

	if (r < 0)
		return r;
	*ret_state = version == NAME_STORE_VERSION ? NAME_STORE_SOUND : NAME_STORE_WAS_OTHER_VERSION;
	if (*ret_state == NAME_STORE_SOUND) {
		r = has_our_schema(file);
		if (!r)
			*ret_state = NAME_STORE_WAS_DAMAGED;
	}
	return r < 0 ? r : 0;
}

static bool is_damage(int r)
{
	return r == -EBADMSG || r == -EINVAL || r == -ETIME || r == -E2BIG;
}

/* Opens a file that has our id; repairs it if it is not sound. */
static int open_ours(struct name_store *store, enum name_store_state *ret_state)
{
	int r = judge(store->file, ret_state);

	if (is_damage(r)) {
		*ret_state = NAME_STORE_WAS_DAMAGED;
		r = 0;
	}
	if (!r && *ret_state != NAME_STORE_SOUND)
		r = name_store_reset(store);
	return r;
}

static int open_unnamed(struct name_store *store, enum name_store_state *ret_state)
{
	int64_t id;
	bool empty = false;
	int r = is_empty(store->file, &empty);

	if (r < 0)
		return is_damage(r) ? -EMEDIUMTYPE : r;
	if (empty)
		return make_if_empty(store->file);
	r = sqlite_file_number(store->file, "PRAGMA application_id", &id);
	if (r < 0)
		return r;
	/* Another process has made it a cache in the meantime, or it is none at all. */
	return id == NAME_APPLICATION_ID ? open_ours(store, ret_state) : -EMEDIUMTYPE;
}

static void cleanup_store(struct name_store **store)
{
	name_store_close(*store);
}

int name_store_open(const char *path, bool named, struct name_store **ret_store,
		    enum name_store_state *ret_state)
{
	_cleanup_(cleanup_store) struct name_store *store = calloc(1, sizeof(*store));
	int r;

	if (!store)
		return -ENOMEM;
	*ret_state = NAME_STORE_SOUND;
	r = sqlite_file_open(path, &store->file);
	if (!r)
		r = named ? open_ours(store, ret_state) : open_unnamed(store, ret_state);
	if (!r)
		*ret_store = steal_ptr(store);
	return r;
}

void name_store_close(struct name_store *store)
{
	if (!store)
		return;
	sqlite_file_close(store->file);
	free(store);
}

int name_store_reset(struct name_store *store)
{
	int r = sqlite_file_reset(store->file);

	return r < 0 ? r : make_if_empty(store->file);
}

/* --- reading --- */

static void set_id(struct sqlite_query *query, const struct build_id *id)
{
	sqlite_query_set_bytes(query, 1, id->bytes, id->length);
}

/* ?1 to ?4. */
static void set_content_key(struct sqlite_query *query, const struct build_id *id, enum name_content kind,
			    const struct name_source *source)
{
	set_id(query, id);
	sqlite_query_set_number(query, 2, kind);
	sqlite_query_set_number(query, 3, source->rank);
	sqlite_query_set_text(query, 4, source->text);
}

/* ?1 to ?3. */
static void set_answer_key(struct sqlite_query *query, const struct build_id *id, const char *what,
			   const char *servers)
{
	set_id(query, id);
	sqlite_query_set_text(query, 2, what);
	sqlite_query_set_text(query, 3, servers);
}

int name_store_find(struct name_store *store, const struct build_id *id, enum name_content kind,
		    const struct name_source *source, struct name_row *ret_row)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	int r = sqlite_query_create(store->file,
				    "SELECT bytes FROM content "
				    "WHERE module = (SELECT id FROM module WHERE build_id = ?1) "
				    "AND kind = ?2 AND rank = ?3 AND source = ?4",
				    &query);

	if (r < 0)
		return r;
	set_content_key(query, id, kind, source);
	r = sqlite_query_next(query);
	if (r <= 0)
		return r;
	ret_row->bytes = sqlite_query_bytes(query, 0, &ret_row->size);
	ret_row->query = steal_ptr(query);
	return 1;
}

void name_row_release(struct name_row *row)
{
	sqlite_query_destroy(row->query);
	*row = (struct name_row){0};
}

int name_store_find_answer(struct name_store *store, const struct build_id *id, const char *what,
			   const char *servers, struct name_answer_row *ret_row)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	struct name_answer_row row = {0};
	const char *path;
	int r = sqlite_query_create(store->file,
				    "SELECT tried, checksum, path FROM answer "
				    "WHERE build_id = ?1 AND what = ?2 AND servers = ?3",
				    &query);

	if (r < 0)
		return r;
	set_answer_key(query, id, what, servers);
	r = sqlite_query_next(query);
	if (r <= 0)
		return r;
	row.tried = (uint64_t)sqlite_query_number(query, 0);
	row.checksum = (uint64_t)sqlite_query_number(query, 1);
	path = sqlite_query_text(query, 2);
	row.path = path[0] ? strdup(path) : NULL;
	if (path[0] && !row.path)
		return -ENOMEM;
	*ret_row = row;
	return 1;
}

static int add_module(struct sqlite_query *query, struct name_cache_contents *contents)
{
	struct name_cache_module module = {.last_used = (uint64_t)sqlite_query_number(query, 2)};
	size_t size;
	const void *id = sqlite_query_bytes(query, 0, &size);

	module.id.length = (uint8_t)(size < BUILD_ID_MAX ? size : BUILD_ID_MAX);
	memcpy(module.id.bytes, id, module.id.length);
	module.frame_bytes = (uint64_t)sqlite_query_number(query, 3);
	module.symbol_bytes = (uint64_t)sqlite_query_number(query, 4);
	module.name = strdup(sqlite_query_text(query, 1));
	if (!module.name)
		return -ENOMEM;
	if (array_push(&contents->modules, module) < 0) {
		free(module.name);
		return -ENOMEM;
	}
	return 0;
}

static int read_modules(struct name_store *store, struct name_cache_contents *contents)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	int r = sqlite_query_create(store->file,
				    "SELECT build_id, name, last_used, "
				    "total(length(bytes)) FILTER (WHERE kind = 1), "
				    "total(length(bytes)) FILTER (WHERE kind = 2) "
				    "FROM module LEFT JOIN content ON module = module.id "
				    "GROUP BY module.id ORDER BY last_used DESC, name, build_id LIMIT ?1",
				    &query);

	if (!r)
		sqlite_query_set_number(query, 1, MODULES_SHOWN);
	while (!r && (r = sqlite_query_next(query)) > 0)
		r = add_module(query, contents);
	return r;
}

int name_store_contents(struct name_store *store, struct name_cache_contents *contents)
{
	int64_t found = 0, none = 0;
	int r = sqlite_file_number(store->file, "SELECT count(*) FROM answer WHERE path <> ''", &found);

	if (!r)
		r = sqlite_file_number(store->file, "SELECT count(*) FROM answer WHERE path = ''", &none);
	if (!r)
		r = read_modules(store, contents);
	contents->found = (uint64_t)found;
	contents->none = (uint64_t)none;
	return r;
}

/* --- writing --- */

int name_store_begin(struct name_store *store)
{
	/* Writes stay in memory until the commit, up to 16 MB, so that readers are not blocked until then. */
	return sqlite_file_run(store->file, "PRAGMA cache_size = -16384; BEGIN IMMEDIATE");
}

int name_store_commit(struct name_store *store)
{
	return sqlite_file_run(store->file, "COMMIT");
}

void name_store_undo(struct name_store *store)
{
	(void)sqlite_file_run(store->file, "ROLLBACK");
}

int name_store_touch(struct name_store *store, const struct build_id *id, uint64_t now, uint64_t slack)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	int r = sqlite_query_create(store->file,
				    "UPDATE module SET last_used = ?2 "
				    "WHERE build_id = ?1 AND last_used NOT BETWEEN ?3 AND ?2",
				    &query);

	if (r < 0)
		return r;
	set_id(query, id);
	sqlite_query_set_number(query, 2, (int64_t)now);
	sqlite_query_set_number(query, 3, (int64_t)(now - slack));
	return sqlite_query_next(query);
}

static int bytes_used(struct name_store *store, uint64_t *ret_bytes)
{
	int64_t pages, free_pages, page_size;
	int r = sqlite_file_number(store->file, "PRAGMA page_count", &pages);

	if (!r)
		r = sqlite_file_number(store->file, "PRAGMA freelist_count", &free_pages);
	if (!r)
		r = sqlite_file_number(store->file, "PRAGMA page_size", &page_size);
	if (!r)
		*ret_bytes = pages > free_pages ? (uint64_t)(pages - free_pages) * (uint64_t)page_size : 0;
	return r;
}

/* 1: removed a module; 0: all remaining modules were used at `now`. */
static int drop_oldest(struct name_store *store, uint64_t now)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	char statement[160];
	int r = sqlite_query_create(store->file,
				    "SELECT id FROM module WHERE last_used <> ?1 "
				    "ORDER BY last_used, id LIMIT 1",
				    &query);

	if (!r) {
		sqlite_query_set_number(query, 1, (int64_t)now);
		r = sqlite_query_next(query);
	}
	if (r <= 0)
		return r;
	(void)snprintf(statement, sizeof(statement),
		       "DELETE FROM content WHERE module = %1$lld; DELETE FROM module WHERE id = %1$lld",
		       (long long)sqlite_query_number(query, 0));
	r = sqlite_file_run(store->file, statement);
	return r < 0 ? r : 1;
}

/* 1: there is room for `size` more bytes, including the database's overhead. */
static int make_room(struct name_store *store, size_t size, uint64_t now, uint64_t limit)
{
	const uint64_t pages = 16 << 10, needed = size + size / 16 + pages;
	uint64_t used = 0;
	int r;

	if (needed > limit)
		return 0;
	while (!(r = bytes_used(store, &used)) && used > limit - needed) {
		r = drop_oldest(store, now);
		if (r <= 0)
			return r;
	}
	return r < 0 ? r : 1;
}

static int add_name(struct name_store *store, const struct build_id *id, const char *name, uint64_t now)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	int r = sqlite_query_create(store->file,
				    "INSERT INTO module(build_id, name, last_used) VALUES(?1, ?2, ?3) "
				    "ON CONFLICT(build_id) DO UPDATE SET name = ?2, last_used = ?3",
				    &query);

	if (r < 0)
		return r;
	set_id(query, id);
	sqlite_query_set_text(query, 2, name);
	sqlite_query_set_number(query, 3, (int64_t)now);
	return sqlite_query_next(query);
}

/*
 * Removes what new content replaces: that of the same source, that of poorer sources, and all but
 * the last few of other sources with the same rank, which differ because of options.
 */
static int drop_poorer(struct name_store *store, const struct build_id *id, enum name_content kind,
		       const struct name_source *source)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	int r = sqlite_query_create(store->file,
				    "DELETE FROM content "
				    "WHERE module = (SELECT id FROM module WHERE build_id = ?1) "
				    "AND kind = ?2 AND (rank < ?3 OR rank = ?3 AND (source = ?4 OR id NOT IN "
				    "(SELECT c.id FROM content c JOIN module m ON c.module = m.id "
				    "WHERE m.build_id = ?1 AND c.kind = ?2 AND c.rank = ?3 AND c.source <> ?4 "
				    "ORDER BY c.id DESC LIMIT ?5)))",
				    &query);

	if (r < 0)
		return r;
	set_content_key(query, id, kind, source);
	sqlite_query_set_number(query, 5, EQUALS_KEPT);
	return sqlite_query_next(query);
}

int name_store_put(struct name_store *store, const struct build_id *id, const char *name,
		   enum name_content kind, const struct name_source *source, const void *bytes,
		   size_t size, uint64_t now, uint64_t limit)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	int r = add_name(store, id, name, now);

	if (!r)
		r = drop_poorer(store, id, kind, source);
	if (!r)
		r = make_room(store, size, now, limit);
	if (r <= 0)
		return r;
	r = sqlite_query_create(store->file,
				"INSERT INTO content(module, kind, rank, source, bytes) "
				"SELECT id, ?2, ?3, ?4, ?5 FROM module WHERE build_id = ?1",
				&query);
	if (r < 0)
		return r;
	set_content_key(query, id, kind, source);
	sqlite_query_set_bytes(query, 5, bytes, size);
	r = sqlite_query_next(query);
	return r < 0 ? r : 1;
}

int name_store_put_answer(struct name_store *store, const struct build_id *id, const char *what,
			  const char *servers, const struct name_answer_row *row)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	int r = sqlite_query_create(store->file,
				    "INSERT OR REPLACE INTO answer(build_id, what, servers, tried, path, checksum) "
				    "VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
				    &query);

	if (r < 0)
		return r;
	set_answer_key(query, id, what, servers);
	sqlite_query_set_number(query, 4, (int64_t)row->tried);
	sqlite_query_set_text(query, 5, row->path ? row->path : "");
	sqlite_query_set_number(query, 6, (int64_t)row->checksum);
	return sqlite_query_next(query);
}

int name_store_forget_answers(struct name_store *store, uint64_t none_before, uint64_t found_before)
{
	char statement[256];

	(void)snprintf(statement, sizeof(statement),
		       "DELETE FROM answer WHERE tried < CASE path WHEN '' THEN %lld ELSE %lld END; "
		       "DELETE FROM answer WHERE tried < "
		       "(SELECT tried FROM answer ORDER BY tried DESC LIMIT 1 OFFSET %d)",
		       (long long)none_before, (long long)found_before, ANSWERS_MAX);
	return sqlite_file_run(store->file, statement);
}
