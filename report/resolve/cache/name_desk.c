/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_desk.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/cleanup.h"
#include "report/resolve/cache/name_place.h"
#include "report/resolve/cache/name_store.h"
#include "report/resolve/cache/name_wire.h"

struct name_desk {
	struct name_cache_settings settings;
	struct name_store *store; /* NULL: not open */
	uint64_t now;		  /* the time used for everything in the current transaction */
};

int name_desk_create(const struct name_cache_settings *settings, struct name_desk **ret_desk)
{
	struct name_desk *desk = calloc(1, sizeof(*desk));

	if (!desk)
		return -ENOMEM;
	desk->settings = *settings;
	if (!desk->settings.limit)
		desk->settings.limit = NAME_CACHE_LIMIT;
	*ret_desk = desk;
	return 0;
}

void name_desk_destroy(struct name_desk *desk)
{
	if (desk)
		name_store_close(desk->store);
	free(desk);
}

static int refuse(struct byte_cursor *request)
{
	request->bad = true;
	return 0;
}

static bool whole(const struct byte_cursor *request)
{
	return !request->bad && request->next == request->end;
}

/* --- the file --- */

static int open_store(struct name_desk *desk, bool make, enum name_store_state *ret_state, const char **ret_why)
{
	const char *path = desk->settings.path;
	bool named;
	int r = make ? name_place_make(path, desk->settings.make_folders, &named, ret_why) :
		       name_place_check(path, &named, ret_why);

	name_store_close(desk->store);
	desk->store = NULL;
	return r < 0 ? r : name_store_open(path, named, &desk->store, ret_state);
}

static int serve_open(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	const bool make = byte_cursor_varint(request) != 0;
	enum name_store_state state = NAME_STORE_SOUND;
	const char *why = NULL;
	int r;

	if (!whole(request))
		return refuse(request);
	r = open_store(desk, make, &state, &why);
	name_wire_put(answer, state);
	name_wire_put_text(answer, why);
	return r;
}

static int serve_close(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	(void)request;
	(void)answer;
	name_store_close(desk->store);
	desk->store = NULL;
	return 0;
}

static int serve_reset(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	(void)request;
	(void)answer;
	return name_store_reset(desk->store);
}

static int serve_clear(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	enum name_store_state state;
	const char *why = NULL;
	int r = open_store(desk, false, &state, &why);

	(void)request;
	if (r == -EMEDIUMTYPE && !why)
		why = "it is not a cache of rwalker-report";
	if (!r)
		r = name_store_reset(desk->store);
	name_wire_put_text(answer, why);
	return r;
}

/* --- reading --- */

static int serve_find(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	_cleanup_(name_row_release) struct name_row row = {0};
	struct name_source source;
	struct build_id id;
	uint64_t kind;
	int r;

	name_wire_id(request, &id);
	kind = byte_cursor_varint(request);
	name_wire_source(request, &source);
	if (!whole(request) || (kind != NAME_CONTENT_FRAMES && kind != NAME_CONTENT_SYMBOLS))
		return refuse(request);
	r = name_store_find(desk->store, &id, (enum name_content)kind, &source, &row);
	if (r > 0)
		name_wire_put_bytes(answer, row.bytes, row.size);
	return r;
}

static int serve_find_answer(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	struct name_answer_row row = {0};
	const char *what, *servers;
	struct build_id id;
	int r;

	name_wire_id(request, &id);
	what = name_wire_text(request);
	servers = name_wire_text(request);
	if (!whole(request))
		return refuse(request);
	r = name_store_find_answer(desk->store, &id, what, servers, &row);
	name_wire_put(answer, row.tried);
	name_wire_put(answer, row.checksum);
	name_wire_put_text(answer, row.path);
	free(row.path);
	return r;
}

static int serve_contents(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	_cleanup_(name_cache_contents_deinit) struct name_cache_contents contents = {0};
	struct stat status;
	int r = name_store_contents(desk->store, &contents);

	(void)request;
	if (r < 0)
		return r;
	name_wire_put(answer, stat(desk->settings.path, &status) ? 0 : (uint64_t)status.st_size);
	name_wire_put(answer, contents.found);
	name_wire_put(answer, contents.none);
	name_wire_put(answer, contents.modules.count);
	for (size_t i = 0; i < contents.modules.count; i++) {
		const struct name_cache_module *module = &contents.modules.items[i];

		name_wire_put_id(answer, &module->id);
		name_wire_put_text(answer, module->name);
		name_wire_put(answer, module->last_used);
		name_wire_put(answer, module->frame_bytes);
		name_wire_put(answer, module->symbol_bytes);
	}
	return r;
}

