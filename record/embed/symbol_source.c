/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/embed/symbol_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/gate/packet.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "format/limits.h"
#include "record/helper/helpers.h"
#include "record/host/clocks.h"
#include "record/plan/deadlines.h"

/* --- the time for all files, shared by their owners --- */

static bool is_user(const struct embed_budget *budget, uint32_t place, uint32_t uid)
{
	return budget->users[place].uid == uid || place == EMBED_USERS - 1;
}

static struct embed_user *user_of(struct embed_budget *budget, uint32_t uid)
{
	uint32_t place = 0;

	while (place < budget->count && !is_user(budget, place, uid))
		place++;
	if (place == budget->count) {
		budget->users[place] = (struct embed_user){.uid = place == EMBED_USERS - 1 ? EMBED_NOBODY : uid};
		budget->count++;
	}
	return &budget->users[place];
}

static const struct embed_user *find_user(const struct embed_budget *budget, uint32_t uid)
{
	for (uint32_t place = 0; place < budget->count; place++)
		if (is_user(budget, place, uid))
			return &budget->users[place];
	return NULL;
}

void embed_budget_init(struct embed_budget *budget, uint64_t now)
{
	memset(budget, 0, sizeof(*budget));
	budget->end = now + EMBED_TIME * MILLISECOND;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

unsigned int embed_budget_ms(const struct embed_budget *budget, enum embed_round round, uint32_t uid, uint64_t now)
{
	static const uint64_t shares[EMBED_ROUNDS] = {EMBED_TIME / 2 * MILLISECOND, EMBED_USER * MILLISECOND,
						      UINT64_MAX};
	const struct embed_user *user = find_user(budget, uid);
	const uint64_t spent = user ? user->spent : 0, left = now < budget->end ? budget->end - now : 0;
	const uint64_t own = spent < shares[round] ? shares[round] - spent : 0;
	const uint64_t most = least(least(own, left), DEADLINE_FILE * MILLISECOND);

	if (round == EMBED_ROUND_ROOT && uid)
		return 0;
	return most < EMBED_LEAST * MILLISECOND ? 0 : (unsigned int)(most / MILLISECOND);
}

void embed_budget_spend(struct embed_budget *budget, uint32_t uid, uint64_t ns)
{
	user_of(budget, uid)->spent += ns;
}

void embed_budget_add_late(struct embed_budget *budget, uint32_t uid, const char *name)
{
	struct embed_user *user = user_of(budget, uid);
	const size_t length = strlen(name);

	if (!user->late++)
		(void)snprintf(user->first, sizeof(user->first), "%s",
			       length < EMBED_NAME ? name : name + length - EMBED_NAME + 1);
}

uint64_t embed_budget_late(const struct embed_budget *budget, uint32_t uid)
{
	const struct embed_user *user = find_user(budget, uid);

	return user ? user->late : 0;
}

void embed_budget_forget_late(struct embed_budget *budget)
{
	for (uint32_t i = 0; i < budget->count; i++)
		budget->users[i].late = 0;
}

const char *embed_budget_text(const struct embed_budget *budget, char *text, size_t room)
{
	size_t used = 0;

	*text = '\0';
	for (uint32_t i = 0; i < budget->count && used < room; i++) {
		const struct embed_user *user = &budget->users[i];
		char whose[32] = "others";

		if (!user->late)
			continue;
		if (user->uid != EMBED_NOBODY)
			(void)snprintf(whose, sizeof(whose), "user %" PRIu32, user->uid);
		used += (size_t)snprintf(text + used, room - used, "%s%" PRIu64 " file%s of %s (the first: %s)",
					 used ? ", " : "", user->late, plural(user->late), whose, user->first);
	}
	return text;
}

/* --- asking the helper --- */

enum { BATCH_MAX = PACKET_MAX / sizeof(struct elf_symbol_record) };

struct symbol_source {
	struct helper helper;
	bool soon;
	uint64_t until; /* CLOCK_MONOTONIC ns */
	bool last; /* no batch follows */
	bool last_unwind;
	uint64_t left; /* bytes that the reply announced and that have not arrived */
	uint8_t packet[PACKET_MAX];
	struct event_symbol symbols[BATCH_MAX];
};

static int fail(struct symbol_source *source, int error)
{
	helper_give_up(&source->helper);
	source->helper.stuck = 0; /* the next file has its own chance, as long as there is time */
	source->last = source->last_unwind = true;
	return error;
}

void symbol_source_limit(struct symbol_source *source, uint64_t until)
{
	source->until = until;
}

/* As packet_receive(). */
static ssize_t receive(struct symbol_source *source, void *bytes, size_t room)
{
	const uint64_t now = clocks_now(), left = now < source->until ? (source->until - now) / MILLISECOND : 0;

	return helper_receive(&source->helper, bytes, room, left < DEADLINE_FILE ? (int)left : DEADLINE_FILE, NULL);
}

int symbol_source_ask(struct symbol_source *source, const struct symbol_wish *wish, int fd, const uint64_t *hits,
		      size_t count, struct elf_reply *ret_reply)
{
	const struct elf_request request = {
		.what = wish->what,
		.hit_count = (uint32_t)count,
		.unwind = wish->unwind,
		.mini = wish->mini,
		.debug = wish->debug_fd > 0,
		.soon = source->soon,
		.settled = wish->settled,
		.full_room = wish->full_room,
		.room = wish->room,
	};
	ssize_t got;

	if (clocks_now() >= source->until)
		return -ETIMEDOUT;
	if (!helper_ready(&source->helper) || packet_send(source->helper.socket, &request, sizeof(request), fd) ||
	    (request.debug && packet_send(source->helper.socket, "", 1, wish->debug_fd)) || packet_send_bytes(source->helper.socket, hits, count * sizeof(*hits)))
		return fail(source, -ECHILD);
	got = receive(source, ret_reply, sizeof(*ret_reply));
	if (got != sizeof(*ret_reply))
		return fail(source, got == -ETIMEDOUT ? -ETIMEDOUT : -ECHILD);
	source->last = ret_reply->error || wish->what == ELF_BUILD_ID || wish->what == ELF_EVIDENCE;
	source->last_unwind = ret_reply->error || (!wish->unwind && !wish->mini);
	source->left = ret_reply->bytes;
	return 0;
}

static bool announced(struct symbol_source *source, uint64_t bytes)
{
	return !__builtin_sub_overflow(source->left, bytes, &source->left);
}

static int batch_parse(struct symbol_source *source, size_t length, uint32_t count)
{
	size_t at = sizeof(struct elf_symbols_reply);
	struct elf_symbol_record record;

	if (count > BATCH_MAX)
		return -EPROTO;
	for (uint32_t i = 0; i < count; i++) {
		if (length - at < sizeof(record))
			return -EPROTO;
		memcpy(&record, source->packet + at, sizeof(record));
		at += sizeof(record);
		if (record.name_length > length - at || !announced(source, sizeof(record) + record.name_length))
			return -EPROTO;
		source->symbols[i] = (struct event_symbol){
			record.address, record.size, {(const char *)source->packet + at, record.name_length}};
		at += record.name_length;
	}
	return 1;
}

int symbol_source_next(struct symbol_source *source, const struct event_symbol **ret_symbols, size_t *ret_count)
{
	struct elf_symbols_reply reply;
	ssize_t got;
	int rc;

	if (source->last)
		return 0;
	got = receive(source, source->packet, sizeof(source->packet));
	if (got < (ssize_t)sizeof(reply))
		return fail(source, got == -ETIMEDOUT ? -ETIMEDOUT : -ECHILD);
	memcpy(&reply, source->packet, sizeof(reply));
	rc = batch_parse(source, (size_t)got, reply.count);
	if (rc < 0)
		return fail(source, rc);
	source->last = reply.last;
	*ret_symbols = source->symbols;
	*ret_count = reply.count;
	return 1;
}

static int piece_parse(struct symbol_source *source, const struct elf_unwind_reply *reply, size_t length,
		       struct event_embed_unwind *ret_piece)
{
	if (length != reply->length || reply->section < UNWIND_EH_FRAME || reply->section > UNWIND_MINI_DEBUG_INFO ||
	    reply->size > RWK_MAX_UNWIND_SECTION || reply->offset > reply->size ||
	    length > reply->size - reply->offset || !announced(source, length))
		return -EPROTO;
	*ret_piece = (struct event_embed_unwind){
		.section = reply->section,
		.address = reply->address,
		.size = reply->size,
		.offset = reply->offset,
		.text = reply->text,
		.bytes = {(const char *)source->packet + sizeof(*reply), length},
	};
	return 1;
}

int symbol_source_next_unwind(struct symbol_source *source, struct event_embed_unwind *ret_piece)
{
	struct elf_unwind_reply reply;
	ssize_t got;
	int rc;

	if (source->last_unwind)
		return 0;
	got = receive(source, source->packet, sizeof(source->packet));
	if (got < (ssize_t)sizeof(reply))
		return fail(source, got == -ETIMEDOUT ? -ETIMEDOUT : -ECHILD);
	memcpy(&reply, source->packet, sizeof(reply));
	source->last_unwind = reply.last;
	if (reply.last)
		return 0;
	rc = piece_parse(source, &reply, (size_t)got - sizeof(reply), ret_piece);
	return rc < 0 ? fail(source, rc) : rc;
}

int symbol_source_create(struct spawner *spawner, bool soon, struct symbol_source **ret_source)
{
	struct symbol_source *source = calloc(1, sizeof(*source));

	if (!source)
		return -ENOMEM;
	source->helper = helper_of(spawner, HELPER_ELF);
	source->soon = soon;
	source->until = UINT64_MAX;
	source->last = source->last_unwind = true;
	*ret_source = source;
	return 0;
}

void symbol_source_destroy(struct symbol_source *source)
{
	if (!source)
		return;
	helper_close(&source->helper);
	free(source);
}
