/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/file/name_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "format/crc32c.h"
#include "report/file/database.h"
#include "report/file/local_files.h"

enum { DAY = 24 * 3600, REASON_ROOM = PATH_MAX + 160 };

/* Places where there is no cache, but something else. */
enum { NOT_OURS = -EMEDIUMTYPE, OTHER_USER = -EUSERS, OTHER_FOLDER = -EXDEV, NO_FILE = -EBADF };

#define TABLE "name(key TEXT PRIMARY KEY, used INTEGER NOT NULL, value BLOB NOT NULL)"

static const char make_table[] = "BEGIN IMMEDIATE; PRAGMA application_id = 0x52574b4e;"
				 "CREATE TABLE IF NOT EXISTS " TABLE "; COMMIT";
static const uint8_t application_id[] = {0x52, 0x57, 0x4b, 0x4e}; /* "RWKN" */

static void cleanup_query(struct database_query **query)
{
	database_query_destroy(*query);
}

/* --- the default place --- */

/* Judges the folder or its nearest existing parent. */
static bool is_own(const char *path)
{
	char folder[PATH_MAX];
	struct stat status;
	const int length = snprintf(folder, sizeof(folder), "%s", path);

	if (length < 0 || (size_t)length >= sizeof(folder))
		return false;
	while (stat(folder, &status) < 0) {
		char *slash = strrchr(folder, '/');

		if (!slash || slash == folder)
			return false;
		*slash = '\0';
	}
	return status.st_uid == geteuid();
}

/* A variable is used only if it is an absolute path (XDG Base Directory Specification 0.8). */
static const char *folder_of(const char *variable)
{
	const char *value = getenv(variable);

	return value && value[0] == '/' ? value : NULL;
}

static bool find_default(char path[static PATH_MAX])
{
	const char *home = folder_of("HOME"), *cache = folder_of("XDG_CACHE_HOME");
	int length;

	if ((home && !is_own(home)) || (!home && !cache))
		return false;
	length = cache ? snprintf(path, PATH_MAX, "%s/rwalker/names.sqlite", cache) :
			 snprintf(path, PATH_MAX, "%s/.cache/rwalker/names.sqlite", home);
	return length > 0 && length < PATH_MAX && is_own(path);
}

void name_store_init(struct name_store *store, const char *path)
{
	*store = (struct name_store){.limit = NAME_STORE_LIMIT, .by_default = !path};
	if (path ? (size_t)snprintf(store->path, PATH_MAX, "%s", path) >= PATH_MAX : !find_default(store->path))
		store->path[0] = '\0';
}

void name_store_deinit(struct name_store *store)
{
	database_destroy(store->database);
	store->database = NULL;
}

/* --- the file, before sqlite sees it --- */

static int make_folders(const char *path)
{
	char folder[PATH_MAX];

	(void)snprintf(folder, sizeof(folder), "%s", path);
	for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(folder, 0700) < 0 && errno != EEXIST && errno != EACCES && errno != EROFS && errno != EPERM)
			return -errno;
		*slash = '/';
	}
	return 0;
}

static int check_folder(const char *path)
{
	char folder[PATH_MAX];
	struct stat status;
	char *slash;

	(void)snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	if (stat(slash ? folder : ".", &status) < 0)
		return -errno;
	return !geteuid() && status.st_uid ? OTHER_FOLDER : 0;
}

/* 1: its header has our id; 0: it is short, so it may be empty. */
static int check_file(int fd)
{
	enum { HEADER_SIZE = 100, ID_PLACE = 68, PAGE_MAX = 65536 };
	static const char magic[] = "SQLite format 3";
	uint8_t header[HEADER_SIZE];
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return NO_FILE;
	if (status.st_uid != geteuid())
		return OTHER_USER;
	if (!status.st_size)
		return 0;
	if (pread(fd, header, sizeof(header), 0) != sizeof(header) || memcmp(header, magic, sizeof(magic)) != 0)
		return NOT_OURS;
	if (!memcmp(header + ID_PLACE, application_id, sizeof(application_id)))
		return 1;
	return status.st_size <= PAGE_MAX ? 0 : NOT_OURS;
}

