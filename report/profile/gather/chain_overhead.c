/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/chain_overhead.h"

#include <string.h>

/* "bpf_prog_" and the program's tag. Functions of the kernel such as bpf_prog_load() have no tag. */
static bool is_program(const char *name)
{
	static const char prefix[] = "bpf_prog_";
	enum { TAG_DIGITS = 16 };

	return !strncmp(name, prefix, sizeof(prefix) - 1) &&
	       strspn(name + sizeof(prefix) - 1, "0123456789abcdef") >= TAG_DIGITS;
}

/*
 * The way of a task into a BPF program and from there to the stack walker. At the leaf, these
 * frames belong to the recording, not to what the task was doing.
 */
static const struct {
	const char *prefix;
	enum overhead overhead;
} prefixes[] = {
	{"__bpf_get_stack", OVERHEAD_WALK},
	{"bpf_get_stack", OVERHEAD_WALK},
	{"__bpf_get_task_stack", OVERHEAD_WALK},
	{"bpf_get_task_stack", OVERHEAD_WALK},
	/* for fentry and raw tracepoints */
	{"bpf_trampoline_", OVERHEAD_ENTRY},
	{"bpf_trace_run", OVERHEAD_ENTRY},
	{"__bpf_trace_", OVERHEAD_ENTRY},
	{"bpf_dispatcher_", OVERHEAD_PLUMBING},
	{"__traceiter_", OVERHEAD_PLUMBING},
	{"__do_trace_", OVERHEAD_PLUMBING},
	/* trace events, of system calls too */
	{"trace_call_bpf", OVERHEAD_PLUMBING},
	{"perf_trace_", OVERHEAD_PLUMBING},
	{"perf_call_bpf_", OVERHEAD_PLUMBING},
	{"perf_syscall_", OVERHEAD_PLUMBING},
	/* kprobes: by breakpoint, jump or ftrace */
	{"kprobe_", OVERHEAD_PLUMBING},
	{"aggr_pre_handler", OVERHEAD_PLUMBING},
	{"opt_pre_handler", OVERHEAD_PLUMBING},
	{"optimized_callback", OVERHEAD_PLUMBING},
	{"optprobe_", OVERHEAD_PLUMBING},
	{"do_int3", OVERHEAD_PLUMBING},
	{"exc_int3", OVERHEAD_PLUMBING},
	{"asm_exc_int3", OVERHEAD_PLUMBING},
	{"ftrace_", OVERHEAD_PLUMBING},
	{"arch_ftrace_", OVERHEAD_PLUMBING},
	{"__ftrace_", OVERHEAD_PLUMBING},
	{"function_graph_enter", OVERHEAD_PLUMBING},
	{"fprobe_", OVERHEAD_PLUMBING},
	{"__fprobe_", OVERHEAD_PLUMBING},
	{"rethook_", OVERHEAD_PLUMBING},
	{"arch_rethook_", OVERHEAD_PLUMBING},
};

static enum overhead judge_name(const char *name)
{
	if (is_program(name))
		return OVERHEAD_ENTRY;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)))
			return prefixes[i].overhead;
	return OVERHEAD_NONE;
}

enum overhead chain_judge_frame(struct profile *profile, uint32_t number)
{
	const struct profile_frame *frame = &profile->frames.items[number];
	struct module_symbol symbol;

	if (profile->overhead.items[number] != OVERHEAD_UNKNOWN)
		return profile->overhead.items[number];
	profile->overhead.items[number] = OVERHEAD_NONE;
	if (profile->modules.items.items[frame->module]->kind == MODULE_BPF)
		profile->overhead.items[number] = OVERHEAD_ENTRY;
	else if (modules_find_symbol(&profile->modules, frame->module, frame->address,
				     frame->caller, &symbol) > 0)
		profile->overhead.items[number] = judge_name(symbol_index_name(symbol.index, symbol.symbol));
	return profile->overhead.items[number];
}

/* "tcp_sendmsg" also matches "tcp_sendmsg.isra.0". A module and a colon may precede it. */
bool chain_is_traced(struct profile *profile, uint32_t number, const char *traced)
{
	const struct profile_frame *frame = &profile->frames.items[number];
	const char *colon = strrchr(traced, ':'), *name;
	struct module_symbol symbol;
	size_t length;

	traced = colon ? colon + 1 : traced;
	length = strlen(traced);
	if (modules_find_symbol(&profile->modules, frame->module, frame->address, frame->caller,
				&symbol) <= 0)
		return false;
	name = symbol_index_name(symbol.index, symbol.symbol);
	return !strncmp(name, traced, length) && (!name[length] || name[length] == '.');
}

bool chain_begins_function(struct profile *profile, const struct profile_frame *frame)
{
	struct module_symbol symbol;

	return modules_find_symbol(&profile->modules, frame->module, frame->address, false, &symbol) > 0 &&
	       symbol.start == frame->address;
}

bool chain_is_interruption(struct profile *profile, const struct profile_frame *frame)
{
	/* entries of x86-64 and aarch64; other functions that begin like these are called */
	static const char *const entries[] = {"asm_exc_", "asm_sysvec_", "asm_common_interrupt", "el1h_64_"};
	struct module_symbol symbol;
	const char *name;

	if (modules_find_symbol(&profile->modules, frame->module, frame->address, false, &symbol) <= 0)
		return false;
	name = symbol_index_name(symbol.index, symbol.symbol);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (!strncmp(name, entries[i], strlen(entries[i])))
			return true;
	return false;
}
