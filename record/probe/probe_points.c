/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <bpf/btf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/time_units.h"
#include "record/host/host.h"
#include "record/probe/points.h"
#include "record/probe/probe_internal.h"

#include "bpf/points.skel.h"

#define SYSTEM_CALLS "syscalls" /* their events are attached to two raw tracepoints that all system calls share */

/* --- what the kernel lets programs do --- */

/* Linux 6.10 and later */
static bool can_stay(void)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	bool found = kernel && btf__find_by_name_kind(kernel, "bpf_preempt_disable", BTF_KIND_FUNC) > 0;

	btf__free(kernel);
	return found;
}

/*
 * Whether tasks preempt each other in the kernel. While a task is preempted in a fentry program,
 * the kernel does not start that program anywhere else on its CPU; while a task is preempted as the
 * kernel walks a stack for it, all others there get no stacks. If the scheduler's own setting
 * cannot be read, a kernel that was built for preemption is assumed to use it.
 */
static bool meet_others(void)
{
	char text[512];

	small_file_read("/sys/kernel/debug/sched/preempt", text, sizeof(text));
	if (*text)
		return strstr(text, "(full)") || strstr(text, "(lazy)");
	small_file_read("/proc/version", text, sizeof(text));
	return strstr(text, "PREEMPT");
}

/* Each function's program may be preempted once if that cannot be prevented. */
uint32_t probe_point_slots(const struct probe *probe)
{
	const struct points *points = probe->settings.points->points;
	uint32_t slots = RING_NEST_LEVELS;

	for (uint32_t i = 0; !probe->points_stay && i < points->source_count; i++)
		if (points->sources[i].asked->function && !points->sources[i].is_set && slots < RING_SLOTS)
			slots++;
	return slots;
}

/* --- one copy of the programs --- */

static struct bpf_program *program_of(const struct points_bpf *programs, enum probe_hook hook)
{
	switch (hook) {
	case HOOK_RAW_TRACEPOINT:
		return programs->progs.point_raw_tracepoint;
	case HOOK_TRACEPOINT:
		return programs->progs.point_tracepoint;
	case HOOK_FENTRY:
		return programs->progs.point_fentry;
	case HOOK_KPROBE:
		return programs->progs.point_kprobe;
	default:
		return programs->progs.point_kprobe_multi;
	}
}

/* Where a function is called from is unknown; the traced function may be part of the scheduler itself. */
static bool in_scheduler(const struct probe *probe, enum probe_hook hook, uint32_t number)
{
	const struct points *points = probe->settings.points->points;
	const char *category = number ? points->items.items[number - 1].category : NULL;

	return hook >= HOOK_FENTRY || !category || !strcmp(category, "sched");
}

/*
 * A tenth of a second's stacks may come at once, so that a short burst is recorded whole. The other nine tenths follow
 * at even intervals, so that a storm is sampled throughout. No second, wherever it begins, has more than `rate`.
 */
static void set_rate(struct points_bpf *programs, uint64_t rate)
{
	uint64_t at_once = rate >= 10 ? rate / 10 : 1, interval = rate ? (10 * SECOND + 9 * rate - 1) / (9 * rate) : 0;

	programs->rodata->point_interval = interval;
	programs->rodata->point_burst = (at_once - 1) * interval;
}

/* Copies share the maps of the first one. */
static int share_maps(const struct probe *probe, const struct points_bpf *programs)
{
	const struct points *points = probe->settings.points->points;
	const struct bpf_object *first = probe->points.items[0].programs->obj;
	struct bpf_map *map;
	int r = 0;

	if (programs->obj == first) {
		(void)bpf_map__set_max_entries(programs->maps.point_hits, (uint32_t)points->items.count + 1);
		(void)bpf_map__set_max_entries(programs->maps.point_sources, points->source_count);
		return 0;
	}
	bpf_object__for_each_map(map, programs->obj) {
		const struct bpf_map *other = bpf_object__find_map_by_name(first, bpf_map__name(map));

		if (!r && other && !bpf_map__is_internal(map))
			r = bpf_map__reuse_fd(map, bpf_map__fd(other));
	}
	return r;
}

static int set_up(const struct probe *probe, const struct point_object *object, uint32_t number)
{
	const struct probe_points_settings *points = probe->settings.points;
	struct points_bpf *programs = object->programs;

	programs->rodata->point_number = number;
	programs->rodata->point_source_index = object->source;
	programs->rodata->knobs.source = points->first_source + object->source;
	set_rate(programs, points->rate_limit);
	programs->rodata->sample_in_scheduler = in_scheduler(probe, object->hook, number);
	programs->rodata->point_stays = probe->points_stay && object->hook == HOOK_FENTRY;
	for (enum probe_hook hook = HOOK_RAW_TRACEPOINT; hook <= HOOK_KPROBE_MULTI; hook++)
		(void)bpf_program__set_autoload(program_of(programs, hook), hook == object->hook);
	return share_maps(probe, programs);
}

