/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/resolve/file/local_files.h"
#include "report/resolve/symbol/pretty_name.h"
#include "report/scrub/common_names.h"
#include "report/scrub/scrub_internal.h"

/* --- what stays --- */

bool scrub_is_kept(const struct scrub *scrub, const char *name)
{
	const regex_t *keep = scrub->settings->keep;

	return keep && !regexec(keep, name, 0, NULL, 0);
}

bool scrub_is_common_kernel(const struct scrub *scrub)
{
	const char *release = trace_model_meta(scrub->model, "kernel_release");

	return release && release[0] && !release[common_release(release)];
}

bool scrub_is_public(const struct scrub *scrub, const struct trace_module *module)
{
	switch (module->kind) {
	case MODULE_KERNEL:
	case MODULE_KERNEL_MODULE:
	case MODULE_VDSO:
		return true;
	case MODULE_FILE:
		return scrub_is_kept(scrub, module->path);
	default:
		return false;
	}
}

/* --- what becomes a pseudonym --- */

/* A copy in new memory, up to a NUL. */
static char *copy_text(const struct event_text *text)
{
	return text->length ? strndup(text->bytes, text->length) : strdup("");
}

static int replace(struct scrub *scrub, enum pseudonym_class class, const char *name, size_t length,
		   struct event_text *ret_text)
{
	const char *text;
	int r = pseudonyms_make(scrub->names, class, name, length, &text);

	if (!r)
		*ret_text = (struct event_text){text, (uint32_t)strlen(text)};
	return r;
}

int scrub_comm(struct scrub *scrub, const char *comm, size_t length, struct event_text *ret_text)
{
	char name[RWK_MAX_COMM + 1];

	length = strnlen(comm, length < RWK_MAX_COMM ? length : RWK_MAX_COMM);
	memcpy(name, comm, length);
	name[length] = '\0';
	if (length && scrub_wants(scrub, SCRUB_COMMS) && !common_comm(name, length) && !scrub_is_kept(scrub, name))
		return replace(scrub, PSEUDONYM_COMM, name, length, ret_text);
	*ret_text = (struct event_text){comm, (uint32_t)length};
	return 0;
}

int scrub_host(struct scrub *scrub, const struct event_text *host, struct event_text *ret_text)
{
	_cleanup_free_ char *name = copy_text(host);

	if (!name)
		return -ENOMEM;
	if (name[0] && scrub_wants(scrub, SCRUB_HOST) && !scrub_is_kept(scrub, name))
		return replace(scrub, PSEUDONYM_HOST, name, strlen(name), ret_text);
	*ret_text = *host;
	return 0;
}

/*
 * "/FOLDER/FILE". Reports also show the last component alone, so each half is translated back
 * separately. The result is kept in the pool.
 */
static int join_path(struct scrub *scrub, const char *path, const struct event_text *folder, const char *file,
		     struct event_text *ret_text)
{
	_cleanup_free_ char *text = NULL;
	const char *kept;
	int length = asprintf(&text, "%s%.*s%s%s", path[0] == '/' ? "/" : "", (int)folder->length, folder->bytes,
			      folder->length ? "/" : "", file);
	int r;

	if (length < 0) {
		text = NULL;
		return -ENOMEM;
	}
	r = text_pool_add(&scrub->texts, text, (size_t)length, &kept);
	if (!r)
		*ret_text = (struct event_text){kept, (uint32_t)length};
	return r;
}

int scrub_path(struct scrub *scrub, enum pseudonym_class class, const struct event_text *given,
	       struct event_text *ret_text)
{
	_cleanup_free_ char *path = copy_text(given);
	const char *slash = path ? strrchr(path, '/') : NULL, *file, *start;
	struct event_text folder = {"", 0}, last = {"", 0};
	int r = 0;

	if (!path)
		return -ENOMEM;
	file = slash ? slash + 1 : path;
	if (!path[0] || scrub_is_kept(scrub, path)) {
		*ret_text = *given;
		return 0;
	}
	start = path + (path[0] == '/');
	if (slash && slash > start)
		r = replace(scrub, PSEUDONYM_FOLDER, start, (size_t)(slash - start), &folder);
	if (!r && file[0])
		r = replace(scrub, class, file, strlen(file), &last);
	return r < 0 ? r : join_path(scrub, path, &folder, last.bytes, ret_text);
}

