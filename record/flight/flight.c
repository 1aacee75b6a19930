/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/flight.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/address_space.h"
#include "common/log.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/embed/embed.h"
#include "record/flight/flight_internal.h"
#include "record/helper/helpers.h"
#include "record/host/clocks.h"
#include "record/place/cgroups.h"
#include "record/place/hits.h"
#include "record/place/kernel_map.h"
#include "record/place/module_files.h"
#include "record/place/module_table.h"
#include "record/place/sideband.h"
#include "record/plan/recording.h"
#include "record/source/unended_waits.h"

enum { RULE_BYTES = 256, FREE_FLOOR = 64 << 20 /* bytes that stay free on the file system */ };

/* Triggers that make no dump get at most one record in this time. */
static const uint64_t RECORD_INTERVAL = SECOND;

struct flight {
	const struct record_flight *plan;
	const struct record_flight *first; /* the plan at the start; the runner uses its rule numbers */
	struct recording *recording;
	struct module_files *files;
	struct spawner *spawner;
	struct dump_files output;
	struct forked runner; /* of commands */
	struct triggers *triggers;
	struct segments *segments;
	pid_t writer;	   /* the child that writes a dump; 0: none */
	uint64_t bytes;	   /* limit for segments */
	uint64_t number;   /* of the last dump */
	uint64_t due;	   /* when the next dump is to be made; 0: none is wanted */
	uint64_t ready;	   /* no trigger makes a dump before this time */
	uint64_t turn;	   /* when old hits and modules are forgotten next */
	uint64_t told, more; /* when the last TRIGGER was written; how many were not written since */
	char why[RULE_BYTES];
	uint64_t dumps, failed; /* so far */
};

/* --- no file --- */

static ssize_t count_bytes(void *context, int fd, const struct iovec *parts, int count)
{
	size_t sum = 0;

	(void)context;
	(void)fd;
	for (int i = 0; i < count; i++)
		sum += parts[i].iov_len;
	return (ssize_t)sum;
}

static int64_t no_size(void *context, int fd)
{
	(void)context;
	(void)fd;
	return -ESPIPE;
}

const struct trace_io flight_no_file = {.writev = count_bytes, .size = no_size};

/* --- opening --- */

/* text: NULL: any. */
static bool has_rule(const struct record_flight *plan, enum trigger_kind kind, const char *text)
{
	for (uint32_t i = 0; i < plan->rule_count; i++)
		if (plan->rules[i].kind == kind && (!text || !strcmp(plan->rules[i].text, text)))
			return true;
	return false;
}

int flight_open(const struct record_config *config, struct recording *recording, const struct flight_sizes *sizes,
		struct flight **ret_flight)
{
	const struct dump_files_settings settings = {
		.path = config->output.path,
		.kept = (uint64_t)config->flight.max_dumps,
		.bytes = (uint64_t)config->flight.max_kept,
	};
	const bool runs = config->flight.on_dump || has_rule(&config->flight, TRIGGER_EXEC, NULL);
	struct flight *flight = calloc(1, sizeof(*flight));
	int r;

	if (!flight)
		return -ENOMEM;
	*ret_flight = flight;
	flight->plan = flight->first = &config->flight;
	flight->recording = recording;
	flight->bytes = sizes->window;
	r = dump_files_open(&flight->output, &settings) ?: (runs ? runner_open(&flight->runner, flight->plan) : 0) ?:
	    triggers_open(&flight->triggers, flight->plan, &config->offcpu, flight) ?:
	    helpers_start(sizes->helper, &flight->spawner);
	if (r < 0)
		return r;
	r = segments_create((uint64_t)flight->plan->window, (size_t)flight->bytes, &flight->segments);
	return r < 0 ? log_error(-r, "no memory for --flight: give it a smaller size, as in 60s,16M") : 0;
}

void flight_close(struct flight *flight)
{
	if (!flight)
		return;
	if (flight->writer) {
		(void)kill(flight->writer, SIGKILL);
		(void)waitpid(flight->writer, NULL, 0);
	}
	dump_files_close(&flight->output);
	forked_end(&flight->runner);
	triggers_destroy(flight->triggers);
	spawner_destroy(flight->spawner);
	segments_destroy(flight->segments);
	free(flight);
}

struct spawner *flight_spawner(const struct flight *flight)
{
	return flight ? flight->spawner : NULL;
}

static void take_chunk(void *context, const struct rwk_chunk_header *header, const void *stored)
{
	segments_add(((struct flight *)context)->segments, header, stored);
}

struct trace_tap flight_tap(struct flight *flight)
{
	return (struct trace_tap){.context = flight, .take = take_chunk};
}

static void take_wait(void *context, const struct event_wait *wait, const struct event_task *task)
{
	triggers_wait(((struct flight *)context)->triggers, wait, task);
}