static void drop_last(struct probe *probe)
{
	struct point_object *object = &probe->points.items[probe->points.count - 1];

	for (size_t i = 0; i < object->links.count; i++)
		bpf_link__destroy(object->links.items[i]);
	array_free(&object->links);
	probe_forget(probe, object->programs->obj);
	points_bpf__destroy(object->programs);
	probe->points.count--;
}

/* function: for fentry, which is bound to it at load. On failure there is no new copy. */
static int load(struct probe *probe, enum probe_hook hook, uint32_t source, uint32_t number, const char *function)
{
	struct points_bpf *programs;
	int r;

	if (probe->points.count == MAX_POINT_OBJECTS)
		return -E2BIG;
	programs = points_bpf__open();
	if (!programs)
		return -errno;
	if (array_push(&probe->points, (struct point_object){.programs = programs, .source = source, .hook = hook}) < 0) {
		points_bpf__destroy(programs);
		return -ENOMEM;
	}
	r = set_up(probe, &probe->points.items[probe->points.count - 1], number);
	if (r >= 0)
		r = probe_load(probe, &PROBE_OBJECT(PROBE_POINTS, programs, PROBE_RINGS(programs),
						    .copy = probe->points.count > 1, .function = function,
						    .on_function = program_of(programs, hook)));
	if (r < 0)
		drop_last(probe);
	return r;
}

static int keep_link(struct probe *probe, struct bpf_link *link)
{
	struct point_object *object = &probe->points.items[probe->points.count - 1];

	if (!link)
		return -errno;
	if (array_push(&object->links, link) >= 0)
		return 0;
	bpf_link__destroy(link);
	return -ENOMEM;
}

/* --- tracepoints, and functions one by one --- */

static struct bpf_program *last_program(const struct probe *probe)
{
	const struct point_object *object = &probe->points.items[probe->points.count - 1];

	return program_of(object->programs, object->hook);
}

static int attach_tracepoint(struct probe *probe, struct point *point, uint32_t number)
{
	bool system_call = point->category && !strcmp(point->category, SYSTEM_CALLS);
	enum probe_hook hook = system_call ? HOOK_TRACEPOINT : HOOK_RAW_TRACEPOINT;
	int r = load(probe, hook, point->source, number, NULL);

	if (r < 0)
		return r;
	if (system_call)
		r = keep_link(probe, bpf_program__attach_tracepoint(last_program(probe), point->category, point->name));
	else
		r = keep_link(probe, bpf_program__attach_raw_tracepoint(last_program(probe), point->name));
	if (r < 0)
		drop_last(probe);
	else
		point->hook = hook;
	return r;
}

static int attach_fentry(struct probe *probe, struct point *point, uint32_t number)
{
	int r = load(probe, HOOK_FENTRY, point->source, number, point->name);

	if (r < 0)
		return r;
	r = keep_link(probe, bpf_program__attach(last_program(probe)));
	if (r < 0)
		drop_last(probe);
	else
		point->hook = HOOK_FENTRY;
	return r;
}

static int attach_kprobe(struct probe *probe, struct point *point, uint32_t number)
{
	LIBBPF_OPTS(bpf_kprobe_opts, options, .bpf_cookie = number);
	int r = keep_link(probe, bpf_program__attach_kprobe_opts(last_program(probe), point->name, &options));

	if (!r)
		point->hook = HOOK_KPROBE;
	return r;
}

static int attach_alone(struct probe *probe, struct point *point, uint32_t number)
{
	int r = kernel_has_kprobes() ? load(probe, HOOK_KPROBE, point->source, 0, NULL) : -EOPNOTSUPP;

	if (r < 0)
		return r;
	r = attach_kprobe(probe, point, number);
	if (r < 0)
		drop_last(probe);
	return r;
}

/*
 * Attaches by fentry, else by a kprobe; in reverse order if others could preempt the fentry program. If neither can be
 * attached, the kprobe's error shows why: for fentry, the kernel only finds other code than expected.
 */
