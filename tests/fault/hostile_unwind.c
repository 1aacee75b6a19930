/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hostile_unwind OUT KIND BYTES: writes a trace of one module with an .eh_frame of this kind and at
 * most that many bytes, and samples throughout its code, each with a stack whose words are
 * addresses of that code. hostile_unwind: lists the kinds.
 */
#include "format/limits.h"
#include "tests/make_events.h"
#include "tests/random.h"

enum { TGID = 100, LENGTH = 1 << 20, SAMPLES = 300, WORDS = 2000 };
enum { ADVANCE_1 = 0x02, REMEMBER = 0x0a, RESTORE = 0x0b, DEF_CFA = 0x0c, CFA_OFFSET = 0x0e, CFA_EXPRESSION = 0x0f,
       EXPRESSION = 0x10, OFFSET_OF_RA = 0x90 };
enum { OP_CONST1 = 0x08, OP_DUP = 0x12, OP_SKIP = 0x2f, OP_BRA = 0x28, OP_BREG_SP = 0x77, OP_DEREF = 0x06 };

static const uint64_t FIRST = 0x10000000, STACK = 0x7000000;

struct section {
	uint8_t *bytes;
	size_t used, most;
};

static bool has_room(const struct section *section, size_t bytes)
{
	return section->used + bytes <= section->most;
}

static void put(struct section *section, const void *bytes, size_t size)
{
	if (!has_room(section, size))
		abort();
	memcpy(section->bytes + section->used, bytes, size);
	section->used += size;
}

static void put_u32(struct section *section, uint32_t value)
{
	put(section, &value, sizeof(value));
}

static void put_u64(struct section *section, uint64_t value)
{
	put(section, &value, sizeof(value));
}

/* CFA = sp + 8, return address at CFA - 8: as at the start of a function. Its offset is 0. */
static void put_cie(struct section *section)
{
	static const uint8_t rest[] = {1, 0, 1, 0x78, 16, DEF_CFA, 7, 8, OFFSET_OF_RA, 1, 0, 0};

	put_u32(section, 4 + sizeof(rest));
	put_u32(section, 0);
	put(section, rest, sizeof(rest));
}

static void put_fde(struct section *section, uint64_t start, uint64_t size, const void *program, size_t bytes)
{
	put_u32(section, (uint32_t)(4 + 16 + bytes));
	put_u32(section, (uint32_t)section->used); /* back to the CIE at 0 */
	put_u64(section, start);
	put_u64(section, size);
	put(section, program, bytes);
}

/* The program consists of copies of this. */
static void put_long_fde(struct section *section, const void *part, size_t bytes, size_t times)
{
	const size_t at = section->used;

	put_fde(section, 0, LENGTH, NULL, 0);
	for (size_t i = 0; i < times && has_room(section, bytes); i++)
		put(section, part, bytes);
	memcpy(section->bytes + at, &(uint32_t){(uint32_t)(section->used - at - 4)}, 4);
}

/* --- the kinds --- */

static void make_honest(struct section *section)
{
	put_cie(section);
	put_fde(section, 0, LENGTH, NULL, 0);
}

/* The CIE of each entry is an FDE, or comes later, or is the entry itself. */
static void make_circle(struct section *section)
{
	put_cie(section);
	for (int i = 0; i < 10000; i++) {
		put_u32(section, 20);
		put_u32(section, (uint32_t)(i % 3 == 0 ? 4 : i % 3 == 1 ? 28 : 0u - 48));
		put_u64(section, (uint64_t)i);
		put_u64(section, LENGTH);
	}
}

/* The caller's frame is this same frame. */
static void make_no_progress(struct section *section)
{
	static const uint8_t program[] = {DEF_CFA, 7, 0, OFFSET_OF_RA, 0};

	put_cie(section);
	put_fde(section, 0, LENGTH, program, sizeof(program));
}

static void make_many(struct section *section)
{
	put_cie(section);
	for (uint64_t i = 0; has_room(section, 24); i++)
		put_fde(section, i % LENGTH, 1, NULL, 0);
}

