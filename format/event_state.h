/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records of STATE chunks (FORMAT.md §5): they give addresses and ids their meaning;
 * event_account.h has the rest. They are idempotent: a known fact may be repeated. Ids of modules
 * and sources are assigned by the recorder, are never reused within a section, and are valid for
 * the section. Members are in the order of the fields on disk; (t) (s) (z) as in event.h.
 */
#ifndef RWALKER_FORMAT_EVENT_STATE_H
#define RWALKER_FORMAT_EVENT_STATE_H

#include "format/event_text.h"

/* (s) key, (s) value. A later record with the same key replaces the earlier. Keys: FORMAT.md §5. */
struct event_meta {
	struct event_text key, value;
};

/* Four clocks, read back to back: at the start, every 10 s, after a clock step, at the end. */
struct event_clock {
	uint64_t time;			   /* (t) CLOCK_MONOTONIC, the time of all events */
	uint64_t boottime, realtime, tai;  /* ns */
	uint64_t window;		   /* ns between the first and the last reading */
};

enum source_kind {
	SOURCE_CPU = 1,
	SOURCE_OFFCPU = 2,
	SOURCE_WAKERS = 3,
	SOURCE_TRACEPOINT = 4,
	SOURCE_KFUNC = 5,
	SOURCE_TASKS = 6,
};
enum source_weight { WEIGHT_COUNT = 1, WEIGHT_NS = 2, WEIGHT_CYCLES = 3 };

/* What was recorded; restated when its end is known. */
struct event_source {
	uint32_t id;		/* from 1 */
	uint32_t kind;		/* enum source_kind */
	uint32_t weight;	/* enum source_weight: unit of event_sample.period */
	struct event_text name; /* (s) "cycles", "cpu-clock" */
	uint64_t frequency;	/* Hz per CPU, 0 if it does not apply */
	uint64_t period;	/* nominal, in the weight's unit; for samples without one */
	uint64_t start, stop;	/* (t) (t); stop = start while running */
	uint64_t flags;		/* enum source_flag */
	uint64_t least, most;	/* of waits, ns: shorter ones are only summed, longer ones are left out */
};
enum source_flag { SOURCE_USER_STACKS = 1, SOURCE_SOFTWARE_FALLBACK = 2, SOURCE_SNAPSHOTS = 4 };

enum module_kind {
	MODULE_FILE = 1,	/* mapped from a file */
	MODULE_KERNEL = 2,	/* vmlinux; offset 0 = _text */
	MODULE_KERNEL_MODULE = 3,
	MODULE_BPF = 4,		/* one BPF program */
	MODULE_KERNEL_OTHER = 5,/* trampolines, dispatchers and other code generated at run time */
	MODULE_VDSO = 6,
	MODULE_ANONYMOUS = 7,	/* executable memory without an ELF file: JIT code; one module for all without a name */
};

struct event_module {
	uint32_t id;			/* from 1; 0 = unknown */
	uint32_t kind;			/* enum module_kind */
	struct event_text path;		/* (s) as seen by the process; "[kernel]", "ext4", program name ... */
	struct event_text build_id;	/* (s) bytes, empty if there is none */
	uint64_t device, inode;
	uint64_t base;			/* run-time base of kernel modules, only with --keep-kernel-addresses, else 0 */
	uint64_t flags;			/* enum module_flag */
};
enum module_flag {
	MODULE_DELETED = 1, /* the file had already been deleted when it was first seen */
	/* From this bit on: the number of the file among different ones with its build-id; 0 for the first. */
	MODULE_VARIANT_SHIFT = 8,
};

struct event_mapping { /* executable mappings only */
	uint64_t time;	       /* (t) when it was created, or first seen */
	uint32_t tgid;
	uint64_t start, length; /* start: (z) difference to the start of the previous MAPPING in the chunk */
	uint64_t file_offset;
	uint32_t module;
	uint64_t flags;
};
enum mapping_flag {
	MAPPING_INITIAL = 1, /* existed before the recording */
	MAPPING_COPIED = 2,  /* memory in place of this file's code, and a copy of it: pages were compared */
};

struct event_fork {
	uint64_t time;	/* (t) */
	uint32_t tgid, tid, parent_tgid, parent_tid; /* tgid == parent_tgid: a new thread */
};

struct event_comm {
	uint64_t time;	/* (t) */
	uint32_t tgid, tid;
	uint64_t flags; /* enum comm_flag */
	struct event_text comm; /* (s) */
};
enum comm_flag { COMM_EXEC = 1 /* from here on the address space is a new, empty one */, COMM_INITIAL = 2 };

struct event_exit {
	uint64_t time; /* (t) */
	uint32_t tgid, tid; /* tgid == tid: the process's leader */
};

/* A kernel function that a kernel frame points into. Holds offsets within the module, not addresses. */
struct event_kernel_symbol {
	uint32_t module;
	uint64_t offset, size;
	struct event_text name; /* (s) */
};

#endif
