/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any bytes as the records of a trace (parts.h), through the profile and all views. Whatever
 * they are: no crash, no view finds the profile inconsistent (-EBADMSG), the figures of the seam
 * agree with each other, nothing is printed raw, and, if an input asks for it, a second run
 * prints the same. If it asks for that instead, the trace is condensed or scrubbed, and the new one is read without a
 * complaint.
 */
#include <errno.h>

#include "format/chunk.h"
#include "format/event_decoder.h"
#include "format/trace_reader.h"
#include "report/profile/profile_waits.h"
#include "tests/fault/report_run.h"
#include "tests/fault/steps.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/parts.h"

enum {
	TRACE_ROOM = 2 << 20,
	PRELUDE_ROOM = 4096,
	PART_MAX = 1 << 18,
	SECTIONS_MAX = 4,
	SLICES_MAX = 2000,
};

/* bytes[0] */
enum {
	NO_THRESHOLD = 1,
	WAITS_ONLY = 2,
	USER_ONLY = 4,
	KERNEL_ONLY = 8,
	PER_PROCESS = 16,
	ADDRESSES = 32,
	OFFSETS = 64,
	TWICE = 128,
};

struct trace {
	uint8_t bytes[TRACE_ROOM];
	size_t length;
	uint32_t seed;
	uint64_t sequence;
	unsigned int sections;
};

/* How every section begins: file header, sources, modules, a process. */
struct prelude {
	uint8_t bytes[PRELUDE_ROOM];
	size_t length;
	uint64_t chunks;
};

