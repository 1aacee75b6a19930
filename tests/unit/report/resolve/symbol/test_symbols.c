/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The oracle is nm: what it lists at an address must be found there. */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "report/resolve/symbol/symbol_index.h"
#include "tests/test.h"

struct nm_symbol {
	uint64_t address, size;
	char type;
	char name[256];
};

struct nm_list {
	struct nm_symbol *items;
	size_t count;
};

/*
 * The functions that nm lists, by address. Versions ("@@GLIBC_2.2.5") are not part of the name. A
 * weak variable of the sanitizers looks like one.
 */
static struct nm_list run_nm(const char *options, const char *path)
{
	char command[512], line[1024];
	struct nm_list list = {.items = calloc(1 << 17, sizeof(*list.items))};
	FILE *pipe;

	snprintf(command, sizeof(command), "nm -n -S --defined-only %s '%s' 2>/dev/null", options, path);
	pipe = popen(command, "r");
	while (pipe && list.items && fgets(line, sizeof(line), pipe) && list.count < (1 << 17)) {
		struct nm_symbol *symbol = &list.items[list.count];
		unsigned long long address, size;

		if (sscanf(line, "%llx %llx %c %255s", &address, &size, &symbol->type, symbol->name) != 4 ||
		    !strchr("tTwWi", symbol->type) || !strcmp(symbol->name, "__sancov_lowest_stack"))
			continue;
		symbol->address = address;
		symbol->size = size;
		symbol->name[strcspn(symbol->name, "@")] = '\0';
		list.count++;
	}
	if (pipe)
		pclose(pipe);
	return list;
}

static struct symbol_index *index_file(struct test *t, const char *path)
{
	struct symbol_list list = {0};
	struct symbol_index *index = NULL;
	struct elf_file *elf = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (CHECK(t, elf_file_create(fd, &elf) == 0)) {
		CHECK(t, symbol_list_add_elf(&list, elf, 0) == 0);
		CHECK(t, symbol_index_create(&list, &index) == 0);
		elf_file_destroy(elf);
	}
	close(fd);
	return index;
}

/* Whether nm lists the name at the address. */
static bool listed(const struct nm_list *list, size_t near, uint64_t address, const char *name)
{
	size_t first = near;
	char plain[256];

	snprintf(plain, sizeof(plain), "%s", name);
	plain[strcspn(plain, "@")] = '\0';
	while (first > 0 && list->items[first - 1].address == address)
		first--;
	for (size_t i = first; i < list->count && list->items[i].address == address; i++)
		if (!strcmp(list->items[i].name, plain))
			return true;
	return false;
}

static void check_against_nm(struct test *t, const char *path, const char *options, size_t least)
{
	struct symbol_index *index = index_file(t, path);
	struct nm_list list = run_nm(options, path);
	size_t wrong = 0;

	CHECK(t, list.count >= least);
	for (size_t i = 0; index && i < list.count; i++) {
		const struct nm_symbol *symbol = &list.items[i];
		uint64_t last = symbol->address + (symbol->size ? symbol->size - 1 : 0);
		uint32_t number = 0;

		if (!symbol_index_find(index, symbol->address, &number) ||
		    symbol_index_start(index, number) != symbol->address ||
		    !listed(&list, i, symbol->address, symbol_index_name(index, number)))
			wrong++;
		/* The last byte is in this symbol, or in one that begins within it. */
		else if (!symbol_index_find(index, last, &number) ||
			 symbol_index_start(index, number) < symbol->address)
			wrong++;
		if (wrong == 1)
			printf("# %s %#llx\n", symbol->name, (unsigned long long)symbol->address);
	}
	CHECK_INT(t, wrong, 0);
	symbol_index_destroy(index);
	free(list.items);
}

static void finds_what_nm_lists_of_a_program(struct test *t)
{
	char path[256];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	REQUIRE(t, length > 0);
	path[length] = '\0';
	check_against_nm(t, path, "", 100);
}

static void add(struct test *t, struct symbol_list *list, uint64_t address, uint64_t size, uint8_t binding,
		const char *name)
{
	CHECK(t, symbol_list_add(list, address, size, name, strlen(name)) == 0);
	list->symbols.items[list->symbols.count - 1].binding = binding;
}

static const char *name_at(const struct symbol_index *index, uint64_t address)
{
	uint32_t number;

	return symbol_index_find(index, address, &number) ? symbol_index_name(index, number) : NULL;
}

