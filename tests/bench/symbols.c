/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How fast function names are found: `symbols FILE`, with addresses on stdin (hexadecimal, in
 * the order of the lookups). Prints one line of JSON: symbols, milliseconds of CPU time to
 * read them and to build the index, and the lookups and their nanoseconds; the first letter of
 * each name is read.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/resolve/symbol/symbol_index.h"

enum { LOOKUPS = 4000000, BUILDS = 5 };

typedef ARRAY(uint64_t) address_array;

static double cpu_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int read_addresses(address_array *addresses)
{
	char line[64];
	int r = 0;

	while (r == 0 && fgets(line, sizeof(line), stdin))
		r = array_push(addresses, strtoull(line, NULL, 16));
	return r < 0 || addresses->count ? r : -ENODATA;
}

struct figures {
	double read, build, lookup; /* nanoseconds, of all */
	size_t raw, found;
	unsigned long letters;
};

/* The last one built is kept. */
static int build(const struct elf_file *elf, struct figures *figures, struct symbol_index **index)
{
	struct symbol_list list = {0};
	double start = cpu_now(), read;
	int r = symbol_list_add_elf(&list, elf, 0);

	read = cpu_now();
	figures->raw = list.symbols.count;
	symbol_index_destroy(*index);
	*index = NULL;
	if (r == 0 && !list.symbols.count)
		r = -ENODATA;
	if (r == 0)
		r = symbol_index_create(&list, index);
	figures->read += read - start;
	figures->build += cpu_now() - read;
	symbol_list_deinit(&list);
	return r;
}

static void look_up(const struct symbol_index *index, const address_array *addresses, struct figures *figures)
{
	double start = cpu_now();

	for (size_t i = 0, at = 0; i < LOOKUPS; i++, at = at + 1 < addresses->count ? at + 1 : 0) {
		uint32_t symbol;

		if (!symbol_index_find(index, addresses->items[at], &symbol))
			continue;
		figures->found++;
		figures->letters += (unsigned char)symbol_index_name(index, symbol)[0];
	}
	figures->lookup = cpu_now() - start;
}

int main(int argc, char **argv)
{
	address_array addresses = {0};
	struct elf_file *elf = NULL;
	struct symbol_index *index = NULL;
	struct figures figures = {0};
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	int r = fd < 0 ? -ENOENT : elf_file_create(fd, &elf);

	if (r == 0)
		r = read_addresses(&addresses);
	for (int i = 0; i < BUILDS && r == 0; i++)
		r = build(elf, &figures, &index);
	if (r == 0) {
		look_up(index, &addresses, &figures);
		printf("{\"symbols\": %zu, \"read_ms\": %.4f, \"build_ms\": %.4f, "
		       "\"lookups\": %d, \"found\": %zu, ", figures.raw,
		       figures.read / BUILDS / 1e6, figures.build / BUILDS / 1e6, LOOKUPS, figures.found);
		printf("\"lookup_ns\": %.0f, \"letters\": %lu}\n", figures.lookup, figures.letters);
	} else {
		fprintf(stderr, "symbols: '%s': %s\n", argc == 2 ? argv[1] : "?", strerror(-r));
	}
	symbol_index_destroy(index);
	elf_file_destroy(elf);
	array_free(&addresses);
	return r < 0;
}
