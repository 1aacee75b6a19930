/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/object_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/profile/figures.h"
#include "report/view/waits.h"

static const char *const kinds[OBJECT_KINDS] = {[OBJECT_NONE] = "", OBJECT_KIND_LIST(KIND_TEXT)};

const char object_kind_names[] = "file, device, pipe, tcp, udp, unix, socket, eventfd, timerfd, signalfd, inotify, "
				 "epoll, descriptor, futex, child, sleep, work, lock or block";

const char *object_kind_name(unsigned int kind)
{
	return kind < OBJECT_KINDS ? kinds[kind] : "";
}

enum object_kind object_kind_find(const char *name)
{
	for (unsigned int i = 1; i < OBJECT_KINDS; i++)
		if (!strcmp(name, kinds[i]))
			return (enum object_kind)i;
	return OBJECT_KINDS;
}

static void write_text(FILE *out, const char *text)
{
	printable_write(out, text, strlen(text));
}

/* --- one function per kind --- */

static void write_process(FILE *out, const struct profile_object *object)
{
	if (*object->comm) {
		(void)fputs(" of ", out);
		write_text(out, object->comm);
	}
	if (object->process)
		(void)fprintf(out, "%s %" PRIu32, *object->comm ? "" : " of process", object->process);
}

static void write_number(FILE *out, uint64_t device)
{
	enum { MAJOR_SHIFT = 8, MAJOR_MASK = 0xfff, MINOR_LOW = 0xff, MINOR_SHIFT = 12 };
	uint64_t minor = (device & MINOR_LOW) | (device >> MINOR_SHIFT & ~(uint64_t)MINOR_LOW);

	(void)fprintf(out, "%" PRIu64 ":%" PRIu64, device >> MAJOR_SHIFT & MAJOR_MASK, minor & UINT32_MAX);
}

static void write_inode(FILE *out, const struct profile_object *object)
{
	(void)fprintf(out, "%sinode %" PRIu64 " of ", object->kind == OBJECT_DEVICE ? "device " :
		      object->kind == OBJECT_FILE ? "file " : "", object->inode);
	(void)fputs("device ", out);
	write_number(out, object->device);
}

static void write_file(FILE *out, const struct profile_object *object)
{
	if (!*object->name) {
		write_inode(out, object);
		return;
	}
	if (object->flags & OBJECT_CUT)
		(void)fputs("…", out);
	write_text(out, object->name);
	if (object->flags & OBJECT_DELETED)
		(void)fputs(" (deleted)", out);
}

static void write_pipe(FILE *out, const struct profile_object *object)
{
	if (*object->name)
		write_file(out, object);
	else
		(void)fprintf(out, "pipe:%" PRIu64, object->inode);
}

static void write_end(FILE *out, const char *address, uint16_t port)
{
	bool v6 = strchr(address, ':');

	(void)fputs(v6 ? "[" : "", out);
	write_text(out, address);
	(void)fprintf(out, "%s:%u", v6 ? "]" : "", port);
}

/* "tcp 127.0.0.1:5432 → 127.0.0.1:42858", "tcp 0.0.0.0:80 (listening)" */
static void write_inet(FILE *out, const struct profile_object *object)
{
	(void)fprintf(out, "%s ", kinds[object->kind]);
	write_end(out, object->local, object->port);
	if (object->peer_port) { /* in a condensed trace its name is "peer#1" */
		(void)fputs(" → ", out);
		write_end(out, *object->peer ? object->peer : object->name, object->peer_port);
	}
	(void)fputs(object->flags & OBJECT_LISTENS ? " (listening)" : "", out);
}

static void write_unix(FILE *out, const struct profile_object *object)
{
	(void)fputs("unix", out);
	if (*object->name) {
		(void)fputs(object->flags & OBJECT_ABSTRACT ? " @" : " ", out);
		write_text(out, object->name);
	} else {
		(void)fprintf(out, ":%" PRIu64, object->inode);
	}
	(void)fputs(object->flags & OBJECT_LISTENS ? " (listening)" : "", out);
}

static void write_socket(FILE *out, const struct profile_object *object)
{
	(void)fprintf(out, "socket:%" PRIu64, object->inode);
}

