/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "format/crc32c.h"
#include "report/resolve/file/local_files.h"

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
