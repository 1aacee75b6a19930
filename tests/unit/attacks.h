/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What an attacker who runs code in a process would try: system calls as plain numbers and
 * arguments. None of them succeeds without rights, or would harm this machine: they name no
 * process, file or descriptor that exists.
 */
#pragma once

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NO_PROCESS = 0x7ffffffe,
       NO_FILE = 999,
       ONE_PAGE = 4096 };

static const char NOWHERE[] = "/nonexistent/rwalker";

struct attack {
	const char *name;
	long number, arguments[6];
};

#define ADDRESS(of) ((long)(uintptr_t)(of))

static const struct attack ATTACKS[] = {
	{"create a file", SYS_openat, {AT_FDCWD, ADDRESS(NOWHERE), O_WRONLY | O_CREAT, 0600}},
	{"write to a file", SYS_openat, {AT_FDCWD, ADDRESS(NOWHERE), O_WRONLY}},
	{"read and write a file", SYS_openat, {AT_FDCWD, ADDRESS(NOWHERE), O_RDWR}},
	{"empty a file", SYS_openat, {AT_FDCWD, ADDRESS(NOWHERE), O_RDONLY | O_TRUNC}},
	{"truncate", SYS_truncate, {ADDRESS(NOWHERE), 0}},
	{"unlink", SYS_unlinkat, {AT_FDCWD, ADDRESS(NOWHERE), 0}},
	{"rename", SYS_renameat2, {AT_FDCWD, ADDRESS(NOWHERE), AT_FDCWD, ADDRESS(NOWHERE), 0}},
	{"link", SYS_linkat, {AT_FDCWD, ADDRESS(NOWHERE), AT_FDCWD, ADDRESS(NOWHERE), 0}},
	{"symlink", SYS_symlinkat, {ADDRESS(NOWHERE), AT_FDCWD, ADDRESS(NOWHERE)}},
	{"mkdir", SYS_mkdirat, {AT_FDCWD, ADDRESS(NOWHERE), 0700}},
	{"mknod", SYS_mknodat, {AT_FDCWD, ADDRESS(NOWHERE), 0, 0}},
	{"chmod", SYS_fchmodat, {AT_FDCWD, ADDRESS(NOWHERE), 0}},
	{"chown", SYS_fchownat, {AT_FDCWD, ADDRESS(NOWHERE), 0, 0, 0}},
	{"setxattr", SYS_setxattr, {ADDRESS(NOWHERE), ADDRESS(NOWHERE), ADDRESS(NOWHERE), 0, 0}},
	{"open by handle", SYS_open_by_handle_at, {NO_FILE, 0, 0}},
	{"socket", SYS_socket, {AF_INET, SOCK_STREAM, 0}},
	{"connect", SYS_connect, {NO_FILE, 0, 0}},
	{"bind", SYS_bind, {NO_FILE, 0, 0}},
	{"execute", SYS_execve, {ADDRESS(NOWHERE), 0, 0}},
	{"execute a descriptor", SYS_execveat, {NO_FILE, ADDRESS(NOWHERE), 0, 0, 0}},
	{"executable memory", SYS_mmap, {0, ONE_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
	{"make memory executable", SYS_mprotect, {0, ONE_PAGE, PROT_READ | PROT_EXEC}},
	{"ptrace", SYS_ptrace, {16 /* PTRACE_ATTACH */, NO_PROCESS, 0, 0}},
	{"read memory of others", SYS_process_vm_readv, {NO_PROCESS, 0, 0, 0, 0, 0}},
	{"write memory of others", SYS_process_vm_writev, {NO_PROCESS, 0, 0, 0, 0, 0}},
	{"take a descriptor of others", SYS_pidfd_getfd, {NO_FILE, 0, 0}},
	{"signal others", SYS_kill, {NO_PROCESS, SIGTERM}},
	{"signal by descriptor", SYS_pidfd_send_signal, {NO_FILE, SIGTERM, 0, 0}},
	{"a thread", SYS_clone, {CLONE_VM | CLONE_THREAD /* fails without CLONE_SIGHAND */, 0, 0, 0, 0}},
	{"a user namespace", SYS_unshare, {CLONE_NEWUSER}},
	{"enter a namespace", SYS_setns, {NO_FILE, 0}},
	{"become root", SYS_setresuid, {0, 0, 0}},
	{"join root's group", SYS_setresgid, {0, 0, 0}},
	{"mount", SYS_mount, {0, ADDRESS(NOWHERE), 0, 0, 0}},
	{"unmount", SYS_umount2, {ADDRESS(NOWHERE), 0}},
	{"chroot", SYS_chroot, {ADDRESS(NOWHERE)}},
	{"load a BPF program", SYS_bpf, {BPF_PROG_LOAD, 0, 0}},
	{"find a BPF program of others", SYS_bpf, {BPF_PROG_GET_FD_BY_ID, 0, 0}},
	{"load a module", SYS_finit_module, {NO_FILE, ADDRESS(NOWHERE), 0}},
	{"io_uring", SYS_io_uring_setup, {0, 0}},
	{"userfaultfd", SYS_userfaultfd, {-1}},
	{"a key", SYS_keyctl, {-1, 0, 0, 0, 0}},
	{"type into the terminal", SYS_ioctl, {STDERR_FILENO, TIOCSTI, 0}},
	{"lift a ban", SYS_prctl, {PR_SET_KEEPCAPS, 1, 0, 0, 0}},
	{"set the clock", SYS_settimeofday, {0, 0}},
	{"name the host", SYS_sethostname, {0, -1}},
	{"a number that no call has", 0x3fff, {0}},
};
enum { ATTACK_COUNT = sizeof(ATTACKS) / sizeof(ATTACKS[0]) };

/* What the call returned, or -errno. */
static inline long attack_run(const struct attack *attack)
{
	const long *a = attack->arguments;
	long result;

	errno = 0;
	result = syscall(attack->number, a[0], a[1], a[2], a[3], a[4], a[5]);
	return result < 0 ? -errno : result;
}
