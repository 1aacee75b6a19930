/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * empty_switch: until killed by a signal, attaches a BPF program that does nothing to sched_switch.
 * Its cost is the minimum for a recorder of switches. Independent of the recorder.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int load(void)
{
	static const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	attr.insns = (uint64_t)(uintptr_t)insns;
	attr.insn_cnt = sizeof(insns) / sizeof(insns[0]);
	attr.license = (uint64_t)(uintptr_t)"GPL";
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int attach(int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (uint64_t)(uintptr_t)"sched_switch";
	attr.raw_tracepoint.prog_fd = (uint32_t)program;
	return (int)syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
}

int main(void)
{
	int program = load();

	if (program < 0 || attach(program) < 0) {
		(void)fprintf(stderr, "empty_switch: %s\n", strerror(errno));
		return 1;
	}
	(void)pause();
	return 0;
}
