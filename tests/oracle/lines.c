/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The names that the reporter would give to addresses of a file, for tests/oracle/test_lines.sh:
 * for each address on stdin (hexadecimal, ascending) its functions, the innermost first, as
 * "function", "file:line", with an empty line after the last.
 *
 * 	lines [-d DEBUG_DIR] [-c CACHE] FILE	as the report does it: in a child, the real function from
 * 				the symbol table; with a cache of names, cached names are not read from FILE
 * 	lines -t FILE		how long it takes: in a child; here, reading units as needed; and again
 * 				with all units read
 */
#include <fcntl.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "report/dwarf/dwarf_internal.h"
#include "report/dwarf/lines.h"
#include "report/symbol/symbol_index.h"

struct named_file {
	int fd;
	char *real; /* path without links */
	struct elf_file *elf;
	struct symbol_index *symbols;
	struct line_answers answers;
	struct text_pool texts;
	struct local_files local;
	struct name_store store;
	struct name_cache cache;
	bool cached;
};

static int read_addresses(struct named_file *file)
{
	ARRAY(uint64_t) addresses = {0};
	char line[64];
	int r = 0;

	while (r == 0 && fgets(line, sizeof(line), stdin))
		r = array_push(&addresses, strtoull(line, NULL, 16));
	if (r == 0)
		r = line_answers_init(&file->answers, addresses.items, addresses.count);
	array_free(&addresses);
	return r;
}

static int read_symbols(struct named_file *file)
{
	struct symbol_list list = {0};
	int r = elf_file_create(file->fd, &file->elf);

	if (r == 0)
		r = symbol_list_add_elf(&list, file->elf, 0);
	if (r == 0 && list.symbols.count)
		r = symbol_index_create(&list, &file->symbols);
	symbol_list_deinit(&list);
	return r;
}

static int resolve(struct named_file *file, const char *path)
{
	const struct line_job job = {.files = {file->fd, -1}, .paths = {path}, .reals = {file->real},
				     .local = &file->local};
	struct build_id id = {0};
	struct line_query query;
	int r;

	if (file->elf)
		elf_file_build_id(file->elf, &id);
	r = line_query_start(&query, file->cached ? &file->cache : NULL, &id, &job, true, &file->texts, &file->answers);
	while (r > 0 && !line_child_wait(&query.child, LINE_CHILD_WAIT_SECONDS * 1000))
		;
	if (r > 0)
		r = line_query_finish(&query, &file->texts, &file->answers);
	line_query_deinit(&query);
	return r;
}

/* A report of 20,000 addresses prints 10 MB: with stdio, we would mostly measure stdio. */
static void print_level(const char *function, const struct line_level *level)
{
	char text[16];
	size_t at = sizeof(text);
	uint32_t line = level->line;

	text[--at] = '\0';
	text[--at] = '\n';
	do
		text[--at] = (char)('0' + line % 10);
	while ((line /= 10));
	text[--at] = ':';
	(void)fputs_unlocked(function ? function : "??", stdout);
	(void)putchar_unlocked('\n');
	(void)fputs_unlocked(level->file ? level->file : "??", stdout);
	(void)fputs_unlocked(text + at, stdout);
}

static void print_all(const struct named_file *file)
{
	for (size_t i = 0; i < file->answers.count; i++) {
		uint64_t address = file->answers.addresses[i];
		const struct line_level none = {0}, *levels = &none;
		size_t count = line_answers_find(&file->answers, address, &levels);
		uint32_t symbol;

		for (size_t k = 0; k < count || !k; k++) {
			const char *function = levels[k].function;

			if (k + 1 >= count && file->symbols && symbol_index_find(file->symbols, address, &symbol))
				function = symbol_index_name(file->symbols, symbol);
			print_level(function, &levels[k]);
		}
		putchar_unlocked('\n');
	}
}

static double now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int count_levels(void *context, size_t number, const struct line_level *levels, size_t count)
{
	(void)number;
	(void)levels;
	*(size_t *)context += count;
	return 0;
}

static int measure(struct named_file *file)
{
	struct dwarf_lines *lines;
	double start = now(), child, cold, warm;
	size_t levels = 0;
	struct dwarf_quality quality;
	int r = resolve(file, NULL);

	child = now() - start;
	start = now();
	if (r == 0)
		r = dwarf_lines_open(file->fd, &lines);
	if (r == 0)
	if (r == 0)
		r = dwarf_lines_resolve(lines, file->answers.addresses, file->answers.count, true,
					count_levels, &levels, &quality);
	cold = now() - start;
	start = now();
	if (r == 0)
		r = dwarf_lines_resolve(lines, file->answers.addresses, file->answers.count, true,
					count_levels, &levels, &quality);
	warm = now() - start;
	if (r < 0)
		return r;
	dwarf_lines_close(lines);
	printf("addresses %zu, levels %zu, child %.4f s, here %.4f s, again %.6f s\n",
	       file->answers.count, levels / 2, child, cold, warm);
	return 0;
}

static int answer(struct named_file *file, const char *path)
{
	int r = read_symbols(file), told;

	if (r < 0)
		return r;
	told = resolve(file, path);
	if (told < 0)
		fprintf(stderr, "lines: '%s': %s\n", path, strerror(-told));
	print_all(file);
	return 0;
}

static void close_file(struct named_file *file)
{
	symbol_index_destroy(file->symbols);
	if (file->elf)
		elf_file_destroy(file->elf);
	line_answers_deinit(&file->answers);
	if (file->cached)
		name_store_deinit(&file->store);
	text_pool_deinit(&file->texts);
	if (file->fd >= 0)
		(void)close(file->fd);
	free(file->real);
}

int main(int argc, char **argv)
{
	const char *dirs[] = {NULL, NULL};
	const char *cache = NULL;
	struct named_file file = {.local = {.debug_dirs = dirs, .symfs = ""}};
	bool timed = false;
	int option, r;

	while ((option = getopt(argc, argv, "tc:d:")) != -1) {
		timed |= option == 't';
		if (option == 'c')
			cache = optarg;
		if (option == 'd')
			dirs[0] = optarg;
	}
	if (optind + 1 != argc)
		return 2;
	file.fd = open(argv[optind], O_RDONLY | O_CLOEXEC);
	file.real = realpath(argv[optind], NULL);
	r = file.fd < 0 ? -errno : text_pool_init(&file.texts);
	if (cache) {
		name_store_init(&file.store, cache);
		file.cache.store = name_store_service(&file.store);
		file.cached = true;
	}
	if (r == 0)
		r = read_addresses(&file);
	if (r == 0)
		r = timed ? measure(&file) : answer(&file, argv[optind]);
	if (r < 0)
		fprintf(stderr, "lines: '%s': %s\n", argv[optind], strerror(-r));
	close_file(&file);
	return r < 0;
}
