/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Private to the room: the profile while it is built; how a section is read into it (chains, stacks, waits, walks);
 * the notes of its account. Everything returned through profile.h is in one of the arrays of struct profile. The
 * tables by which items are interned are below the arrays.
 */
#ifndef RWALKER_REPORT_PROFILE_PROFILE_INTERNAL_H
#define RWALKER_REPORT_PROFILE_PROFILE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/profile/profile_objects.h"
#include "report/profile/profile_waits.h"
#include "report/read/event_stream.h"
#include "report/read/trace_file.h"
#include "report/read/trace_model.h"
#include "report/symbol/modules.h"
#include "report/unwind/unwinder.h"

struct profile_unwinding;

enum { NO_NUMBER = UINT32_MAX };

/*
 * Why requested user stacks are missing, as they are counted and reported: enum user_missing, and two more. A record
 * without room means two things: most threads take their own stack, but the recorder copies the stacks of threads
 * that sleep during a walk or when the recording ends.
 */
enum { USER_MISSING_NOT_TAKEN = USER_MISSING_SERVED + 1, USER_MISSING_NOT_RETURNED, USER_MISSING_REASONS };

/* From the reason in a record. USER_MISSING_NONE: it is not missing, or there can be none. */
uint8_t missing_user_of(uint64_t reason, bool copied);
/* "its memory could not be read". NULL for USER_MISSING_NONE. */
const char *missing_user_text(uint8_t why);

struct profile_process {
	const char *comm;
	uint64_t seen;
	uint32_t task; /* its first thread, by that comm; PROFILE_NO_TASK: that had no event */
	bool first;    /* the comm is that of its first thread */
	bool reused;   /* several processes had its number, one after the other */
	uint64_t born; /* 0: not within the recording */
};

struct profile_scope { /* the modules of a section */
	const struct trace_model *model;
	struct modules_place place;
	uint64_t from, to; /* the requested part of the section, whether or not it was recorded */
};

struct profile_host {
	const char *boot_id, *name; /* of profile->texts; if both are empty, each section is a separate host */
};

struct profile_quality { /* of events of one kind of source, after filters */
	uint64_t samples;
	uint64_t kernel_truncated, user_truncated;
	uint64_t missing_user[USER_MISSING_REASONS];
	uint64_t trimmed;		   /* with frames cut off at the root end */
	uint64_t no_maps;		   /* user stack of a process without known mappings */
	uint64_t stripped;		   /* with BPF frames removed from the leaf */
	uint64_t unknown_source;
	uint64_t unsure; /* from times when records of processes were missing */
	uint64_t unwound, snapshots_missing; /* user stacks; snapshots that events refer to but the trace lacks */
	uint64_t stops[NOTES];		     /* of unwound stacks, by the note at the root; NOTE_NONE: clean */
	uint64_t tails, callers_missing;     /* of unwound stacks; the latter: perhaps */
	uint64_t callers_unknown;	     /* of stacks by frame pointers */
};

enum overhead {
	OVERHEAD_UNKNOWN,
	OVERHEAD_NONE,
	OVERHEAD_ENTRY,
	OVERHEAD_PLUMBING, /* of tracepoints and kprobes in general: counts only if the sample was made by one */
	OVERHEAD_WALK,
};

struct kept_sample { /* for struct profile_events; there are many */
	uint64_t time, weight;
	uint32_t node, task;
	uint32_t origin;
	uint16_t cpu;
	uint8_t flags;
};

struct event_origin { /* shared by many samples */
	uint32_t recording, source, probe;
};

struct event_numbers { /* waits sorted by one of their times */
	uint32_t *items;
	size_t count;
};

struct recording_notes { /* parallel to the profile_recordings */
	const struct trace_model *model;
	uint64_t from, to; /* the requested part of it */
	uint32_t wakers;   /* the source of its wakeups; NO_NUMBER: none, or not requested */
};

struct source_notes { /* parallel to the profile_sources */
	bool periods;	      /* weights came from the trace, not from counting events */
	const char *unit;     /* the unit of those */
};

struct profile_reading { /* of the events of all traces */
	uint64_t done, whole; /* bytes */
	bool cut;
};

