/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names that say nothing about a host because every other host has them: kernel threads, kernel
 * releases. These are lists of what is known, and everything else counts as private. Each function
 * judges the whole text: one unknown word makes it private. No file of a program is on a list,
 * because whoever installs a program chooses its path.
 */
#ifndef RWALKER_REPORT_SCRUB_COMMON_NAMES_H
#define RWALKER_REPORT_SCRUB_COMMON_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* The comm of a kernel thread that names neither a device nor anything else of the host. */
bool common_comm(const char *comm, size_t length);
/* The machine, as in uname(2). */
bool common_machine(const char *machine);
/*
 * How much at the start of a kernel's release is its version and words that distributions use. If
 * it is all of it, the kernel is a distribution's, or looks like one.
 */
size_t common_release(const char *release);
/* The name and version of one of our own recorders. */
bool common_recorder(const char *recorder);
/* Words that the values of META keys `cgroups` and `helpers_ended` consist of (FORMAT.md §5). */
bool common_cgroup_words(const char *text);
bool common_helper_words(const char *text);
/* A function that every program has, or that a reader must know by name. */
bool common_function(const char *name);
/* The name of a source of samples or waits. */
bool common_source(const char *name);
/* Whether it may be a name in the kernel: letters, digits, '_', '.', '$'; not empty. */
bool common_identifier(const char *name, size_t length);
/* The kernel's name of a block device of a common kind: "sda1", "dm-0". */
bool common_block_device(const char *name, size_t length);
/*
 * A tracepoint, "GROUP:NAME", or a kernel function, "NAME" or "MODULE:NAME". Not a probe that a
 * user defined: it may have any name.
 */
bool common_probe(const char *name);

#endif