/* The order is perf's: tools/perf/util/symbol.c, choose_best_symbol(), as its manual tests show it. */
static void keeps_the_best_alias(struct test *t)
{
	enum { LOCAL = 0, GLOBAL = 1, WEAK = 2 };
	struct symbol_list list = {0};
	struct symbol_index *index;

	add(t, &list, 0x100, 0, GLOBAL, "no_size");
	add(t, &list, 0x100, 8, LOCAL, "size");
	add(t, &list, 0x200, 8, WEAK, "weak");
	add(t, &list, 0x200, 8, LOCAL, "strong_local");
	add(t, &list, 0x300, 8, LOCAL, "local_long_name");
	add(t, &list, 0x300, 8, GLOBAL, "global");
	add(t, &list, 0x400, 8, GLOBAL, "__libc_malloc");
	add(t, &list, 0x400, 8, GLOBAL, "malloc");
	add(t, &list, 0x500, 8, GLOBAL, "abc");
	add(t, &list, 0x500, 8, GLOBAL, "abcd");
	REQUIRE(t, symbol_index_create(&list, &index) == 0);
	CHECK_INT(t, symbol_index_count(index), 5);
	CHECK_STR(t, name_at(index, 0x100), "size");
	CHECK_STR(t, name_at(index, 0x200), "strong_local");
	CHECK_STR(t, name_at(index, 0x300), "global");
	CHECK_STR(t, name_at(index, 0x400), "malloc");
	CHECK_STR(t, name_at(index, 0x500), "abcd");
	symbol_index_destroy(index);
}

static void knows_where_symbols_end(struct test *t)
{
	struct symbol_list list = {0};
	struct symbol_index *index;

	add(t, &list, 0x2000, 0, 1, "last");
	add(t, &list, 0x1000, 0x100, 1, "outer");
	add(t, &list, 0x1040, 0x10, 1, "inner");
	add(t, &list, 0x1800, 0, 1, "open");
	REQUIRE(t, symbol_index_create(&list, &index) == 0);
	CHECK_STR(t, name_at(index, 0xfff), NULL);
	CHECK_STR(t, name_at(index, 0x103f), "outer");
	CHECK_STR(t, name_at(index, 0x104f), "inner");
	CHECK_STR(t, name_at(index, 0x1050), "outer");
	CHECK_STR(t, name_at(index, 0x1100), NULL);
	CHECK_STR(t, name_at(index, 0x1fff), "open");
	CHECK_STR(t, name_at(index, 0x2fff), "last");
	CHECK_STR(t, name_at(index, 0x3000), NULL);
	symbol_index_destroy(index);
}

static void survives_the_end_of_the_address_space(struct test *t)
{
	struct symbol_list list = {0};
	struct symbol_index *index;

	add(t, &list, UINT64_MAX - 1, 100, 1, "overflows");
	add(t, &list, UINT64_MAX, 0, 1, "none");
	REQUIRE(t, symbol_index_create(&list, &index) == 0);
	CHECK_STR(t, name_at(index, UINT64_MAX - 1), "overflows");
	CHECK_STR(t, name_at(index, UINT64_MAX - 2), NULL);
	symbol_index_destroy(index);
	REQUIRE(t, symbol_index_create(&list, &index) == 0);
	CHECK_STR(t, name_at(index, 0), NULL);
	symbol_index_destroy(index);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

enum { LOOKUPS = 200000 };

struct cost { /* s of CPU time */
	double create, lookups;
};

static void keep_least(double *least, double value)
{
	*least = value < *least ? value : *least;
}

/* The cost of an index of so many symbols, half of them at one address; the least of all measurements is kept. */
static void measure(struct test *t, size_t symbols, struct cost *least)
{
	struct symbol_list list = {0};
	struct symbol_index *index;
	uint64_t found = 0, at = 1;
	double start;

	for (uint64_t i = 0; i < symbols; i++)
		add(t, &list, i % 2 ? 0 : i * 64, 64, 1, "name");
	start = now();
	REQUIRE(t, symbol_index_create(&list, &index) == 0);
	keep_least(&least->create, now() - start);
	start = now();
	for (uint64_t i = 0; i < LOOKUPS; i++) {
		uint32_t number;

		at = at * 6364136223846793005 + 1442695040888963407;
		found += symbol_index_find(index, (at >> 20) % (symbols * 64), &number);
	}
	keep_least(&least->lookups, now() - start);
	CHECK(t, found > LOOKUPS / 3);
	symbol_index_destroy(index);
}

/*
 * A hundred times as many symbols: a lookup that looked at all of them, or an index that compared
 * each with all, would take a hundred times as long for each; one to two is usual. The least of
 * five tries, as others use the caches.
 */
static void is_never_quadratic(struct test *t)
{
	enum { SYMBOLS = 100000, FEWER = 100, TRIES = 5, MOST = 40 };
	struct cost few = {1e9, 1e9}, many = few;

	for (int i = 0; i < TRIES; i++) {
		measure(t, SYMBOLS / FEWER, &few);
		measure(t, SYMBOLS, &many);
	}
	printf("# %.0f ns a lookup, %.1f times that of fewer; %.1f times as long to create for each symbol\n",
	       many.lookups / LOOKUPS * 1e9, many.lookups / few.lookups, many.create / few.create / FEWER);
	CHECK(t, many.lookups < MOST * few.lookups);
	CHECK(t, many.create < MOST * FEWER * few.create);
}

TEST_MAIN(TEST(finds_what_nm_lists_of_a_program), TEST(keeps_the_best_alias),
	  TEST(knows_where_symbols_end), TEST(survives_the_end_of_the_address_space),
	  TEST(is_never_quadratic))