int flight_begin(struct flight *flight, struct module_files *files)
{
	flight->recording->watch = (struct recording_watch){
		.least = triggers_least(flight->triggers), .context = flight, .wait = take_wait};
	event_log_wrap_snapshots(flight->recording->log, 0);
	flight->files = files;
	flight->turn = clocks_now() + (uint64_t)flight->plan->window;
	return hits_want_turns(flight->recording->hits);
}

/* --- what happens --- */

static struct event_text text_of(const char *text)
{
	return (struct event_text){text, text ? (uint32_t)strlen(text) : 0};
}

static void write_trigger(struct flight *flight, const struct flight_cause *cause, uint64_t dump, uint64_t now)
{
	struct event event = {
		.kind = EVENT_TRIGGER,
		.trigger = {.time = now, .dump = dump, .rule = text_of(cause->rule), .tgid = cause->tgid,
			    .tid = cause->tid, .comm = text_of(cause->comm), .value = cause->value,
			    .more = flight->more},
	};

	flight->told = now;
	flight->more = 0;
	(void)recording_check(flight->recording, event_log_add(flight->recording->log, &event));
}

static bool makes_dump(const struct flight *flight, const struct flight_cause *cause, uint64_t now)
{
	return !flight->due && !flight->writer && (cause->always || now >= flight->ready);
}

void flight_fire(struct flight *flight, const struct flight_cause *cause, uint64_t now)
{
	size_t length = strlen(cause->rule);

	if (!makes_dump(flight, cause, now)) {
		if (cause->always && flight->due)
			flight->due = now;
		if (now - flight->told < RECORD_INTERVAL)
			flight->more++;
		else
			write_trigger(flight, cause, 0, now);
		return;
	}
	length = length < sizeof(flight->why) - 1 ? length : sizeof(flight->why) - 1;
	memcpy(flight->why, cause->rule, length);
	flight->why[length] = '\0';
	flight->due = cause->always ? now : now + (uint64_t)flight->plan->post;
	write_trigger(flight, cause, flight->number + 1, now);
}

void flight_walked(struct flight *flight, const struct flight_cause *cause, uint64_t now)
{
	triggers_walked(flight->triggers, cause, now);
}

static void fire_commands(struct flight *flight, uint64_t now)
{
	const struct record_flight *first = flight->first;
	uint32_t rule;

	while (runner_next(&flight->runner, &rule))
		if (rule < first->rule_count && has_rule(flight->plan, TRIGGER_EXEC, first->rules[rule].text))
			flight_fire(flight, &(struct flight_cause){.rule = first->rules[rule].text}, now);
}

/* --- other rules --- */

/* Refuses new rules that need something that must be set up at the start. */
static int check_reload(const struct flight *flight, const struct record_flight *plan)
{
	for (uint32_t i = 0; i < plan->rule_count; i++) {
		const struct trigger_rule *rule = &plan->rules[i];

		if ((rule->kind != TRIGGER_EXEC && rule->kind != TRIGGER_STUCK) ||
		    has_rule(flight->first, rule->kind, rule->kind == TRIGGER_EXEC ? rule->text : NULL))
			continue;
		return log_error(EOPNOTSUPP, "--trigger '%s' cannot be added while it records: that takes a restart",
				 rule->text);
	}
	return 0;
}

int flight_reload(struct flight *flight, struct record_flight *plan, const struct record_offcpu *offcpu)
{
	int r = check_reload(flight, plan) ?: triggers_open(&flight->triggers, plan, offcpu, flight);

	if (r < 0)
		return r;
	plan->window = flight->plan->window;
	plan->bytes = flight->plan->bytes;
	plan->on_dump = flight->plan->on_dump;
	plan->stream = flight->plan->stream;
	flight->plan = plan;
	flight->recording->watch.least = triggers_least(flight->triggers);
	(void)dump_files_limit(&flight->output, (uint64_t)plan->max_dumps, (uint64_t)plan->max_kept);
	return 0;
}

/* --- segments --- */

bool flight_wants_segment(const struct flight *flight, uint64_t now)
{
	return segments_are_due(flight->segments, now);
}

static int use_module(void *context, uint32_t tgid, const struct mapping *mapping)
{
	(void)tgid;
	module_table_use(context, mapping->module);
	return 0;
}

static void drop_module(void *context, uint32_t id)
{
	if (context)
		module_files_forget(context, id);
}

/*
 * Once per window: forgets addresses that were hit before the last turn, and, if their table is rather full, modules.
 * In weeks, there are more than any table holds. Modules stay that a process has mapped, now or when the oldest
 * segment began, and those that wait for their files.
 */