static int check_place(const struct name_store *store, bool make)
{
	_cleanup_close_ int fd = -1;
	int r = make && store->by_default ? make_folders(store->path) : 0;

	if (!r)
		r = check_folder(store->path);
	if (r < 0)
		return r;
	fd = open(store->path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (make ? O_CREAT : 0), 0600);
	return fd < 0 ? -errno : check_file(fd);
}

/* --- the table --- */

/* Once the file is open. */
static bool is_damage(const struct name_store *store, int r)
{
	return store->database && (r == -EBADMSG || r == -EINVAL || r == -ETIME);
}

static int empty(struct name_store *store)
{
	int r = database_empty(store->database);

	return r < 0 ? r : database_run(store->database, make_table);
}

/* 1: the schema is ours, without a foreign trigger or index; 0: the database is empty; -EBADMSG: it is another. */
static int read_schema(struct database *database)
{
	_cleanup_(cleanup_query) struct database_query *query = NULL;
	const char *text;
	int r = database_query_create(database, "SELECT group_concat(sql) FROM sqlite_schema WHERE sql IS NOT NULL",
				      &query);

	if (!r)
		r = database_next(query);
	if (r < 0)
		return r;
	text = r ? database_text_at(query, 0) : "";
	return !strcmp(text, "CREATE TABLE " TABLE) ? 1 : *text ? -EBADMSG : 0;
}

/* `named`: the header has our id, so the file may be emptied if this fails. */
static int open_table(struct name_store *store, bool named)
{
	int r = read_schema(store->database);

	if (!r)
		r = database_run(store->database, make_table);
	if (is_damage(store, r) && !named)
		return NOT_OURS;
	return r < 0 ? r : 0;
}

/* -ENOENT: there is no file, and none is made. */
static int open_store(struct name_store *store, bool make)
{
	int named, r;

	if (store->database)
		return 0;
	named = check_place(store, make);
	if (named < 0)
		return named;
	r = database_open(store->path, &store->database);
	if (!r)
		r = open_table(store, named);
	if (r < 0 && !is_damage(store, r))
		name_store_deinit(store);
	return r;
}

/* Remembers the use, but not so often that every report writes. */
static int touch(struct database *database, const char *key, uint64_t now)
{
	_cleanup_(cleanup_query) struct database_query *query = NULL;
	int r = database_query_create(database, "UPDATE name SET used = ? WHERE key = ?", &query);

	if (r < 0)
		return r;
	database_number(query, now);
	database_word(query, key);
	return database_row(query);
}

static int get(struct name_store *store, const char *key, struct service_answer *answer)
{
	_cleanup_(cleanup_query) struct database_query *query = NULL;
	const uint64_t now = (uint64_t)time(NULL);
	const void *bytes;
	uint64_t used;
	size_t size;
	int r = database_query_create(store->database, "SELECT used, value FROM name WHERE key = ?", &query);

	if (r < 0)
		return r;
	database_word(query, key);
	r = database_next(query);
	if (r <= 0)
		return r;
	used = (uint64_t)database_number_at(query, 0);
	bytes = database_bytes_at(query, 1, &size);
	if (size > store->limit / 4) /* nobody has put that */
		return 0;
	answer->bytes = malloc(size + 1);
	if (!answer->bytes)
		return -ENOMEM;
	memcpy(answer->bytes, bytes, size);
	answer->size = size;
	cleanup_query(&query);
	query = NULL;
	if (now - used > DAY) /* a time in the future wraps around */
		r = touch(store->database, key, now);
	return r < 0 ? r : 1;
}

static int insert(struct name_store *store, const char *key, const void *bytes, size_t size)
{
	_cleanup_(cleanup_query) struct database_query *query = NULL;
	int r = database_query_create(store->database, "INSERT OR REPLACE INTO name VALUES(?, ?, ?)", &query);

	if (r < 0)
		return r;
	database_word(query, key);
	database_number(query, (uint64_t)time(NULL));
	database_bytes(query, bytes, size);
	return database_row(query);
}

