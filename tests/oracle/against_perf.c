/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * against_perf [-r RATIO] [-n SAMPLES] [-g] [-v] NAME PERF.DATA SCRIPT: unwinds what perf recorded,
 * compares each step with libdw's, and counts frames against those that perf itself found
 * (perf script). Prints one line; exit 0 if nothing differs from libdw, there are SAMPLES
 * samples, and they have RATIO (1) times as many frames as perf's. -g: libdw need not have judged
 * any (Go). -v: shows the samples of which perf has more frames. against_perf -b ROUNDS NAME
 * PERF.DATA SCRIPT: measures instead (measure.h).
 */
#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/oracle/compare.h"
#include "tests/oracle/measure.h"
#include "tests/oracle/perf_data.h"
#include "tests/unwind_stop.h"

enum { PERF_SCRIPT_DEPTH = 2048 };

struct perf_script {
	FILE *file;
	char line[256];
	bool has_line;
	uint32_t tid;
	uint64_t time;
	uint64_t addresses[PERF_SCRIPT_DEPTH];
	size_t count;
};

/* --- perf script --- */

static bool read_line(struct perf_script *script)
{
	if (!script->has_line)
		script->has_line = fgets(script->line, sizeof(script->line), script->file);
	return script->has_line;
}

static bool parse_head(const char *line, uint32_t *ret_tid, uint64_t *ret_time)
{
	uint64_t seconds, nanoseconds;

	if (sscanf(line, " %*u/%" SCNu32 " %" SCNu64 ".%9" SCNu64 ":", ret_tid, &seconds, &nanoseconds) != 3)
		return false;
	*ret_time = seconds * 1000000000 + nanoseconds;
	return true;
}

static bool perf_script_next(struct perf_script *script)
{
	bool begun = false;

	script->count = 0;
	for (; read_line(script); script->has_line = false) {
		uint64_t address, time;
		uint32_t tid;

		if (parse_head(script->line, &tid, &time)) {
			if (begun)
				return true;
			begun = true;
			script->tid = tid;
			script->time = time;
		} else if (begun && sscanf(script->line, " %" SCNx64, &address) == 1 && address >> 63 == 0 &&
			   script->count < PERF_SCRIPT_DEPTH) {
			script->addresses[script->count++] = address;
		}
	}
	return begun;
}

/* --- the comparison --- */

struct run {
	const char *name;
	double ratio;
	unsigned long wanted;
	bool unjudged_is_fine, verbose;
	struct perf_data data;
	struct oracle_tally tally;
	struct oracle_frames frames;
	unsigned long longer, unmatched;
};

/* The address as perf prints it. */
static uint64_t in_file(const struct oracle_space *space, uint64_t address)
{
	const struct oracle_mapping *map = oracle_mapping_at(space, address);

	return map ? address - map->start + map->file_offset : address;
}

/* Number of frames, from the leaf on, that are the same in both; perf moves return addresses back into the call. */
static size_t common(const struct perf_sample *sample, const struct unwind_chain *chain,
		     const struct perf_script *script)
{
	const struct oracle_space *space = sample->snapshot.space;
	size_t i = 0;

	while (i < chain->count && i < script->count) {
		uint64_t address = chain->addresses[i], theirs = script->addresses[i];

		if (in_file(space, address) != theirs && in_file(space, address - 1) != theirs)
			break;
		i++;
	}
	return i;
}

static void show_longer(const struct perf_sample *sample, const struct unwind_chain *chain,
			const struct perf_script *script, size_t equal)
{
	const struct oracle_mapping *map = oracle_mapping_at(sample->snapshot.space,
							     chain->addresses[chain->count - 1]);

	printf("# tid %" PRIu32 " at %" PRIu64 ": %zu frames, %s, sp + %zx; perf %zu; %zu equal; "
	       "ours ends at %#" PRIx64 " of %s\n",
	       sample->tid, sample->time, chain->count, unwind_stop_name(chain->stop),
	       sample->snapshot.stack_size, script->count, equal,
	       map ? chain->addresses[chain->count - 1] - map->bias : 0,
	       map && map->module != UINT32_MAX ?
		       sample->snapshot.space->modules->items.items[map->module]->path :
		       "?");
}