struct profile {
	const struct profile_filter *filter; /* while it is built */
	struct profile_names names;
	struct trace_file **files;
	size_t file_count;
	struct stream_totals stream_totals;
	struct profile_reading reading;
	struct modules modules;
	ARRAY(struct profile_scope) scopes; /* one for each section of all files */
	struct debug_server *server; /* NULL: no servers are asked */
	struct text_pool texts;
	ARRAY(struct profile_host) hosts;
	ARRAY(struct profile_source) sources;
	ARRAY(struct source_notes) source_notes;
	uint32_t *places; /* of the sources, once they are sorted, by their old numbers */
	ARRAY(struct profile_task) tasks;
	ARRAY(bool) task_wanted;
	ARRAY(struct profile_process) processes;
	struct hash_map process_numbers; /* (recording, tgid): number of a process */
	ARRAY(uint32_t) process_of; /* by task; may be shorter */
	uint32_t sections_read;
	ARRAY(struct profile_cgroup *) cgroups;
	ARRAY(struct profile_node) nodes;
	ARRAY(struct profile_frame) frames;
	ARRAY(uint8_t) overhead; /* by frame, enum overhead */
	ARRAY(struct profile_entry) entries;
	ARRAY(struct profile_module) module_list;
	ARRAY(struct profile_walk) walks;
	ARRAY(struct profile_walk_task) walk_tasks;
	ARRAY(struct profile_wait) waits;
	ARRAY(struct profile_object) objects;
	ARRAY(uint32_t) object_recordings; /* the recordings of the objects */
	ARRAY(struct profile_operation) operations;
	ARRAY(uint64_t) operation_keys; /* parallel to operations: what they are in a trace */
	ARRAY(struct profile_task_sums) sums;
	ARRAY(struct profile_kernel_time) kernel_times; /* by task, whatever the filters; may be shorter */
	bool *throughout_of; /* by task: has a wait that lasted throughout; NULL: unknown */
	bool sets_apart;     /* such waits, and those of kernel threads that did nothing */
	ARRAY(struct profile_wait) throughout; /* copies of those that were set apart */
	size_t kernel_threads_apart;
	ARRAY(struct profile_recording) recordings;
	ARRAY(struct recording_notes) recording_notes;
	bool waits_hidden; /* only the wakeups that ended the waits are requested */
	ARRAY(struct profile_probe) probes;
	ARRAY(bool) probe_wanted;
	ARRAY(struct kept_sample) kept;
	ARRAY(struct event_origin) origins;
	struct event_numbers wakeups, ends;
	ARRAY(struct profile_wait_totals) wait_totals; /* by source */
	struct index_table host_table, source_table, task_table, node_table, frame_table,
		entry_table, probe_table, cgroup_table, moved_table;
	struct profile_symbol *symbols; /* by frame; made when a view first asks */
	uint8_t *symbol_known;
	struct profile_quality qualities[PROFILE_SOURCE_KINDS + 1]; /* by kind of source; the last: of unknown kinds */
	bool machine_unknown; /* there are snapshots from an unsupported machine */
	struct account_notes *notes; /* for the account of `account_kinds`; NULL: not made yet */
	unsigned int account_kinds;
	struct profile_chosen chosen;
	bool lost, waits_ordered, ends_joined;
	bool names_lack_memory; /* some names are missing for lack of memory only */
};

/* Symbols are made for the frames that exist at that time. -ENOMEM. */
int profile_begin_symbols(struct profile *profile);
void profile_forget_symbols(struct profile *profile);

/*
 * Interning of hosts, sources, tasks, frames, nodes, probes, and entries: a profile keeps each
 * once. Each function finds or adds the item and returns its number. -ENOMEM.
 */

/* From the format's enum source_kind; PROFILE_SOURCE_KINDS if unknown. */
enum profile_source_kind profile_kind_of(uint32_t kind);

int profile_intern_host(struct profile *profile, const struct trace_model *model, uint32_t *ret_host);
int profile_intern_source(struct profile *profile, const struct trace_model *model,
			  const struct trace_source *source, uint32_t *ret_source);
int profile_intern_task(struct profile *profile, uint32_t host, const struct event_task *task,
			const struct profile_cgroup *cgroup, uint32_t *ret_task);
int profile_intern_frame(struct profile *profile, const struct profile_frame *frame, uint32_t *ret_frame);
int profile_intern_node(struct profile *profile, uint32_t parent, uint32_t frame, uint32_t *ret_node);
int profile_intern_probe(struct profile *profile, uint32_t source, const char *name, uint32_t *ret_probe);
/* ns for which the section recorded the source. */
uint64_t profile_duration_of(const struct trace_model *model, const struct event_source *source);
/* Adds the weight to the entry with this source, node, task, flags and CPU. */
int profile_add_entry(struct profile *profile, const struct profile_entry *entry);