static int attach_function(struct probe *probe, struct point *point, uint32_t number)
{
	bool alone = probe->points_preempted;
	int first = alone ? attach_alone(probe, point, number) : attach_fentry(probe, point, number), second, by_kprobe;

	if (!first || first == -ENOMEM || first == -E2BIG)
		return first;
	second = alone ? attach_fentry(probe, point, number) : attach_alone(probe, point, number);
	if (!second || second == -ENOMEM)
		return second;
	by_kprobe = alone ? first : second;
	return by_kprobe != -EOPNOTSUPP ? by_kprobe : alone ? second : first;
}

/* --- many functions --- */

/* Attaches to all of them with one link. */
static int attach_at_once(struct probe *probe, const struct point_source *source, struct point *points)
{
	uint64_t *cookies = calloc(source->count, sizeof(*cookies));
	const char **names = calloc(source->count, sizeof(*names));
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .syms = names,
		    .cookies = (const __u64 *)cookies, .cnt = source->count);
	int r = cookies && names ? load(probe, HOOK_KPROBE_MULTI, points->source, 0, NULL) : -ENOMEM;

	for (uint32_t i = 0; !r && i < source->count; i++) {
		names[i] = points[i].name;
		cookies[i] = source->first + i + 1;
	}
	if (!r) {
		r = keep_link(probe, bpf_program__attach_kprobe_multi_opts(last_program(probe), NULL, &options));
		if (r < 0)
			drop_last(probe);
	}
	for (uint32_t i = 0; !r && i < source->count; i++)
		points[i].hook = HOOK_KPROBE_MULTI;
	free(cookies);
	free(names);
	return r;
}

static int attach_one_by_one(struct probe *probe, const struct point_source *source, struct point *points)
{
	const struct probe_points_settings *settings = probe->settings.points;
	int loaded = load(probe, HOOK_KPROBE, points->source, 0, NULL);
	uint32_t attached = 0;

	if (loaded == -ENOMEM)
		return loaded;
	for (uint32_t i = 0; i < source->count; i++) {
		points[i].error = loaded ? loaded : attach_kprobe(probe, &points[i], source->first + i + 1);
		attached += !points[i].error;
		if (settings->progress && !loaded)
			settings->progress(settings->context, i + 1, source->count);
	}
	if (!loaded && !attached)
		drop_last(probe);
	return 0;
}

static int attach_set(struct probe *probe, const struct point_source *source, struct point *points)
{
	int multi = attach_at_once(probe, source, points);

	if (!multi || multi == -ENOMEM)
		return multi;
	if (kernel_has_kprobes())
		return attach_one_by_one(probe, source, points);
	for (uint32_t i = 0; i < source->count; i++)
		points[i].error = multi;
	return 0;
}

/* --- all of them --- */

static const char *why(const struct point_source *source, const struct point *point, char text[static 256])
{
	int error = point->error;

	if (source->asked->function && !kernel_has_kprobes()) {
		(void)snprintf(text, 256, "this kernel rejects %s (%s) and has no kprobes",
			       source->is_set ? "kprobe.multi" : "fentry", strerror(-error));
		return text;
	}
	if (point->nearest) {
		(void)snprintf(text, 256, "this kernel has no such tracepoint; did you mean '%s'?", point->nearest);
		return text;
	}
	switch (error) {
	case -E2BIG:
		return "too many at once: name fewer";
	case -EADDRNOTAVAIL:
	case -EINVAL:
	case -EOPNOTSUPP:
	case -ENOENT:
	case -ESRCH:
		return "the kernel does not allow it";
	default:
		return strerror(-error);
	}
}

static void say_failures(const struct point_source *source, const struct point *points)
{
	enum { NAMED = 8 };
	char name[256], text[256];
	uint32_t failed = 0;

	for (uint32_t i = 0; i < source->count; i++) {
		if (points[i].hook)
			continue;
		if (failed++ < NAMED)
			log_warning("cannot trace '%s': %s", point_text(&points[i], name),
				    why(source, &points[i], text));
	}
	if (failed > NAMED)
		log_warning("cannot trace %u more of '%.*s'", failed - NAMED, source->asked->length,
			    source->asked->text);
}

/* Nothing could be attached: one line for all. */
static int say_nothing(const struct points *points)
{
	const struct point *first = &points->items.items[0];
	char name[256], text[256], others[64] = "";

	if (points->items.count > 1)
		(void)snprintf(others, sizeof(others), " and %zu more", points->items.count - 1);
	return log_error(EOPNOTSUPP, "cannot trace '%s'%s: %s", point_text(first, name), others,
			 why(&points->sources[first->source], first, text));
}

