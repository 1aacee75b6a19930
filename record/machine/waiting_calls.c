/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/waiting_calls.h"

#include <string.h>
#include <sys/utsname.h>

#include "format/call_names.h"
#include "record/machine/kallsyms.h"

/* Calls with two descriptors are not here: it cannot be told for which of them they wait. */
static const char *const descriptor_calls[] = {
	"read", "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev", "preadv2", "pwritev2",
	"recvfrom", "recvmsg", "recvmmsg", "sendto", "sendmsg", "sendmmsg", "accept", "accept4", "connect",
	"epoll_wait", "epoll_pwait", "epoll_pwait2", "io_uring_enter", "ioctl", "fsync", "fdatasync", "flock", "fcntl",
	"sync_file_range", "syncfs", "fallocate", "ftruncate", "getdents", "getdents64", "readahead", "vmsplice",
};

static const struct {
	const char *name;
	enum ring_call_kind kind;
} other_calls[] = {
	{"futex", RING_CALL_FUTEX},   {"wait4", RING_CALL_WAIT4},	   {"waitid", RING_CALL_WAITID},
	{"nanosleep", RING_CALL_SLEEP}, {"clock_nanosleep", RING_CALL_SLEEP},
};

static bool is_named(const char *name, size_t length, const char *wanted)
{
	return length == strlen(wanted) && !memcmp(name, wanted, length);
}

static enum ring_call_kind kind_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(other_calls) / sizeof(other_calls[0]); i++)
		if (is_named(name, length, other_calls[i].name))
			return other_calls[i].kind;
	for (size_t i = 0; i < sizeof(descriptor_calls) / sizeof(descriptor_calls[0]); i++)
		if (is_named(name, length, descriptor_calls[i]))
			return RING_CALL_DESCRIPTOR;
	return RING_CALL_OTHER;
}

static __u64 find_function(const char *name)
{
	struct kallsyms table = {0};
	__u64 address = 0;

	if (!kallsyms_read(&table))
		for (size_t i = 0; i < table.symbols.count && !address; i++)
			if (!table.symbols.items[i].module &&
			    !strcmp(table.names.items + table.symbols.items[i].name, name))
				address = table.symbols.items[i].address;
	kallsyms_deinit(&table);
	return address;
}

void waiting_calls_fill(struct ring_object_knobs *knobs)
{
	struct utsname host;
	enum call_table table = uname(&host) < 0 ? CALLS_UNKNOWN : call_table_of(host.machine, false);

	for (unsigned int i = 0; i < RING_CALLS; i++) {
		const char *name;
		size_t length = call_name(table, i, &name);

		knobs->calls[i] = (__u8)kind_of(name, length);
	}
	knobs->timer_wakeup = find_function("hrtimer_wakeup");
}