/* The source lines of a frame, as far as DWARF has them: of each function inlined there, and of the real function. */

/* Returns the number of levels, innermost first; 0 if nothing is known. They are valid as long as the profile. */
size_t profile_find_levels(const struct profile *profile, const struct profile_frame *frame,
			   const struct line_level **ret_levels);

/*
 * The names of processes: a process is called by the last comm of its first thread, as events and the kernel's own
 * records of processes tell, else by that of another thread. Everybody asks here (profile_process_comm()), so it
 * has one name in all views.
 */

/*
 * A thread had this comm at this time of a recording, whose number `scope` is: another trace of the host may have
 * another process with this number. `task`: of the thread; PROFILE_NO_TASK: it has had no event. -ENOMEM.
 */
int profile_add_comm(struct profile *profile, uint32_t scope, const struct profile_task *thread, uint32_t task,
		     uint64_t time);

/* A process with this number began. -ENOMEM. */
int profile_add_birth(struct profile *profile, uint32_t scope, uint32_t tgid, uint64_t time);

/* NULL: it is not known. */
const struct profile_process *profile_find_process(const struct profile *profile, uint32_t scope, uint32_t tgid);

/* Control groups as numbers of the profile, and which of them the filters want. */

/* id: that of a task in the trace; if it is 0, *ret_cgroup is NULL. 0, -ENOMEM. */
int profile_intern_cgroup(struct profile *profile, const struct trace_model *model, uint64_t id,
			  const struct profile_cgroup **ret_cgroup);
/* Whether a task in that cgroup passes --cgroup and --container. */
bool profile_cgroup_is_wanted(const struct profile_filter *filter, const struct profile_cgroup *cgroup);
void profile_free_cgroups(struct profile *profile);

/*
 * Which sections may say something about the modules of which section. A section learns about its
 * modules from itself and from sections that add to it (--finalize, --resolve-lines), and from no
 * other: the traces of one report may be from strangers. An addition is a section that recorded
 * nothing. It names the sections of its file that it adds to (META adds_to); without that, it adds
 * to the recorded section before it.
 */

/* Learns what all traces say about modules. -ENOMEM, -errno of reading. */
int profile_find_scopes(struct profile *profile);

/* The place of a section's modules; call after profile_find_scopes(). */
struct modules_place profile_place_of(const struct profile *profile, const struct trace_model *model);

/* Notes which part of a section was requested, in times of its trace. */
void profile_set_part(const struct profile *profile, const struct trace_model *model, uint64_t from, uint64_t to);

/* Whether the section recorded nothing. */
bool profile_is_addition(const struct trace_model *model);

/* Converts moments to times of a section that may not be a recording of the profile yet. */

/* False if the clocks of the section do not allow that. */
bool profile_moment_of(const struct trace_model *model, const struct profile_moment *moment,
		       uint64_t *ret_time);

/* What waits were for, while the profile is built. */

/* Sets the wait's operation, object, asked and ready, and part of `held`. 0, -ENOMEM. */
int profile_bind_object(struct profile *profile, const struct trace_model *model, uint32_t host,
			const struct event_wait *record, struct profile_wait *wait);
/* Call after all events were added: names the processes that objects belong to. */
void profile_name_objects(struct profile *profile);

/*
 * Who was at the ends of pipes and connections, from the waits and wakers of the same recording. A
 * process is a reader of a pipe if it waited in a read of it, or ended a write of another thread
 * from within a read; likewise for writers. It is at the other end of a socket if it waited for the
 * socket there: the one with the addresses and ports swapped, or the one whose inode the socket
 * names as its peer. Nothing is guessed: without both addresses, or such an inode, no process is
 * known there.
 *
 * Wakers also show which waits for any of several descriptors ended by timeout (PROFILE_TIMED_OUT).
 */

/* Call once, after all waits were added. 0, -ENOMEM. */
int profile_join_ends(struct profile *profile);

/*
 * Whether the owner of a lock is to be told for all of a wait for it: PROFILE_HELD_ALL. It was seen to own the lock
 * at a look at the end of a wait that goes on. One seen only when the wait began may have let go: who got the lock next
 * may have waited for less than -m, or not be recorded.
 *
 *     owner    waits for the lock too ----|- holds it
 *     sleeper        waits for the lock ----------- seen
 *     others   no waiter of the lock is woken ------
 *
 * A lock that has waiters is handed over by waking one of them. So its owner stays the same while none is woken; and
 * one that had queued for it when the sleeper came explains what was before: it waited itself.
 */

