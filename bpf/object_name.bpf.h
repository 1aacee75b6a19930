/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names of objects: the path of a file, up to the root of its mount namespace. A name is read if
 * the object has not been seen on this CPU lately (bpf/object_told.bpf.h). A file's token changes
 * when the file, or one of the nearest folders above it, is renamed or replaced.
 */
#ifndef RWALKER_BPF_OBJECT_NAME_H
#define RWALKER_BPF_OBJECT_NAME_H

#include "bpf/object_stack.bpf.h"
#include "bpf/object_told.bpf.h"

enum { OBJECT_DEPTH = 48 /* folders and mounts */, OBJECT_FOLDERS = 3 /* in a token */ };

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
		walk->flags |= OBJECT_CUT;
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

SEPARATE int path_read(u64 dentry, u64 vfsmount, u32 number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	struct path_walk *walk;

	if (!room)
		return 0;
	walk = &room->walk;
	walk->dentry = dentry;
	walk->at = RING_NAME_BYTES;
	walk->flags = 0;
	walk->mount = vfsmount - OFFSET_OF(struct mount, mnt);
	walk->root = (u64)OBJECT_READ(vfsmount, vfsmount, mnt_root);
	if (dentry != walk->root && !OBJECT_READ(dentry, dentry, d_hash.pprev))
		walk->flags = OBJECT_DELETED;
	bpf_loop(OBJECT_DEPTH, path_step, &number, 0);
	room->name.flags = walk->flags;
	room->name.length = RING_NAME_BYTES - walk->at;
	return 0;
}

/* Separate, because older kernels add up the stacks of all nested calls. */
SEPARATE u64 folders_of(u64 dentry)
{
	u64 hash = 0;

	for (u32 i = 0; i < OBJECT_FOLDERS; i++) {
		dentry = as_number(OBJECT_READ(dentry, dentry, d_parent));
		hash = mix(mix(hash, dentry), OBJECT_READ(dentry, dentry, d_name.hash_len));
	}
	return hash;
}

static __always_inline void name_file(struct object_room *room, u64 file, u64 inode, u32 number,
				      struct ring_object *object)
{
	u64 dentry = as_number(OBJECT_READ(file, file, f_path.dentry));
	u64 vfsmount = as_number(OBJECT_READ(file, file, f_path.mnt));
	u64 token;

	if (!kernel_has(RING_PART_NAMES))
		return;
	token = mix(mix(dentry, vfsmount), folders_of(dentry));
	token = mix(mix(token, OBJECT_READ(dentry, dentry, d_name.hash_len)), OBJECT_READ(inode, inode, i_generation));
	token = mix(token, !OBJECT_READ(dentry, dentry, d_hash.pprev)) | 1;
	object->token = token;
	if (name_is_told(token))
		return;
	path_read(dentry, vfsmount, number);
	room->name.token = token;
}

#endif
