/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/tool_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/container.h"
#include "common/hash_map.h"
#include "format/event_layout.h"
#include "format/limits.h"
#include "report/file/local_files.h"
#include "report/read/text_pool.h"
#include "report/symbol/symbol_index.h"

/* A kind of name. Two equal names of different kinds have different stand-ins. */
enum name_kind {
	NAME_HOST,
	NAME_COMM,
	NAME_KERNEL_COMM, /* of a kernel thread */
	NAME_FOLDER,
	NAME_FILE, /* the last component of a path */
	NAME_FUNCTION,
	NAME_BPF,	/* of a BPF program, in the form by which reports know one */
	NAME_KERNEL_CODE, /* of what the kernel generates for BPF programs and probes */
	NAME_PROBE,
	NAME_CONTAINER,
	NAME_BUILD_ID,
	NAME_OBJECT,
	NAME_OTHER,
	NAME_KINDS
};

/*
 * `stays`: a regular expression for names of this kind that tell nothing about the host: those of
 * the kernel that no user chooses, and those that every program has.
 */
static const struct {
	const char *prefix, *stays;
} kinds[NAME_KINDS] = {
	[NAME_HOST] = {"host_", NULL},
	[NAME_COMM] = {"c_", NULL},
	/* The rest of such a name may be that of a device, a volume or a server. */
	[NAME_KERNEL_COMM] = {"k_", "^((kworker|swapper|migration|ksoftirqd|cpuhp|idle_inject|rcu[a-z]+|ktimers|"
				    "irq_work)/[0-9uH:]+|rcu_[a-z_]+|(kswapd|kcompactd)[0-9]+|kthreadd|khugepaged|"
				    "kauditd|kdevtmpfs|oom_reaper|ksmd|khungtaskd)$"},
	[NAME_FOLDER] = {"dir_", NULL},
	[NAME_FILE] = {"file_", NULL},
	[NAME_FUNCTION] = {"fn_", "^(main|_start|_init|_fini|__restore_rt|__libc_start_(main|call_main)|"
				 "\\[unknown\\])$"},
	[NAME_BPF] = {"bpf_prog_0000000000000000_", NULL},
	[NAME_KERNEL_CODE] = {"fn_", "^(bpf_trampoline_[0-9]+|bpf_dispatcher_xdp.*|kprobe_(insn|optinsn)_page.*|"
				     "ftrace_trampoline.*)$"},
	/* Users may define tracepoints in groups of their own. */
	[NAME_PROBE] = {"probe_", "^(cycles|cpu-clock|tasks|sched_switch|sched_waking|(sched|syscalls|raw_syscalls|irq|"
				  "irq_vectors|timer|block|kmem|vmscan|writeback|net|tcp|udp|sock|skb|napi|workqueue|"
				  "signal|exceptions|power|task|lock|filemap|compaction|ext4|jbd2|xfs|btrfs|nfs|kvm|"
				  "cgroup|page_pool|io_uring):[a-zA-Z0-9_*?]+)$"},
	[NAME_CONTAINER] = {"", NULL},
	[NAME_BUILD_ID] = {"", NULL},
	[NAME_OBJECT] = {"name_", "^(file|name|peer)#[0-9]+$"}, /* what --condense has put there */
	[NAME_OTHER] = {"name_", NULL},
};

enum { DIGITS = 8, BITS_OF_DIGIT = 5, STAND_IN_TEXT = 64 };

struct scrub {
	const regex_t *keep;
	regex_t stays[NAME_KINDS];
	bool compiled[NAME_KINDS];
	struct hash_map names;	/* kind and name -> what is written instead: a text of the pool */
	struct hash_map given;	/* numbers of stand-ins */
	struct text_pool texts;
};

int scrub_create(const regex_t *keep, struct scrub **ret_scrub)
{
	struct scrub *scrub = calloc(1, sizeof(*scrub));
	int r = scrub ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	scrub->keep = keep;
	if (hash_map_init(&scrub->names) < 0 || hash_map_init(&scrub->given) < 0 || text_pool_init(&scrub->texts) < 0)
		r = -ENOMEM;
	for (size_t i = 0; i < NAME_KINDS && !r; i++)
		if (kinds[i].stays) {
			scrub->compiled[i] = !regcomp(&scrub->stays[i], kinds[i].stays, REG_EXTENDED | REG_NOSUB);
			r = scrub->compiled[i] ? 0 : -ENOMEM;
		}
	if (r < 0)
		scrub_destroy(scrub);
	else
		*ret_scrub = scrub;
	return r;
}

void scrub_destroy(struct scrub *scrub)
{
	if (!scrub)
		return;
	for (size_t i = 0; i < NAME_KINDS; i++)
		if (scrub->compiled[i])
			regfree(&scrub->stays[i]);
	hash_map_deinit(&scrub->names);
	hash_map_deinit(&scrub->given);
	text_pool_deinit(&scrub->texts);
	free(scrub);
}