/* To be called when all waits are known. 0, -ENOMEM. */
int profile_mark_held_all(struct profile *profile);

/* A waker's share of the wait that it ended. */
uint64_t profile_waker_weight(const struct profile_wait *wait);

/* Call after all sections were read and the sources sorted. -ENOMEM. */
int profile_order_waits(struct profile *profile);

/*
 * Decides which waits the report is about. This needs all sections. While they are read, the times
 * of kernel threads are noted from all waits, whatever the filters.
 */

/* Whether anybody will ask for them. */
bool profile_wants_kernel_times(const struct profile *profile);
/* Do nothing unless they are of kernel threads and somebody will ask. -ENOMEM. */
int profile_add_kernel_wait(struct profile *profile, const struct profile_wait *wait);
int profile_add_kernel_sums(struct profile *profile, const struct profile_task_sums *sums);

/* Makes the entries of walked tasks. -ENOMEM. */
int profile_add_walk_entries(struct profile *profile);
/* Marks or drops the waits that are set apart, and makes entries for the rest and their wakeups. -ENOMEM. */
int profile_add_wait_entries(struct profile *profile);

/*
 * The filter for what waits were for (profile_filter.on). The names, owners and other ends of
 * objects are known only after all sections were read, and come from all waits. So this filter runs
 * after the others, and the quality of the stacks still counts what it leaves out.
 */

/* Marks or drops the waits that the filter leaves out; does nothing without one. -ENOMEM. */
int profile_choose_waits(struct profile *profile);

/* After profile_order_waits(). -ENOMEM. */
int profile_order_events(struct profile *profile);
void profile_free_events(struct profile *profile);

/*
 * Notes about an unwound chain: how it ended, and where its callers were found in another way. In
 * the profile these are notes, frames that are not code; in the stacks of a condensed trace they
 * are marks (format/stack_mark.h). Both have the same places in a chain, so both give the same
 * reports.
 */

struct chain_verdict { /* for the path to a node; all 0: not unwound */
	bool unwound, tail, caller_unknown;
	uint8_t end; /* enum profile_note; NOTE_NONE: clean */
};

struct chain_verdict chain_verdict_of(const struct unwind_chain *chain);

/* Whether callers by frame pointers follow the walk's last frame. */
bool chain_has_tail(const struct unwind_chain *chain);
/* The note at the chain's root; the note between frame `i`, not the leaf, and its callee. */
enum profile_note chain_root_note(const struct unwind_chain *chain);
enum profile_note chain_note_below(const struct unwind_chain *chain, size_t i);
/* Whether the frame's address is a return address. */
bool chain_is_caller(const struct unwind_chain *chain, size_t i);

/* Adds the note below *node and sets *node to it; NOTE_NONE changes nothing. -ENOMEM. */
int chain_add_note(struct profile *profile, enum profile_note note, uint32_t *node);

/*
 * Writes the chain as a stack with marks, leaf first. Returns the number of nodes. If it exceeds
 * the limit of a path, the root end is left out, and MARK_TOO_DEEP and *ret_cut say so.
 */
size_t chain_write_marks(const struct unwind_chain *chain, uint64_t nodes[static RWK_MAX_PATH],
			 bool *ret_cut);

/*
 * Translates stack nodes of a chunk into nodes of the profile. Most stacks of a chunk share most of
 * their path, so the result for a chunk's node is cached: for user nodes with the address space for
 * which it is valid (by its generation), for kernel nodes as frames, and for a kernel stack on top
 * of a user stack as a pair. There is one cache per open chunk, cleared when the next chunk takes
 * its place. So the work is done per node that is new to its chunk, not per sample.
 */

struct cached_user {
	uint64_t space, leaf_space; /* address spaces for which the rest, and leaf_node, are valid; 0: none */
	uint32_t caller_node; /* the path to here, if this is a return address or a mark */
	uint32_t leaf_node;   /* the same, if this is the leaf */
	struct chain_verdict verdict; /* from the marks on the path */
	bool exact;	      /* this is MARK_EXACT: a child is not a return address */
	bool trimmed;	      /* the path was shortened */
	bool caller_unknown;  /* if this is the leaf: some of its callers may be missing */
};

