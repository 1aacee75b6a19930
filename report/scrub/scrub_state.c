/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One function per kind of record, in a table. Each fills a new record, member by member: members that are added to a
 * record later are left out until somebody decides here what to do with them.
 */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/scrub/common_names.h"
#include "report/scrub/scrub_internal.h"

enum { LEAVE_OUT = SCRUB_LEAVE_OUT, WRITE = SCRUB_WRITE };

typedef int take_record(struct scrub *scrub, struct event *event);

static int written(int r)
{
	return r < 0 ? r : WRITE;
}

/* --- META --- */

typedef int take_meta(struct scrub *scrub, struct event_text *value);

static bool holds(const struct event_text *value, bool (*is_common)(const char *text))
{
	char text[RWK_MAX_STRING + 1];

	if (value->length >= sizeof(text) || memchr(value->bytes, '\0', value->length))
		return false;
	memcpy(text, value->bytes, value->length);
	text[value->length] = '\0';
	return is_common(text);
}

static int take_host(struct scrub *scrub, struct event_text *value)
{
	return written(scrub_host(scrub, value, value));
}

/* Keeps the release without what the host's own build has added. */
static int take_release(struct scrub *scrub, struct event_text *value)
{
	char text[65]; /* of uname(2) */

	if (!scrub_wants(scrub, SCRUB_HOST))
		return WRITE;
	if (value->length >= sizeof(text))
		return LEAVE_OUT;
	memcpy(text, value->bytes, value->length);
	text[value->length] = '\0';
	value->length = (uint32_t)common_release(text);
	return WRITE;
}

static bool is_number(const char *text)
{
	return text[0] && strspn(text, "0123456789") == strlen(text) && strlen(text) <= 5;
}

/* "0:0-3 1:4-7" */
static bool is_cpu_lists(const char *text)
{
	return strspn(text, "0123456789,-: ") == strlen(text);
}

/* When and by whom the kernel was built, and the boot id. */
static int take_if_host_stays(struct scrub *scrub, struct event_text *value)
{
	(void)value;
	return !scrub_wants(scrub, SCRUB_HOST);
}

/*
 * The writer makes the file header; "condensed" and "scrubbed" are written elsewhere; "memory" is free text. The
 * command line never passes --condense. Unknown keys are left out.
 */
static int take_meta_record(struct scrub *scrub, struct event *event)
{
	static const struct {
		const char *key;
		take_meta *take; /* NULL: what is_common() says of it decides */
		bool (*is_common)(const char *text);
	} keys[] = {
		{"recorder", NULL, common_recorder},
		{"hostname", take_host, NULL},
		{"machine", NULL, common_machine},
		{"kernel_release", take_release, NULL},
		{"kernel_version", take_if_host_stays, NULL},
		{"boot_id", take_if_host_stays, NULL},
		{"cpus", NULL, is_number},
		{"nodes", NULL, is_cpu_lists},
		{"packages", NULL, is_cpu_lists},
		{"cores", NULL, is_cpu_lists},
		{"cgroups", NULL, common_cgroup_words},
		{"helpers_ended", NULL, common_helper_words},
	};
	const struct event_meta meta = event->meta;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (meta.key.length != strlen(keys[i].key) || memcmp(meta.key.bytes, keys[i].key, meta.key.length) != 0)
			continue;
		event->meta = (struct event_meta){.key = {keys[i].key, meta.key.length}, .value = meta.value};
		if (keys[i].is_common)
			return holds(&event->meta.value, keys[i].is_common) ? WRITE : LEAVE_OUT;
		return keys[i].take(scrub, &event->meta.value);
	}
	return LEAVE_OUT;
}

/* --- what was recorded --- */

static int take_clock(struct scrub *scrub, struct event *event)
{
	const struct event_clock clock = event->clock;
	uint64_t time = scrub_time(scrub, clock.time);

	if (scrub_wants(scrub, SCRUB_TIMES))
		event->clock = (struct event_clock){.time = time, .boottime = time, .window = clock.window,
						    .realtime = scrub_realtime(time), .tai = scrub_realtime(time)};
	else
		event->clock = (struct event_clock){.time = time, .boottime = clock.boottime, .tai = clock.tai,
						    .realtime = clock.realtime, .window = clock.window};
	return WRITE;
}

/* The kernel's own events stay. Events that users define have private names. */
static bool has_common_probes(const struct scrub *scrub, uint32_t source)
{
	bool any = false;

	for (size_t i = 0; i < scrub->model->probes.count; i++) {
		const struct trace_probe *probe = &scrub->model->probes.items[i];

		if (probe->source != source)
			continue;
		if (!common_probe(probe->name))
			return false;
		any = true;
	}
	return any;
}

