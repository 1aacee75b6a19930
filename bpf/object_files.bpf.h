/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a system call's descriptor refers to, and which file ended a wait in an epoll. */
#ifndef RWALKER_BPF_OBJECT_FILES_BPF_H
#define RWALKER_BPF_OBJECT_FILES_BPF_H

#include "bpf/object.bpf.h"

/* Anonymous files share one inode. The first eight bytes of the name that the kernel gives them are their kind. */
static __always_inline u32 anonymous_kind(u64 file)
{
	u64 dentry = (u64)OBJECT_READ(file, file, f_path.dentry), name = 0;

	bpf_probe_read_kernel(&name, sizeof(name), OBJECT_READ(dentry, dentry, d_name.name));
	switch (name) {
	case 0x6f70746e6576655bULL: /* "[eventpoll]" */
		return OBJECT_EPOLL;
	case 0x6466746e6576655bULL: /* "[eventfd]" */
		return OBJECT_EVENTFD;
	case 0x646672656d69745bULL: /* "[timerfd]" */
		return OBJECT_TIMERFD;
	case 0x666c616e6769735bULL: /* "[signalfd]" */
		return OBJECT_SIGNALFD;
	case 0x00796669746f6e69ULL: /* "inotify" */
		return OBJECT_INOTIFY;
	default:
		return OBJECT_ANONYMOUS;
	}
}

/* --- sockets: their two ends, as far as they are connected --- */

/* The name is a struct sockaddr_un, which begins with two bytes of family. */
static __always_inline void name_unix(struct object_room *room, u64 address, struct ring_object *object)
{
	enum { FAMILY_BYTES = 2, UNIX_BYTES = 108 };
	u32 length = OBJECT_READ(unix_address, address, len) - FAMILY_BYTES, at;
	u64 token = mix(mix(address, length), object->inode) | 1;
	u64 bytes = address + OFFSET_OF(struct unix_address, name) + FAMILY_BYTES;

	if (!length || length > UNIX_BYTES)
		return;
	object->token = token;
	if (name_is_written(token))
		return;
	at = (RING_NAME_BYTES - length) & (RING_NAME_BYTES - 1);
	bpf_probe_read_kernel(&room->name.bytes[at], length & (RING_NAME_BYTES / 2 - 1), (const void *)bytes);
	room->name.flags = room->name.bytes[at] ? 0 : OBJECT_ABSTRACT;
	room->name.length = length;
	room->name.token = token;
}

static __always_inline void unix_describe(u64 sock, struct object_room *room, struct ring_object *object)
{
	u64 address, peer, socket;

	object->kind = OBJECT_UNIX;
	if (!kernel_has(RING_PART_UNIX))
		return;
	address = (u64)OBJECT_READ(unix_sock, sock, addr);
	peer = (u64)OBJECT_READ(unix_sock, sock, peer);
	socket = peer ? (u64)OBJECT_READ(sock, peer, sk_socket) : 0;
	if (socket)
		object->peer = OBJECT_READ(socket_alloc, socket, vfs_inode.i_ino);
	if (!address && peer)
		address = (u64)OBJECT_READ(unix_sock, peer, addr);
	if (address)
		name_unix(room, as_number((const void *)address), object);
}

static __always_inline void set_mapped(__u8 *address, u32 v4)
{
	u32 *words = (u32 *)address;

	words[0] = words[1] = 0;
	words[2] = __builtin_bswap32(0xffff);
	words[3] = v4;
}

static __always_inline void inet_describe(u64 sock, u16 family, struct ring_object *object)
{
	const struct sock_common *common = (const void *)sock;
	u16 protocol = OBJECT_READ(sock, sock, sk_protocol);

	if (!kernel_has(RING_PART_ADDRESSES))
		return;
	if (bpf_core_field_exists(common->skc_net.net) && bpf_core_field_exists(struct net, net_cookie))
		object->net = OBJECT_READ(net, (u64)OBJECT_READ(sock, sock, __sk_common.skc_net.net), net_cookie);
	if (protocol == IPPROTO_TCP)
		object->kind = OBJECT_TCP;
	else if (protocol == IPPROTO_UDP)
		object->kind = OBJECT_UDP;
	object->port = OBJECT_READ(sock, sock, __sk_common.skc_num);
	object->peer_port = __builtin_bswap16(OBJECT_READ(sock, sock, __sk_common.skc_dport));
	if (family == AF_INET) {
		set_mapped(object->address, OBJECT_READ(sock, sock, __sk_common.skc_rcv_saddr));
		set_mapped(object->peer_address, OBJECT_READ(sock, sock, __sk_common.skc_daddr));
	} else if (bpf_core_field_exists(common->skc_v6_daddr) &&
		   bpf_core_field_exists(common->skc_v6_rcv_saddr)) {
		bpf_probe_read_kernel(object->address, RING_OBJECT_ADDRESS, &common->skc_v6_rcv_saddr);
		bpf_probe_read_kernel(object->peer_address, RING_OBJECT_ADDRESS, &common->skc_v6_daddr);
	}
}

