/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A filter of system calls (seccomp): lists of what a process may still do, which become a program
 * for the kernel. Calls without a row are refused. The first row that fits decides: a call may have
 * several rows, each for some of its arguments. The kernel remembers which calls are allowed
 * whatever their arguments are, and does not run the program for these.
 *
 * A row is written with the newer of two calls that do the same; the older one, on machines that
 * have it, goes along with it if the row looks at no argument (arch_calls.h).
 */
#ifndef RWALKER_COMMON_CONFINE_CALL_FILTER_H
#define RWALKER_COMMON_CONFINE_CALL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

struct call_row {
	int number;
	bool looks;	       /* fits only if (argument & mask) == value */
	unsigned int argument; /* from 0; its lower 32 bits are looked at */
	uint32_t mask, value;
	int error; /* the call fails with this errno; 0: it is allowed */
};

#define CALL(name) {.number = SYS_##name}
#define CALL_FAILS(name, code) {.number = SYS_##name, .error = (code)}
#define CALL_MASKED(name, which, bits, wanted)                                                     \
	{.number = SYS_##name, .looks = true, .argument = (which), .mask = (uint32_t)(bits),       \
	 .value = (uint32_t)(wanted)}
#define CALL_EQUAL(name, which, wanted) CALL_MASKED(name, which, ~0u, wanted)
#define CALL_WITH(name, which, bits) CALL_MASKED(name, which, bits, bits)
#define CALL_WITHOUT(name, which, bits) CALL_MASKED(name, which, bits, 0)

struct call_list {
	const struct call_row *rows;
	size_t count;
};

#define CALL_LIST(array) {array, sizeof(array) / sizeof((array)[0])}

enum call_refusal { CALL_REFUSAL_KILLS,	   /* the whole process */
		    CALL_REFUSAL_SIGNALS }; /* SIGSYS, whose handler chooses what the call returns */

/*
 * From now on this process and its children may only do what the lists allow. Needs PR_SET_NO_NEW_PRIVS. 0;
 * -ENOTSUP: not on this machine or kernel; -E2BIG: too many rows; -errno. A build with sanitizers installs nothing.
 */
int call_filter_install(const struct call_list *lists, size_t count, enum call_refusal refusal);

#endif