static bool is_pattern(const char *name)
{
	const char *at = name;

	while (*at && (common_identifier(at, 1) || strchr(":*?[]-", *at)))
		at++;
	return at > name && !*at;
}

static bool is_common_source(const struct scrub *scrub, const struct event_source *source)
{
	if (source->kind == SOURCE_TRACEPOINT || source->kind == SOURCE_KFUNC)
		return holds(&source->name, is_pattern) && has_common_probes(scrub, source->id);
	return holds(&source->name, common_source);
}

static int take_source(struct scrub *scrub, struct event *event)
{
	const struct event_source source = event->source;

	event->source = (struct event_source){
		.id = source.id, .kind = source.kind, .weight = source.weight, .frequency = source.frequency,
		.period = source.period, .start = scrub_time(scrub, source.start),
		.stop = scrub_time(scrub, source.stop), .flags = source.flags, .least = source.least,
		.most = source.most};
	return written(scrub_probe_name(scrub, &source.name, is_common_source(scrub, &source),
					&event->source.name));
}

static int take_probe(struct scrub *scrub, struct event *event)
{
	const struct event_probe probe = event->probe;

	event->probe = (struct event_probe){.id = probe.id, .source = probe.source, .hook = probe.hook};
	return written(scrub_probe_name(scrub, &probe.name, holds(&probe.name, common_probe), &event->probe.name));
}

/* --- modules and mappings --- */

static struct event_text text_of(const char *text)
{
	return (struct event_text){text, (uint32_t)strlen(text)};
}

static int name_module(struct scrub *scrub, const struct trace_module *known, const struct event_module *module,
		       struct event_text *ret_path)
{
	switch (module->kind) {
	case MODULE_FILE:
		*ret_path = module->path;
		return !scrub_wants(scrub, SCRUB_PATHS) || scrub_is_public(scrub, known) ? 0 :
			       scrub_path(scrub, PSEUDONYM_FILE, &module->path, ret_path);
	case MODULE_KERNEL:
		*ret_path = text_of("[kernel]");
		return 0;
	case MODULE_VDSO:
		*ret_path = text_of("[vdso]");
		return 0;
	case MODULE_ANONYMOUS:
		*ret_path = text_of("[anon]");
		return 0;
	default: /* a name of the kernel */
		return scrub_function(scrub, known, &module->path, ret_path);
	}
}

/* Build-ids of kernel modules are dropped: one that was built outside of the kernel looks like the others. */
static bool keeps_build_id(const struct scrub *scrub, const struct trace_module *module)
{
	if (!scrub_wants(scrub, SCRUB_BUILD_IDS))
		return true;
	if (module->kind == MODULE_KERNEL || module->kind == MODULE_VDSO)
		return scrub_is_common_kernel(scrub);
	return module->kind == MODULE_FILE && scrub_is_public(scrub, module);
}

static int take_module(struct scrub *scrub, struct event *event)
{
	const struct event_module module = event->module;
	const struct trace_module *known = trace_model_module(scrub->model, module.id);
	uint64_t device = module.device, inode = module.inode;
	bool keep_base = !scrub_wants(scrub, SCRUB_ADDRESSES);
	int r;

	if (!known)
		return LEAVE_OUT;
	event->module = (struct event_module){.id = module.id, .kind = module.kind, .base = keep_base ? module.base : 0,
					      .flags = module.flags};
	r = name_module(scrub, known, &module, &event->module.path);
	if (!r && keeps_build_id(scrub, known))
		event->module.build_id = module.build_id;
	else if (!r)
		r = scrub_build_id(scrub, &module.build_id, &event->module.build_id);
	if (!r && scrub_wants(scrub, SCRUB_PATHS)) {
		r = scrub_number(&scrub->devices, module.device, &device);
		if (!r)
			r = scrub_number(&scrub->inodes, module.inode, &inode);
	}
	event->module.device = device;
	event->module.inode = inode;
	return written(r);
}

static int take_mapping(struct scrub *scrub, struct event *event)
{
	const struct event_mapping mapping = event->mapping;
	const struct trace_module *module = trace_model_module(scrub->model, mapping.module);
	const bool moved = scrub_wants(scrub, SCRUB_ADDRESSES);
	uint64_t start = mapping.start;

	if (!module || (moved && !scrub_place_mapping(&scrub->places, &mapping, &start)))
		return LEAVE_OUT;
	event->mapping = (struct event_mapping){
		.time = scrub_time(scrub, mapping.time), .start = start, .length = mapping.length,
		/* for memory without a file, this may repeat the address */
		.file_offset = moved && module->kind == MODULE_ANONYMOUS ? 0 : mapping.file_offset,
		.module = mapping.module, .flags = mapping.flags & (MAPPING_INITIAL | MAPPING_COPIED)};
	return written(scrub_pid(scrub, mapping.tgid, &event->mapping.tgid));
}