/* Each is within the one before, down to the middle. */
static void make_overlapping(struct section *section)
{
	put_cie(section);
	for (uint64_t i = 0; has_room(section, 24); i++)
		put_fde(section, i % (LENGTH / 2), LENGTH - 2 * (i % (LENGTH / 2)), NULL, 0);
}

static void make_everywhere(struct section *section)
{
	put_cie(section);
	for (uint64_t i = 0; has_room(section, 24); i++)
		put_fde(section, i, UINT64_MAX - i, NULL, 0);
}

static void make_long_lengths(struct section *section)
{
	static const uint64_t lengths[] = {UINT64_MAX, UINT64_MAX - 12, 1ull << 63, RWK_MAX_UNWIND_SECTION, 1};

	put_cie(section);
	for (int i = 0; i < 1000; i++) {
		put_fde(section, (uint64_t)i * 100, 100, NULL, 0);
		put_u32(section, 0xffffffff);
		put_u64(section, i < 995 ? 20 : lengths[i - 995]);
		put_u64(section, 0);
		put_u64(section, 1);
		put_u32(section, 2);
	}
}

static void make_many_rows(struct section *section)
{
	static const uint8_t row[] = {ADVANCE_1, 1, CFA_OFFSET, 16, ADVANCE_1, 1, CFA_OFFSET, 24};

	put_cie(section);
	put_long_fde(section, row, sizeof(row), section->most / 4 / sizeof(row));
	put_long_fde(section, row, sizeof(row), SIZE_MAX);
}

static void make_remembered(struct section *section)
{
	static const uint8_t remember = REMEMBER;

	put_cie(section);
	put_long_fde(section, &remember, 1, section->most / 2);
	put_long_fde(section, &(uint8_t){RESTORE}, 1, SIZE_MAX);
}

/* An endless loop, and one that piles up values without end. */
static void make_loop(struct section *section)
{
	static const uint8_t loop[] = {CFA_EXPRESSION, 6, OP_CONST1, 1, OP_DUP, OP_SKIP, 0xfc, 0xff, OFFSET_OF_RA, 1};
	static const uint8_t branch[] = {CFA_EXPRESSION, 6, OP_CONST1, 1, OP_BRA, 0xfb, 0xff, OP_DUP, OFFSET_OF_RA, 1};

	put_cie(section);
	put_fde(section, 0, LENGTH / 2, loop, sizeof(loop));
	put_fde(section, LENGTH / 2, LENGTH / 2, branch, sizeof(branch));
}

static void make_long_expression(struct section *section)
{
	static const uint8_t head[] = {EXPRESSION, 16, 0x80, 0x80, 0x80, 0x01}; /* 2 MB */
	const size_t bytes = 2 << 20;
	size_t at;

	put_cie(section);
	at = section->used;
	put_fde(section, 0, LENGTH, head, sizeof(head));
	memset(section->bytes + section->used, OP_DEREF, bytes);
	memcpy(section->bytes + section->used, (uint8_t[]){OP_BREG_SP, 0}, 2);
	section->used += bytes;
	memcpy(section->bytes + at, &(uint32_t){(uint32_t)(section->used - at - 4)}, 4);
}

