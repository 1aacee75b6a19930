/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --info --privacy: what a trace reveals to those who get it, each with a count, an example, and what removes it. */
#include "report/tool/info_privacy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "format/event_lines.h"
#include "report/profile/seam/figures.h"
#include "report/tool/info_parts.h"
#include "report/tool/info_text.h"

static const struct {
	const char *what, *remedy;
} rows[PRIVACY_ROWS] = {
	[PRIVACY_MEMORY] = {"stack memory", "--condense"},
	[PRIVACY_WORDS] = {"words of memory", "--condense"},
	[PRIVACY_COMMAND] = {"command line", "--condense"},
	[PRIVACY_CODE] = {"code and unwind tables", "--condense"},
	[PRIVACY_OTHERS] = {"comms in no event", "--condense"},
	[PRIVACY_FILES] = {"files waited for", "--condense"},
	[PRIVACY_PEERS] = {"addresses of peers", "--condense"},
	[PRIVACY_CONTAINERS] = {"names of containers", "--condense"},
	[PRIVACY_UNKNOWN] = {"unknown records", "--condense"},
	[PRIVACY_UNREADABLE] = {"unreadable bytes", "--condense"},
	[PRIVACY_HOST] = {"host name", "--scrub=host"},
	[PRIVACY_BOOT] = {"boot id", "--scrub=host"},
	[PRIVACY_KERNEL] = {"kernel", "--scrub=host"},
	[PRIVACY_COMMS] = {"comms", "--scrub=comms"},
	[PRIVACY_PATHS] = {"paths", "--scrub=paths"},
	[PRIVACY_USERS] = {"users (by paths)", "--scrub=paths,sources"},
	[PRIVACY_BUILD_IDS] = {"build-ids", "--scrub=build-ids"},
	[PRIVACY_SYMBOLS] = {"symbols", "--scrub=symbols"},
	[PRIVACY_JIT] = {"names of JIT code", "--scrub=symbols"},
	[PRIVACY_SOURCES] = {"source files", "--scrub=sources"},
	[PRIVACY_ADDRESSES] = {"addresses (ASLR)", "--scrub=addresses"},
	[PRIVACY_KASLR] = {"kernel addresses (KASLR)", "--scrub=addresses"},
	[PRIVACY_PIDS] = {"threads", "--scrub=pids"},
	[PRIVACY_TIMES] = {"times", "--scrub=times"},
	[PRIVACY_CGROUPS] = {"control groups", "--scrub=cgroups"},
	[PRIVACY_OBJECTS] = {"inodes, ports, futexes", "--scrub"},
	[PRIVACY_PROBES] = {"probes", "--scrub"},
	[PRIVACY_RULES] = {"rules of triggers", "--scrub"},
	[PRIVACY_NOTES] = {"other facts", "--scrub"},
};

/* --- findings --- */

static void privacy_deinit(struct privacy *privacy)
{
	for (size_t i = 0; i < PRIVACY_ROWS; i++)
		text_pool_deinit(&privacy->findings[i].texts);
}

static int privacy_init(struct privacy *privacy)
{
	int r = 0;

	*privacy = (struct privacy){0};
	for (size_t i = 0; i < PRIVACY_ROWS && !r; i++)
		r = text_pool_init(&privacy->findings[i].texts);
	return r;
}

static void keep_example(struct privacy_finding *finding, const void *bytes, size_t length)
{
	finding->example_length = length < sizeof(finding->example) ? length : sizeof(finding->example);
	memcpy(finding->example, bytes, finding->example_length);
}

/* Counts each text once. `telling`: it is a better example than texts that are not. */
static int note(struct privacy *privacy, enum privacy_row row, const void *bytes, size_t length, bool telling)
{
	struct privacy_finding *finding = &privacy->findings[row];
	const char *text;
	int r;

	if (!length)
		return 0;
	r = text_pool_add(&finding->texts, bytes, length, &text);
	if (r < 0)
		return r;
	finding->count = finding->texts.texts.count;
	if (!finding->example_length || (telling && !finding->telling))
		keep_example(finding, bytes, length);
	finding->telling |= telling;
	return 0;
}

void privacy_count(struct privacy *privacy, enum privacy_row row, uint64_t count, const char *example)
{
	struct privacy_finding *finding = &privacy->findings[row];

	if (count && !finding->count && example)
		keep_example(finding, example, strlen(example));
	finding->count += count;
}