struct cached_kernel {
	uint32_t caller_frame, leaf_frame; /* NO_NUMBER: not looked up yet */
	uint32_t begins; /* whether its address is a function's first byte; NO_NUMBER: not looked up yet */
};

struct cached_pair {
	uint64_t key; /* node of the profile, kind of query, node of the chunk */
	uint32_t node;
	bool stripped;
};

struct chain_cache {
	struct cached_user *user;
	struct cached_kernel *kernel;
	size_t user_room, kernel_room;
	struct index_table pair_table;
	ARRAY(struct cached_pair) pairs;
};

struct chain_context { /* the task whose chain this is */
	struct profile *profile;
	const struct trace_model *model;
	struct timeline *timeline; /* the model's, which is replayed alongside */
	struct copied_code *copied; /* the model's; marked as referred when a frame is in them */
	uint32_t *modules; /* numbers in profile->modules, by index in model->modules; NO_NUMBER: not looked up yet */
	struct modules_place place; /* the scope of these modules */
	uint32_t host;
	const struct stack_node *nodes; /* of the chunk */
	struct chain_cache *cache;
	bool strip_entry; /* all BPF frames at the leaf belong to the recorder ... */
	struct profile_unwinding *unwinding; /* NULL: nothing can be unwound */
	const char *traced; /* ... down to this function, which was traced; NULL: recognize them by name */
};

int chain_cache_init(struct chain_cache *cache);
void chain_cache_deinit(struct chain_cache *cache);
/* Clears the cache and makes room for that many nodes. -ENOMEM. */
int chain_cache_reset(struct chain_cache *cache, size_t nodes);

struct user_chain {
	uint32_t node;
	bool trimmed; /* its root end was cut off */
	bool no_maps; /* no mapping of the process is known */
	bool snapshot_missing;
	struct chain_verdict verdict; /* if unwound, the quality of the frame-pointer stack does not matter */
};

/* The number in the profile of the module that the section calls `id`; 0 if the section does not know it. -ENOMEM. */
int chain_section_module(const struct chain_context *context, uint32_t id, uint32_t *ret_number);
/* Fills in the frame of an address in a mapping of the process: its module, and the address within it. */
int chain_mapped_frame(const struct chain_context *context, uint32_t process, const struct mapping *mapping,
		       struct profile_frame *frame);
/* The frame of an address of the process, by its present mappings. */
int chain_user_frame(const struct chain_context *context, uint32_t process, uint64_t address, bool caller,
		     struct profile_frame *ret_frame);
/*
 * The same for a leaf without callers. For a task in execve() only the call itself is left of the
 * user stack, and that is in the program that was replaced.
 */
int chain_leaf_frame(const struct chain_context *context, uint32_t process, uint64_t address,
		     struct profile_frame *ret_frame);
/* Identifies the address space, and the process too if perf maps name its code. Never 0. */
uint64_t chain_name_space(const struct chain_context *context, uint32_t process, uint64_t generation);

/* The user stack that ends in chunk node `leaf` (not a root), for a process of the timeline. */
int chain_user(const struct chain_context *context, uint32_t process, uint32_t leaf,
	       struct user_chain *ret_chain);
/* The kernel stack that ends in `leaf`, on top of node `base`. *ret_stripped: BPF frames were removed from its leaf. */
int chain_kernel(const struct chain_context *context, uint32_t base, uint32_t leaf, uint32_t *ret_node,
		 bool *ret_stripped);

/* The words at the top of a user stack by frame pointers, as a trace has them behind the leaf (format/stack_mark.h). */

/*
 * The path of a leaf, leaf first, with the callers that the words give in their place, and MARK_CALLER_UNKNOWN where
 * some may be missing. Returns its length, at most `room`; -ENOMEM.
 */
int chain_top_path(const struct chain_context *context, uint32_t process, uint32_t leaf, uint64_t *path, uint32_t room);

/*
 * User stacks of one section: from the snapshot of an event if it has one, else from frame
 * pointers. A chain that does not end at the start of the program or thread has a note at its root
 * that says so: a frame that is not code.
 */

/*
 * For the chains of a section. `unwinding` is NULL if the section has no user stacks, or is from an
 * unsupported machine (which is reported). The caller sets nodes and cache. Must be deinited on
 * failure, too.
 */
int chain_context_init(struct chain_context *context, struct profile *profile, struct trace_model *model);
void chain_context_deinit(struct chain_context *context);