/* Reports recognize such a program by this form. */
static bool is_bpf_program(const char *name)
{
	return !strncmp(name, "bpf_prog_", 9) && strspn(name + 9, "0123456789abcdef") >= 16;
}

/* Names that the kernel gives to code that it makes at run time. Other such names contain names of users' programs. */
static bool is_kernel_made(const char *name)
{
	static const char *const patterns[] = {"bpf_trampoline_[0-9]*", "bpf_dispatcher_xdp*", "kprobe_insn_page*",
					       "kprobe_optinsn_page*", "ftrace_trampoline*"};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

static bool is_public_function(const struct scrub *scrub, const struct trace_module *module, const char *name)
{
	if (is_bpf_program(name) || !module)
		return false;
	if (module->kind == MODULE_KERNEL_OTHER)
		return is_kernel_made(name) && common_identifier(name, strlen(name));
	if (!scrub_is_public(scrub, module))
		return common_function(name);
	return module->kind == MODULE_FILE || common_identifier(name, strlen(name));
}

/* Replaces the name that reports show: functions that share a name there still do. */
int scrub_function(struct scrub *scrub, const struct trace_module *module, const struct event_text *given,
		   struct event_text *ret_text)
{
	_cleanup_free_ char *name = copy_text(given), *pretty = name ? pretty_name(name, false) : NULL;
	const char *shown = pretty ? pretty : name;

	if (!name)
		return -ENOMEM;
	if (!name[0] || !scrub_wants(scrub, SCRUB_SYMBOLS) || is_public_function(scrub, module, name) ||
	    scrub_is_kept(scrub, name) || scrub_is_kept(scrub, shown)) {
		*ret_text = *given;
		return 0;
	}
	return replace(scrub, is_bpf_program(name) ? PSEUDONYM_BPF : PSEUDONYM_FUNCTION, shown, strlen(shown),
		       ret_text);
}

/* Like a function: replaces the name that reports show. */
int scrub_variable(struct scrub *scrub, const struct event_text *given, struct event_text *ret_text)
{
	_cleanup_free_ char *name = copy_text(given), *pretty = name ? pretty_name(name, false) : NULL;
	const char *shown = pretty ? pretty : name;

	if (!name)
		return -ENOMEM;
	if (!name[0] || !scrub_wants(scrub, SCRUB_SYMBOLS) || scrub_is_kept(scrub, name) ||
	    scrub_is_kept(scrub, shown)) {
		*ret_text = *given;
		return 0;
	}
	return replace(scrub, PSEUDONYM_FUNCTION, shown, strlen(shown), ret_text);
}

int scrub_probe_name(struct scrub *scrub, const struct event_text *given, bool common, struct event_text *ret_text)
{
	_cleanup_free_ char *name = copy_text(given);

	if (!name)
		return -ENOMEM;
	if (!name[0] || common || !scrub_wants(scrub, SCRUB_SYMBOLS) || scrub_is_kept(scrub, name)) {
		*ret_text = *given;
		return 0;
	}
	return replace(scrub, PSEUDONYM_PROBE, name, strlen(name), ret_text);
}

/* The pseudonym of the id's digits, as long as a usual build-id. */
int scrub_build_id(struct scrub *scrub, const struct event_text *given, struct event_text *ret_text)
{
	struct build_id id = {.length = given->length};
	char text[BUILD_ID_TEXT], bytes[BUILD_ID_MAX];
	struct event_text digits;
	const char *kept;
	int r;

	if (!given->length || given->length > BUILD_ID_MAX) {
		*ret_text = (struct event_text){"", 0};
		return 0;
	}
	memcpy(id.bytes, given->bytes, given->length);
	build_id_text(&id, text);
	r = replace(scrub, PSEUDONYM_BUILD_ID, text, strlen(text), &digits);
	for (size_t i = 0; !r && i < digits.length / 2; i++) {
		const char pair[] = {digits.bytes[2 * i], digits.bytes[2 * i + 1], '\0'};

		bytes[i] = (char)strtoul(pair, NULL, 16);
	}
	if (!r)
		r = text_pool_add(&scrub->texts, bytes, digits.length / 2, &kept);
	if (!r)
		*ret_text = (struct event_text){kept, digits.length / 2};
	return r;
}