/* "epoll 12 of nginx 4711" */
static void write_descriptor(FILE *out, const struct profile_object *object)
{
	(void)fputs(kinds[object->kind], out);
	if (object->descriptor)
		(void)fprintf(out, " %" PRIu32, object->descriptor - 1);
	write_process(out, object);
}

static void write_offset(FILE *out, uint64_t offset)
{
	if (offset)
		(void)fprintf(out, "+0x%" PRIx64, offset);
}

/* " in shared file /dev/shm/table+0x40"; " in shared memory 1027+0x40" if others cannot map it by its name. */
static void write_shared(FILE *out, const struct profile_object *object)
{
	const bool named = *object->name && !(object->flags & OBJECT_DELETED);

	(void)fputs(named ? " in shared file " : " in shared memory ", out);
	if (named)
		write_file(out, object);
	else
		(void)fprintf(out, "%" PRIu64, object->inode);
	write_offset(out, object->offset);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "futex 0x7f2fb0000ba0 in heap of redis-server 31630" */
static void write_futex(FILE *out, const struct profile_object *object)
{
	static const char *const mappings[OBJECT_MAPPINGS] = {[OBJECT_IN_HEAP] = " in heap",
							       [OBJECT_IN_STACK] = " in stack"};

	(void)fputs("futex", out);
	if (object->mapping == OBJECT_IN_SHARED) {
		write_shared(out, object);
		return;
	}
	(void)fprintf(out, " 0x%" PRIx64, object->address);
	(void)fputs(mappings[object->mapping] ? mappings[object->mapping] : "", out);
	if (object->mapping == OBJECT_IN_FILE && *object->name) {
		(void)fputs(" in ", out);
		write_text(out, last_part(object->name));
	}
	write_process(out, object);
}

/* If nothing more is known: any, one of a group, or of a pidfd or another pid namespace. */
static void write_child(FILE *out, const struct profile_object *object)
{
	if (!object->process) {
		(void)fputs("a child", out);
		return;
	}
	(void)fputs("child ", out);
	if (*object->comm) {
		write_text(out, object->comm);
		(void)fputc(' ', out);
	}
	(void)fprintf(out, "%" PRIu32, object->process);
}

static void write_sleep(FILE *out, const struct profile_object *object)
{
	(void)object;
	(void)fputs("sleep", out);
}

static void write_work(FILE *out, const struct profile_object *object)
{
	(void)fputs("work ", out);
	write_text(out, *object->name ? object->name : "[unknown]");
}

/* "mutex #3", "mutex cgroup_mutex", "mmap_lock of postgres 4711" */
static void write_lock(FILE *out, const struct profile_object *object)
{
	static const char *const locks[LOCK_KINDS] = {[LOCK_UNKNOWN] = "lock", LOCK_KIND_LIST(KIND_TEXT)};

	if (object->flags & OBJECT_MMAP_LOCK) {
		(void)fputs("mmap_lock", out);
		write_process(out, object);
		return;
	}
	(void)fputs(locks[object->lock < LOCK_KINDS ? object->lock : LOCK_UNKNOWN], out);
	if (*object->name) {
		(void)fputc(' ', out);
		write_text(out, object->name);
	} else if (object->address) {
		(void)fprintf(out, " #%" PRIu64, object->address);
	}
}

/* "block device sda1 (8:1)", "block device 8:1" */
static void write_block(FILE *out, const struct profile_object *object)
{
	(void)fputs("block device ", out);
	write_text(out, object->name);
	(void)fputs(*object->name ? " (" : "", out);
	write_number(out, object->device);
	(void)fputs(*object->name ? ")" : "", out);
}

/* "cgroup /shop/web (quota 10 %)": of one CPU */
static void write_cgroup(FILE *out, const struct profile_object *object)
{
	(void)fputs("cgroup ", out);
	write_text(out, *object->name ? object->name : "[unknown]");
	if (object->address)
		(void)fprintf(out, " (quota %.4g %%)", 100.0 * (double)object->offset / (double)object->address);
}

void object_write(FILE *out, const struct profile_object *object)
{
	static void (*const writes[OBJECT_KINDS])(FILE *, const struct profile_object *) = {
		[OBJECT_FILE] = write_file,	    [OBJECT_DEVICE] = write_file,
		[OBJECT_PIPE] = write_pipe,	    [OBJECT_TCP] = write_inet,
		[OBJECT_UDP] = write_inet,	    [OBJECT_UNIX] = write_unix,
		[OBJECT_SOCKET] = write_socket,	    [OBJECT_EVENTFD] = write_descriptor,
		[OBJECT_TIMERFD] = write_descriptor, [OBJECT_SIGNALFD] = write_descriptor,
		[OBJECT_INOTIFY] = write_descriptor, [OBJECT_EPOLL] = write_descriptor,
		[OBJECT_ANONYMOUS] = write_descriptor, [OBJECT_FUTEX] = write_futex,
		[OBJECT_CHILD] = write_child,	    [OBJECT_SLEEP] = write_sleep,
		[OBJECT_WORK] = write_work,	    [OBJECT_LOCK] = write_lock,
		[OBJECT_BLOCK] = write_block,	    [OBJECT_CGROUP] = write_cgroup,
	};

	if (object->kind < OBJECT_KINDS && writes[object->kind])
		writes[object->kind](out, object);
}

/* --- waits --- */

/* Three digits only: the kernel's timer has the time when it was to end, not how long it was to last. */
static void write_asked(FILE *out, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{SECOND, "s"}, {MILLISECOND, "ms"}, {MICROSECOND, "us"}};
	size_t i = 0;
	unsigned int places;
	double count;

	while (i + 1 < sizeof(units) / sizeof(units[0]) && ns < units[i].ns)
		i++;
	count = (double)ns / (double)units[i].ns;
	places = count < 9.995 ? 2 : count < 99.95 ? 1 : 0;
	(void)fprintf(out, " %.*f %s", (int)places, count, units[i].name);
}