static int note_text(struct privacy *privacy, enum privacy_row row, const struct event_text *text)
{
	return note(privacy, row, text->bytes, text->length, false);
}

/* --- what is private --- */

static bool begins(const char *text, size_t length, const char *start)
{
	return length >= strlen(start) && !memcmp(text, start, strlen(start));
}

/* Where distributions install files. What is there may be private too; what is elsewhere is. */
static bool is_of_system(const char *path, size_t length)
{
	static const char *const folders[] = {"/usr/lib/", "/usr/lib64/", "/usr/libexec/", "/usr/bin/", "/usr/sbin/",
					      "/lib/", "/lib64/", "/bin/", "/sbin/", "["};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (begins(path, length, folders[i]))
			return true;
	return false;
}

static int note_user(struct privacy *privacy, const char *path, size_t length)
{
	static const char home[] = "/home/";
	const char *name = path + strlen(home), *end;

	if (!begins(path, length, home))
		return 0;
	end = memchr(name, '/', length - strlen(home));
	return note(privacy, PRIVACY_USERS, name, end ? (size_t)(end - name) : length - strlen(home), false);
}

static bool is_private(const struct privacy *privacy, uint32_t id)
{
	const struct trace_module *module = trace_model_module(privacy->model, id);

	return !module || (module->kind == MODULE_FILE && !is_of_system(module->path, strlen(module->path)));
}

/* --- one function per kind of record --- */

static int take_meta(struct privacy *privacy, struct event *event)
{
	static const struct {
		const char *key;
		enum privacy_row row; /* PRIVACY_ROWS: reveals nothing about the host */
	} keys[] = {
		{"hostname", PRIVACY_HOST},	   {"boot_id", PRIVACY_BOOT},	   {"kernel_release", PRIVACY_KERNEL},
		{"kernel_version", PRIVACY_KERNEL}, {"command_line", PRIVACY_COMMAND}, {"machine", PRIVACY_ROWS},
		{"recorder", PRIVACY_ROWS},	   {"cpus", PRIVACY_ROWS},	   {"memory", PRIVACY_ROWS},
		{"condensed", PRIVACY_ROWS},	   {"file-header", PRIVACY_ROWS},
		{"refused_calls", PRIVACY_ROWS},	   {"cgroups", PRIVACY_ROWS},	   {"nodes", PRIVACY_ROWS},
		{"packages", PRIVACY_ROWS},	   {"cores", PRIVACY_ROWS},	   {"helpers_ended", PRIVACY_ROWS},
		{"helpers_left", PRIVACY_ROWS},	   {"throttling", PRIVACY_ROWS},
	};
	const struct event_text *key = &event->meta.key;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (key->length == strlen(keys[i].key) && begins(key->bytes, key->length, keys[i].key))
			return keys[i].row == PRIVACY_ROWS ? 0 : note_text(privacy, keys[i].row, &event->meta.value);
	return note_text(privacy, PRIVACY_NOTES, &event->meta.value);
}

static int take_module(struct privacy *privacy, struct event *event)
{
	const struct event_module *module = &event->module;
	const char *path = module->path.bytes;
	char base[32];
	int r;

	if (module->base) {
		(void)snprintf(base, sizeof(base), "0x%" PRIx64, module->base);
		privacy_count(privacy, PRIVACY_KASLR, 1, base);
	}
	if (module->kind != MODULE_FILE)
		return 0;
	r = note(privacy, PRIVACY_PATHS, path, module->path.length, !is_of_system(path, module->path.length));
	if (r >= 0)
		r = note_user(privacy, path, module->path.length);
	return r < 0 ? r : note(privacy, PRIVACY_BUILD_IDS, module->build_id.bytes, module->build_id.length,
				!is_of_system(path, module->path.length));
}

static int take_mapping(struct privacy *privacy, struct event *event)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "0x%" PRIx64, event->mapping.start);
	privacy_count(privacy, PRIVACY_ADDRESSES, 1, text);
	return 0;
}

static int note_thread(struct privacy *privacy, uint32_t tid)
{
	char text[16];

	return note(privacy, PRIVACY_PIDS, text, (size_t)snprintf(text, sizeof(text), "%" PRIu32, tid), false);
}