static int take_kernel_symbol(struct scrub *scrub, struct event *event)
{
	const struct event_kernel_symbol symbol = event->kernel_symbol;

	event->kernel_symbol = (struct event_kernel_symbol){
		.module = symbol.module, .offset = symbol.offset, .size = symbol.size};
	return written(scrub_function(scrub, trace_model_module(scrub->model, symbol.module), &symbol.name,
				      &event->kernel_symbol.name));
}

static int take_embed_module(struct scrub *scrub, struct event *event)
{
	const struct event_embed_module module = event->embed_module;

	(void)scrub;
	event->embed_module = (struct event_embed_module){
		.module = module.module, .machine = module.machine,
		/* only symbols that were hit stay */
		.status = module.status == EMBED_FULL ? EMBED_MIN : module.status,
		.segment_count = module.segment_count, .segments = module.segments};
	return WRITE;
}

/* --- processes --- */

static int take_fork(struct scrub *scrub, struct event *event)
{
	const struct event_fork fork = event->fork;
	struct event_fork *out = &event->fork;
	int r;

	*out = (struct event_fork){.time = scrub_time(scrub, fork.time)};
	r = scrub_pid(scrub, fork.tgid, &out->tgid);
	if (!r)
		r = scrub_pid(scrub, fork.tid, &out->tid);
	if (!r)
		r = scrub_pid(scrub, fork.parent_tgid, &out->parent_tgid);
	if (!r)
		r = scrub_pid(scrub, fork.parent_tid, &out->parent_tid);
	return written(r);
}

static int take_comm(struct scrub *scrub, struct event *event)
{
	const struct event_comm comm = event->comm;
	int r;

	event->comm = (struct event_comm){.time = scrub_time(scrub, comm.time),
					  .flags = comm.flags & (COMM_EXEC | COMM_INITIAL)};
	r = scrub_pid(scrub, comm.tgid, &event->comm.tgid);
	if (!r)
		r = scrub_pid(scrub, comm.tid, &event->comm.tid);
	if (!r)
		r = scrub_comm(scrub, comm.comm.bytes, comm.comm.length, &event->comm.comm);
	return written(r);
}

static int take_exit(struct scrub *scrub, struct event *event)
{
	const struct event_exit gone = event->exit;
	int r;

	event->exit = (struct event_exit){.time = scrub_time(scrub, gone.time)};
	r = scrub_pid(scrub, gone.tgid, &event->exit.tgid);
	if (!r)
		r = scrub_pid(scrub, gone.tid, &event->exit.tid);
	return written(r);
}

static int take_maps_unavailable(struct scrub *scrub, struct event *event)
{
	const struct event_maps_unavailable maps = event->maps_unavailable;

	event->maps_unavailable = (struct event_maps_unavailable){.time = scrub_time(scrub, maps.time),
								  .reason = maps.reason};
	return written(scrub_pid(scrub, maps.tgid, &event->maps_unavailable.tgid));
}

/* --- the account: numbers only --- */

static int take_loss(struct scrub *scrub, struct event *event)
{
	const struct event_loss loss = event->loss;

	event->loss = (struct event_loss){.time = scrub_time(scrub, loss.time), .source = loss.source, .cpu = loss.cpu,
					  .cause = loss.cause, .total = loss.total};
	return WRITE;
}

static int take_cost(struct scrub *scrub, struct event *event)
{
	const struct event_cost cost = event->cost;

	event->cost = (struct event_cost){.time = scrub_time(scrub, cost.time), .user_ns = cost.user_ns,
					  .system_ns = cost.system_ns, .bpf_ns = cost.bpf_ns, .max_rss = cost.max_rss,
					  .ring_bytes = cost.ring_bytes, .written = cost.written};
	return WRITE;
}

static int take_probe_hits(struct scrub *scrub, struct event *event)
{
	const struct event_probe_hits hits = event->probe_hits;

	event->probe_hits = (struct event_probe_hits){
		.time = scrub_time(scrub, hits.time), .probe = hits.probe, .hits = hits.hits, .skipped = hits.skipped,
		.missed = hits.missed};
	return WRITE;
}

static int take_unsure(struct scrub *scrub, struct event *event)
{
	const struct event_unsure unsure = event->unsure;

	event->unsure = (struct event_unsure){.time = scrub_time(scrub, unsure.time),
					      .until = scrub_time(scrub, unsure.until), .cpu = unsure.cpu,
					      .cause = unsure.cause, .missing = unsure.missing};
	return WRITE;
}