static void write_operation(FILE *out, const struct profile_operation *operation)
{
	switch (operation->kind) {
	case WAIT_IN_CALL:
	case WAIT_IN_COMPAT_CALL:
		(void)fputs("in ", out);
		write_text(out, operation->name);
		(void)fputs(operation->kind == WAIT_IN_COMPAT_CALL ? " (32-bit)" : "", out);
		break;
	case WAIT_IN_FAULT:
		(void)fputs("in a page fault", out);
		break;
	default:
		write_text(out, operation->name);
	}
}

/* A lock is not what the call works with. */
static void write_lock_wait(FILE *out, const struct profile_operation *operation, const struct profile_object *object)
{
	if (operation->kind != WAIT_IN_UNKNOWN && operation->kind != WAIT_IN_KERNEL_THREAD) {
		write_operation(out, operation);
		(void)fputc(' ', out);
	}
	(void)fputs("on ", out);
	object_write(out, object);
}

/* Whoever was seen to own it at the begin of a wait may have let go since. */
static const char *held_word(const struct profile_wait *wait)
{
	if (wait->held & HELD_BY_READER)
		return " (last read by ";
	return wait->held & HELD_AT_END ? " (held by " : " (held at first by ";
}

/* " (held by main 31630)", " for reading" */
static void write_held(FILE *out, const struct waits *waits, const struct profile_wait *wait)
{
	const struct profile_task *owner;

	if (wait->held & HELD_FROM_READING)
		(void)fputs(" for reading", out);
	if (!(wait->held & HELD_BY_OWNER))
		return;
	owner = &waits->tasks[wait->owner];
	(void)fputs(held_word(wait), out);
	write_text(out, owner->comm);
	(void)fprintf(out, " %" PRIu32 ")", owner->tid);
}

/* " → fd 7, tcp 127.0.0.1:80 → 127.0.0.1:42858", " → pipe:4711", " → timeout" */
static void write_ready(FILE *out, const struct waits *waits, const struct profile_wait *wait)
{
	if (wait->ready_descriptor)
		(void)fprintf(out, " → fd %" PRIu32, wait->ready_descriptor - 1);
	if (wait->held & PROFILE_TIMED_OUT)
		(void)fputs(" → timeout", out);
	if (!wait->ready)
		return;
	(void)fputs(wait->ready_descriptor ? ", " : " → ", out);
	object_write(out, &waits->objects[wait->ready]);
}