size_t scrub_count(const struct scrub *scrub)
{
	return scrub->given.entries.count;
}

/* --- one name --- */

static bool matches(const regex_t *expression, const char *name)
{
	return expression && !regexec(expression, name, 0, NULL, 0);
}

static bool stays(const struct scrub *scrub, enum name_kind kind, const char *name)
{
	return !name[0] || matches(scrub->keep, name) ||
	       (scrub->compiled[kind] && matches(&scrub->stays[kind], name));
}

/* "fn_k3x9qa7b": a number that no other name has. */
static int make(struct scrub *scrub, enum name_kind kind, char text[static STAND_IN_TEXT])
{
	static const char digits[] = "abcdefghijkmnpqrstuvwxyz23456789";
	uint64_t number;
	int r, length;

	do {
		r = random_bytes(&number, sizeof(number));
		number &= (UINT64_C(1) << DIGITS * BITS_OF_DIGIT) - 1;
		if (!r)
			r = hash_map_add(&scrub->given, &number, sizeof(number), 0, NULL);
	} while (!r);
	if (r < 0)
		return r;
	length = snprintf(text, STAND_IN_TEXT, "%s", kinds[kind].prefix);
	for (unsigned int i = 0; i < DIGITS; i++, number >>= BITS_OF_DIGIT)
		text[length++] = digits[number & ((1 << BITS_OF_DIGIT) - 1)];
	text[length] = '\0';
	return 0;
}

/* The name itself, or its stand-in. 0, -errno. */
static int find(struct scrub *scrub, enum name_kind kind, const char *name, const char **ret_text)
{
	_cleanup_free_ char *key = NULL;
	int length = asprintf(&key, "%c%s", 'a' + (int)kind, name), r;
	char fresh[STAND_IN_TEXT];
	const uint64_t *known;

	if (length < 0) {
		key = NULL;
		return -ENOMEM;
	}
	known = hash_map_find(&scrub->names, key, (size_t)length);
	if (known) {
		*ret_text = (const char *)(uintptr_t)*known;
		return 0;
	}
	if (!stays(scrub, kind, name)) {
		r = make(scrub, kind, fresh);
		if (r < 0)
			return r;
		name = fresh;
	}
	r = text_pool_add(&scrub->texts, name, strlen(name), ret_text);
	if (!r)
		r = hash_map_add(&scrub->names, key, (size_t)length, (uintptr_t)*ret_text, NULL);
	return r < 0 ? r : 0;
}

/* As in reports, a name ends at a NUL. */
static char *copy_of(const struct event_text *text)
{
	return text->length ? strndup(text->bytes, text->length) : strdup("");
}

static struct event_text text_of(const char *text)
{
	return (struct event_text){text, (uint32_t)strlen(text)};
}

static int replace(struct scrub *scrub, enum name_kind kind, struct event_text *text)
{
	_cleanup_free_ char *name = copy_of(text);
	const char *instead;
	int r = name ? find(scrub, kind, name, &instead) : -ENOMEM;

	if (r >= 0)
		*text = text_of(instead);
	return r < 0 ? r : 1;
}

/* "/dir_.../file_...": the last component, and all that is before it, are a name each. */
static int replace_path(struct scrub *scrub, struct event_text *text)
{
	_cleanup_free_ char *path = copy_of(text), *joined = NULL;
	char *slash = path ? strrchr(path, '/') : NULL;
	const char *folder = "", *file, *kept;
	int r = path ? 0 : -ENOMEM;

	if (r < 0 || !path[0] || matches(scrub->keep, path))
		return r < 0 ? r : 1;
	if (slash && slash > path) {
		*slash = '\0';
		r = find(scrub, NAME_FOLDER, path + (path[0] == '/'), &folder);
	}
	if (r >= 0)
		r = find(scrub, NAME_FILE, slash ? slash + 1 : path, &file);
	if (r >= 0 && asprintf(&joined, "%s%s%s%s", path[0] == '/' || slash == path ? "/" : "", folder,
			       folder[0] ? "/" : "", file) < 0) {
		joined = NULL;
		r = -ENOMEM;
	}
	if (r >= 0)
		r = text_pool_add(&scrub->texts, joined, strlen(joined), &kept);
	if (r >= 0)
		*text = text_of(kept);
	return r < 0 ? r : 1;
}

/* --- what is in a module --- */

/* Whether the names in it stay: it is the kernel's, or the user wants to keep it. */
static bool is_public(const struct scrub *scrub, const struct trace_module *module)
{
	if (!module)
		return false;
	return module->kind == MODULE_KERNEL || module->kind == MODULE_KERNEL_MODULE || module->kind == MODULE_VDSO ||
	       (module->kind == MODULE_FILE && matches(scrub->keep, module->path));
}

