/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names of objects. A name is read when the object has not been seen on this CPU lately. A file's token changes when it
 * is renamed or replaced; whether a folder above it was, does not show.
 *
 * Tokens of the same place are kept in a set of a few, not one only: if two that take turns drove each other out, both
 * would be read each time, and beside another recorder, as the kernel lets only one look at mappings at a time, ours
 * never.
 */
#ifndef RWALKER_BPF_OBJECT_NAME_H
#define RWALKER_BPF_OBJECT_NAME_H

#include "bpf/object_stack.bpf.h"

enum { TOLD_SETS = 256, TOLD_IN_SET = 4, OBJECT_DEPTH = 48 /* folders and mounts */ };

struct told_names {
	u64 tokens[TOLD_IN_SET]; /* the one that was written last comes first */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TOLD_SETS);
	__type(key, u32);
	__type(value, struct told_names);
} object_names SEC(".maps");

__u64 names_forgotten; /* how often the recorder has forgotten all names, and wants them once more */

static __always_inline u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* The lowest bit of a token is always set. */
static __always_inline struct told_names *told_names(u64 token)
{
	u32 place = token >> 1 & (TOLD_SETS - 1);

	return bpf_map_lookup_elem(&object_names, &place);
}

/* What the recorder has forgotten is another one, and goes as others come. */
static __always_inline u64 remembered(u64 token)
{
	return token + 2 * *(volatile __u64 *)&names_forgotten;
}

static __always_inline bool name_is_told(u64 token)
{
	const struct told_names *told = told_names(token);

	token = remembered(token);
	return told && (told->tokens[0] == token || told->tokens[1] == token || told->tokens[2] == token ||
			told->tokens[3] == token);
}

static __always_inline void note_told(u64 token)
{
	struct told_names *told = told_names(token);

	if (!told)
		return;
	token = remembered(token);
	told->tokens[3] = told->tokens[2];
	told->tokens[2] = told->tokens[1];
	told->tokens[1] = told->tokens[0];
	told->tokens[0] = token;
}

/* --- paths, from the file up to the root of its mount namespace --- */

static __always_inline long cross_mount(struct path_walk *walk)
{
	u64 above = (u64)OBJECT_READ(mount, walk->mount, mnt_parent);

	if (!above || above == walk->mount)
		return 1;
	walk->dentry = (u64)OBJECT_READ(mount, walk->mount, mnt_mountpoint);
	walk->mount = above;
	walk->root = (u64)OBJECT_READ(mount, above, mnt.mnt_root);
	return 0;
}

static long path_step(u32 index, void *context)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, context);
	struct path_walk *walk;
	u32 at, length;
	u64 above;

	if (!room)
		return 1;
	walk = &room->walk;
	at = walk->at;
	above = (u64)OBJECT_READ(dentry, walk->dentry, d_parent);
	if (walk->dentry == walk->root)
		return cross_mount(walk);
	if (!above || above == walk->dentry)
		return 1;
	length = OBJECT_READ(dentry, walk->dentry, d_name.len);
	if (index + 1 == OBJECT_DEPTH || length + 1 > at) {
		walk->flags |= RING_NAME_CUT;
		return 1;
	}
	at = (at - length - 1) & (RING_NAME_BYTES - 1);
	room->name.bytes[at] = '/';
	bpf_probe_read_kernel(&room->name.bytes[at + 1], length & (RING_NAME_BYTES - 1),
			      OBJECT_READ(dentry, walk->dentry, d_name.name));
	walk->at = at;
	walk->dentry = above;
	return 0;
}

static __noinline void path_read(struct object_room *room, u64 dentry, u64 vfsmount, u32 number)
{
	struct path_walk *walk = &room->walk;

	walk->dentry = dentry;
	walk->at = RING_NAME_BYTES;
	walk->flags = 0;
	walk->mount = vfsmount - bpf_core_field_offset(struct mount, mnt);
	walk->root = (u64)OBJECT_READ(vfsmount, vfsmount, mnt_root);
	if (dentry != walk->root && !OBJECT_READ(dentry, dentry, d_hash.pprev))
		walk->flags = RING_NAME_DELETED;
	bpf_loop(OBJECT_DEPTH, path_step, &number, 0);
	room->name.flags = walk->flags;
	room->name.length = RING_NAME_BYTES - walk->at;
}

static __always_inline void name_file(struct object_room *room, u64 file, u64 inode, u32 number,
				      struct ring_object *object)
{
	u64 dentry = as_number(room, OBJECT_READ(file, file, f_path.dentry));
	u64 vfsmount = as_number(room, OBJECT_READ(file, file, f_path.mnt));
	u64 token = mix(mix(dentry, vfsmount), as_number(room, OBJECT_READ(dentry, dentry, d_parent)));

	token = mix(mix(token, OBJECT_READ(dentry, dentry, d_name.hash_len)), OBJECT_READ(inode, inode, i_generation));
	token = mix(token, !OBJECT_READ(dentry, dentry, d_hash.pprev)) | 1;
	object->token = token;
	if (name_is_told(token))
		return;
	path_read(room, dentry, vfsmount, number);
	room->name.token = token;
}

#endif