/*
 * The chain from a snapshot; the event's leaf and the snapshot's number are as below. 1: found,
 * valid until the next call; 0: none.
 */
int profile_unwinding_run(const struct chain_context *context, uint32_t process, uint32_t leaf,
			  uint32_t snapshot, const struct unwind_chain **ret_chain);

/* The callers of the leaf at `pc` that have no frame record (unwinder_callers()). */
int profile_unwinding_callers(const struct chain_context *context, uint32_t process, uint64_t pc,
			      const struct unwind_top *top, struct unwind_callers *ret_callers);

/*
 * What kernel frames are, judged by their names. The recorder's own frames do not belong to the
 * task: a stack walked by a BPF program ends in that program, its callers, and the stack walker.
 * Each frame is judged once, and the profile keeps the result.
 */

/* `frame`: a number in profile->frames. Never OVERHEAD_UNKNOWN. */
enum overhead chain_classify_frame(struct profile *profile, uint32_t frame);
/* Whether the frame is in the traced function, by the name that the recording has for it. */
bool chain_is_traced(struct profile *profile, uint32_t frame, const char *traced);
/*
 * Whether the address of a caller is the first byte of a function, and whether the frame on top of
 * it is an interrupt or fault entry. If both, the address is where the interrupt came, not a return
 * address. Elsewhere in a function this makes no difference.
 */
bool chain_begins_function(struct profile *profile, const struct profile_frame *frame);
bool chain_is_interruption(struct profile *profile, const struct profile_frame *frame);

/*
 * The call chain of an event, and what the account says about its quality, which is counted once it is known that the
 * event counts. Samples, waits and walked tasks differ only in where their records keep the data.
 */
struct stack {
	uint32_t node;	/* of the profile, with both parts; 0: none */
	uint32_t flags; /* enum profile_chain_flag */
	struct user_chain user;
	uint8_t missing; /* enum user_missing, or one of the two above */
	bool snapshot; /* the user part is from one: what the record says about the other stack does not matter */
	bool stripped; /* BPF frames that others have not were removed */
};

/* What a record says about its stacks. */
struct stack_record {
	bool kernel_truncated, user_truncated, user_missing;
	bool copied;	 /* the user stack, by the recorder while the thread slept */
	uint64_t reason; /* why it is missing, enum user_missing */
};

/*
 * Begins the chain with the user part, found by frame pointers (`leaf`) and snapshot, like chain_user_of(). None if
 * user parts are hidden.
 */
int stack_user(const struct chain_context *context, uint32_t process, uint32_t leaf, uint32_t snapshot,
	       struct stack *ret_stack);
/*
 * Puts the kernel part on top, unless there is none or kernel parts are hidden. `strip`: BPF frames at the leaf
 * belong to the recorder, down to the function `traced` if that is not NULL.
 */
int stack_kernel(struct chain_context *context, uint32_t leaf, bool strip, const char *traced, struct stack *stack);
/* Adds what is cut or missing; after stack_user(). */
void stack_describe(struct stack *stack, const struct stack_record *record);
void stack_count(const struct stack *stack, struct profile_quality *quality);

/*
 * Makes frames for inlined functions. After all traces were read, all addresses of each module are
 * resolved at once (report/symbol/modules.h). Each node whose address is in inlined
 * code becomes a path of nodes: the real function, then the functions inlined in it, with the
 * innermost nearest to the leaf. All references to a node are changed to the last node of its path.
 * Work is per unique address and per node, never per sample; nodes keep their order.
 */

/* Call after the last node was added, before anything is sorted. Does nothing with --quick. -ENOMEM. */
int profile_expand_inlines(struct profile *profile);

/*
 * One section while its events are added to the profile. Maps its sources, and the tasks and nodes
 * of each open chunk, to numbers of the profile, and knows what is requested. On top of this, each
 * kind of event adds to the profile: samples in section.c, section_waits.c, section_walks.c.
 */

struct source_binding {
	uint32_t source; /* in the profile */
	enum profile_source_kind kind;
	uint64_t period; /* for samples without one */
	bool wanted;
	uint64_t middle; /* of the requested part of it */
	uint32_t origin; /* for its samples without a probe; NO_NUMBER: none yet */
};

struct probe_binding {
	uint32_t source; /* in the section: its id */
	uint32_t probe;	 /* in the profile */
	uint32_t origin; /* NO_NUMBER: none yet */
};