static int count_frames(struct run *run, struct unwinder *unwinder, const struct perf_sample *sample,
			const struct perf_script *script)
{
	struct unwind_snapshot input;
	struct unwind_space space;
	struct unwind_chain chain;
	size_t equal;
	int r;

	oracle_input(&sample->snapshot, &space, &input);
	r = unwinder_run(unwinder, &space, &input, &chain);
	if (r < 0)
		return r;
	equal = common(sample, &chain, script);
	run->frames.ours += chain.count;
	run->frames.perf += script->count;
	run->frames.equal += equal;
	if (script->count > chain.count) {
		run->longer++;
		if (run->verbose)
			show_longer(sample, &chain, script, equal);
	}
	return 0;
}

/* Both are ordered by time. Samples without frames in perf, or without a user part, are not counted. */
static int compare_with_perf(struct run *run, struct unwinder *unwinder, FILE *file)
{
	static struct perf_script script;
	bool more;

	script = (struct perf_script){.file = file};
	more = perf_script_next(&script);
	for (size_t i = 0; i < run->data.samples.count; i++) {
		const struct perf_sample *sample = &run->data.samples.items[i];
		int r;

		while (more && script.time < sample->time)
			more = perf_script_next(&script);
		if (!more || script.time != sample->time || script.tid != sample->tid) {
			run->unmatched++;
			continue;
		}
		r = count_frames(run, unwinder, sample, &script);
		if (r < 0)
			return r;
		more = perf_script_next(&script);
	}
	return 0;
}

static int compare_with_libdw(struct run *run, struct unwinder *unwinder)
{
	int r = 0;

	for (size_t i = 0; !r && i < run->data.samples.count; i++)
		r = oracle_compare(unwinder, &run->data.samples.items[i].snapshot, &run->tally);
	return r;
}

static int print_account(const struct run *run)
{
	const struct oracle_tally *tally = &run->tally;
	const struct oracle_frames *frames = &run->frames;
	double ratio = frames->perf ? (double)frames->ours / (double)frames->perf : 0;
	size_t count = run->data.samples.count;
	bool good = count >= run->wanted && ratio >= run->ratio && !tally->different && !run->unmatched &&
		    (tally->judged || run->unjudged_is_fine);

	printf("# %s: %zu samples (and %lu without user registers); frames per sample %.2f, "
	       "perf %.2f, ratio %.2f; %.2f%% of perf's equal; perf has more in %lu; "
	       "libdw: %lu judged, %lu different, %lu not judged;",
	       run->name, count, run->data.without, (double)frames->ours / (double)count,
	       (double)frames->perf / (double)count, ratio,
	       100 * (double)frames->equal / (double)frames->perf, run->longer, tally->judged,
	       tally->different, tally->unjudged);
	for (enum unwind_stop stop = UNWIND_CLEAN; stop <= UNWIND_TOO_DEEP; stop++)
		if (tally->stops[stop])
			printf(" %s %lu", unwind_stop_name(stop), tally->stops[stop]);
	printf("\n%s perf_%s", good ? "ok" : "not ok", run->name);
	printf(good ? "\n" : " - see above: %zu samples, ratio %.2f, %lu differences, "
			     "%lu that perf does not have\n",
	       count, ratio, tally->different, run->unmatched);
	return good ? 0 : 1;
}

static int run_all(struct run *run, const char *script, unsigned int rounds)
{
	struct unwinder *unwinder;
	FILE *file = fopen(script, "re");
	int r = file ? unwinder_create(unwind_arch_find(EM_X86_64), 0, &unwinder) : -errno;

	if (!r)
		r = compare_with_perf(run, unwinder, file);
	if (!r && !rounds)
		r = compare_with_libdw(run, unwinder);
	if (!r && rounds)
		return measure_rounds(&run->data, &run->frames, rounds);
	if (!r)
		return print_account(run);
	printf("not ok perf_%s - %s\n", run->name, strerror(-r));
	return 1;
}

int main(int argc, char **argv)
{
	struct run run = {.ratio = 1};
	unsigned int rounds = 0;
	int option;

	while ((option = getopt(argc, argv, "r:n:gvb:")) >= 0)
		switch (option) {
		case 'r':
			run.ratio = strtod(optarg, NULL);
			break;
		case 'n':
			run.wanted = strtoul(optarg, NULL, 10);
			break;
		case 'g':
			run.unjudged_is_fine = true;
			break;
		case 'v':
			run.verbose = true;
			run.tally.ends = 40;
			break;
		case 'b':
			rounds = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		default:
			return 2;
		}
	if (argc - optind != 3)
		return 2;
	run.name = argv[optind];
	elf_version(EV_CURRENT);
	if (perf_data_open(argv[optind + 1], &run.data) < 0)
		return 1;
	return run_all(&run, argv[optind + 2], rounds);
}
