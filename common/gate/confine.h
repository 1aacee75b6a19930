/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef RWALKER_COMMON_GATE_CONFINE_H
#define RWALKER_COMMON_GATE_CONFINE_H

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/*
 * What a process gives up for good: capabilities, system calls, ways to get more. Each part is a
 * function; helper.h and the programs put jails together from them.
 *
 * A filter of system calls (seccomp) is made of lists of what a process may still do, which become a
 * program for the kernel. Calls without a row are refused. The first row that fits decides: a call
 * may have several rows, each for some of its arguments. The kernel remembers which calls are
 * allowed whatever their arguments are, and does not run the program for these.
 *
 * A row is written with the newer of two calls that do the same; the older one, on machines that
 * have it, goes along with it if the row looks at no argument.
 */
/* --- capabilities: sets of bits, 1 << CAP_*; by the calls themselves, without libcap ----------------- */

#define CAPABILITY(name) (1ull << CAP_##name)

/* Those in effect. 0, -errno. */
int capabilities_effective(uint64_t *ret_set);

/*
 * Keeps those of the set that are permitted, in effect, and gives up all others for good, also as
 * inheritable and ambient ones. 0, -errno.
 */
int capabilities_keep(uint64_t set);

/* Those that are permitted go into effect, or none does; they stay permitted. 0, -errno. */
int capabilities_use(bool all);

/* No program that is executed from here on gets any. Needs CAP_SETPCAP, and does nothing without it. 0, -errno. */
int capabilities_unbind(void);

/* --- system calls ------------------------------------------------------------------------------------ */

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

/* Rows that several lists have. */
#define CALLS_OF_MEMORY                                                                            \
	CALL_WITHOUT(mmap, 2, PROT_EXEC), CALL_WITHOUT(mprotect, 2, PROT_EXEC), CALL(munmap),      \
		CALL(mremap), CALL(madvise), CALL(brk), CALL(futex)
#define CALLS_OF_ENDING CALL(rt_sigreturn), CALL(restart_syscall), CALL(exit), CALL(exit_group)
#define CALL_OPEN_TO_READ CALL_WITHOUT(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC)
#define CALL_FORK                                                                                  \
	CALL_EQUAL(clone, 0, CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD), CALL(set_robust_list)

struct call_list {
	const struct call_row *rows;
	size_t count;
};

#define CALL_LIST(array) {array, sizeof(array) / sizeof((array)[0])}

enum call_refusal { CALL_REFUSAL_KILLS,	   /* the whole process */
		    CALL_REFUSAL_SIGNALS }; /* SIGSYS, whose handler chooses what the call returns */

/*
 * From now on this process and its children may only do what the lists allow. Needs process_isolate(). 0;
 * -ENOTSUP: not on this machine or kernel; -E2BIG: too many rows; -errno. A build with sanitizers installs nothing.
 */
int call_filter_install(const struct call_list *lists, size_t count, enum call_refusal refusal);

/* In the handler of SIGSYS: makes the call return `result`. context is the handler's third argument. */
void call_return(void *context, int result);

/* --- the rest ---------------------------------------------------------------------------------------- */

/* No program that it runs gets more rights than it has itself, and no other process of its user looks into it. */
int process_isolate(void);

/*
 * It is killed when its parent ends; and as before nobody looks into it. A change of user or of fsuid takes both
 * away: call it again then. 0, -errno.
 */
int process_end_with_parent(void);

/*
 * Whether this is a build with AddressSanitizer (SAN=1). Its shadow memory takes terabytes of
 * address space, and its reports need files and calls that a filter of system calls refuses: such a
 * build runs without either, and says so.
 */
#ifndef __has_feature
#define __has_feature(feature) 0 /* gcc defines a macro instead */
#endif

static inline bool sanitized_build(void)
{
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
	return true;
#else
	return false;
#endif
}

#endif