/* A parent in vfork() waits for its child to execute a program or exit. */
static bool is_vfork(const struct profile_operation *operation)
{
	return !strcmp(operation->name, "vfork") || !strcmp(operation->name, "clone") ||
	       !strcmp(operation->name, "clone3");
}

static void write_both(FILE *out, const struct profile_operation *operation, const struct profile_object *object,
		       uint64_t asked)
{
	switch (object->kind) {
	case OBJECT_CHILD:
		if (is_vfork(operation)) {
			(void)fputs("vfork child", out);
			break;
		}
		object_write(out, object);
		break;
	case OBJECT_SLEEP:
		object_write(out, object);
		break;
	case OBJECT_FUTEX:
	case OBJECT_EPOLL:
		(void)fputs("on ", out);
		object_write(out, object);
		break;
	case OBJECT_CGROUP:
		(void)fputs("by ", out);
		object_write(out, object);
		break;
	case OBJECT_WORK:
		(void)fputs("in ", out);
		object_write(out, object);
		break;
	case OBJECT_LOCK:
		write_lock_wait(out, operation, object);
		break;
	default:
		write_operation(out, operation);
		(void)fputs(operation->kind == WAIT_IN_UNKNOWN ? "on " : " of ", out);
		object_write(out, object);
	}
	if (object->kind == OBJECT_SLEEP && asked)
		write_asked(out, asked);
}

bool wait_has_object(const struct waits *waits, const struct profile_wait *wait)
{
	return wait->object || (wait->operation && waits->operations[wait->operation].kind != WAIT_IN_KERNEL_THREAD);
}

/* " (written by cc1 4711)", " (at its other end postgres 4711 and 2 others)" */
static void write_users(FILE *out, const struct waits *waits, const struct profile_wait *wait, bool differ)
{
	static const char *const words[PROFILE_DIRECTIONS] = {
		[PROFILE_NEITHER] = "at its other end", [PROFILE_READS] = "read by", [PROFILE_WRITES] = "written by"};
	enum profile_direction end;
	const struct profile_users *users = other_end(waits, wait, &end);

	if (!users)
		return;
	(void)fprintf(out, " (%s ", words[end]);
	write_text(out, profile_process_comm(waits->profile, users->task));
	(void)fprintf(out, " %" PRIu32, waits->tasks[users->task].tgid);
	if (differ)
		(void)fputs(" and others", out);
	else if (users->processes > 1)
		(void)fprintf(out, " and %" PRIu32 " other%s", users->processes - 1, plural(users->processes - 1));
	(void)fputc(')', out);
}

/* The same for several waits like this one. other_ends: the processes at their other ends differ. */
static void wait_write_alike(FILE *out, const char *before, const struct waits *waits, const struct profile_wait *wait,
			     bool other_ends)
{
	if (!wait_has_object(waits, wait))
		return;
	(void)fputs(before, out);
	if (wait->object)
		write_both(out, &waits->operations[wait->operation], &waits->objects[wait->object],
			   wait->asked);
	else
		write_operation(out, &waits->operations[wait->operation]);
	write_held(out, waits, wait);
	write_ready(out, waits, wait);
	write_users(out, waits, wait, other_ends);
}

void wait_write_object(FILE *out, const char *before, const struct waits *waits, const struct profile_wait *wait)
{
	wait_write_alike(out, before, waits, wait, false);
}

int object_to_text(const struct profile_object *object, char **ret_text)
{
	size_t length;
	FILE *stream = open_memstream(ret_text, &length);

	if (!stream)
		return -ENOMEM;
	object_write(stream, object);
	return fclose(stream) ? -ENOMEM : 0;
}

int wait_object_text(const struct waits *waits, const struct profile_wait *wait, char **ret_text)
{
	size_t length;
	FILE *stream;

	*ret_text = NULL;
	if (!wait_has_object(waits, wait))
		return 0;
	stream = open_memstream(ret_text, &length);
	if (!stream)
		return -ENOMEM;
	wait_write_object(stream, "", waits, wait);
	return fclose(stream) ? -ENOMEM : 0;
}