static void forget(struct flight *flight)
{
	struct recording *recording = flight->recording;
	struct module_table *modules = recording->modules;

	hits_turn(recording->hits);
	if (!module_table_turn(modules))
		return;
	(void)address_spaces_each(hits_spaces(recording->hits), use_module, modules);
	(void)segments_each_mapping(flight->segments, use_module, modules);
	for (uint32_t id = 0; flight->files && id < 4 * MODULE_TABLE_MAX; id++)
		if (module_files_waits(flight->files, id))
			module_table_use(modules, id);
	module_table_collect(modules, drop_module, flight->files);
}

void flight_begin_segment(struct flight *flight, uint64_t now)
{
	struct recording *recording = flight->recording;

	segments_begin(flight->segments, hits_spaces(recording->hits), now);
	recording->segment++;
	if (now < flight->turn || flight->plan->stream) /* the stream needs all hits at its end */
		return;
	forget(flight);
	flight->turn = now + (uint64_t)flight->plan->window;
}

/* --- a dump, as flight_internal.h says --- */

struct writing {
	const struct flight *flight;
	struct open_waits *open; /* NULL: none, or they are in the segments */
	struct event_log *log;
	struct trace_writer *writer;
	uint64_t since, until;
	uint32_t memory; /* module: executable memory without a file */
	bool before_exec; /* true: only what processes had mapped before their exec; false: all the rest */
	uint32_t execed;  /* the process whose exec was written last */
	int fd;
};

static int writing_init(struct writing *writing)
{
	struct recording *recording = writing->flight->recording;
	const struct trace_writer_settings settings = {
		.max_size = (uint64_t)recording->config->output.max_size,
		.free_floor = FREE_FLOOR,
		.realtime = clock_now(CLOCK_REALTIME) - (clocks_now() - writing->since),
	};
	int r = dump_files_create(&writing->flight->output, &writing->fd) ?:
		trace_writer_create(recording->io, writing->fd, &settings, &writing->writer) ?:
		event_log_create(writing->writer, recording->max_cpus, &writing->log) ?:
		event_log_want_names(writing->log);

	if (r < 0)
		return r;
	recording->log = writing->log; /* all tables write to it from now on */
	recording->writer = writing->writer;
	recording->error = 0;
	return 0;
}

static int add_about(const struct writing *writing)
{
	const struct flight *flight = writing->flight;
	const uint64_t start = flight->recording->start;
	const struct event event = {
		.kind = EVENT_WINDOW,
		.window = {.dump = flight->number, .asked = (uint64_t)flight->plan->window, .room = flight->bytes,
			   .since = writing->since, .until = writing->until,
			   .before = writing->since > start ? writing->since - start : 0}};

	return event_log_add(writing->log, &event);
}

static bool is_before_exec(uint32_t tgid)
{
	return tgid == address_spaces_before_exec(tgid);
}

static int write_mapping(void *context, uint32_t tgid, const struct mapping *mapping)
{
	struct writing *writing = context;
	const struct event_mapping record = {
		.time = writing->since, .tgid = tgid & ~address_spaces_before_exec(0),
		.start = mapping->start, .length = mapping->end - mapping->start, .file_offset = mapping->file_offset,
		.module = mapping->note == MAPPING_MAY_BE_COPY ? writing->memory : mapping->module,
		.flags = MAPPING_INITIAL | (mapping->note == MAPPING_IS_COPY ? MAPPING_COPIED : 0),
	};

	if (is_before_exec(tgid) != writing->before_exec)
		return 0;
	return event_log_add(writing->log, &(struct event){.kind = EVENT_MAPPING, .mapping = record});
}

static int write_exec(void *context, uint32_t tgid, const struct mapping *mapping)
{
	struct writing *writing = context;
	const struct event_comm record = {.time = writing->since, .tgid = tgid & ~address_spaces_before_exec(0),
					  .tid = tgid & ~address_spaces_before_exec(0), .flags = COMM_EXEC};

	(void)mapping;
	if (!is_before_exec(tgid) || tgid == writing->execed)
		return 0;
	writing->execed = tgid;
	return event_log_add(writing->log, &(struct event){.kind = EVENT_COMM, .comm = record});
}

/*
 * A thread in execve() still has the registers of the old program, whose addresses need the old
 * mappings. So such a process begins with those, and executes the new program at once.
 */
static int add_mappings(struct writing *writing)
{
	const struct segments *segments = writing->flight->segments;
	int r;

	writing->before_exec = true;
	r = segments_each_mapping(segments, write_mapping, writing);
	writing->before_exec = false;
	return r ?: segments_each_mapping(segments, write_exec, writing) ?:
	       segments_each_mapping(segments, write_mapping, writing);
}