static int attach_source(struct probe *probe, const struct point_source *source)
{
	struct point *points = probe->settings.points->points->items.items + source->first;

	if (source->asked->function && source->is_set && source->count)
		return attach_set(probe, source, points);
	for (uint32_t i = 0; i < source->count; i++) {
		uint32_t number = source->first + i + 1;

		points[i].error = source->asked->function ? attach_function(probe, &points[i], number)
							  : attach_tracepoint(probe, &points[i], number);
		if (points[i].error == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

int probe_points_load(struct probe *probe)
{
	const struct points *points = probe->settings.points->points;
	size_t attached = 0;
	int r = 0;

	(void)libbpf_set_print(NULL);
	probe->points_stay = can_stay();
	probe->points_preempted = meet_others();
	for (uint32_t i = 0; !r && i < points->source_count; i++)
		r = attach_source(probe, &points->sources[i]);
	for (size_t i = 0; i < points->items.count; i++)
		attached += !!points->items.items[i].hook;
	if (r < 0 || !attached)
		return r < 0 ? r : say_nothing(points);
	for (uint32_t i = 0; i < points->source_count; i++)
		say_failures(&points->sources[i], points->items.items + points->sources[i].first);
	return 0;
}

void probe_points_unload(struct probe *probe)
{
	while (probe->points.count)
		drop_last(probe);
	array_free(&probe->points);
}

/* --- while they run --- */

void probe_points_arm(struct probe *probe, uint32_t source, bool on)
{
	for (size_t i = 0; i < probe->points.count; i++)
		if (probe->points.items[i].source == source)
			__atomic_store_n(&probe->points.items[i].programs->bss->points_armed, on, __ATOMIC_RELEASE);
}

int probe_point_counters(const struct probe *probe, uint32_t source, struct ring_point_source *ret_cpus)
{
	return probe_read_per_cpu(probe, probe->points.items[0].programs->maps.point_sources, source, ret_cpus,
				  sizeof(*ret_cpus));
}

int probe_point_hits(const struct probe *probe, uint32_t point, struct ring_point_hits *ret_hits)
{
	struct ring_point_hits *hits = (struct ring_point_hits *)probe->counters;
	int r = bpf_map_lookup_elem(bpf_map__fd(probe->points.items[0].programs->maps.point_hits), &point, hits);

	*ret_hits = (struct ring_point_hits){0};
	for (int cpu = 0; !r && cpu < probe->possible; cpu++) {
		ret_hits->hits += hits[cpu].hits;
		ret_hits->skipped += hits[cpu].skipped;
	}
	return r;
}

/*
 * The part of the kernel's struct bpf_link_info that is needed. Fields that a kernel does not know
 * stay 0 (missed: since 6.7).
 */
struct link_info {
	__u32 type, id, program, unused;
	union {
		struct {
			__u64 addresses;
			__u32 count, flags;
			__u64 missed;
		} multi;
		struct {
			__u32 kind, unused;
			__u64 name;
			__u32 name_length, offset;
			__u64 address, missed;
		} event;
		__u64 room[8];
	};
};

static uint64_t link_missed(const struct bpf_link *link)
{
	enum { PERF_EVENT_LINK = 7, KPROBE_MULTI_LINK = 8, KPROBE_EVENT = 3 };
	struct link_info info = {0};
	uint32_t length = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_link__fd(link), &info, &length) < 0)
		return 0;
	if (info.type == KPROBE_MULTI_LINK)
		return info.multi.missed;
	return info.type == PERF_EVENT_LINK && info.event.kind == KPROBE_EVENT ? info.event.missed : 0;
}

uint64_t probe_points_missed(const struct probe *probe, uint32_t source)
{
	uint64_t missed = 0;

	for (size_t i = 0; i < probe->points.count; i++) {
		const struct point_object *object = &probe->points.items[i];

		if (object->source != source)
			continue;
		missed += probe_misses(program_of(object->programs, object->hook));
		for (size_t j = 0; j < object->links.count; j++)
			missed += link_missed(object->links.items[j]);
	}
	return missed;
}

/* --- all tracepoints --- */

int probe_tracepoints(int (*take)(void *context, const char *name), void *context)
{
	static const char prefix[] = "btf_trace_";
	struct btf *kernel = btf__load_vmlinux_btf();
	int r = 0;

	for (uint32_t id = 1; kernel && !r && id < btf__type_cnt(kernel); id++) {
		const struct btf_type *type = btf__type_by_id(kernel, id);
		const char *name = btf_is_typedef(type) ? btf__name_by_offset(kernel, type->name_off) : NULL;

		if (name && !strncmp(name, prefix, sizeof(prefix) - 1))
			r = take(context, name + sizeof(prefix) - 1);
	}
	btf__free(kernel);
	return r;
}