/* --- object texts --- */

int object_texts_init(struct object_texts *texts, const struct waits *waits)
{
	const struct profile_object *objects;

	*texts = (struct object_texts){.waits = waits};
	texts->number_of = calloc(profile_objects(waits->profile, &objects) + 1, sizeof(*texts->number_of));
	return texts->number_of ? hash_map_init(&texts->known) : -ENOMEM;
}

void object_texts_deinit(struct object_texts *texts)
{
	for (size_t i = 0; i < texts->items.count; i++)
		free(texts->items.items[i]);
	array_free(&texts->items);
	hash_map_deinit(&texts->known);
	free(texts->number_of);
	*texts = (struct object_texts){0};
}

bool object_texts_are_few(const struct object_texts *texts)
{
	const struct profile_object *objects;

	return profile_objects(texts->waits->profile, &objects) <= OBJECT_TEXTS_FEW;
}

static int number_text(struct object_texts *texts, uint32_t object)
{
	_cleanup_free_ char *text = NULL;
	uint64_t *known;
	int r = object_to_text(&texts->waits->objects[object], &text) ?:
		hash_map_add(&texts->known, text, strlen(text), texts->items.count, &known);

	if (r < 0)
		return r;
	texts->number_of[object] = (uint32_t)*known + 1;
	if (!r)
		return 0;
	r = array_push(&texts->items, text);
	if (!r)
		text = NULL;
	return r;
}

int object_texts_find(struct object_texts *texts, uint32_t object, uint32_t *ret_text)
{
	int r = 0;

	*ret_text = OBJECT_NO_TEXT;
	if (object && !texts->number_of[object])
		r = number_text(texts, object);
	if (!r && object)
		*ret_text = texts->number_of[object] - 1;
	return r;
}

int object_texts_key(struct object_texts *texts, const struct profile_wait *wait, bool apart,
		     struct object_key *ret_key)
{
	const uint32_t thing = wait->object;
	const bool matters = apart || (!wait->object && wait->operation &&
				       texts->waits->operations[wait->operation].many);
	int r = object_texts_find(texts, thing, &ret_key->thing);

	ret_key->operation = wait->operation;
	ret_key->ready = OBJECT_NO_TEXT;
	ret_key->timed_out = matters && wait->held & PROFILE_TIMED_OUT;
	if (r < 0 || !matters)
		return r;
	return object_texts_find(texts, wait->ready, &ret_key->ready);
}

const char *object_text(const struct object_texts *texts, uint32_t text)
{
	return text < texts->items.count ? texts->items.items[text] : "";
}

/* --- waits that are alike --- */

void object_alike_begin(struct object_alike *alike, const struct profile_wait *wait)
{
	*alike = (struct object_alike){.wait = *wait, .least_asked = wait->asked, .most_asked = wait->asked};
}

/* A detail that only some of them have counts as different. Different objects may read the same. */
void object_alike_add(struct object_alike *alike, const struct waits *waits, const struct profile_wait *wait,
		      const struct object_key *key)
{
	struct profile_wait *kept = &alike->wait;
	const unsigned int differs = kept->held ^ wait->held;

	kept->held &= (uint8_t)~differs;
	if (differs & HELD_BY_OWNER || kept->owner != wait->owner)
		kept->held &= HELD_FROM_READING | PROFILE_TIMED_OUT;
	if (kept->ready != wait->ready && key->ready == OBJECT_NO_TEXT)
		kept->ready = 0;
	if (kept->ready_descriptor != wait->ready_descriptor || !kept->ready)
		kept->ready_descriptor = 0;
	alike->other_ends |= other_ends_differ(waits, kept, wait);
	alike->least_asked = wait->asked < alike->least_asked ? wait->asked : alike->least_asked;
	alike->most_asked = wait->asked > alike->most_asked ? wait->asked : alike->most_asked;
}

void object_alike_write(FILE *out, const char *before, const struct waits *waits, const struct object_alike *alike)
{
	struct profile_wait wait = alike->wait;

	wait.asked = alike->least_asked >= alike->most_asked / 2 ? alike->most_asked : 0; /* 0: they differ too much */
	wait_write_alike(out, before, waits, &wait, alike->other_ends);
}

