/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * against_gdb [-n STOPS] [-d DIFFERENCES] [-v] NAME STOPS_FILE: unwinds the stops that gdb_stops.py
 * wrote and compares the addresses with gdb's. A chain is right if it is the same, or if one is the
 * exact beginning of the other: ours if the snapshot ends early, gdb's if it gives up. If gdb gives
 * up at the leaf, there is nothing to compare, and the stop is not counted. gdb's chain is cut
 * before an address that is not code: after the dynamic linker's _start, which says that it has no
 * caller, gdb continues through whatever is on the stack. The file of DIFFERENCES has lines "NAME
 * MODULE PERCENT why" for what else may differ, in at most PERCENT of the stops: MODULE is the file
 * (without folders) of the last frame that both have, "-" for code that is in no file. Exit 0 if,
 * apart from those, at least 99.5 % are right, there are STOPS stops, and a quarter can be judged.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/oracle/compare.h"
#include "tests/unwind_stop.h"

enum { STACK_MAX = 1 << 20, LINE_MAX_BYTES = 65536, REGISTERS = 17, DEPTH = 2048, EXPLAINED_MAX = 64 };

struct explained {
	char name[64], module[128];
	unsigned long percent, found;
};

struct stop {
	struct oracle_snapshot snapshot;
	uint64_t addresses[DEPTH];
	size_t count;
	char reason[64];
};

struct run {
	const char *name;
	bool verbose;
	unsigned long wanted, nothing, stops, same, ours_shorter, gdb_shorter, different, unexplained;
	struct unwinder *unwinder;
	struct oracle_modules modules;
	struct explained explained[EXPLAINED_MAX];
	size_t explained_count;
	char line[LINE_MAX_BYTES];
	uint8_t stack[STACK_MAX];
	struct stop stop;
};

/* --- the file --- */

static size_t parse_words(const char *line, uint64_t *values, size_t max)
{
	size_t count = 0;

	for (char *end; count < max; line = end) {
		uint64_t value = strtoull(line, &end, 16);

		if (end == line)
			break;
		values[count++] = value;
	}
	return count;
}

static char *read_maps(struct run *run, FILE *file, unsigned long lines)
{
	char *text = calloc(1, 1);
	size_t length = 0;

	while (text && lines-- && fgets(run->line, sizeof(run->line), file)) {
		size_t more = strlen(run->line);

		text = realloc(text, length + more + 1);
		if (text)
			memcpy(text + length, run->line, more + 1);
		length += more;
	}
	return text;
}

/* gdb's chain, as long as it consists of code. */
static void cut_at_data(struct stop *stop)
{
	for (size_t i = 1; i < stop->count; i++)
		if (!oracle_mapping_at(stop->snapshot.space, stop->addresses[i] - 1)) {
			stop->count = i;
			return;
		}
}

/* 1 if there was a stop, 0 at the end, -1 if the file is truncated or malformed. */
static int read_stop(struct run *run, FILE *file)
{
	struct stop *stop = &run->stop;
	unsigned long lines, size, count;
	char *maps;

	if (!fgets(run->line, sizeof(run->line), file))
		return 0;
	*stop = (struct stop){.snapshot = {.stack = run->stack, .known = (UINT64_C(1) << REGISTERS) - 1}};
	if (sscanf(run->line, "stop %lu %lu %lu %63s", &lines, &size, &count, stop->reason) != 4 || size > STACK_MAX ||
	    !fgets(run->line, sizeof(run->line), file) ||
	    parse_words(run->line, stop->snapshot.registers, REGISTERS) != REGISTERS)
		return -1;
	maps = read_maps(run, file, lines);
	if (!maps || fread(run->stack, 1, size, file) != size || fgetc(file) != '\n' ||
	    !fgets(run->line, sizeof(run->line), file))
		return -1;
	stop->snapshot.stack_address = stop->snapshot.registers[7];
	stop->snapshot.stack_size = size;
	stop->snapshot.space = oracle_space_find(&run->modules, getpid(), maps);
	stop->count = parse_words(run->line, stop->addresses, DEPTH);
	if (stop->count != count)
		return -1;
	cut_at_data(stop);
	return 1;
}

static void read_explained(struct run *run, const char *path)
{
	FILE *file = fopen(path, "re");

	while (file && fgets(run->line, sizeof(run->line), file) && run->explained_count < EXPLAINED_MAX) {
		struct explained *added = &run->explained[run->explained_count];

		if (run->line[0] != '#' && sscanf(run->line, "%63s %127s %lu", added->name,
						  added->module, &added->percent) == 3)
			run->explained_count++;
	}
	if (file)
		(void)fclose(file);
}

/* --- judging --- */