static int add_state(struct writing *writing)
{
	struct recording *recording = writing->flight->recording;

	module_table_tell(recording->modules);
	kernel_map_tell(recording->kernel_map);
	if (recording->cgroups)
		cgroup_table_tell(recording->cgroups);
	sideband_tell_unavailable(recording->sideband);
	writing->memory = module_table_special(recording->modules, MODULE_ANONYMOUS);
	return recording->error ?: add_mappings(writing);
}

static int copy_chunk(void *writer, const struct rwk_chunk_header *header, const void *stored)
{
	return trace_writer_copy(writer, header, stored);
}

/* Those from before the first segment, or those of the segments. */
static int add_chunks(const struct writing *writing, bool before)
{
	return event_log_flush(writing->log) ?:
	       segments_each_chunk(writing->flight->segments, before, copy_chunk, writing->writer);
}

static int add_open(const struct writing *writing)
{
	if (writing->open)
		open_waits_tell(writing->open);
	return writing->flight->recording->error;
}

/* What the reader will need. */
static int embed(const struct writing *writing)
{
	const struct flight *flight = writing->flight;
	const struct record_config *config = flight->recording->config;
	const struct embed_wish wish = {config->output.embed, elf_unwind_wish(config->snapshots), .soon = true};
	struct embed_result result;

	if (wish.level == EMBED_LEVEL_NONE)
		return 0;
	module_files_part(flight->files, flight->spawner);
	return embed_run(flight->recording, flight->files, flight->spawner, &wish, NULL, &result);
}

static int write_all(struct writing *writing)
{
	int r = writing_init(writing), closed;

	if (r < 0)
		return r;
	r = add_about(writing) ?: add_chunks(writing, true) ?: add_state(writing) ?: add_chunks(writing, false) ?:
	    add_open(writing) ?: embed(writing);
	closed = event_log_close(writing->log, RWK_END_CLEAN, NULL, 0);
	return r ?: closed;
}

/* In the child, which has everything as it was at the fork, while the recorder goes on. Never returns. */
static void write_dump(const struct flight *flight, struct open_waits *open, uint64_t now)
{
	struct writing writing = {.flight = flight, .open = open, .since = segments_since(flight->segments),
				  .until = now, .fd = -1};
	char path[DUMP_PATH_MAX];
	int r = write_all(&writing) ?: dump_files_finish(&flight->output, path);

	if (r < 0) {
		(void)dump_files_drop(&flight->output);
		(void)log_error(-r, "cannot write dump %" PRIu64 ": %s", flight->number,
				r == -EPIPE ? "both processes that make files were killed; restart the recorder" :
					      strerror(-r));
		_exit(1);
	}
	log_info("dump %" PRIu64 " ('%s'): %.1f s, %.1f MB in '%s'", flight->number, flight->why,
		 (double)(now - writing.since) / (double)SECOND, (double)trace_writer_bytes(writing.writer) / 1e6, path);
	runner_run(&flight->runner, path);
	_exit(0);
}

/* --- dumps --- */

static void collect(struct flight *flight, int status, uint64_t now)
{
	bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;

	if (WIFSIGNALED(status)) {
		log_warning("a signal (%d) ended the process that wrote dump %" PRIu64 ": there is no such dump",
			    WTERMSIG(status), flight->number);
		(void)dump_files_drop(&flight->output);
	}
	flight->failed += failed;
	flight->dumps += !failed;
	flight->writer = 0;
	flight->ready = now + (uint64_t)flight->plan->cooldown;
}

bool flight_is_due(struct flight *flight, uint64_t now)
{
	int status;

	if (flight->writer && waitpid(flight->writer, &status, WNOHANG) == flight->writer)
		collect(flight, status, now);
	triggers_look(flight->triggers, now);
	fire_commands(flight, now);
	return flight->due && !flight->writer && now >= flight->due;
}

void flight_dump(struct flight *flight, struct open_waits *open, uint64_t now)
{
	pid_t pid;

	flight->due = 0;
	flight->number++;
	pid = fork();
	if (!pid)
		write_dump(flight, open, now);
	if (pid < 0) {
		log_warning("cannot start a process that writes dump %" PRIu64 ": %s", flight->number, strerror(errno));
		flight->failed++;
		return;
	}
	flight->writer = pid;
}

void flight_await(struct flight *flight)
{
	int status;

	if (flight->writer && waitpid(flight->writer, &status, 0) == flight->writer)
		collect(flight, status, clocks_now());
}

struct flight_state flight_state(const struct flight *flight)
{
	return (struct flight_state){
		.dumps = flight->dumps, .failed = flight->failed, .idle = !flight->writer,
		.bytes = segments_bytes(flight->segments), .since = segments_since(flight->segments),
		.next = flight->due && !flight->writer ? flight->due : UINT64_MAX,
	};
}
