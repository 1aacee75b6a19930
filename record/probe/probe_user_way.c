/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/probe/probe_user_way.h"

#include <bpf/btf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/host/host.h"
#include "record/host/kallsyms.h"

#define KPROBES "/sys/bus/event_source/devices/kprobe/type"

bool kernel_has_kprobes(void)
{
	return !access(KPROBES, R_OK);
}

/* --- task work --- */

static bool has_function(const struct btf *kernel, const char *name, unsigned int parameters)
{
	int32_t id = btf__find_by_name_kind(kernel, name, BTF_KIND_FUNC);
	const struct btf_type *function = id > 0 ? btf__type_by_id(kernel, (uint32_t)id) : NULL;
	const struct btf_type *type = function ? btf__type_by_id(kernel, function->type) : NULL;

	return type && btf_is_func_proto(type) && btf_vlen(type) == parameters;
}

static bool find_task_work(const struct btf *kernel, struct user_way *way)
{
	bool full = has_function(kernel, "bpf_task_work_schedule_resume_impl", 5);

	way->plain_name = !full && has_function(kernel, "bpf_task_work_schedule_resume", 4);
	return (full || way->plain_name) && has_function(kernel, "bpf_preempt_disable", 0);
}

/* --- the end of a switch --- */

/*
 * include/linux/perf_event.h has these events since 4.17: bit 0 means the function's return.
 * Returns a descriptor or -errno.
 */
static int open_kprobe(const char *function, bool on_return)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .config = on_return, .kprobe_func = (uintptr_t)function};
	char text[32];

	small_file_read(KPROBES, text, sizeof(text));
	if (!*text)
		return -ENOENT;
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Also the names that compilers give to variants of the function. */
static bool is_switch_end(const char *name)
{
	const size_t length = strlen(SWITCH_END);

	return !strncmp(name, SWITCH_END ".", length + 1) && !strstr(name, ".cold");
}

static int open_variant(bool on_return)
{
	struct kallsyms table = {0};
	int fd = -ENOENT;

	if (kernel_has_kprobes() && !kallsyms_read(&table))
		for (size_t i = 0; fd < 0 && i < table.symbols.count; i++)
			if (is_switch_end(table.names.items + table.symbols.items[i].name))
				fd = open_kprobe(table.names.items + table.symbols.items[i].name, on_return);
	kallsyms_deinit(&table);
	return fd;
}

static bool find_switch(bool late, struct user_way *way)
{
	static const char *const usual[] = {SWITCH_END, SWITCH_END ".isra.0"};

	for (size_t i = 0; way->switch_fd < 0 && i < sizeof(usual) / sizeof(usual[0]); i++)
		way->switch_fd = open_kprobe(usual[i], late);
	if (way->switch_fd < 0)
		way->switch_fd = open_variant(late);
	return way->switch_fd >= 0;
}

/* --- all of them --- */

void user_way_find(const struct btf *kernel, enum ring_user_way from, bool late, struct user_way *ret_way)
{
	*ret_way = (struct user_way){.way = RING_BY_SYS_EXIT, .switch_fd = -1};
	if (from <= RING_BY_TASK_WORK && kernel && find_task_work(kernel, ret_way))
		ret_way->way = RING_BY_TASK_WORK;
	else if (from <= RING_BY_SWITCH && find_switch(late, ret_way))
		ret_way->way = RING_BY_SWITCH;
}

void user_way_close(struct user_way *way)
{
	if (way->way == RING_BY_SWITCH && way->switch_fd >= 0)
		(void)close(way->switch_fd);
	*way = (struct user_way){.switch_fd = -1};
}
