/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What descriptors refer to: the part of bpf/kernel.h for the objects of waits, and how they are
 * read. A pointer that was read is a number here: bpf_rdonly_cast() makes it a typed pointer again
 * (6.2); without that, members are copied.
 */
#ifndef RWALKER_BPF_KERNEL_FILES_H
#define RWALKER_BPF_KERNEL_FILES_H

#include "bpf/kernel.h"
#include "bpf/ring_object.h"

#define ANON_INODE_FS_MAGIC 0x09041934
#define PIPEFS_MAGIC 0x50495045
#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFCHR 0020000
#define S_IFBLK 0060000
#define S_IFIFO 0010000

const volatile struct ring_object_knobs object_knobs;
struct ring_object_functions object_functions;

extern void *bpf_rdonly_cast(const void *pointer, __u32 type) __weak __ksym;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	u16 i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_rdev;
	u32 i_generation;
};

struct qstr {
	union {
		struct {
			u32 hash, len;
		};
		u64 hash_len;
	};
	const unsigned char *name;
};

struct hlist_bl_node {
	struct hlist_bl_node *next, **pprev;
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	void *private_data;
	struct inode *f_inode;
	struct path f_path;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct {
		int counter;
	} count;
	struct fdtable *fdt;
};

#pragma clang attribute pop

/* Reads a member of the structure that a number points to; 0 if this kernel's structure lacks it. */
#define OBJECT_READ(type, pointer, ...)                                                              \
	(!bpf_core_field_exists(struct type, __VA_ARGS__) ? 0 :                                      \
	 object_knobs.by_cast ? OBJECT_CAST(type, pointer)->__VA_ARGS__ :                            \
				({                                                                   \
					const struct type *from_ = (const void *)(pointer);          \
					typeof(((struct type *)0)->__VA_ARGS__) value_ = 0;          \
					bpf_probe_read_kernel(&value_, sizeof(value_),               \
							      &from_->__VA_ARGS__);                  \
					value_;                                                      \
				}))
#define OBJECT_CAST(type, pointer)                                                                   \
	((const struct type *)bpf_rdonly_cast((const void *)(pointer), bpf_core_type_id_kernel(struct type)))

/*
 * Reads a pointer in a task that the program was given. For each one that is read directly, verifiers since
 * 6.3 search the names of all types to see whether it can be trusted, which takes milliseconds. A cast
 * pointer never can.
 */
#define TASK_POINTER(type, task, member)                                                             \
	(!bpf_core_field_exists(struct type, member) ? 0 :                                           \
	 object_knobs.by_cast ? OBJECT_CAST(type, task)->member : ((const struct type *)(task))->member)

#endif
