/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/local_store.h"

#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/resolve/module/module_symbols.h"
#include "report/resolve/unwind/cfi_file.h"

struct local_store {
	struct hash_map keys; /* question and module -> number */
	ARRAY(struct local_facts *) facts;
};

/* The key is this struct, then the release with its NUL, then the path. */
struct store_key {
	uint32_t question, kind, link_time, id_length;
	uint8_t id[BUILD_ID_MAX];
};

int local_store_create(struct local_store **ret_store)
{
	struct local_store *store = calloc(1, sizeof(*store));

	if (!store || hash_map_init(&store->keys) < 0) {
		free(store);
		return -ENOMEM;
	}
	*ret_store = store;
	return 0;
}

void local_store_destroy(struct local_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->facts.count; i++) {
		struct local_facts *facts = store->facts.items[i];

		symbol_index_destroy(facts->symbols);
		if (facts->functions)
			cfi_file_close(facts->functions);
		free(facts->functions);
		free(facts);
	}
	array_free(&store->facts);
	hash_map_deinit(&store->keys);
	free(store);
}

static int add_facts(struct local_store *store)
{
	struct local_facts *facts = calloc(1, sizeof(*facts));

	if (!facts || array_push(&store->facts, facts) < 0) {
		free(facts);
		return -ENOMEM;
	}
	facts->path = facts->refused = "";
	return 1;
}

int local_store_find(struct local_store *store, const struct module *module, enum local_question question,
		     struct local_facts **ret_facts)
{
	const char *release = module->kind == MODULE_KERNEL_MODULE ? kernel_module_release(module) : "";
	struct store_key key = {.question = question,
				.kind = module->kind,
				.link_time = module->link_time,
				.id_length = module->id.length};
	size_t release_size = strlen(release) + 1, path_length = strlen(module->path);
	_cleanup_free_ uint8_t *bytes = malloc(sizeof(key) + release_size + path_length);
	uint64_t *number;
	int r;

	if (!bytes)
		return -ENOMEM;
	memcpy(key.id, module->id.bytes, module->id.length);
	memcpy(bytes, &key, sizeof(key));
	memcpy(bytes + sizeof(key), release, release_size);
	memcpy(bytes + sizeof(key) + release_size, module->path, path_length);
	r = hash_map_add(&store->keys, bytes, sizeof(key) + release_size + path_length, store->facts.count, &number);
	if (r > 0)
		r = add_facts(store);
	if (r >= 0)
		*ret_facts = store->facts.items[*number];
	return r;
}