static __always_inline void socket_describe(u64 socket, struct object_room *room, struct ring_object *object)
{
	u64 sock = (u64)OBJECT_READ(socket, socket, sk);
	u16 family;

	object->kind = OBJECT_SOCKET;
	if (!sock || !kernel_has(RING_PART_SOCKETS))
		return;
	family = OBJECT_READ(sock, sock, __sk_common.skc_family);
	object->state = OBJECT_READ(sock, sock, __sk_common.skc_state);
	if (family == AF_UNIX)
		unix_describe(sock, room, object);
	else if (family == AF_INET || family == AF_INET6)
		inet_describe(sock, family, object);
}

/* --- descriptors --- */

static __always_inline void describe_inode(struct object_room *room, u64 file, struct ring_object *object, u32 number)
{
	u64 inode = (u64)OBJECT_READ(file, file, f_inode), block = (u64)OBJECT_READ(inode, inode, i_sb);
	u64 magic = OBJECT_READ(super_block, block, s_magic);
	u32 mode = OBJECT_READ(inode, inode, i_mode);

	object->device = OBJECT_READ(super_block, block, s_dev);
	object->inode = OBJECT_READ(inode, inode, i_ino);
	if (magic == ANON_INODE_FS_MAGIC) {
		object->kind = anonymous_kind(file);
		object->device = object->inode = 0;
		return;
	}
	object->descriptor = object->process = 0;
	if ((mode & S_IFMT) == S_IFSOCK) {
		socket_describe((u64)OBJECT_READ(file, file, private_data), room, object);
		return;
	}
	object->kind = OBJECT_FILE;
	if ((mode & S_IFMT) == S_IFIFO)
		object->kind = OBJECT_PIPE;
	if ((mode & S_IFMT) == S_IFCHR)
		object->kind = OBJECT_DEVICE;
	if ((mode & S_IFMT) == S_IFBLK) { /* the same device by any path */
		object->kind = OBJECT_BLOCK;
		object->device = OBJECT_READ(inode, inode, i_rdev);
		object->inode = 0;
		return;
	}
	if (magic != PIPEFS_MAGIC)
		name_file(room, file, inode, number, object);
}

SEPARATE int describe_file(u64 file, struct ring_object *object, u32 number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	if (room && object)
		describe_inode(room, file, object, number);
	return 0;
}

static __always_inline void file_describe(u64 file, struct ring_object *object, u32 number)
{
	describe_file(as_number((const void *)file), object, number);
}

static __always_inline struct files_struct *files_of(struct task_struct *task)
{
	return TASK_POINTER(task_struct___files, task, files);
}

/* 0: it is not open. */
static __always_inline u64 find_file(struct files_struct *files, u32 descriptor)
{
	struct fdtable *table = files->fdt;

	if (!table || descriptor >= table->max_fds)
		return 0;
	return (u64)OBJECT_READ(hlist_head, as_number(table->fd) + (u64)descriptor * sizeof(u64), first);
}

/*
 * Notes the descriptor's file at the switch-out, before it is known whether the wait will be a long
 * one, if another thread could close the descriptor meanwhile and open something else in its place.
 * The call itself holds on to the file.
 */
static __always_inline void note_file(struct task_struct *prev, struct wait_entry *entry, u64 now)
{
	struct files_struct *files = files_of(prev);

	if (!files || files->count.counter == 1)
		return;
	entry->noted = find_file(files, call_arguments(prev).values[0]);
	entry->noted_out = now;
}

/* No other thread could have closed a descriptor meanwhile: there is none, and none of the process has ended. */
static __always_inline bool is_alone(struct task_struct *task, const struct files_struct *files)
{
	u64 signal = as_number(TASK_POINTER(task_struct___files, task, signal));

	return files->count.counter == 1 && !OBJECT_READ(signal_struct___runtime, signal, sum_sched_runtime);
}

/*
 * Whether the call works with the file: the kernel stack then has the file, or its data. That alone is no proof: the
 * word may be left from an earlier call. But it is the only evidence for a file that was not noted.
 */
static __always_inline bool is_in_use(struct task_struct *task, u64 file, u32 number, u32 call)
{
	u64 data = (u64)OBJECT_READ(file, file, private_data);

	return stack_find_again(task, file, data ? data : file, number, call);
}

/* alone: see is_alone(). */
static __always_inline void file_in_use_describe(struct task_struct *task, struct object_room *room, u64 file, bool alone,
					     u32 descriptor, u32 number, struct ring_object *object)
{
	if (!file || (!alone && !is_in_use(task, file, number, object->call)))
		return;
	object->descriptor = descriptor + 1;
	object->process = task->tgid;
	file_describe(file, object, number);
	room->file = file;
}

static __always_inline void descriptor_describe(struct task_struct *task, struct object_room *room,
						const struct wait_entry *entry, u32 descriptor, u32 number,
						struct ring_object *object)
{
	struct files_struct *files = files_of(task);
	bool noted = entry->noted_out == entry->out;