/* --- sums --- */

int object_tally_init(struct object_tally *tally, const struct waits *waits)
{
	*tally = (struct object_tally){.waits = waits};
	return object_texts_init(&tally->texts, waits) ?: hash_map_init(&tally->known);
}

void object_tally_deinit(struct object_tally *tally)
{
	object_texts_deinit(&tally->texts);
	hash_map_deinit(&tally->known);
	array_free(&tally->sums);
}

void object_tally_clear(struct object_tally *tally)
{
	if (tally->sums.count)
		hash_map_clear(&tally->known);
	tally->sums.count = 0;
}

struct line_key { /* without padding */
	uint32_t line;
	struct object_key object;
};

int object_tally_add(struct object_tally *tally, uint32_t line, const struct profile_wait *wait, uint64_t weight)
{
	struct line_key key = {line, {OBJECT_NO_TEXT, 0, OBJECT_NO_TEXT, 0}};
	struct object_sum made = {.line = line};
	uint64_t *known;
	int r = 0;

	if (wait_has_object(tally->waits, wait))
		r = object_texts_key(&tally->texts, wait, false, &key.object);
	if (!r)
		r = hash_map_add(&tally->known, &key, sizeof(key), tally->sums.count, &known);
	if (r < 0)
		return r;
	if (!r) {
		object_alike_add(&tally->sums.items[*known].alike, tally->waits, wait, &key.object);
		tally->sums.items[*known].weight = wait_add(tally->sums.items[*known].weight, weight);
		return 0;
	}
	made.text = key.object.thing;
	made.weight = weight;
	object_alike_begin(&made.alike, wait);
	return array_push(&tally->sums, made);
}

bool object_sum_is_known(const struct object_tally *tally, const struct object_sum *sum)
{
	return wait_has_object(tally->waits, &sum->alike.wait);
}

static int timed_out(const struct object_sum *sum)
{
	return (sum->alike.wait.held & PROFILE_TIMED_OUT) != 0;
}

static int compare_sums(const void *left, const void *right, void *context)
{
	const struct object_tally *tally = context;
	const struct object_sum *l = left, *r = right;
	const bool l_known = object_sum_is_known(tally, l), r_known = object_sum_is_known(tally, r);
	const struct profile_operation *operations = tally->waits->operations;
	int order = COMPARE(l->line, r->line) ?: r_known - l_known ?: COMPARE(r->weight, l->weight);

	if (order || !l_known)
		return order;
	return strcmp(object_text(&tally->texts, l->text), object_text(&tally->texts, r->text)) ?:
	       strcmp(operations[l->alike.wait.operation].name, operations[r->alike.wait.operation].name) ?:
	       timed_out(l) - timed_out(r);
}

void object_tally_finish(struct object_tally *tally)
{
	if (tally->sums.count)
		qsort_r(tally->sums.items, tally->sums.count, sizeof(*tally->sums.items), compare_sums, tally);
}

size_t object_tally_find(const struct object_tally *tally, uint32_t line, const struct object_sum **ret_first)
{
	const struct object_sum *sums = tally->sums.items;
	const size_t first = SORTED_FIRST(i, tally->sums.count, sums[i].line >= line);
	const size_t end = SORTED_FIRST(i, tally->sums.count, sums[i].line > line);

	*ret_first = sums ? sums + first : NULL;
	return end - first;
}

/* --- text --- */

void object_tally_write(const struct object_tally *tally, uint32_t line, FILE *out)
{
	const struct object_sum *sums;
	const size_t count = object_tally_find(tally, line, &sums);
	uint64_t weight = 0;
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		weight = wait_add(weight, sums[i].weight);
		known += object_sum_is_known(tally, &sums[i]);
	}
	if (!known)
		return;
	if (count > 1)
		(void)fprintf(out, ", %s%% of it", figure_percent(sums->weight, weight).text);
	object_alike_write(out, count > 1 ? " " : ", ", tally->waits, &sums->alike);
	if (known > 1)
		(void)fprintf(out, ", and %zu other%s", known - 1, plural(known - 1));
}
