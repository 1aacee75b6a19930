/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_shelf.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/resolve/cache/name_wire.h"

static struct name_wire start(enum name_request number)
{
	struct name_wire wire = {0};

	name_wire_put(&wire, number);
	return wire;
}

/* Returns the desk's result. Releases the request. */
static int ask(const struct desk *desk, struct name_wire *request, struct desk_answer *ret_answer)
{
	int r = request->failed ? -ENOMEM : 0;

	*ret_answer = (struct desk_answer){.fd = -1};
	if (!r)
		r = desk_ask(desk, request->bytes.items, request->bytes.count, ret_answer);
	name_wire_deinit(request);
	if (r < 0)
		return r == -ENOMEM ? r : -EIO;
	return ret_answer->result;
}

static int ask_plainly(const struct desk *desk, struct name_wire *request)
{
	_cleanup_(desk_answer_deinit) struct desk_answer answer;

	return ask(desk, request, &answer);
}

static int ask_for(const struct desk *desk, enum name_request number)
{
	struct name_wire request = start(number);

	return ask_plainly(desk, &request);
}

static struct byte_cursor read_answer(const struct desk_answer *answer)
{
	return byte_cursor_make(answer->bytes, answer->size);
}

/* --- the file --- */

static void copy_why(struct byte_cursor *cursor, char why[static NAME_WHY_MAX])
{
	const char *text = name_wire_text(cursor);

	(void)snprintf(why, NAME_WHY_MAX, "%s", text);
}

int name_shelf_open(const struct desk *desk, bool make, enum name_store_state *ret_state, char why[static NAME_WHY_MAX])
{
	_cleanup_(desk_answer_deinit) struct desk_answer answer;
	struct name_wire request = start(NAME_OPEN);
	struct byte_cursor cursor;
	int r;

	name_wire_put(&request, make);
	r = ask(desk, &request, &answer);
	cursor = read_answer(&answer);
	*ret_state = (enum name_store_state)byte_cursor_varint(&cursor);
	copy_why(&cursor, why);
	return r;
}

void name_shelf_close(const struct desk *desk)
{
	(void)ask_for(desk, NAME_CLOSE);
}

int name_shelf_reset(const struct desk *desk)
{
	return ask_for(desk, NAME_RESET);
}

int name_shelf_clear(const struct desk *desk, char why[static NAME_WHY_MAX])
{
	_cleanup_(desk_answer_deinit) struct desk_answer answer;
	struct name_wire request = start(NAME_CLEAR);
	int r = ask(desk, &request, &answer);
	struct byte_cursor cursor = read_answer(&answer);

	copy_why(&cursor, why);
	return r;
}

/* --- reading --- */

int name_shelf_find(const struct desk *desk, const struct build_id *id, enum name_content kind,
		    const struct name_source *source, struct name_piece *ret_piece)
{
	struct name_piece piece = {0};
	struct name_wire request = start(NAME_FIND);
	struct byte_cursor cursor;
	int r;

	name_wire_put_id(&request, id);
	name_wire_put(&request, kind);
	name_wire_put_source(&request, source);
	r = ask(desk, &request, &piece.answer);
	if (r > 0) {
		cursor = read_answer(&piece.answer);
		piece.size = byte_cursor_varint(&cursor);
		piece.bytes = byte_cursor_bytes(&cursor, piece.size);
		r = cursor.bad ? -EIO : 1;
	}
	if (r <= 0)
		desk_answer_deinit(&piece.answer);
	else
		*ret_piece = piece;
	return r;
}

void name_piece_release(struct name_piece *piece)
{
	if (piece->bytes)
		desk_answer_deinit(&piece->answer);
	piece->bytes = NULL;
}

int name_shelf_find_answer(const struct desk *desk, const struct build_id *id, const char *what, const char *servers,
			   struct name_answer_row *ret_row)
{
	_cleanup_(desk_answer_deinit) struct desk_answer answer;
	struct name_wire request = start(NAME_FIND_ANSWER);
	struct name_answer_row row = {0};
	struct byte_cursor cursor;
	const char *path;
	int r;