	if (files)
		file_in_use_describe(task, room, noted ? entry->noted : find_file(files, descriptor),
				 !noted && is_alone(task, files), descriptor, number, object);
}

/* --- poll() and select() of one descriptor --- */

/*
 * The call took its number from the memory of the
 * process, which can be read only while the thread is still on the CPU (as for a futex), and if it is resident.
 */

struct user_pollfd {
	s32 fd;
	u16 events, revents;
};

enum { SELECT_BITS = 64 /* descriptors from that number on are not looked at */ };

/* Plus 1; 0: there is none, or it is not known. */
static __always_inline u32 descriptor_of_poll(u64 list, u64 count)
{
	struct user_pollfd only;

	if (count != 1 || bpf_probe_read_user(&only, sizeof(only), (const void *)list) || only.fd < 0)
		return 0;
	return only.fd + 1;
}

static __always_inline u32 descriptor_of_select(u64 count, const u64 sets[3])
{
	u64 all = 0, bits;

	if (count > SELECT_BITS)
		return 0;
	for (int i = 0; i < 3; i++) {
		if (sets[i] && bpf_probe_read_user(&bits, sizeof(bits), (const void *)sets[i]))
			return 0;
		all |= sets[i] ? bits : 0;
	}
	if (count < SELECT_BITS)
		all &= (1ULL << count) - 1;
	return all && !(all & (all - 1)) ? __builtin_popcountll(all - 1) + 1 : 0;
}

/* At the switch-out. */
static __noinline void note_polled(struct task_struct *prev, struct wait_entry *entry, u32 kind, u64 now)
{
	const struct call_arguments with = call_arguments(prev);

	entry->noted = kind == RING_CALL_POLL ? descriptor_of_poll(with.values[0], with.values[1]) :
						descriptor_of_select(with.values[0], &with.values[1]);
	entry->noted_out = now;
}

/* At the end of the wait, or in a look at it. */
static __always_inline void polled_describe(struct task_struct *task, struct object_room *room,
					    const struct wait_entry *entry, u32 number, struct ring_object *object)
{
	struct files_struct *files = files_of(task);

	if (entry->noted_out == entry->out && entry->noted && files)
		file_in_use_describe(task, room, find_file(files, entry->noted - 1), is_alone(task, files),
				     entry->noted - 1, number, object);
}

/* --- epoll --- */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct eventpoll {
	struct list_head rdllist; /* of struct epitem.rdllink: files that are ready, the oldest first */
};

struct epoll_filefd {
	struct file *file;
	int fd; /* with which the file was added */
} __attribute__((packed));

struct epitem {
	struct list_head rdllink;
	struct epoll_filefd ffd;
};

#pragma clang attribute pop

/* Nothing is known yet. */
static __always_inline void begin_object(struct object_room *room)
{
	room->name.token = room->name.mapping = room->file = 0;
	room->beside.held = room->beside.ready = room->beside.object.kind = 0;
}

/* descriptor: the one of the file, plus 1; 0 if not known. */
static __always_inline void ready_describe(struct task_struct *task, struct object_room *room, u64 file, u32 descriptor,
					   u32 number)
{
	struct ring_object *found = &room->beside.object;

	__builtin_memset(found, 0, sizeof(*found));
	found->descriptor = room->beside.ready = descriptor;
	found->process = task->tgid;
	file_describe(file, found, number);
}

static __always_inline u64 first_ready(u64 poll)
{
	return (u64)OBJECT_READ(eventpoll, poll, rdllist.next);
}

/* The descriptor may have been closed since it was added, or reused for another file. */
static __always_inline bool still_leads(struct task_struct *task, u32 descriptor, u64 file)
{
	struct files_struct *files = files_of(task);

	return files && find_file(files, descriptor) == file;
}

/* The first file in the ready list of an epoll, and the descriptor with which it was added; 0 if the list is empty. */
static __always_inline u64 file_of_first(u64 poll, u64 first, u32 *descriptor)
{
	u64 item = first - OFFSET_OF(struct epitem, rdllink);

	if (!first || first == poll + OFFSET_OF(struct eventpoll, rdllist))
		return 0;
	*descriptor = OBJECT_READ(epitem, item, ffd.fd);
	return (u64)OBJECT_READ(epitem, item, ffd.file);
}

/*
 * The ready list was empty when the thread went to sleep. The first item in it now ended the wait,
 * or would have; the thread is about to take it, unless another waiter of the same epoll was
 * faster. While a list is being taken apart, it looks empty. An item cannot go away before it is
 * removed from the list: if it is first both before and after the look, the look was valid.
 */
static __always_inline bool epoll_describe(struct task_struct *task, struct object_room *room, u32 number)
{
	u64 poll = (u64)OBJECT_READ(file, room->file, private_data), first = first_ready(poll);
	u32 descriptor = 0;
	u64 file = file_of_first(poll, first, &descriptor);

	if (!file)
		return false;
	ready_describe(task, room, file, still_leads(task, descriptor, file) ? descriptor + 1 : 0, number);
	return first_ready(poll) == first;
}

#endif