static int take_task(struct privacy *privacy, struct event *event)
{
	const struct event_task *task = &event->task;
	int r = note(privacy, PRIVACY_COMMS, task->comm, strnlen(task->comm, sizeof(task->comm)), false);

	return r < 0 ? r : note_thread(privacy, task->tid);
}

/* The tasks of the events were already read. */
static int take_comm(struct privacy *privacy, struct event *event)
{
	const struct privacy_finding *comms = &privacy->findings[PRIVACY_COMMS];
	uint64_t before = comms->count;
	int r = note_text(privacy, PRIVACY_COMMS, &event->comm.comm);

	if (!r && comms->count > before)
		r = note_text(privacy, PRIVACY_OTHERS, &event->comm.comm);
	return r < 0 ? r : note_thread(privacy, event->comm.tid);
}

static int take_probe(struct privacy *privacy, struct event *event)
{
	return note_text(privacy, PRIVACY_PROBES, &event->probe.name);
}

static int take_trigger(struct privacy *privacy, struct event *event)
{
	int r = note_text(privacy, PRIVACY_RULES, &event->trigger.rule);

	return r < 0 || !event->trigger.comm.length ? r : note_text(privacy, PRIVACY_COMMS, &event->trigger.comm);
}

static int take_object(struct privacy *privacy, struct event *event)
{
	const struct event_object *object = &event->object;

	if (object->inode || object->port || (object->place && object->kind != OBJECT_LOCK))
		privacy_count(privacy, PRIVACY_OBJECTS, 1, "what threads waited for");
	return object->tgid ? note_thread(privacy, object->tgid) : 0;
}

/* A condensed trace has stand-ins instead of names, such as "file#3". */
static bool is_stand_in(const struct event_text *text)
{
	return begins(text->bytes, text->length, "file#") || begins(text->bytes, text->length, "name#") ||
	       begins(text->bytes, text->length, "peer#");
}

static int take_object_name(struct privacy *privacy, struct event *event)
{
	const struct event_object_name *name = &event->object_name;
	char address[64] = "";
	int r = 0;

	if (!is_stand_in(&name->path))
		r = note(privacy, PRIVACY_FILES, name->path.bytes, name->path.length,
			 !is_of_system(name->path.bytes, name->path.length));
	if (r >= 0)
		r = note_user(privacy, name->path.bytes, name->path.length);
	if (r < 0 || name->peer_address.length != RWK_MAX_ADDRESS ||
	    !inet_ntop(AF_INET6, name->peer_address.bytes, address, sizeof(address)))
		return r;
	return note(privacy, PRIVACY_PEERS, address, strlen(address), false);
}

/* Cgroups of users and containers are the best examples. */
static int take_cgroup(struct privacy *privacy, struct event *event)
{
	const struct event_text *path = &event->cgroup.path;

	if (path->length == 1)
		return 0;
	return note(privacy, PRIVACY_CGROUPS, path->bytes, path->length,
		    !begins(path->bytes, path->length, "/system.slice/") &&
			    !begins(path->bytes, path->length, "/init"));
}

static int take_snapshot(struct privacy *privacy, struct event *event)
{
	(void)event;
	privacy_count(privacy, PRIVACY_MEMORY, 1, "registers and stack of a thread");
	return 0;
}

static int take_symbols(struct privacy *privacy, struct event *event)
{
	const bool jit = event->kind == EVENT_PERF_MAP;
	struct event_symbol symbol;
	uint64_t address = 0;
	int r;

	if (!jit && !is_private(privacy, event->embed_symbols.module))
		return 0;
	while ((r = event_next_symbol(event, &address, &symbol)) > 0) {
		r = note_text(privacy, jit ? PRIVACY_JIT : PRIVACY_SYMBOLS, &symbol.name);
		if (r < 0)
			return r;
	}
	return r == -EBADMSG ? 0 : r;
}

static int take_unwind(struct privacy *privacy, struct event *event)
{
	const struct event_embed_unwind *piece = &event->embed_unwind;

	if (!is_private(privacy, piece->module))
		return 0;
	if (piece->section == UNWIND_MINI_DEBUG_INFO)
		privacy_count(privacy, PRIVACY_SYMBOLS, 1, "compressed ones (.gnu_debugdata)");
	else
		privacy_count(privacy, PRIVACY_CODE, 1, "pieces of programs");
	return 0;
}