/* Functions that share the name that reports show still do. */
int scrub_function(struct scrub *scrub, const struct trace_module *module, struct event_text *text)
{
	_cleanup_free_ char *name = copy_of(text), *pretty = name ? pretty_name(name, false) : NULL;
	struct event_text shown = text_of(pretty ? pretty : name ? name : "");
	const uint32_t in = module ? module->kind : MODULE_FILE;
	int r;

	if (!name)
		return -ENOMEM;
	if (is_public(scrub, module) || matches(scrub->keep, name) || matches(scrub->keep, shown.bytes))
		return 1;
	r = replace(scrub, in == MODULE_BPF ? NAME_BPF : in == MODULE_KERNEL_OTHER ? NAME_KERNEL_CODE : NAME_FUNCTION,
		    &shown);
	if (r > 0)
		*text = shown;
	return r;
}

/* Of the kernel's source files the last component stays, but not where it was built. */
int scrub_level(struct scrub *scrub, const struct trace_module *module, struct event_line_level *level)
{
	struct event_text *file = &level->file;
	const char *slash = file->length ? memrchr(file->bytes, '/', file->length) : NULL;
	int r = scrub_function(scrub, module, &level->function);

	if (r < 0 || (is_public(scrub, module) && module->kind == MODULE_FILE))
		return r;
	if (!is_public(scrub, module))
		return replace_path(scrub, file);
	if (slash)
		*file = (struct event_text){slash + 1, (uint32_t)(file->bytes + file->length - slash - 1)};
	return 1;
}

/* --- one function per field of a record that is not simply replaced --- */

typedef int scrub_field(struct scrub *scrub, const struct trace_model *model, const struct event *event,
			struct event_text *text);

static int keep_field(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		      struct event_text *text)
{
	(void)scrub, (void)model, (void)event, (void)text;
	return 1;
}

static int comm(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		struct event_text *text)
{
	(void)model, (void)event;
	return replace(scrub, NAME_COMM, text);
}

/* Names of the kernel's functions stay. */
static int source_name(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		       struct event_text *text)
{
	(void)model;
	return event->source.kind == SOURCE_KFUNC ? 1 : replace(scrub, NAME_PROBE, text);
}

static int probe_name(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		      struct event_text *text)
{
	(void)model;
	return event->probe.hook >= HOOK_FENTRY ? 1 : replace(scrub, NAME_PROBE, text);
}

static int module_path(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		       struct event_text *text)
{
	const struct trace_module *module = trace_model_module(model, event->module.id);

	if (!module)
		return 0;
	if (module->kind == MODULE_FILE)
		return replace_path(scrub, text);
	if (module->kind != MODULE_ANONYMOUS)
		return scrub_function(scrub, module, text);
	*text = text_of("[anon]");
	return 1;
}

static int build_id(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		    struct event_text *text)
{
	const struct trace_module *module = trace_model_module(model, event->module.id);
	char digits[BUILD_ID_TEXT];

	if (!module)
		return 0;
	if (is_public(scrub, module))
		return 1;
	build_id_text(&module->build_id, digits);
	*text = text_of(digits);
	return replace(scrub, NAME_BUILD_ID, text); /* the stand-in's characters are its bytes */
}

static int kernel_symbol(struct scrub *scrub, const struct trace_model *model, const struct event *event,
			 struct event_text *text)
{
	return scrub_function(scrub, trace_model_module(model, event->kernel_symbol.module), text);
}

/* A variable of the kernel that is a lock, a block device, or a variable of a program. */
static int object_name(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		       struct event_text *text)
{
	(void)model;
	if (event->object.kind == OBJECT_LOCK || event->object.kind == OBJECT_BLOCK)
		return 1;
	return scrub_function(scrub, NULL, text);
}

/* What --condense has put in the place of a name. */
static int stand_in(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		    struct event_text *text)
{
	(void)model, (void)event;
	return replace(scrub, NAME_OBJECT, text);
}

/* Only the kind of rule stays: the rest contains names, and whole commands. */
static int rule(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		struct event_text *text)
{
	uint32_t length = 0;

	(void)scrub, (void)model, (void)event;
	while (length < text->length && text->bytes[length] >= 'a' && text->bytes[length] <= 'z')
		length++;
	text->length = length;
	return 1;
}