struct task_binding { /* a chunk's task */
	uint32_t task;	  /* in the profile */
	uint32_t process; /* in the timeline */
	bool known, wanted;
};

struct section_slot { /* state of one open chunk */
	uint64_t serial;
	const struct stack_node *nodes;
	struct chain_cache chains;
	struct task_binding *tasks;
	size_t task_room;
};

struct section_walk {
	uint32_t number; /* in the section */
	uint32_t walk;	 /* in the profile */
	uint32_t source;
};

struct section {
	struct chain_context context;
	ARRAY(struct source_binding) sources; /* in the order of the model */
	ARRAY(struct probe_binding) probes;   /* likewise */
	uint32_t recording; /* number in the profile; NO_NUMBER: not needed */
	uint32_t ordinal;   /* of the sections that were read */
	struct section_slot slots[STREAM_OPEN_MAX];
	struct section_walk walk; /* the latest */
	struct section_waits *waits; /* of section_waits.c; NULL: the section has no such source */
	size_t first_walk;	  /* of the section, in the profile */
	struct {
		uint64_t id; /* of a task's cgroup, 0: none was looked up */
		const struct profile_cgroup *cgroup;
	} last; /* cache: the next task is mostly in the same */
	uint64_t from, to;	  /* requested times */
};

/* NULL if the section does not describe the source. */
const struct source_binding *section_source(const struct section *section, uint32_t id);
/* The slot of the event's chunk; switches the context to that chunk. */
int section_slot(struct section *section, const struct stream_event *event, struct section_slot **ret_slot);
/* The recording, if one is needed; else a number that no recording and no other section has. */
uint32_t section_scope(const struct section *section);
/* *ret_binding is NULL if the chunk does not define the task. */
int section_task(struct section *section, struct section_slot *slot,
		 const struct stream_event *event, uint32_t number,
		 const struct task_binding **ret_binding);
/*
 * The owner of what a task waited for: task `number` of the event's chunk. reads: the owner held it for reading. Sets
 * *owner and adds to *held (enum profile_wait_held); does neither if the number is 0 or not that of a task. -errno.
 */
int section_owner(struct section *section, struct section_slot *slot, const struct stream_event *event,
		  uint32_t number, bool reads, uint32_t *owner, uint8_t *held);
/* The binding of the section's first source of that kind; NULL if there is none. */
const struct source_binding *section_source_of(const struct section *section, enum profile_source_kind kind);
bool section_wants(const struct section *section, uint64_t time, uint32_t cpu);
bool section_wants_cpu(const struct section *section, uint64_t cpu);

/* Counts an event that counts, and the quality of its stack. */
void section_count(const struct section *section, enum profile_source_kind kind, uint64_t time,
		   const struct stack *stack);

/* Reads one section into the profile. As below. */
int section_read(struct profile *profile, struct trace_model *model);

/*
 * Calls `handle` for each event of a section in time order, while the timeline of processes is replayed alongside,
 * until it returns -errno, or Ctrl-C: then profile->reading.cut is set. 0, -ENOMEM, -errno of reading.
 */
int profile_each_event(struct profile *profile, struct trace_model *model, const char *phase,
		       int (*handle)(void *data, const struct stream_event *event), void *data);

/* Its waits. They are made before the first event, and finished, with chains and weights, after the last. -ENOMEM. */
int section_waits_init(struct section *section);
void section_waits_deinit(struct section_waits *waits);

int section_add_wait(struct section *section, const struct stream_event *event);
int section_add_wake(struct section *section, const struct stream_event *event);
int section_add_user_stack(struct section *section, const struct stream_event *event);
int section_add_wait_sums(struct section *section, const struct stream_event *event);
int section_finish_waits(struct section *section);

int section_add_walk(struct section *section, const struct stream_event *event);
int section_add_walk_task(struct section *section, const struct stream_event *event);

/* The quality of what was read, counted by kind of source because reports show only some kinds. */

/* Sums these kinds (bits), and events whose kind is unknown. */
void profile_quality_sum(const struct profile *profile, unsigned int kinds, struct profile_quality *ret_sum);

/* The times in which a recorder left something out to keep its cost within limits (FORMAT.md, BUDGET), and in words. */

struct budget_span {
	uint64_t from, until; /* times of the trace */
	const struct event_budget *record;
};

/* The next one; set *cursor to 0 before the first call. */
bool budget_spans_next(const struct trace_model *model, size_t *cursor, struct budget_span *ret_span);