static int take_levels(struct privacy *privacy, const struct event_line *line)
{
	int r = 0;

	for (uint32_t i = 0; i < line->level_count && r >= 0; i++) {
		const struct event_text *file = &line->levels[i].file;

		r = note(privacy, PRIVACY_SOURCES, file->bytes, file->length,
			 begins(file->bytes, file->length, "/home/"));
		if (r >= 0)
			r = note_user(privacy, file->bytes, file->length);
	}
	return r;
}

static int take_lines(struct privacy *privacy, struct event *event)
{
	_cleanup_(event_lines_deinit) struct event_lines reader = {0};
	struct event_line line;
	int r = event_lines_start(&reader, event);

	while (r >= 0 && (r = event_lines_next(&reader, &line)) > 0)
		r = take_levels(privacy, &line);
	return r == -EBADMSG ? 0 : r;
}

int privacy_take(struct privacy *privacy, struct event *event)
{
	static int (*const takes[])(struct privacy *, struct event *) = {
		[EVENT_META] = take_meta,	     [EVENT_MODULE] = take_module,
		[EVENT_MAPPING] = take_mapping,	     [EVENT_COMM] = take_comm,
		[EVENT_PROBE] = take_probe,	     [EVENT_TASK] = take_task,
		[EVENT_EMBED_SYMBOLS] = take_symbols, [EVENT_PERF_MAP] = take_symbols,
		[EVENT_EMBED_UNWIND] = take_unwind,  [EVENT_EMBED_LINES] = take_lines,
		[EVENT_SNAPSHOT] = take_snapshot,    [EVENT_OBJECT] = take_object,
		[EVENT_OBJECT_NAME] = take_object_name, [EVENT_TRIGGER] = take_trigger,
		[EVENT_CGROUP] = take_cgroup,
	};

	if ((size_t)event->kind >= sizeof(takes) / sizeof(takes[0]) || !takes[event->kind])
		return 0;
	return takes[event->kind](privacy, event);
}

/* --- what is printed --- */

static void print_example(const struct privacy_finding *finding, enum privacy_row row, FILE *out)
{
	enum { SHOWN = 60 };
	size_t length = finding->example_length < SHOWN ? finding->example_length : SHOWN;

	if (row == PRIVACY_BUILD_IDS)
		for (size_t i = 0; i < length; i++)
			(void)fprintf(out, "%02x", (unsigned char)finding->example[i]);
	else
		printable_write(out, finding->example, length);
	if (length < finding->example_length)
		(void)fputs(" ...", out);
}

static void print_findings(const struct privacy *privacy, FILE *out)
{
	(void)fprintf(out, "  %-24s%8s  %-24s%s\n", "what it tells", "how many", "taken out by", "for example");
	for (size_t i = 0; i < PRIVACY_ROWS; i++) {
		const struct privacy_finding *finding = &privacy->findings[i];

		if (!finding->count)
			continue;
		(void)fprintf(out, "  %-24s%8" PRIu64 "  %-24s", rows[i].what, finding->count, rows[i].remedy);
		print_example(finding, (enum privacy_row)i, out);
		(void)fputc('\n', out);
	}
}

static void print_absent(const struct privacy *privacy, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < PRIVACY_ROWS; i++)
		if (!privacy->findings[i].count) {
			(void)fprintf(out, "%s%s", any ? ", " : "  not in it: ", rows[i].what);
			any = true;
		}
	if (any)
		(void)fputc('\n', out);
}

static void print_remedies(const char *path, FILE *out)
{
	(void)fputs("  all of it is taken out by: rwalker-report --scrub ", out);
	info_text(out, path);
	(void)fputs(" -o OUT (--scrub=LIST: what it lists, besides what --condense takes out)\n", out);
}

int info_privacy(struct trace_file *file, FILE *out)
{
	_cleanup_(privacy_deinit) struct privacy privacy;
	int r = privacy_init(&privacy);

	for (size_t i = 0; i < file->model_count && r >= 0; i++)
		r = privacy_read(&privacy, file, i);
	if (r >= 0)
		r = privacy_read_damage(&privacy, file);
	if (r < 0)
		return r == -ENOMEM ? r : log_error(-r, "cannot read '%s': %s", file->path, strerror(-r));
	print_findings(&privacy, out);
	print_absent(&privacy, out);
	print_remedies(file->path, out);
	return 0;
}