/* A container stays one: its stand-in has digits as an id has. */
static int cgroup_path(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		       struct event_text *text)
{
	_cleanup_free_ char *path = copy_of(text);
	char id[CONTAINER_ID + 1], instead[sizeof("/docker-.scope") + CONTAINER_ID] = "/docker-";
	size_t length = strlen(instead);
	const char *name;
	int r;

	(void)model, (void)event;
	if (!path)
		return -ENOMEM;
	if (!strcmp(path, "/") || matches(scrub->keep, path))
		return 1;
	if (!container_find(path, id))
		return replace_path(scrub, text);
	r = find(scrub, NAME_CONTAINER, id, &name);
	for (size_t i = 0; i < CONTAINER_ID / 2; i++, length += 2)
		(void)snprintf(instead + length, 3, "%02x", r < 0 ? 0U : (unsigned char)name[i % DIGITS]);
	(void)snprintf(instead + length, sizeof(instead) - length, ".scope");
	if (!r)
		r = text_pool_add(&scrub->texts, instead, strlen(instead), &name);
	if (!r)
		*text = text_of(name);
	return r < 0 ? r : 1;
}

/* --- META --- */

/* By key, what of the value stays; ""; nothing does: it is a name. Other keys are left out. */
static const struct {
	const char *key, *stays;
} metas[] = {
	{"hostname", ""},
	{"machine", "^(x86_64|aarch64)"},
	{"kernel_release", "^[0-9.]+"},
	{"recorder", "^rwalker-re(cord|port) [0-9.]+"},
	{"cpus", "^[0-9]+"},
	{"cgroups", "^((v1|v2|namespace|incomplete) ?)+"},
	{"helpers_ended", "^((recording|files|dumps) ?)+"},
};

static int cut(const char *stays, struct event_text *text)
{
	_cleanup_free_ char *value = copy_of(text);
	regmatch_t match;
	regex_t kept;
	int r;

	if (!value || regcomp(&kept, stays, REG_EXTENDED))
		return -ENOMEM;
	r = !regexec(&kept, value, 1, &match, 0);
	if (r)
		text->length = (uint32_t)match.rm_eo;
	regfree(&kept);
	return r;
}

static int scrub_meta(struct scrub *scrub, struct event_meta *meta)
{
	for (size_t i = 0; i < sizeof(metas) / sizeof(metas[0]); i++) {
		if (meta->key.length != strlen(metas[i].key) || memcmp(meta->key.bytes, metas[i].key, meta->key.length))
			continue;
		return metas[i].stays[0] ? cut(metas[i].stays, &meta->value) : replace(scrub, NAME_HOST, &meta->value);
	}
	return 0;
}

/* --- records --- */

static const struct {
	enum event_kind kind;
	const char *field;
	scrub_field *scrub;
} fields[] = {
	{EVENT_META, "key", keep_field}, /* scrub_meta() has seen both */
	{EVENT_META, "value", keep_field},
	{EVENT_SOURCE, "name", source_name},
	{EVENT_PROBE, "name", probe_name},
	{EVENT_MODULE, "path", module_path},
	{EVENT_MODULE, "build_id", build_id},
	{EVENT_COMM, "comm", comm},
	{EVENT_KERNEL_SYMBOL, "name", kernel_symbol},
	{EVENT_OBJECT, "name", object_name},
	{EVENT_OBJECT_NAME, "path", stand_in},
	{EVENT_TRIGGER, "rule", rule},
	{EVENT_TRIGGER, "comm", comm},
	{EVENT_CGROUP, "path", cgroup_path},
};

static int scrub_text(struct scrub *scrub, const struct trace_model *model, const struct event *event,
		      const struct event_field *field, struct event_text *text)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].kind == event->kind && !strcmp(fields[i].field, field->name))
			return fields[i].scrub(scrub, model, event, text);
	if (field->type == FIELD_TEXT)
		return replace(scrub, NAME_OTHER, text);
	text->length = 0;
	return 1;
}

int scrub_record(struct scrub *scrub, const struct trace_model *model, struct event *event)
{
	const struct event_layout *layout = event_layout_find(event->kind);
	int r = layout != NULL;

	if (event->kind == EVENT_META)
		r = scrub_meta(scrub, &event->meta);
	for (const struct event_field *field = r > 0 ? layout->fields : NULL; r > 0 && field->type; field++)
		if (field->type == FIELD_TEXT || field->type == FIELD_BYTES)
			r = scrub_text(scrub, model, event, field,
				       (struct event_text *)((char *)event_record(event) + field->offset));
	return r;
}

int scrub_task(struct scrub *scrub, struct event_task *task)
{
	struct event_text name = {task->comm, (uint32_t)strnlen(task->comm, sizeof(task->comm))};
	int r = replace(scrub, task->flags & TASK_KERNEL_THREAD ? NAME_KERNEL_COMM : NAME_COMM, &name);

	if (r < 0)
		return r;
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, name.bytes, name.length < sizeof(task->comm) ? name.length : sizeof(task->comm) - 1);
	return 1;
}
