/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The mapped file whose page a thread waits for. During a fault, the kernel stack has a pointer to
 * the file or to the mapping. Nothing on the stack says which word that is: a word is taken for a
 * file if what it points to has the page's address space where a file has it, and a name that leads
 * to the page's inode.
 */
#ifndef RWALKER_BPF_OBJECT_MAPPED_H
#define RWALKER_BPF_OBJECT_MAPPED_H

#include "bpf/kernel_pages.bpf.h"
#include "bpf/object_descriptor.bpf.h"

enum { MAPPED_WORDS = 320 }; /* words of the stack that are searched */

struct mapped_search {
	u64 at, end; /* of the stack */
	u64 mapping, inode;
	u64 file; /* found; 0: not yet */
};

static __always_inline bool is_mapped_file(u64 file, const struct mapped_search *search)
{
	const struct file___mapping *of_mapping = (const void *)file;
	const struct file *of_path = (const void *)file;
	u64 found = 0;

	if (bpf_probe_read_kernel(&found, sizeof(found), &of_mapping->f_mapping) || found != search->mapping)
		return false;
	bpf_probe_read_kernel(&found, sizeof(found), &of_path->f_path.dentry);
	return bpf_probe_read_kernel(&found, sizeof(found), &((const struct dentry *)found)->d_inode) == 0 &&
	       found == search->inode;
}

static __always_inline bool may_be_pointer(u64 word)
{
	return (s64)word < 0 && !(word % sizeof(u64)); /* to the kernel's memory */
}

static long look_for_file(u32 index, void *context)
{
	struct mapped_search *search = context;
	const struct vm_area_struct___mapped *area;
	u64 word = 0;

	if (search->at >= search->end || bpf_probe_read_kernel(&word, sizeof(word), (const void *)search->at))
		return 1;
	search->at += sizeof(word);
	if (!may_be_pointer(word))
		return 0;
	area = (const void *)word;
	if (!is_mapped_file(word, search) &&
	    (bpf_probe_read_kernel(&word, sizeof(word), &area->vm_file) || !may_be_pointer(word) ||
	     !is_mapped_file(word, search)))
		return 0;
	search->file = word;
	return 1;
}

/* from: the address on the stack at which the search starts. Returns 0 if the file is not found. */
static __noinline u64 mapped_file(struct task_struct *task, u64 from, u64 mapping, u64 inode)
{
	struct mapped_search search = {.at = from, .end = kernel_stack_end(task), .mapping = mapping, .inode = inode};

	bpf_loop(MAPPED_WORDS, look_for_file, &search, 0);
	return *(volatile u64 *)&search.file;
}

#endif