/* Keeps what was used last, up to three quarters of the limit: what is deleted is room for what comes next. */
static int make_room(struct name_store *store)
{
	_cleanup_(cleanup_query) struct database_query *query = NULL;
	int r = database_query_create(store->database,
				      "DELETE FROM name WHERE rowid IN (SELECT id FROM (SELECT rowid AS id, "
				      "sum(length(value) + 4096) OVER (ORDER BY used DESC, rowid DESC) AS kept "
				      "FROM name) WHERE kept > ?)", &query);

	if (r < 0)
		return r;
	database_number(query, store->limit / 4 * 3);
	return database_row(query);
}

static int put(struct name_store *store, const char *key, const void *bytes, size_t size)
{
	struct stat status;

	if (size > store->limit / 4)
		return 0;
	if (!stat(store->path, &status) && (uint64_t)status.st_size + size > store->limit) {
		int r = make_room(store);

		if (r < 0)
			return r;
	}
	return insert(store, key, bytes, size);
}

/* --- requests --- */

static const char *reason(int r)
{
	switch (r) {
	case NOT_OURS:
		return "it is not a cache of rwalker-report";
	case NO_FILE:
		return "it is not a regular file";
	case OTHER_USER:
		return "it belongs to another user";
	case OTHER_FOLDER:
		return "root creates no files in another user's directory";
	case -EBUSY:
		return "another process keeps it locked";
	default:
		return strerror(-r);
	}
}

static int refuse(struct name_store *store, int r, struct service_answer *answer)
{
	const bool damaged = is_damage(store, r);
	const int emptied = damaged ? empty(store) : 0;
	const char *format = damaged && !emptied ?
		"the cache '%s' was damaged or of another version, and is empty now" :
		"cannot use the cache '%s': %s; --no-cache does without it";

	free(answer->bytes);
	answer->size = 0;
	answer->bytes = malloc(REASON_ROOM);
	if (answer->bytes)
		answer->size = (size_t)snprintf((char *)answer->bytes, REASON_ROOM, format, store->path,
						reason(emptied < 0 ? emptied : r));
	return r;
}

static int answer_request(struct name_store *store, const char *key, const char *bytes, size_t size, bool puts,
			  struct service_answer *answer)
{
	int r = open_store(store, puts);

	if (r == -ENOENT && !puts)
		return 0;
	if (!r)
		r = puts ? put(store, key, bytes, size) : get(store, key, answer);
	return r < 0 ? refuse(store, r, answer) : r;
}

static int serve(void *context, const void *request, size_t size, struct service_answer *answer)
{
	struct name_store *store = context;
	const char *bytes = request, *end = size > 1 ? memchr(bytes + 1, '\0', size - 1) : NULL;
	size_t left;

	if (!end || end - bytes > NAME_KEY_ROOM)
		return -EPROTO;
	left = size - (size_t)(end + 1 - bytes);
	if ((*bytes != NAME_STORE_GET || left) && *bytes != NAME_STORE_PUT)
		return -EPROTO;
	answer->result = store->path[0] ? answer_request(store, bytes + 1, end + 1, left, *bytes == NAME_STORE_PUT,
							 answer) : -ENOENT;
	return 0;
}

struct service name_store_service(struct name_store *store)
{
	return (struct service){.serve = serve, .context = store};
}

enum { CHECKSUM_SIZE = 4 }; /* of the key and the bytes, after these */

/* --- keys --- */

static void append(struct name_key *key, const char *separator, const char *text)
{
	const size_t room = sizeof(key->text) - key->used;
	const int length = snprintf(key->text + key->used, room, "%s%s", separator, text);

	if (length < 0 || (size_t)length >= room)
		key->full = true;
	else
		key->used += (size_t)length;
	key->text[key->used] = '\0';
}