enum { BUDGET_TEXT = 256 };

struct budget_lack { /* what is left out; all 0: nothing */
	bool everything;
	uint64_t least;	    /* ns */
	uint64_t frequency; /* Hz */
};

/* Of the sources that are meant. */
struct budget_lack budget_lack_of(const struct trace_model *model, const struct event_budget *record, bool waits,
				  bool samples);
/* "waits below 10 ms only in sums, samples at 49 Hz" */
const char *budget_text(const struct budget_lack *lack, char text[BUDGET_TEXT]);

/*
 * The notes of the account, kept in profile->notes until a view prints them. One table
 * says for each kind which reports it concerns and what can be done about it.
 * Kinds are in order of gravity, but notes that concern less than ACCOUNT_TRIFLE percent of the
 * samples come last.
 */

enum account_kind { /* gravest first */
	ACCOUNT_CUT_SHORT, /* by Ctrl-C */
	ACCOUNT_COARSER, /* less was recorded for a time: every report says so, even the digest with its two notes */
	ACCOUNT_LOST, /* events */
	ACCOUNT_DAMAGED,
	ACCOUNT_UNFINISHED,
	ACCOUNT_INCOMPATIBLE,
	ACCOUNT_LEFT_PACKED,
	ACCOUNT_SIZE_LIMIT,
	ACCOUNT_HELPERS, /* of the recorder were gone */
	ACCOUNT_UNDELIVERED,
	ACCOUNT_COUNTER_LENT,
	ACCOUNT_UNSURE, /* names may be wrong */
	ACCOUNT_MAPPINGS,
	ACCOUNT_WRONG_STACKS,
	ACCOUNT_CUT_COPIES, /* the rest of a stack was not copied */
	ACCOUNT_CUT_STACKS,
	ACCOUNT_NO_KERNEL_STACK,
	ACCOUNT_NO_USER_STACK,
	ACCOUNT_NO_SNAPSHOT,
	ACCOUNT_OTHER_MACHINE,
	ACCOUNT_UNNAMED,
	ACCOUNT_REFUSED, /* a file with names */
	ACCOUNT_COPIED_CODE,
	ACCOUNT_NO_LINES,
	ACCOUNT_BESIDE, /* nothing is wrong */
	ACCOUNT_KINDS
};

struct account_note {
	enum account_kind kind;
	double share; /* percent, 0: unknown; within a kind, the larger share comes first */
	char *text;
	const char *remedy;
	size_t number; /* the order in which they were added, if all else is equal */
	ARRAY(char *) details;
};

struct account_notes {
	ARRAY(struct account_note) items;
	ARRAY(struct profile_account_note) sorted;
	struct profile_quality quality; /* of the sources that the account is about */
	bool failed;                    /* out of memory: then it is not shown */
};

void account_notes_destroy(struct account_notes *notes);

/*
 * Adds one formatted note, made printable. `share` orders the notes of a kind; the text need not contain it. Without
 * memory, `failed` says so.
 */
void account_note(struct profile *profile, enum account_kind kind, double share, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds a line of detail to the last note. */
void account_detail(struct profile *profile, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Replaces the table's remedy for the last note. The text must be a constant. */
void account_remedy(struct profile *profile, const char *remedy);

double account_share(uint64_t part, uint64_t whole); /* percent */

/* Model `number` of all traces; NULL: there are no more. */
struct trace_model *account_model(const struct profile *profile, size_t number);
/* Adds notes about stacks that were cut short, missing or trimmed, unknown maps, modules and frames without names. */
void account_quality(struct profile *profile);

/* Why addresses of the module have no name, in a few words. */
const char *account_why(const struct module *module);

/*
 * What Ctrl-C left out of a profile. If anything was left out, the profile is incomplete: this is
 * reported on stderr when the work ends, and in the account, and the exit code is the same as for
 * lost events.
 */

/* Reports it on stderr, if anything was left out. */
void profile_say_partial(const struct profile *profile);

/* Whether anything was left out so far. */
bool profile_is_partial(const struct profile *profile);

/* A profile without events, for users that need only the traces and the names of their addresses. */

/* Like profile_create(); also destroyed by profile_destroy(). The filter must live as long as the profile. */
int profile_create_unread(const char *const *paths, size_t count, const struct profile_filter *filter,
			  const struct profile_names *names, struct profile **ret_profile);

#endif
