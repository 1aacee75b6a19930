/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/types.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bpf/ring.h"
#include "common/cleanup.h"
#include "common/container.h"
#include "common/gate/packet.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "format/limits.h"
#include "record/helper/helpers.h"
#include "record/helper/iterator_helper.h"
#include "record/host/clocks.h"
#include "record/perf/ring.h"
#include "record/plan/deadlines.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"

/* --- which of them options mean --- */

enum { MOST_DEPTH = 64, NAMED = 8, NAMED_TEXT = 512 };

struct search {
	const struct record_who *who;
	struct filter_cgroups *found;
	char path[PATH_MAX]; /* of the folder at hand, below the mount; "" is the mount itself */
	size_t length;
	char seen[NAMED_TEXT]; /* containers, for the message */
	size_t containers, named;
};

/* --- the mount --- */

static bool is_cgroup2(const char *path)
{
	struct statfs system;

	return !statfs(path, &system) && system.f_type == CGROUP2_SUPER_MAGIC;
}

static bool find_mount(char path[static PATH_MAX])
{
	_cleanup_fclose_ FILE *mounts = fopen("/proc/self/mounts", "re");
	char text[2 * PATH_MAX];
	struct mntent entry;
	bool found = false;

	while (mounts && !found && getmntent_r(mounts, &entry, text, sizeof(text)))
		if (!strcmp(entry.mnt_type, "cgroup2") && strlen(entry.mnt_dir) < PATH_MAX) {
			(void)snprintf(path, PATH_MAX, "%s", entry.mnt_dir);
			found = is_cgroup2(path);
		}
	return found;
}

static int say_no_mount(const struct record_who *who)
{
	return log_error(ENODEV, "--%s chooses by control groups of version 2, which are not mounted here: boot with "
				 "systemd.unified_cgroup_hierarchy=1, or mount -t cgroup2 none /sys/fs/cgroup",
			 who->container ? "container" : "cgroup");
}

/* --- what fits --- */

static void note_container(struct search *search, const char *id)
{
	size_t used = strlen(search->seen);

	search->containers++;
	if (search->named == NAMED)
		return;
	search->named++;
	(void)snprintf(search->seen + used, sizeof(search->seen) - used, "%s%.*s", used ? ", " : "",
		       CONTAINER_SHORT, id);
}

static bool container_is_wanted(struct search *search)
{
	char id[CONTAINER_ID + 1];

	if (!container_find(search->path, id))
		return false;
	note_container(search, id);
	return container_fits(search->who->container, id);
}

static bool is_wanted(struct search *search)
{
	const struct record_who *who = search->who;

	if (who->cgroup && !cgroup_path_fits(who->cgroup, search->length ? search->path : "/"))
		return false;
	return !who->container || container_is_wanted(search);
}

static int add(struct search *search, int folder)
{
	struct filter_cgroups *found = search->found;
	struct stat status;

	if (fstat(folder, &status) < 0)
		return 0; /* it was removed */
	if (found->count == RING_MAX_CGROUPS)
		return log_error(E2BIG, "more than %d control groups fit: choose one above them", RING_MAX_CGROUPS);
	found->ids[found->count++] = status.st_ino;
	return 0;
}

/* --- the tree --- */

static int look_below(struct search *search, DIR *folder, unsigned int depth);

static void enter(struct search *search, const char *name)
{
	int added = snprintf(search->path + search->length, sizeof(search->path) - search->length, "/%s", name);

	if (added > 0 && (size_t)added < sizeof(search->path) - search->length)
		search->length += (size_t)added;
}

/* If a control group matches, those below it are included. */
static int look_at(struct search *search, int parent, const char *name, unsigned int depth)
{
	const size_t before = search->length;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), r = 0;
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder) {
		if (fd >= 0)
			(void)close(fd);
		return 0;
	}
	enter(search, name);
	r = is_wanted(search) ? add(search, fd) : look_below(search, folder, depth);
	search->length = before;
	search->path[before] = '\0';
	(void)closedir(folder);
	return r;
}

