/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One --trigger, KIND[:WHOM]>VALUE[/WINDOW]:
 *
 *     wait:D>500ms  wait:comm=/re/>2s  wait:D,comm=/re/>1s    a longer wait has ended
 *     runq>50ms  runq:comm=/re/>50ms                          a thread that could run waited longer for a CPU
 *     stuck:D>5s  stuck>5s                                    a thread has been in D for longer
 *     psi:cpu.some>30%/2s  psi:CGROUP/io.full>10%/2s          pressure, of the host or a cgroup, within WINDOW
 *     cpu:CGROUP>80%/5s                                       CPU time, of one CPU, within WINDOW
 *     exec:COMMAND/10s                                        every WINDOW; exit 0 fires
 */
#ifndef RWALKER_RECORD_PLAN_TRIGGER_RULE_H
#define RWALKER_RECORD_PLAN_TRIGGER_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum trigger_kind { TRIGGER_WAIT, TRIGGER_RUNQ, TRIGGER_STUCK, TRIGGER_PSI, TRIGGER_CPU, TRIGGER_EXEC };
enum trigger_pressure { PRESSURE_CPU, PRESSURE_IO, PRESSURE_MEMORY, PRESSURES };

enum { TRIGGER_TEXT_MAX = 256 };

struct trigger_rule {
	enum trigger_kind kind;
	const char *text;	     /* as given */
	char name[TRIGGER_TEXT_MAX]; /* an ERE of the comm, a cgroup ("": the host), or a command; "": any */
	uint32_t states;	     /* of waits: bits of the kernel's __state; 0: any */
	enum trigger_pressure pressure;
	bool full; /* all, not some, threads were stalled */
	uint64_t value;	 /* ns, or hundredths of a percent */
	uint64_t window; /* ns */
};

/* 0, or -EINVAL after reporting what is expected where. */
int trigger_rule_parse(const char *text, struct trigger_rule *ret_rule);

#endif