void name_key_start(struct name_key *key, const struct build_id *id, const char *what)
{
	char text[BUILD_ID_TEXT];

	build_id_text(id, text);
	*key = (struct name_key){.full = !id->length};
	append(key, "", text);
	append(key, " ", what);
}

void name_key_add_file(struct name_key *key, const char *path, const struct stat *status)
{
	char text[160];

	(void)snprintf(text, sizeof(text), "%ju:%ju %jd.%09ld %jd", (uintmax_t)status->st_dev,
		       (uintmax_t)status->st_ino, (intmax_t)status->st_ctim.tv_sec,
		       status->st_ctim.tv_nsec, (intmax_t)status->st_size);
	append(key, " \"", path);
	append(key, "\" ", text);
}

void name_key_add_text(struct name_key *key, const char *text)
{
	append(key, " ", text);
}

/* --- results --- */

static uint32_t checksum(const struct name_key *key, const void *bytes, size_t size)
{
	return crc32c(crc32c(0, key->text, key->used), bytes, size);
}

static bool is_usable(const struct name_cache *cache, const struct name_key *key)
{
	return cache && cache->store.serve && !cache->unusable && !key->full;
}

/* The store's answer to bytes; what it has to say is printed. Its result, or -errno. */
static int ask(struct name_cache *cache, const struct byte_buffer *request, struct service_answer *ret_answer)
{
	int r = service_ask(&cache->store, request->bytes, request->used, ret_answer);

	if (r < 0 || ret_answer->result < 0)
		cache->unusable = true;
	if (r >= 0 && ret_answer->result < 0 && ret_answer->size)
		log_warning("%.*s", (int)ret_answer->size, (const char *)ret_answer->bytes);
	return r < 0 ? r : ret_answer->result;
}

static void start_request(struct byte_buffer *buffer, enum name_store_request what, const struct name_key *key)
{
	byte_buffer_uint(buffer, what, 1);
	byte_buffer_bytes(buffer, key->text, key->used + 1);
}

bool name_cache_get(struct name_cache *cache, const struct name_key *key, struct name_value *ret_value)
{
	uint8_t bytes[sizeof(key->text) + 2];
	struct byte_buffer request = {.bytes = bytes, .room = sizeof(bytes)};
	_cleanup_(service_answer_deinit) struct service_answer answer = {.fd = -1};
	uint32_t sum;
	size_t size;

	if (!is_usable(cache, key))
		return false;
	start_request(&request, NAME_STORE_GET, key);
	if (ask(cache, &request, &answer) <= 0 || answer.size < CHECKSUM_SIZE)
		return false;
	size = answer.size - CHECKSUM_SIZE;
	memcpy(&sum, answer.bytes + size, CHECKSUM_SIZE);
	if (sum != checksum(key, answer.bytes, size))
		return false;
	*ret_value = (struct name_value){answer, answer.bytes, size};
	answer = (struct service_answer){.fd = -1};
	return true;
}

void name_value_deinit(struct name_value *value)
{
	if (value->bytes)
		service_answer_deinit(&value->answer);
	*value = (struct name_value){0};
}

void name_cache_put(struct name_cache *cache, const struct name_key *key, const void *bytes, size_t size)
{
	_cleanup_(service_answer_deinit) struct service_answer answer = {.fd = -1};
	_cleanup_free_ uint8_t *copy = NULL;
	struct byte_buffer request = {.room = 1 + sizeof(key->text) + size + CHECKSUM_SIZE};
	uint32_t sum;

	if (!is_usable(cache, key) || size > NAME_CACHE_VALUE_MAX)
		return;
	copy = request.bytes = malloc(request.room);
	if (!copy)
		return;
	sum = checksum(key, bytes, size);
	start_request(&request, NAME_STORE_PUT, key);
	byte_buffer_bytes(&request, bytes, size);
	byte_buffer_bytes(&request, &sum, CHECKSUM_SIZE);
	(void)ask(cache, &request, &answer);
}