	name_wire_put_id(&request, id);
	name_wire_put_text(&request, what);
	name_wire_put_text(&request, servers);
	r = ask(desk, &request, &answer);
	if (r <= 0)
		return r;
	cursor = read_answer(&answer);
	row.tried = byte_cursor_varint(&cursor);
	row.checksum = byte_cursor_varint(&cursor);
	path = name_wire_text(&cursor);
	row.path = *path ? strdup(path) : NULL;
	if (*path && !row.path)
		return -ENOMEM;
	*ret_row = row;
	return 1;
}

static int read_module(struct byte_cursor *cursor, struct name_cache_contents *contents)
{
	struct name_cache_module module = {0};

	name_wire_id(cursor, &module.id);
	module.name = strdup(name_wire_text(cursor));
	module.last_used = byte_cursor_varint(cursor);
	module.frame_bytes = byte_cursor_varint(cursor);
	module.symbol_bytes = byte_cursor_varint(cursor);
	if (module.name && !cursor->bad && !array_push(&contents->modules, module))
		return 0;
	free(module.name);
	return cursor->bad ? -EIO : -ENOMEM;
}

int name_shelf_contents(const struct desk *desk, struct name_cache_contents *contents)
{
	_cleanup_(desk_answer_deinit) struct desk_answer answer;
	struct name_wire request = start(NAME_CONTENTS);
	struct byte_cursor cursor;
	uint64_t count;
	int r = ask(desk, &request, &answer);

	if (r < 0)
		return r;
	cursor = read_answer(&answer);
	contents->file_bytes = byte_cursor_varint(&cursor);
	contents->found = byte_cursor_varint(&cursor);
	contents->none = byte_cursor_varint(&cursor);
	count = byte_cursor_varint(&cursor);
	for (uint64_t i = 0; i < count && r >= 0; i++)
		r = read_module(&cursor, contents);
	return r < 0 ? r : 0;
}

/* --- writing --- */

int name_shelf_begin(const struct desk *desk)
{
	return ask_for(desk, NAME_BEGIN);
}

int name_shelf_commit(const struct desk *desk)
{
	return ask_for(desk, NAME_COMMIT);
}

void name_shelf_undo(const struct desk *desk)
{
	(void)ask_for(desk, NAME_UNDO);
}

int name_shelf_touch(const struct desk *desk, const struct build_id *id, uint64_t slack)
{
	struct name_wire request = start(NAME_TOUCH);

	name_wire_put_id(&request, id);
	name_wire_put(&request, slack);
	return ask_plainly(desk, &request);
}

int name_shelf_put(const struct desk *desk, const struct build_id *id, const char *name, enum name_content kind,
		   const struct name_source *source, const void *bytes, size_t size)
{
	struct name_wire request = start(NAME_PUT);

	name_wire_put_id(&request, id);
	name_wire_put_text(&request, name);
	name_wire_put(&request, kind);
	name_wire_put_source(&request, source);
	name_wire_put_bytes(&request, bytes, size);
	return ask_plainly(desk, &request);
}

int name_shelf_put_answer(const struct desk *desk, const struct build_id *id, const char *what, const char *servers,
			  const struct name_answer_row *row)
{
	struct name_wire request = start(NAME_PUT_ANSWER);

	name_wire_put_id(&request, id);
	name_wire_put_text(&request, what);
	name_wire_put_text(&request, servers);
	name_wire_put(&request, row->tried);
	name_wire_put(&request, row->checksum);
	name_wire_put_text(&request, row->path);
	return ask_plainly(desk, &request);
}

int name_shelf_forget_answers(const struct desk *desk, uint64_t none_before, uint64_t found_before)
{
	struct name_wire request = start(NAME_FORGET);

	name_wire_put(&request, none_before);
	name_wire_put(&request, found_before);
	return ask_plainly(desk, &request);
}