static void make_prelude(struct prelude *prelude, uint64_t least)
{
	static const char symbol[] = "bpf_trace_run4";
	struct memory_io m = {0};
	struct trace_writer *writer;
	const struct trace_chunk *chunks;
	struct trace_reader *reader;
	struct event_log *log;
	const struct event events[] = {
		{.kind = EVENT_META, .meta = {step_text("boot_id"), step_text("1-2-3")}},
		{.kind = EVENT_META, .meta = {step_text("machine"), step_text("x86_64")}},
		{.kind = EVENT_CLOCK, .clock = {STEP_BASE, STEP_REALTIME, 1}},
		{.kind = EVENT_SOURCE,
		 .source = {STEP_OFFCPU, SOURCE_OFFCPU, WEIGHT_NS, step_text("x"), 0, 0, STEP_BASE,
			    STEP_BASE, 0, least, 0}},
		{.kind = EVENT_SOURCE, .source = {2, SOURCE_TASKS, WEIGHT_NS, step_text("walk"), 0,
						  0, STEP_BASE, STEP_BASE, 0, 0, 0}},
		{.kind = EVENT_MODULE, .module = {.id = 90, .kind = MODULE_BPF, .path = step_text("own")}},
		{.kind = EVENT_KERNEL_SYMBOL, .kernel_symbol = {STEP_KERNEL, 0x7000, 0x100, step_text(symbol)}},
	};

	memory_io_open(&m);
	fuzz_require(trace_writer_create(&m.io, 3, &(struct trace_writer_settings){.realtime = STEP_REALTIME}, &writer) == 0);
	fuzz_require(event_log_create(writer, STEP_CPUS, &log) == 0 && step_add_names(log, 0) == 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		fuzz_require(event_log_add(log, &events[i]) == 0);
	fuzz_require(event_log_flush(log) == 0 && m.length <= PRELUDE_ROOM);
	event_log_destroy(log);
	trace_writer_destroy(writer);
	fuzz_require(trace_reader_create(&m.io, 3, &reader) == 0);
	prelude->chunks = trace_reader_chunks(reader, &chunks);
	trace_reader_destroy(reader);
	memcpy(prelude->bytes, m.bytes, m.length);
	prelude->length = m.length;
	memory_io_close(&m);
}

static void add_section(struct trace *trace, const struct prelude *prelude)
{
	struct rwk_file_header header;

	if (trace->sections++ == SECTIONS_MAX)
		return;
	memcpy(&header, prelude->bytes, sizeof(header));
	memcpy(trace->bytes + trace->length, prelude->bytes, prelude->length);
	trace->length += prelude->length;
	trace->seed = header.crc;
	trace->sequence = prelude->chunks;
}

static uint64_t time_of(const struct event *event)
{
	switch (event->kind) {
	case EVENT_WALK:
		return event->walk.time;
	case EVENT_WALK_TASK:
		return event->walk_task.time;
	case EVENT_SAMPLE:
		return event->sample.time;
	case EVENT_WAIT:
		return event->wait.time;
	case EVENT_WAKE:
		return event->wake.time;
	case EVENT_USER_STACK:
		return event->user_stack.time;
	default:
		return event->wait_sums.time;
	}
}

static void find_times(struct event_decoder *decoder, const uint8_t *payload, size_t length,
		       struct rwk_chunk_header *header)
{
	struct event event;

	header->first_time = UINT64_MAX;
	event_decoder_start(decoder, payload, length);
	while (event_decoder_next(decoder, &event) == 1) {
		uint64_t time = event.kind > EVENT_TASK && event.kind <= EVENT_WAIT_SUMS ? time_of(&event) : 0;

		header->first_time = time && time < header->first_time ? time : header->first_time;
		header->last_time = time > header->last_time ? time : header->last_time;
	}
	header->first_time = header->last_time ? header->first_time : 0;
}

static void add_part(struct trace *trace, struct event_decoder *decoder, uint8_t kind,
		     const uint8_t *payload, size_t length)
{
	static const uint16_t types[] = {RWK_CHUNK_EVENTS, RWK_CHUNK_STATE, RWK_CHUNK_EMBED, RWK_CHUNK_EVENTS};
	uint16_t type = kind & PART_SNAPSHOTS ? RWK_CHUNK_SNAPSHOTS : types[kind & 3];
	struct rwk_chunk_header header = {.type = type, .sequence = trace->sequence};
	uint8_t *stored = trace->bytes + trace->length + sizeof(header);

	if (length > PART_MAX || trace->length + length + 2 * PRELUDE_ROOM > TRACE_ROOM)
		return;
	memcpy(stored, payload, length);
	if (kind & PART_ALL_TIMES)
		header.last_time = UINT64_MAX;
	else if (!(kind & PART_NO_TIMES) && header.type == RWK_CHUNK_EVENTS)
		find_times(decoder, payload, length, &header);
	rwk_chunk_keep(&header, stored, length);
	rwk_chunk_header_seal(&header, trace->seed);
	memcpy(trace->bytes + trace->length, &header, sizeof(header));
	trace->length += rwk_chunk_length(&header);
	trace->sequence++;
}

static void make_trace(struct trace *trace, const struct prelude *prelude, const uint8_t *bytes, size_t length)
{
	size_t at = parts_next(bytes, length, PARTS_SETTINGS);
	struct event_decoder *decoder;

	fuzz_require(event_decoder_create(&decoder) == 0);
	trace->length = trace->sections = 0;
	add_section(trace, prelude);
	while (at + PARTS_MARK < length) {
		const uint8_t *payload = bytes + at + PARTS_MARK + 1;
		uint8_t kind = payload[-1];

		at = parts_next(bytes, length, at + PARTS_MARK + 1);
		if ((kind & 3) == PART_SECTION)
			add_section(trace, prelude);
		add_part(trace, decoder, kind, payload, (size_t)(bytes + at - payload));
	}
	event_decoder_destroy(decoder);
}

static uint64_t make_interval(const uint8_t *bytes)
{
	return bytes[8] >> 4 ? 1ULL << 4 * (bytes[8] >> 4) : 0;
}

static struct profile_filter make_filter(const uint8_t *bytes)
{
	static const char *const states[] = {NULL, NULL, NULL, NULL, "D", "S", "RK", "DZ"};
	static const char *const probes[] = {"vfs_*", "x"};
	static const uint64_t cpus[1] = {5};
	struct profile_filter filter = {
		.to = UINT64_MAX,
		.sources = bytes[0] & WAITS_ONLY ? 1U << PROFILE_OFFCPU : 0,
		.user_only = (bytes[0] & (USER_ONLY | KERNEL_ONLY)) == USER_ONLY,
		.kernel_only = (bytes[0] & (USER_ONLY | KERNEL_ONLY)) == KERNEL_ONLY,
		.states = states[bytes[1] & 7],
		.cpus = bytes[1] & 16 ? cpus : NULL,
		.cpu_bits = 64,
		.classes = bytes[2] & 31,
		.least_wait = bytes[3] & 15 ? 1ULL << 4 * (bytes[3] & 15) : 0,
		.most_wait = bytes[3] >> 4 ? 1ULL << 4 * (bytes[3] >> 4) : 0,
		.needs = (bytes[8] ? PROFILE_EACH_EVENT : 0) /* as options do: slices and times need them */ |
			 (bytes[5] & 2 ? PROFILE_EVERYONE : 0),
		.probes = probes,
		.probe_count = bytes[8] & 4 ? 2 : 0,
		.apart = bytes[5] & 1, /* which also is a part of --at's moment */
		.user_threads = (bytes[5] & 12) == 4,
		.kernel_threads = (bytes[5] & 12) == 8,
		.from = bytes[4] & 15 ? 1ULL << 4 * (bytes[4] & 15) : 0,
	};

	filter.classes |= (bytes[2] & 32 ? PROFILE_WAITS_OPEN : 0) | (bytes[2] & 64 ? PROFILE_WAITS_ENDED : 0);
	if (bytes[4] >> 4)
		filter.to = 1ULL << 4 * (bytes[4] >> 4);
	if (make_interval(bytes) && filter.to / SLICES_MAX > make_interval(bytes))
		filter.to = SLICES_MAX * make_interval(bytes); /* a million would be valid, but slow */
	return filter;
}

static struct view_settings make_settings(const uint8_t *bytes, const struct profile_filter *filter)
{
	struct view_settings settings = {
		.filters = "",
		.user_only = filter->user_only, .kernel_only = filter->kernel_only,
		.per_process = bytes[0] & PER_PROCESS, .addresses = bytes[0] & ADDRESSES,
		.offsets = bytes[0] & OFFSETS,
		.timestamps = bytes[8] & 2,
		.interval = make_interval(bytes),
		.delimited = bytes[8] & 8,
		.some_waits = filter->classes || filter->least_wait || filter->most_wait ||
			      filter->states || filter->cpus,
		.min_share = bytes[1] & 32 ? 2500 : 0,
		.max_groups = bytes[1] >> 6,
		.top_waits = bytes[2] & 128 ? 2 : 0,
		.at = {PROFILE_MOMENT_OFFSET, (uint64_t)bytes[5] << 12},
		.at_around = bytes[6] & 15 ? 1ULL << 4 * (bytes[6] & 15) : 0,
	};

	if (bytes[6] & 16)
		settings.at = (struct profile_moment){
			PROFILE_MOMENT_WALL, STEP_REALTIME + (uint64_t)bytes[5] * 10000};
	else if (bytes[6] & 32)
		settings.at = (struct profile_moment){
			PROFILE_MOMENT_DAYTIME, (uint64_t)bytes[5] * 300000000000};
	if (bytes[7]) { /* filters by the number of a thread */
		settings.chain_target = "target";
		settings.chain_tid = bytes[7];
	}
	return settings;
}

/* Views of waits, views of all sources, or both. */
static uint32_t make_views(const uint8_t *bytes)
{
	uint32_t general = 0;

	for (unsigned int i = 0; i < VIEW_COUNT; i++)
		general |= (views[i]->kinds == VIEW_ANY_KIND) << i;
	return (bytes[6] & 64 ? 0 : general) | (bytes[6] & 128 ? 0 : ~general);
}

/* What profile_waits.h promises, beyond what the views check themselves. */
static void check_seam(struct profile *profile)
{
	const struct profile_source *sources;
	const struct profile_wait *waits;
	const struct profile_task_sums *sums;
	const struct profile_recording *recordings;
	size_t source_count = profile_sources(profile, &sources), count = profile_waits(profile, &waits), task_count;
	size_t recording_count = profile_recordings(profile, &recordings);
	uint64_t samples = 0, weight = 0, beside = 0;

	(void)profile_tasks(profile, &task_count);
	for (size_t i = 0; i < recording_count; i++)
		fuzz_require(recordings[i].start <= recordings[i].stop);
	for (size_t i = 0; i < count; i++) {
		fuzz_require(waits[i].weight <= waits[i].in - waits[i].out &&
			sources[waits[i].source].kind == PROFILE_OFFCPU);
		fuzz_require((waits[i].waker == PROFILE_NO_TASK) == (waits[i].waker_context == WAKER_NONE));
		if (waits[i].flags & PROFILE_WAIT_BESIDE)
			beside++;
		else
			weight += waits[i].weight;
	}
	for (size_t i = 0; i < source_count; i++)
		if (sources[i].kind == PROFILE_OFFCPU) {
			samples += sources[i].samples;
			weight -= sources[i].weight;
		}
	count -= beside;
	fuzz_require(samples >= count && (samples > count || !weight)); /* samples may also be of a source of waits */
	for (size_t i = 0; i < profile_task_sums(profile, &sums); i++) {
		fuzz_require(sums[i].task < task_count && sums[i].recording < recording_count && sums[i].from <= sums[i].to);
		fuzz_require(!i || sums[i - 1].recording < sums[i].recording ||
			(sums[i - 1].recording == sums[i].recording && sums[i - 1].task < sums[i].task));
	}
}

static uint32_t run(const struct trace *trace, const uint8_t *bytes)
{
	struct profile_filter filter = make_filter(bytes);
	struct view_settings settings = make_settings(bytes, &filter);
	struct text_sink sink = {0};
	struct profile *profile;

	fuzz_require(report_run_read(trace->bytes, trace->length, &filter, &profile) == 0);
	check_seam(profile);
	fuzz_require(report_run_print(profile, &settings, make_views(bytes), &sink) == 0);
	profile_destroy(profile);
	fuzz_require(!sink.raw);
	return sink.sum;
}

/* bytes[9]: the tool, if any. */
static void rewrite(const struct trace *trace, uint8_t choice)
{
	const int fd = fuzz_file(trace->bytes, trace->length);
	const char *wrong;
	char in[32], out[64];
	int r;

	snprintf(in, sizeof(in), "/proc/self/fd/%d", fd);
	snprintf(out, sizeof(out), "/dev/shm/fuzz_rewritten.%d", (int)getpid());
	(void)unlink(out);
	wrong = report_run_tool(choice & 1 ? &condense_tool : &scrub_tool, in, out, false, &r);
	if (!wrong && !r)
		wrong = report_run_rewritten(out, &r);
	if (!wrong && !r)
		wrong = report_run_tool(&dump_tool, out, NULL, false, &r);
	if (wrong)
		fprintf(stderr, "fuzz_report_waits: %s: %d\n", wrong, r);
	fuzz_require(!wrong);
	(void)unlink(out);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct prelude preludes[2]; /* by whether there is a threshold */
	static struct trace trace;
	uint32_t sum;

	if (!preludes[0].length) {
		make_prelude(&preludes[0], 500);
		make_prelude(&preludes[1], 0);
	}
	if (length < PARTS_SETTINGS)
		return 0;
	make_trace(&trace, &preludes[bytes[0] & NO_THRESHOLD], bytes, length);
	if (bytes[9]) {
		rewrite(&trace, bytes[9]);
		return 0;
	}
	sum = run(&trace, bytes);
	fuzz_require(!(bytes[0] & TWICE) || run(&trace, bytes) == sum);
	return 0;
}
