/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * can_bpf: exit 0 if this machine lets us load a BPF program and open a perf
 * event, else print what is refused and exit 1. It is independent of the recorder,
 * so that a broken recorder never looks like a machine that forbids BPF.
 *
 * can_bpf attach: until killed by a signal, attaches a BPF program that does nothing to sched_switch: its cost is the
 * minimum for a recorder of switches.
 */
#include "workload.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>

static int prog_load(enum bpf_prog_type type)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (uint64_t)(uintptr_t)insns;
	attr.insn_cnt = 2;
	attr.license = (uint64_t)(uintptr_t)"GPL";
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int event_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr), .sample_period = 10000000, .disabled = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

static void attach(int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (uint64_t)(uintptr_t)"sched_switch";
	attr.raw_tracepoint.prog_fd = (uint32_t)program;
	must(program >= 0 && syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr)) >= 0, "sched_switch");
	pause();
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "attach"))
		attach(prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT));
	else if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		printf("no kernel BTF: %s\n", strerror(errno));
	else if (prog_load(BPF_PROG_TYPE_PERF_EVENT) < 0)
		printf("BPF refused: %s\n", strerror(errno));
	else if (event_open() < 0)
		printf("perf events refused: %s\n", strerror(errno));
	else
		return 0;
	return 1;
}
