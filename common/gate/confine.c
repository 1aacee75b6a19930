/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/gate/confine.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/gate/gate_internal.h"

/* --- capabilities ------------------------------------------------------------------------------------ */

struct sets {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct data[2];
};

static int sets_get(struct sets *sets)
{
	*sets = (struct sets){.header.version = _LINUX_CAPABILITY_VERSION_3};
	return syscall(SYS_capget, &sets->header, sets->data) ? -errno : 0;
}

int capabilities_effective(uint64_t *ret_set)
{
	struct sets sets;
	int rc = sets_get(&sets);

	if (!rc)
		*ret_set = (uint64_t)sets.data[1].effective << 32 | sets.data[0].effective;
	return rc;
}

static int sets_use(struct sets *sets)
{
	return syscall(SYS_capset, &sets->header, sets->data) ? -errno : 0;
}

int capabilities_keep(uint64_t set)
{
	struct sets sets;
	int rc = sets_get(&sets);

	for (int i = 0; !rc && i < 2; i++) {
		sets.data[i].effective = sets.data[i].permitted &= (uint32_t)(set >> 32 * i);
		sets.data[i].inheritable = 0;
	}
	return rc ? rc : sets_use(&sets);
}

int capabilities_use(bool all)
{
	struct sets sets;
	int rc = sets_get(&sets);

	for (int i = 0; !rc && i < 2; i++)
		sets.data[i].effective = all ? sets.data[i].permitted : 0;
	return rc ? rc : sets_use(&sets);
}

int capabilities_unbind(void)
{
	for (unsigned long capability = 0; capability <= CAP_LAST_CAP; capability++)
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) && errno != EINVAL && errno != EPERM)
			return -errno;
	return 0;
}

/* --- system calls ------------------------------------------------------------------------------------ */

enum { MAX_CODE = 1024,
       ROW_CODE = 6, /* the most that one row takes, for each call that it names */
       ROW_CALLS = 2, /* itself and an older one */
       END_CODE = 1 };

struct program {
	struct sock_filter code[MAX_CODE];
	size_t count;
};

static void add(struct program *program, struct sock_filter instruction)
{
	program->code[program->count++] = instruction;
}

#define LOAD(member) ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, member))
#define KEEP(bits) ((struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits))
#define RETURN(what) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what))
#define IF_EQUAL(value, yes, no) ((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no))

static const uint32_t NUMBER = offsetof(struct seccomp_data, nr);

static uint32_t verdict_of(const struct call_row *row)
{
	return row->error ? SECCOMP_RET_ERRNO | (uint32_t)row->error : SECCOMP_RET_ALLOW;
}

static void add_number(struct program *program, int number, uint32_t verdict)
{
	add(program, IF_EQUAL((uint32_t)number, 0, 1));
	add(program, RETURN(verdict));
}

static void add_always(struct program *program, const struct call_row *row)
{
	const struct arch_older_call *older;
	size_t count = arch_older_calls(&older);

	add_number(program, row->number, verdict_of(row));
	for (size_t i = 0; i < count; i++)
		if (older[i].newer == row->number)
			add_number(program, older[i].older, verdict_of(row));
}

/* Little-endian only: the lower half of an argument comes first. The call's number is loaded before and after. */
static void add_argument(struct program *program, const struct call_row *row)
{
	add(program, IF_EQUAL((uint32_t)row->number, 0, 5));
	add(program, LOAD((uint32_t)(offsetof(struct seccomp_data, args) + row->argument * sizeof(uint64_t))));
	add(program, KEEP(row->mask));
	add(program, IF_EQUAL(row->value, 0, 1));
	add(program, RETURN(verdict_of(row)));
	add(program, LOAD(NUMBER));
}

static int add_list(struct program *program, const struct call_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (program->count + ROW_CODE * ROW_CALLS + END_CODE > MAX_CODE)
			return -E2BIG;
		if (list->rows[i].looks)
			add_argument(program, &list->rows[i]);
		else
			add_always(program, &list->rows[i]);
	}
	return 0;
}

/* A call of another machine's table (32 bits) has numbers of its own. */
static void begin(struct program *program)
{
	program->count = 0;
	add(program, LOAD(offsetof(struct seccomp_data, arch)));
	add(program, IF_EQUAL(arch_audit(), 1, 0));
	add(program, RETURN(SECCOMP_RET_KILL_PROCESS));
	add(program, LOAD(NUMBER));
}

int call_filter_install(const struct call_list *lists, size_t count, enum call_refusal refusal)
{
	struct program program;
	struct sock_fprog installed = {.filter = program.code};
	int rc = 0;

	if (sanitized_build())
		return 0;
	if (!arch_audit())
		return -ENOTSUP;
	begin(&program);
	for (size_t i = 0; i < count && !rc; i++)
		rc = add_list(&program, &lists[i]);
	if (rc)
		return rc;
	add(&program, RETURN(refusal == CALL_REFUSAL_KILLS ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_TRAP));
	installed.len = (unsigned short)program.count;
	if (!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &installed))
		return 0;
	return errno == EINVAL ? -ENOTSUP : -errno;
}

/* --- the rest ---------------------------------------------------------------------------------------- */

int process_isolate(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0) ? -errno : 0;
}

int process_end_with_parent(void)
{
	return prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL) ? -errno : 0;
}