static int take_counter(struct scrub *scrub, struct event *event)
{
	const struct event_counter counter = event->counter;

	event->counter = (struct event_counter){
		.time = scrub_time(scrub, counter.time), .source = counter.source, .cpu = counter.cpu,
		.counted = counter.counted, .seen = counter.seen, .missed = counter.missed,
		.missed_idle = counter.missed_idle, .enabled = counter.enabled, .running = counter.running,
		.throttled = counter.throttled};
	return WRITE;
}

static int take_walk(struct scrub *scrub, struct event *event)
{
	const struct event_walk walk = event->walk;

	event->walk = (struct event_walk){.time = scrub_time(scrub, walk.time), .number = walk.number,
					  .source = walk.source, .flags = walk.flags, .seen = walk.seen,
					  .kept = walk.kept};
	return WRITE;
}

static int take_window(struct scrub *scrub, struct event *event)
{
	const struct event_window window = event->window;

	event->window = (struct event_window){
		.since = scrub_time(scrub, window.since), .until = scrub_time(scrub, window.until),
		.before = window.before, .dump = window.dump, .asked = window.asked, .room = window.room,
		.left_out = window.left_out};
	return WRITE;
}

/* Only the kind stays: rules contain names of programs and cgroups, and whole commands. */
static struct event_text kind_of_rule(const struct event_text *rule)
{
	uint32_t length = 0;

	while (length < rule->length && rule->bytes[length] >= 'a' && rule->bytes[length] <= 'z')
		length++;
	return (struct event_text){rule->bytes, length};
}

static int take_trigger(struct scrub *scrub, struct event *event)
{
	const struct event_trigger trigger = event->trigger;
	int r;

	event->trigger = (struct event_trigger){
		.time = scrub_time(scrub, trigger.time), .dump = trigger.dump, .rule = kind_of_rule(&trigger.rule),
		.value = trigger.value, .more = trigger.more};
	r = scrub_pid(scrub, trigger.tgid, &event->trigger.tgid);
	if (!r)
		r = scrub_pid(scrub, trigger.tid, &event->trigger.tid);
	if (!r && trigger.comm.length)
		r = scrub_comm(scrub, trigger.comm.bytes, trigger.comm.length, &event->trigger.comm);
	return written(r);
}

static int take_regime(struct scrub *scrub, struct event *event)
{
	const struct event_regime regime = event->regime;

	event->regime = (struct event_regime){
		.time = scrub_time(scrub, regime.time), .step = regime.step, .reason = regime.reason,
		.lacks = regime.lacks, .least = regime.least, .frequency = regime.frequency, .used = regime.used,
		.budget = regime.budget};
	return WRITE;
}

static int take_object(struct scrub *scrub, struct event *event)
{
	return written(scrub_object(scrub, event));
}

static int take_object_name(struct scrub *scrub, struct event *event)
{
	(void)scrub;
	return scrub_object_name(event) ? WRITE : LEAVE_OUT;
}

/*
 * These kinds have no function: EMBED_SYMBOLS and PERF_MAP are made from what was hit (scrub_symbols.c), EMBED_UNWIND
 * contains a module's symbols, compressed, and SNAPSHOT contains memory. Records of events are in scrub_events.c.
 */
int scrub_record(struct scrub *scrub, struct event *event)
{
	static take_record *const takes[] = {
		[EVENT_META] = take_meta_record,
		[EVENT_CLOCK] = take_clock,
		[EVENT_SOURCE] = take_source,
		[EVENT_MODULE] = take_module,
		[EVENT_MAPPING] = take_mapping,
		[EVENT_FORK] = take_fork,
		[EVENT_COMM] = take_comm,
		[EVENT_EXIT] = take_exit,
		[EVENT_KERNEL_SYMBOL] = take_kernel_symbol,
		[EVENT_LOSS] = take_loss,
		[EVENT_COST] = take_cost,
		[EVENT_MAPS_UNAVAILABLE] = take_maps_unavailable,
		[EVENT_PROBE] = take_probe,
		[EVENT_PROBE_HITS] = take_probe_hits,
		[EVENT_UNSURE] = take_unsure,
		[EVENT_COUNTER] = take_counter,
		[EVENT_WALK] = take_walk,
		[EVENT_EMBED_MODULE] = take_embed_module,
		[EVENT_WINDOW] = take_window,
		[EVENT_TRIGGER] = take_trigger,
		[EVENT_REGIME] = take_regime,
		[EVENT_OBJECT] = take_object,
		[EVENT_OBJECT_NAME] = take_object_name,
		[EVENT_CGROUP] = scrub_cgroup,
	};
	const uint32_t kind = event->kind;

	return kind < sizeof(takes) / sizeof(takes[0]) && takes[kind] ? takes[kind](scrub, event) : LEAVE_OUT;
}