/* Augmentations that never end, and ones longer than the data. */
static void make_augmented(struct section *section)
{
	static const char *const strings[] = {"zPLR", "zRRRRRRRRR", "eh", "zQ", "PPPPPPPP", "zS", "zB"};

	for (int i = 0; i < 7000; i++) {
		const char *string = strings[i % 7];
		const uint32_t size = (uint32_t)strlen(string) + 1;

		put_u32(section, 4 + 1 + size + 16);
		put_u32(section, 0);
		put(section, "\x01", 1);
		put(section, string, size);
		put(section, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x9b\x9b\x1b\x80\x50\xff\x0f", 16);
		put_u32(section, 4 + 16);
		put_u32(section, 4 + 4 + 1 + size + 16 + 4);
		put_u64(section, (uint64_t)i * 100);
		put_u64(section, 100);
	}
}

static void make_scattered(struct section *section)
{
	struct random random = {.state = 15};

	make_many(section);
	for (size_t i = 0; i < section->most / 64; i++)
		section->bytes[random_next(&random) % section->most] = (uint8_t)random_next(&random);
}

static void make_nothing(struct section *section)
{
	section->used = section->most;
}

static const struct kind {
	const char *name;
	void (*make)(struct section *section);
} kinds[] = {
	{"honest", make_honest}, {"circle", make_circle}, {"no-progress", make_no_progress}, {"many", make_many},
	{"overlapping", make_overlapping}, {"everywhere", make_everywhere}, {"long-lengths", make_long_lengths},
	{"many-rows", make_many_rows}, {"remembered", make_remembered}, {"loop", make_loop},
	{"long-expression", make_long_expression}, {"augmented", make_augmented}, {"scattered", make_scattered},
	{"nothing", make_nothing},
};

/* --- the trace --- */

static void add_module(struct made_trace *trace)
{
	const struct event_segment segment = {.file_size = LENGTH, .memory_size = LENGTH, .flags = 5};
	const struct event_symbol symbol = {.address = 0, .size = LENGTH, .name = made_text("function")};

	made_trace_module(trace, 1, MODULE_FILE, "/made/hostile", "aabbccdd00000001");
	made_trace_map(trace, 1000, TGID, FIRST, LENGTH, 0, 1, 0);
	made_trace_embed(trace, 1, &segment, 1, &symbol, 1);
}

static void add_sample(struct made_trace *trace, uint32_t number, const uint64_t *words)
{
	enum { REGISTER_SP = 7, REGISTER_IP = 16 };
	const uint64_t stack[] = {FIRST + number * (LENGTH / SAMPLES)};
	const struct event_task task = made_task(TGID, TGID, 0, "hostile");
	const struct event_stacks stacks = {.user = stack, .user_count = 1};
	struct event_sample sample = {.time = 2000 + number, .source = 1, .flags = SAMPLE_HAS_USER};
	struct snapshot snapshot = {.time = sample.time, .known = 1 << REGISTER_SP | 1 << REGISTER_IP,
				    .registers = {[REGISTER_SP] = STACK, [REGISTER_IP] = stack[0]},
				    .address = STACK, .words = words, .count = WORDS};
	struct event_log_snapshot added;

	made_trace_check(event_log_add_snapshot(trace->log, (struct snapshot_owner){TGID, 0}, &snapshot, &added),
			 "snapshot");
	sample.snapshot = added.number;
	made_trace_check(event_log_add_sample(trace->log, &sample, &task, &stacks), "sample");
}

static void add_samples(struct made_trace *trace)
{
	uint64_t words[WORDS];

	for (uint32_t i = 0; i < SAMPLES; i++) {
		for (uint64_t j = 0; j < WORDS; j++)
			words[j] = FIRST + (j * 7919 + i * 104729) % LENGTH;
		add_sample(trace, i, words);
	}
}

static void add_section(struct made_trace *trace, const struct section *section)
{
	for (size_t at = 0; at < section->used; at += RWK_MAX_UNWIND_PIECE) {
		const size_t left = section->used - at, most = RWK_MAX_UNWIND_PIECE;
		const struct event_embed_unwind piece = {.module = 1, .section = UNWIND_EH_FRAME, .address = 2 * LENGTH,
							 .size = (uint32_t)section->used, .offset = (uint32_t)at,
							 .bytes = {(const char *)section->bytes + at,
								   (uint32_t)(left < most ? left : most)}};

		made_trace_check(event_log_add_embed_unwind(trace->log, &piece), "piece");
	}
}

static int write_trace(const char *path, const struct kind *kind, size_t most)
{
	struct section section = {.bytes = calloc(1, most), .most = most};
	struct made_trace *trace = made_trace_begin(path);

	if (!section.bytes || most > RWK_MAX_UNWIND_SECTION)
		abort();
	kind->make(&section);
	made_trace_check(event_log_want_snapshots(trace->log), "snapshots");
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_cpu_clock(trace, SOURCE_SNAPSHOTS);
	add_module(trace);
	add_samples(trace);
	made_trace_flush(trace);
	add_section(trace, &section);
	made_trace_end(trace);
	free(section.bytes);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (argc == 4 && !strcmp(argv[2], kinds[i].name))
			return write_trace(argv[1], &kinds[i], strtoul(argv[3], NULL, 0));
		if (argc == 1)
			puts(kinds[i].name);
	}
	return argc == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