static int look_below(struct search *search, DIR *folder, unsigned int depth)
{
	const struct dirent *entry;
	int r = 0;

	while (depth < MOST_DEPTH && !r && (entry = readdir(folder)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = look_at(search, dirfd(folder), entry->d_name, depth + 1);
	return r;
}

/* Reports a directory of another file system, which matches nothing. */
static int check_folder(const char *path)
{
	struct stat status;

	if (*path != '/' || stat(path, &status) < 0 || !S_ISDIR(status.st_mode) || is_cgroup2(path))
		return 0;
	return log_error(EINVAL, "'%s' is not a control group of version 2, such as /sys/fs/cgroup/system.slice", path);
}

static int say_none(const struct search *search)
{
	const struct record_who *who = search->who;

	if (who->cgroup && check_folder(who->cgroup) < 0)
		return -EINVAL;
	if (!who->container)
		return log_error(ENOENT, "no control group fits --cgroup '%s'; 'systemd-cgls' and /proc/PID/cgroup "
					 "have their paths", who->cgroup);
	if (!search->containers)
		return log_error(ENOENT, "no control group of version 2 is a container's, as --container '%s' wants",
				 who->container);
	return log_error(ENOENT, "no container fits --container '%s'; there %s %s%s", who->container,
			 search->containers == 1 ? "is" : "are", search->seen,
			 search->containers > search->named ? " and others" : "");
}

/* The pattern relative to the mount. */
static const char *without_mount(const char *pattern, const char *mount)
{
	const size_t length = strlen(mount);

	if (strncmp(pattern, mount, length) != 0 || (pattern[length] && pattern[length] != '/'))
		return pattern;
	return pattern[length] ? pattern + length : "/";
}

static int search_mount(struct search *search, const char *mount)
{
	DIR *folder = opendir(mount);
	int r;

	if (!folder)
		return log_error(errno, "cannot read '%s': %s", mount, strerror(errno));
	r = is_wanted(search) ? add(search, dirfd(folder)) : look_below(search, folder, 0);
	(void)closedir(folder);
	if (r < 0)
		return r;
	return search->found->count ? 0 : say_none(search);
}

int cgroup_choice_make(const struct record_who *who, struct filter_cgroups *cgroups)
{
	struct record_who below = *who;
	struct search search = {.who = &below, .found = cgroups};
	char mount[PATH_MAX];
	struct stat status;

	if (!who->cgroup && !who->container)
		return 0;
	if (who->cgroup && !who->container && is_cgroup2(who->cgroup) && !stat(who->cgroup, &status)) {
		cgroups->ids[cgroups->count++] = status.st_ino; /* of any mount */
		return 0;
	}
	if (!find_mount(mount))
		return say_no_mount(who);
	if (who->cgroup)
		below.cgroup = without_mount(who->cgroup, mount);
	return search_mount(&search, mount);
}

/* --- those that are in the trace --- */

enum { NAME_BYTES = 2 << 20, CGROUP_TABLE_MOST_DEPTH = 256 };

enum entry_flag {
	ENTRY_DESCRIBED = 1, /* else only its id is known */
	ENTRY_INITIAL = 2,
	ENTRY_ROOT = 4,
	ENTRY_SEEN = 8, /* a task of an event was in it */
	ENTRY_TOLD = 16,
	ENTRY_REMOVED = 32,
};

struct entry {
	uint64_t id, parent;
	uint64_t made, removed; /* CLOCK_MONOTONIC ns */
	uint64_t pass;		/* in which it was removed */
	uint32_t name, length;	/* in `names` */
	uint32_t flags;
};

struct cgroup_table {
	struct recording *recording;
	struct hash_map places; /* by id: index of an entry */
	struct entry *entries;
	char *names, *spare; /* both of one size */
	uint32_t count, names_used;
	uint64_t pass, last_seen, left_out;
	uint64_t forgot; /* the pass in which removed ones were last forgotten */
	bool lists, below, listed;
	bool removed; /* there may be removed ones that were not forgotten */
};

int cgroup_table_create(struct recording *recording, struct cgroup_table **ret_table)
{
	struct cgroup_table *table = calloc(1, sizeof(*table));
	int r;

	if (!table)
		return -ENOMEM;
	table->recording = recording;
	table->entries = calloc(CGROUP_TABLE_MOST, sizeof(*table->entries));
	table->names = malloc(NAME_BYTES);
	table->spare = malloc(NAME_BYTES);
	r = table->entries && table->names && table->spare ? 0 : -ENOMEM;
	if (!r)
		r = hash_map_init_fixed(&table->places, CGROUP_TABLE_MOST, CGROUP_TABLE_MOST * sizeof(uint64_t));
	if (r < 0) {
		cgroup_table_destroy(table);
		return r;
	}
	*ret_table = table;
	return 0;
}

void cgroup_table_destroy(struct cgroup_table *table)
{
	if (!table)
		return;
	hash_map_deinit(&table->places);
	free(table->entries);
	free(table->names);
	free(table->spare);
	free(table);
}

/* --- entries --- */

static struct entry *find(const struct cgroup_table *table, uint64_t id)
{
	const uint64_t *place = hash_map_find(&table->places, &id, sizeof(id));

	return place ? &table->entries[*place] : NULL;
}

static bool is_gone(const struct cgroup_table *table, const struct entry *entry)
{
	return entry->flags & ENTRY_REMOVED && entry->pass + 1 < table->pass;
}

/* --- telling --- */

/* Returns the path's first byte; it ends at the end of `room`. NULL: it is not known, or too long. */
static const char *path_of(const struct cgroup_table *table, const struct entry *entry, char *room, size_t size)
{
	char *at = room + size;

	if (entry->flags & ENTRY_ROOT)
		*--at = '/';
	for (int depth = 0; depth < CGROUP_TABLE_MOST_DEPTH && entry; depth++, entry = find(table, entry->parent)) {
		if (entry->flags & ENTRY_ROOT)
			return at;
		if (!(entry->flags & ENTRY_DESCRIBED) || (size_t)(at - room) < entry->length + 1)
			return NULL;
		at -= entry->length;
		memcpy(at, table->names + entry->name, entry->length);
		*--at = '/';
	}
	return NULL;
}

static void tell_removal(struct cgroup_table *table, const struct entry *entry)
{
	struct recording *recording = table->recording;
	const struct event event = {.kind = EVENT_CGROUP, .cgroup = {.time = entry->removed, .id = entry->id,
								     .flags = CGROUP_REMOVED}};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void write_entry(struct cgroup_table *table, const struct entry *entry)
{
	struct recording *recording = table->recording;
	char room[RWK_MAX_STRING + 1];
	const char *path = path_of(table, entry, room, sizeof(room) - 1);
	struct event event = {.kind = EVENT_CGROUP, .cgroup = {.time = entry->made, .id = entry->id}};

	room[RWK_MAX_STRING] = '\0';
	if (path)
		event.cgroup.path = (struct event_text){path, (uint32_t)(room + sizeof(room) - 1 - path)};
	if (entry->flags & ENTRY_INITIAL)
		event.cgroup.flags |= CGROUP_INITIAL;
	(void)recording_check(recording, event_log_add(recording->log, &event));
	if (entry->flags & ENTRY_REMOVED)
		tell_removal(table, entry);
}

static void tell(struct cgroup_table *table, struct entry *entry)
{
	entry->flags |= ENTRY_TOLD;
	write_entry(table, entry);
}

void cgroup_table_tell(struct cgroup_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->entries[i].flags & ENTRY_TOLD)
			write_entry(table, &table->entries[i]);
}

/* --- room --- */

static void forget_removed(struct cgroup_table *table)
{
	char *names = table->names;
	uint32_t count = table->count;

	for (uint32_t i = 0; table->recording->segment && i < count; i++) /* while its path is known */
		if (is_gone(table, &table->entries[i]) && table->entries[i].flags & ENTRY_TOLD)
			write_entry(table, &table->entries[i]);
	table->names = table->spare;
	table->spare = names;
	hash_map_clear(&table->places);
	table->count = table->names_used = 0;
	table->last_seen = 0;
	table->forgot = table->pass;
	table->removed = false;
	for (uint32_t i = 0; i < count; i++) {
		struct entry *entry = &table->entries[i];

		if (is_gone(table, entry))
			continue;
		table->removed |= entry->flags & ENTRY_REMOVED;
		memcpy(table->names + table->names_used, names + entry->name, entry->length);
		entry->name = table->names_used;
		table->names_used += entry->length;
		table->entries[table->count] = *entry;
		(void)hash_map_add(&table->places, &entry->id, sizeof(entry->id), table->count++, NULL);
	}
}

static bool has_room(const struct cgroup_table *table, uint32_t length)
{
	return table->count < CGROUP_TABLE_MOST && length <= NAME_BYTES - table->names_used;
}

/* Finds or makes the entry. NULL: there is no room. */
static struct entry *make(struct cgroup_table *table, uint64_t id)
{
	struct entry *entry = find(table, id);

	if (entry)
		return entry;
	if (!has_room(table, RING_CGROUP_NAME) && table->removed && table->forgot != table->pass)
		forget_removed(table);
	if (!has_room(table, RING_CGROUP_NAME) ||
	    hash_map_add(&table->places, &id, sizeof(id), table->count, NULL) < 0) {
		table->left_out++;
		return NULL;
	}
	entry = &table->entries[table->count++];
	*entry = (struct entry){.id = id, .made = clocks_now()};
	return entry;
}

/* --- what is seen --- */

void cgroup_table_see(struct cgroup_table *table, uint64_t id)
{
	struct entry *entry;

	if (!table || !id || id == table->last_seen)
		return;
	table->last_seen = id;
	entry = make(table, id);
	if (!entry)
		return;
	entry->flags |= ENTRY_SEEN;
	if (entry->flags & ENTRY_DESCRIBED && !(entry->flags & ENTRY_TOLD))
		tell(table, entry);
}

void cgroup_table_finish(struct cgroup_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->entries[i].flags & ENTRY_SEEN && !(table->entries[i].flags & ENTRY_TOLD))
			tell(table, &table->entries[i]);
}

/* --- what the programs say --- */

void cgroup_table_begin_list(struct cgroup_table *table)
{
	table->lists = true;
}

void cgroup_table_end_list(struct cgroup_table *table)
{
	table->listed = true;
}

void cgroup_table_pass(struct cgroup_table *table)
{
	table->pass++;
}

static void describe(struct cgroup_table *table, struct entry *entry, const struct ring_cgroup *record)
{
	const uint64_t start = table->recording->start;

	entry->flags |= ENTRY_DESCRIBED;
	entry->parent = record->parent;
	entry->name = table->names_used;
	entry->length = record->length;
	memcpy(table->names + entry->name, record->name, record->length);
	table->names_used += record->length;
	entry->made = record->time;
	if (record->time <= start || (record->kind == RING_CGROUP_EXISTS && !table->listed)) {
		entry->flags |= ENTRY_INITIAL;
		entry->made = start;
	}
	if (entry->flags & ENTRY_SEEN)
		tell(table, entry);
}

static void remove_one(struct cgroup_table *table, const struct ring_cgroup *record)
{
	struct entry *entry = find(table, record->id);

	if (!entry || entry->flags & ENTRY_REMOVED)
		return;
	entry->flags |= ENTRY_REMOVED;
	entry->pass = table->pass;
	entry->removed = record->time;
	table->removed = true;
	if (entry->flags & ENTRY_TOLD)
		tell_removal(table, entry);
}

void cgroup_table_take(struct cgroup_table *table, const struct ring_cgroup *record)
{
	bool root = table->lists && record->kind == RING_CGROUP_EXISTS;
	struct entry *entry;

	if (record->length >= RING_CGROUP_NAME)
		return;
	if (record->kind == RING_CGROUP_REMOVED) {
		remove_one(table, record);
		return;
	}
	entry = make(table, record->id);
	if (!entry)
		return;
	if (root) {
		table->lists = false;
		table->below = record->parent != 0;
		entry->flags |= ENTRY_ROOT;
	}
	if (entry->flags & ENTRY_REMOVED && record->kind == RING_CGROUP_MADE) {
		entry->flags = 0;
		table->last_seen = 0;
	}
	if (!(entry->flags & ENTRY_DESCRIBED))
		describe(table, entry, record);
}

uint64_t cgroup_table_left_out(const struct cgroup_table *table)
{
	return table->left_out;
}

bool cgroup_table_is_below(const struct cgroup_table *table)
{
	return table->below;
}

/* --- their paths and comings, as the programs report them --- */

struct cgroups {
	struct cgroup_table *table;
	const struct probe *probe;
	struct ring ring;
	struct helper helper; /* `stuck`: also how often the ring was too small */
	uint64_t lost;	      /* records of the ring */
	bool asked, listed;
};

static void helper_leave(struct cgroups *cgroups)
{
	helper_give_up(&cgroups->helper);
	cgroups->asked = false;
}

static void ask(struct cgroups *cgroups)
{
	_cleanup_close_ int fd = -1;
	const struct iterator_request request = {.what = ITERATOR_CGROUPS};

	if (cgroups->helper.stuck >= HELPER_MAX_STUCK || !helper_ready(&cgroups->helper))
		return;
	if (probe_cgroups_open(cgroups->probe, &fd) < 0) {
		helper_leave(cgroups);
		return;
	}
	if (!helper_send(&cgroups->helper, 1, &request, sizeof(request), fd))
		return;
	cgroups->asked = true;
	cgroups->listed = false;
	cgroup_table_begin_list(cgroups->table);
}

int cgroups_create(struct cgroup_table *table, const struct probe *probe, struct spawner *spawner,
		   struct cgroups **ret_cgroups)
{
	_cleanup_free_ struct cgroups *cgroups = calloc(1, sizeof(*cgroups));
	int r;

	if (!cgroups)
		return -ENOMEM;
	cgroups->table = table;
	cgroups->probe = probe;
	cgroups->helper = helper_of(spawner, HELPER_ITERATOR);
	r = ring_open(&cgroups->ring, probe_cgroups_ring(probe), RING_CGROUP_BYTES);
	if (r < 0)
		return r;
	ask(cgroups);
	*ret_cgroups = steal_ptr(cgroups);
	return 0;
}

void cgroups_destroy(struct cgroups *cgroups)
{
	if (!cgroups)
		return;
	helper_close(&cgroups->helper);
	ring_close(&cgroups->ring);
	free(cgroups);
}

/* --- the ring --- */

static void take_ring(struct cgroups *cgroups)
{
	const struct ring_cgroup *record;
	size_t length;

	(void)ring_aim(&cgroups->ring);
	while ((record = ring_next(&cgroups->ring, &length)))
		if (length >= sizeof(*record))
			cgroup_table_take(cgroups->table, record);
	ring_release(&cgroups->ring);
}

void cgroups_take(struct cgroups *cgroups)
{
	cgroup_table_pass(cgroups->table);
	take_ring(cgroups);
	if (cgroups->asked || probe_cgroups_lost(cgroups->probe) == cgroups->lost)
		return;
	cgroups->lost = probe_cgroups_lost(cgroups->probe);
	cgroups->helper.stuck++;
	ask(cgroups);
}

/* --- the list --- */

static void take_answer(struct cgroups *cgroups, int32_t error)
{
	take_ring(cgroups);
	cgroups->asked = false;
	cgroups->listed = !error;
	if (cgroups->listed)
		cgroup_table_end_list(cgroups->table);
}

static void listen_once(struct cgroups *cgroups, int timeout_ms)
{
	int32_t error;
	ssize_t got = packet_receive(cgroups->helper.socket, &error, sizeof(error), timeout_ms, NULL);

	if (got == sizeof(error)) {
		take_answer(cgroups, error);
	} else if (got != -ETIMEDOUT || clocks_now() - cgroups->helper.since >= DEADLINE_CGROUPS * MILLISECOND) {
		helper_leave(cgroups);
		ask(cgroups);
	}
}

bool cgroups_step(struct cgroups *cgroups, unsigned int budget_ms)
{
	uint64_t end = clocks_now() + budget_ms * MILLISECOND;

	do {
		if (!cgroups->asked)
			return true;
		listen_once(cgroups, budget_ms ? 10 : 0);
	} while (clocks_now() < end);
	return !cgroups->asked;
}

bool cgroups_are_listed(const struct cgroups *cgroups)
{
	return cgroups->listed;
}