static const char *module_at(const struct run *run, uint64_t address)
{
	const struct oracle_mapping *map = oracle_mapping_at(run->stop.snapshot.space, address);
	const char *path = map && map->module != UINT32_MAX ? run->modules.items.items[map->module]->path : "-";
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_explained(struct run *run, const char *module)
{
	for (size_t i = 0; i < run->explained_count; i++) {
		struct explained *known = &run->explained[i];

		if (!strcmp(known->name, run->name) && !strcmp(known->module, module)) {
			known->found++;
			return true;
		}
	}
	return false;
}

/* Whether an explained difference is as rare as its line in the file says. */
static bool is_rare(const struct run *run)
{
	for (size_t i = 0; i < run->explained_count; i++)
		if (run->explained[i].found * 100 > run->explained[i].percent * (run->stops + run->nothing))
			return false;
	return true;
}

static void show(const struct run *run, const struct unwind_chain *chain, size_t equal, const char *what)
{
	const struct stop *stop = &run->stop;
	uint64_t last = equal ? stop->addresses[equal - 1] : 0;

	printf("# %s: %s after %zu frames, the last at %#" PRIx64 " (%s): ours %zu frames, %s; "
	       "gdb %zu, %s\n",
	       run->name, what, equal, last, module_at(run, last), chain->count,
	       unwind_stop_name(chain->stop), stop->count, stop->reason);
	for (size_t i = equal; run->verbose && i < equal + 3; i++)
		printf("#	%#" PRIx64 " by %d, %#" PRIx64 "\n", i < chain->count ? chain->addresses[i] : 0,
		       i < chain->count ? chain->how[i] : 0, i < stop->count ? stop->addresses[i] : 0);
}

static void judge(struct run *run, const struct unwind_chain *chain)
{
	const struct stop *stop = &run->stop;
	size_t equal = 0;

	while (equal < chain->count && equal < stop->count && chain->addresses[equal] == stop->addresses[equal])
		equal++;
	if (stop->count < 2 && equal == stop->count && chain->count > equal) {
		run->nothing++;
		return;
	}
	run->stops++;
	if (equal == chain->count && equal == stop->count) {
		run->same++;
	} else if (equal == chain->count && chain->stop == UNWIND_TRUNCATED) {
		run->ours_shorter++;
	} else if (equal == stop->count) {
		run->gdb_shorter++;
		if (run->verbose)
			show(run, chain, equal, "gdb gives up");
	} else {
		run->different++;
		if (!is_explained(run, module_at(run, equal ? stop->addresses[equal - 1] : 0)))
			run->unexplained++;
		show(run, chain, equal, "different");
	}
}

static int compare_all(struct run *run, FILE *file)
{
	static struct unwind_chain chain;
	int r;

	while ((r = read_stop(run, file)) > 0) {
		struct unwind_snapshot input;
		struct unwind_space space;

		oracle_input(&run->stop.snapshot, &space, &input);
		r = unwinder_run(run->unwinder, &space, &input, &chain);
		if (r < 0)
			return r;
		judge(run, &chain);
	}
	return r;
}

static int print_account(const struct run *run, bool read)
{
	bool enough = run->stops + run->nothing >= run->wanted && run->stops >= run->wanted / 4 && run->stops;
	bool good = read && enough && run->unexplained * 200 <= run->stops && is_rare(run);

	printf("# %s: %lu stops: %lu the same, %lu where the snapshot ends, %lu where gdb gives "
	       "up, %lu different, %lu of them not explained; beside %lu of which gdb says nothing\n",
	       run->name, run->stops, run->same, run->ours_shorter, run->gdb_shorter, run->different, run->unexplained,
	       run->nothing);
	printf("%s gdb_%s", good ? "ok" : "not ok", run->name);
	printf(good ? "\n" : " - see above: %lu stops%s, %lu different\n", run->stops,
	       read ? "" : ", the file is broken", run->different);
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	static struct run run;
	int option;
	FILE *file;

	while ((option = getopt(argc, argv, "n:d:v")) >= 0)
		switch (option) {
		case 'n':
			run.wanted = strtoul(optarg, NULL, 10);
			break;
		case 'd':
			read_explained(&run, optarg);
			break;
		case 'v':
			run.verbose = true;
			break;
		default:
			return 2;
		}
	if (argc - optind != 2)
		return 2;
	run.name = argv[optind];
	elf_version(EV_CURRENT);
	file = fopen(argv[optind + 1], "re");
	if (!file || unwinder_create(unwind_arch_find(EM_X86_64), 0, &run.unwinder) < 0)
		return print_account(&run, false);
	return print_account(&run, !compare_all(&run, file));
}