/* --- writing --- */

static int serve_begin(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	(void)request;
	(void)answer;
	desk->now = desk->settings.now ? desk->settings.now : (uint64_t)time(NULL);
	return name_store_begin(desk->store);
}

static int serve_commit(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	(void)request;
	(void)answer;
	return name_store_commit(desk->store);
}

static int serve_undo(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	(void)request;
	(void)answer;
	name_store_undo(desk->store);
	return 0;
}

static int serve_touch(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	struct build_id id;
	uint64_t slack;

	(void)answer;
	name_wire_id(request, &id);
	slack = byte_cursor_varint(request);
	if (!whole(request))
		return refuse(request);
	return name_store_touch(desk->store, &id, desk->now, slack);
}

static int serve_put(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	struct name_source source;
	struct build_id id;
	const uint8_t *bytes;
	const char *name;
	uint64_t kind, size;

	(void)answer;
	name_wire_id(request, &id);
	name = name_wire_text(request);
	kind = byte_cursor_varint(request);
	name_wire_source(request, &source);
	size = byte_cursor_varint(request);
	bytes = byte_cursor_bytes(request, size);
	if (!whole(request) || (kind != NAME_CONTENT_FRAMES && kind != NAME_CONTENT_SYMBOLS))
		return refuse(request);
	return name_store_put(desk->store, &id, name, (enum name_content)kind, &source, bytes, size, desk->now,
			      desk->settings.limit);
}

static int serve_put_answer(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	_cleanup_free_ char *path = NULL;
	struct name_answer_row row = {0};
	const char *what, *servers, *text;
	struct build_id id;

	(void)answer;
	name_wire_id(request, &id);
	what = name_wire_text(request);
	servers = name_wire_text(request);
	row.tried = byte_cursor_varint(request);
	row.checksum = byte_cursor_varint(request);
	text = name_wire_text(request);
	if (!whole(request))
		return refuse(request);
	if (*text && !(path = strdup(text)))
		return -ENOMEM;
	row.path = path;
	return name_store_put_answer(desk->store, &id, what, servers, &row);
}

static int serve_forget(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer)
{
	uint64_t none_before = byte_cursor_varint(request), found_before = byte_cursor_varint(request);

	(void)answer;
	if (!whole(request))
		return refuse(request);
	return name_store_forget_answers(desk->store, none_before, found_before);
}

/* --- the desk --- */

static const struct {
	int (*serve)(struct name_desk *desk, struct byte_cursor *request, struct name_wire *answer);
	bool is_closed; /* the request is allowed while the store is not open */
} services[NAME_REQUESTS] = {
	[NAME_OPEN] = {serve_open, true},
	[NAME_CLOSE] = {serve_close, true},
	[NAME_RESET] = {serve_reset, false},
	[NAME_CLEAR] = {serve_clear, true},
	[NAME_FIND] = {serve_find, false},
	[NAME_FIND_ANSWER] = {serve_find_answer, false},
	[NAME_CONTENTS] = {serve_contents, false},
	[NAME_BEGIN] = {serve_begin, false},
	[NAME_COMMIT] = {serve_commit, false},
	[NAME_UNDO] = {serve_undo, false},
	[NAME_TOUCH] = {serve_touch, false},
	[NAME_PUT] = {serve_put, false},
	[NAME_PUT_ANSWER] = {serve_put_answer, false},
	[NAME_FORGET] = {serve_forget, false},
};

static int serve(void *context, const void *bytes, size_t size, struct desk_answer *answer)
{
	struct byte_cursor request = byte_cursor_make(bytes, size);
	const uint64_t number = byte_cursor_varint(&request);
	struct name_desk *desk = context;
	struct name_wire wire = {0};

	if (!desk->settings.path || request.bad || number >= NAME_REQUESTS)
		return -EPROTO;
	if (!services[number].is_closed && !desk->store)
		return -EPROTO;
	answer->result = services[number].serve(desk, &request, &wire);
	if (wire.failed)
		answer->result = -ENOMEM;
	answer->size = wire.bytes.count;
	answer->bytes = wire.bytes.items;
	return whole(&request) ? 0 : -EPROTO;
}

struct desk name_desk_of(struct name_desk *desk)
{
	return (struct desk){.serve = serve, .context = desk};
}
