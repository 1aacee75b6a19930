/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/pseudonyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/container/container.h"
#include "common/hash_map.h"
#include "report/pack/sha256.h"

/* Crockford's digits: no two look alike. */
static const char base32[] = "0123456789abcdefghjkmnpqrstvwxyz";
static const char base16[] = "0123456789abcdef";

enum { HEX_BPF = 16, HEX_BUILD_ID = 40 };

static const struct {
	const char *prefix;
	size_t hex_digits; /* 0: base 32 */
} forms[PSEUDONYM_CLASSES] = {
	[PSEUDONYM_HOST] = {"host_", 0},	[PSEUDONYM_COMM] = {"c_", 0},
	[PSEUDONYM_FOLDER] = {"dir_", 0},	[PSEUDONYM_FILE] = {"file_", 0},
	[PSEUDONYM_FUNCTION] = {"fn_", 0},	[PSEUDONYM_SOURCE] = {"src_", 0},
	[PSEUDONYM_PROBE] = {"probe_", 0},	[PSEUDONYM_BPF] = {"bpf_prog_", HEX_BPF},
	[PSEUDONYM_BUILD_ID] = {"", HEX_BUILD_ID}, [PSEUDONYM_CONTAINER] = {CONTAINER_STAND_IN, 0},
};

struct pseudonyms {
	uint8_t key[PSEUDONYM_KEY];
	size_t digits;
	ARRAY(struct pseudonym *) items; /* in the order in which they were made */
	struct hash_map by_name; /* class and name -> number */
	struct hash_map by_text;
};

int pseudonyms_create(const uint8_t key[static PSEUDONYM_KEY], size_t digits, struct pseudonyms **ret_names)
{
	struct pseudonyms *names = calloc(1, sizeof(*names));
	int r = names ? hash_map_init(&names->by_name) : -ENOMEM;

	if (!r)
		r = hash_map_init(&names->by_text);
	if (r < 0) {
		pseudonyms_destroy(names);
		return r;
	}
	memcpy(names->key, key, PSEUDONYM_KEY);
	names->digits = digits < PSEUDONYM_DIGITS ? digits : PSEUDONYM_DIGITS;
	*ret_names = names;
	return 0;
}

void pseudonyms_destroy(struct pseudonyms *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->items.count; i++)
		free(names->items.items[i]);
	array_free(&names->items);
	hash_map_deinit(&names->by_name);
	hash_map_deinit(&names->by_text);
	explicit_bzero(names->key, sizeof(names->key));
	free(names);
}

void pseudonyms_key(const struct pseudonyms *names, uint8_t ret_key[static PSEUDONYM_KEY])
{
	memcpy(ret_key, names->key, PSEUDONYM_KEY);
}

/* --- their form --- */

static size_t digits_of(const struct pseudonyms *names, enum pseudonym_class class)
{
	return forms[class].hex_digits ? forms[class].hex_digits : names->digits;
}

/* The `i`th group of `width` bits, counted from the first bit. */
static unsigned int bits_at(const uint8_t *bytes, size_t i, size_t width)
{
	unsigned int value = 0;

	for (size_t bit = i * width; bit < (i + 1) * width; bit++)
		value = value << 1 | ((unsigned int)bytes[bit / 8] >> (7 - bit % 8) & 1);
	return value;
}

static size_t write_text(const struct pseudonyms *names, enum pseudonym_class class, const char *name, size_t length,
			 char text[static PSEUDONYM_TEXT])
{
	uint8_t digest[SHA256_BYTES];
	size_t used = strlen(forms[class].prefix), digits = digits_of(names, class);
	bool hex = forms[class].hex_digits;

	sha256_keyed(names->key, PSEUDONYM_KEY, (uint8_t)class, name, length, digest);
	memcpy(text, forms[class].prefix, used);
	for (size_t i = 0; i < digits; i++)
		text[used++] = hex ? base16[bits_at(digest, i, 4)] : base32[bits_at(digest, i, 5)];
	text[used] = '\0';
	return used;
}

/* --- the table --- */

static int add(struct pseudonyms *names, enum pseudonym_class class, const char *name, size_t length)
{
	_cleanup_free_ struct pseudonym *item = calloc(1, sizeof(*item) + length + 1);
	size_t used;
	int r;

	if (!item)
		return -ENOMEM;
	item->class = class;
	item->length = length;
	memcpy(item->name, name, length);
	used = write_text(names, class, name, length, item->text);
	r = hash_map_add(&names->by_text, item->text, used, names->items.count, NULL);
	if (r <= 0)
		return r < 0 ? r : -EEXIST;
	r = array_push(&names->items, item);
	if (!r)
		item = NULL;
	return r;
}

/* The class and the name, as one key. */
static char *key_of(enum pseudonym_class class, const char *name, size_t length)
{
	char *key = malloc(length + 1);

	if (key) {
		key[0] = (char)class;
		memcpy(key + 1, name, length);
	}
	return key;
}

int pseudonyms_make(struct pseudonyms *names, enum pseudonym_class class, const char *name, size_t length,
		    const char **ret_text)
{
	_cleanup_free_ char *key = key_of(class, name, length);
	const uint64_t *known = key ? hash_map_find(&names->by_name, key, length + 1) : NULL;
	size_t number = known ? (size_t)*known : names->items.count;
	int r = key ? 0 : -ENOMEM;

	if (!r && !known) {
		r = add(names, class, name, length);
		if (!r)
			r = hash_map_add(&names->by_name, key, length + 1, number, NULL);
	}
	if (r < 0)
		return r;
	*ret_text = names->items.items[number]->text;
	return 0;
}

static size_t read_class(const struct pseudonyms *names, enum pseudonym_class class, const char *text, size_t length)
{
	size_t prefix = strlen(forms[class].prefix), digits = digits_of(names, class);
	const char *allowed = forms[class].hex_digits ? base16 : base32;

	if (length < prefix + digits || memcmp(text, forms[class].prefix, prefix) != 0)
		return 0;
	for (size_t i = prefix; i < prefix + digits; i++)
		if (!text[i] || !strchr(allowed, text[i]))
			return 0;
	return prefix + digits;
}

size_t pseudonyms_read(const struct pseudonyms *names, const char *text, size_t length, const char **ret_name,
		       size_t *ret_length)
{
	for (unsigned int i = 0; i < PSEUDONYM_CLASSES; i++) {
		size_t used = read_class(names, (enum pseudonym_class)i, text, length);
		const uint64_t *number = used ? hash_map_find(&names->by_text, text, used) : NULL;

		if (!number)
			continue;
		*ret_name = names->items.items[*number]->name;
		*ret_length = names->items.items[*number]->length;
		return used;
	}
	return 0;
}

size_t pseudonyms_count(const struct pseudonyms *names)
{
	return names->items.count;
}

const struct pseudonym *pseudonyms_item(const struct pseudonyms *names, size_t number)
{
	return number < names->items.count ? names->items.items[number] : NULL;
}
