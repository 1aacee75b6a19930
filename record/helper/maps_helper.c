/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/maps_helper.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/gate/packet.h"
#include "format/limits.h"
#include "record/helper/process_folder.h"

struct answer {
	int socket;
	struct maps_reply reply;
	uint8_t bytes[PACKET_MAX];
	size_t used;
};

static void answer_start(struct answer *answer)
{
	answer->used = sizeof(answer->reply);
	answer->reply.count = 0;
}

static int answer_send(struct answer *answer, bool last)
{
	int rc;

	answer->reply.last = last;
	memcpy(answer->bytes, &answer->reply, sizeof(answer->reply));
	rc = packet_send(answer->socket, answer->bytes, answer->used, -1);
	answer_start(answer);
	return rc;
}

static int answer_add(struct answer *answer, const struct maps_record *record, const char *path)
{
	size_t wanted = sizeof(*record) + record->path_length;
	int rc = 0;

	if (wanted > sizeof(answer->bytes) - answer->used)
		rc = answer_send(answer, false);
	if (rc || wanted > sizeof(answer->bytes) - answer->used)
		return rc;
	memcpy(answer->bytes + answer->used, record, sizeof(*record));
	memcpy(answer->bytes + answer->used + sizeof(*record), path, record->path_length);
	answer->used += wanted;
	answer->reply.count++;
	return 0;
}

/* The kernel writes a newline in a path as \012, and escapes nothing else (fs/proc/task_mmu.c, seq_path with "\n"). */
static size_t path_unescape(char *path, size_t length)
{
	size_t out = 0;

	for (size_t in = 0; in < length; in++) {
		bool escaped = length - in >= 4 && !memcmp(path + in, "\\012", 4);

		path[out++] = escaped ? '\n' : path[in];
		in += escaped ? 3 : 0;
	}
	return out;
}

/* "start-end perms offset major:minor inode   path" */
static bool line_parse(char *text, struct maps_record *record, char **ret_path, bool *ret_executable)
{
	static const char DELETED[] = " (deleted)";
	unsigned int major_number, minor_number;
	char perms[8];
	int at = 0;
	size_t length;

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &record->start, &record->end, perms, &record->file_offset, &major_number,
		   &minor_number, &record->inode, &at) != 7 ||
	    !at)
		return false;
	*ret_executable = perms[2] == 'x';
	record->copied = 0;
	record->device = makedev(major_number, minor_number);
	text += at;
	length = path_unescape(text, strcspn(text, "\n"));
	record->deleted = length > sizeof(DELETED) - 1 &&
			  !memcmp(text + length - (sizeof(DELETED) - 1), DELETED, sizeof(DELETED) - 1);
	record->path_length = (uint32_t)(length - (record->deleted ? sizeof(DELETED) - 1 : 0));
	*ret_path = text;
	return true;
}

static FILE *proc_open(uint32_t tgid, const char *name)
{
	_cleanup_close_ int folder = process_folder_open(tgid);

	return folder < 0 ? NULL : process_folder_file(folder, name);
}

/* That of the first thread, as long as it is there. */
static void comm_read(struct answer *answer, uint32_t tgid)
{
	char path[32];
	_cleanup_fclose_ FILE *file = NULL;
	size_t length;

	(void)snprintf(path, sizeof(path), "%" PRIu32 "/comm", tgid); /* below /proc: helpers.h */
	file = fopen(path, "re");
	length = file ? fread(answer->reply.comm, 1, sizeof(answer->reply.comm) - 1, file) : 0;
	while (length && answer->reply.comm[length - 1] == '\n')
		length--;
	memset(answer->reply.comm + length, 0, sizeof(answer->reply.comm) - length);
}

/*
 * A program may replace a part of its code by a copy in large pages. That place then holds memory
 * without a file, between two parts of the file that are as far apart as in the file.
 */
struct neighbours {
	struct maps_record below; /* the last line, if it has a file */
	char path[RWK_MAX_STRING + 1];
	bool has_below, waiting;
	struct maps_record code; /* memory without a file, right after `below`: waits for the next line */
};

static bool has_file(const struct maps_record *record, const char *path)
{
	return record->inode && path[0] == '/' && record->path_length <= RWK_MAX_STRING;
}

/* Writes the mapping that waited, now that the next line is known. above: that line; NULL: none. */
static int neighbours_tell(struct neighbours *neighbours, struct answer *answer, const struct maps_record *above)
{
	const struct maps_record *below = &neighbours->below;
	struct maps_record *code = &neighbours->code;

	if (!neighbours->waiting)
		return 0;
	neighbours->waiting = false;
	if (!above || above->inode != below->inode || above->device != below->device ||
	    above->start - below->start != above->file_offset - below->file_offset)
		return answer_add(answer, code, "");
	code->file_offset = below->file_offset + (code->start - below->start);
	code->device = below->device;
	code->inode = below->inode;
	code->deleted = below->deleted;
	code->path_length = below->path_length;
	code->copied = 1;
	return answer_add(answer, code, neighbours->path);
}

static int neighbours_take(struct neighbours *neighbours, struct answer *answer, const struct maps_record *record,
			   const char *path, bool executable)
{
	bool nameless = !record->inode && !record->path_length && executable;
	int rc;

	if (nameless && neighbours->waiting && neighbours->code.end == record->start) {
		neighbours->code.end = record->end;
		return 0;
	}
	rc = neighbours_tell(neighbours, answer, record);
	if (nameless && neighbours->has_below && neighbours->below.end == record->start) {
		neighbours->code = *record;
		neighbours->waiting = true;
		return rc;
	}
	neighbours->has_below = has_file(record, path);
	if (neighbours->has_below) {
		neighbours->below = *record;
		memcpy(neighbours->path, path, record->path_length);
	}
	return rc || !executable ? rc : answer_add(answer, record, path);
}

static int maps_read(struct answer *answer, uint32_t tgid)
{
	_cleanup_free_ struct neighbours *neighbours = calloc(1, sizeof(*neighbours));
	_cleanup_fclose_ FILE *file = proc_open(tgid, "maps");
	_cleanup_free_ char *text = NULL;
	struct maps_record record;
	size_t room = 0;
	bool executable;
	char *path;
	int rc = 0;

	if (!file || !neighbours)
		return answer->reply.error = neighbours && errno == ENOENT ? -ESRCH : -errno, 0;
	while (!rc && getline(&text, &room, file) > 0)
		if (line_parse(text, &record, &path, &executable))
			rc = neighbours_take(neighbours, answer, &record, path, executable);
	if (!rc)
		rc = neighbours_tell(neighbours, answer, NULL);
	if (!rc && ferror(file))
		answer->reply.error = -EIO;
	return rc;
}

static int list_add(struct answer *answer, uint32_t tgid)
{
	int rc = 0;

	if (sizeof(tgid) > sizeof(answer->bytes) - answer->used)
		rc = answer_send(answer, false);
	memcpy(answer->bytes + answer->used, &tgid, sizeof(tgid));
	answer->used += sizeof(tgid);
	answer->reply.count++;
	return rc;
}

static int list_read(struct answer *answer)
{
	DIR *directory = opendir(".");
	const struct dirent *entry;
	int rc = 0;

	if (!directory)
		return answer->reply.error = -errno, 0;
	while (!rc && (entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]))
			rc = list_add(answer, (uint32_t)strtoul(entry->d_name, NULL, 10));
	(void)closedir(directory);
	return rc;
}

static int process_read(struct answer *answer, uint32_t tgid)
{
	comm_read(answer, tgid);
	return maps_read(answer, tgid);
}

int maps_helper_run(int socket, const void *context)
{
	_cleanup_free_ struct answer *answer = calloc(1, sizeof(*answer));
	uint32_t tgid;
	int rc = answer ? 0 : -ENOMEM;

	(void)context;
	if (answer)
		answer->socket = socket;
	while (!rc && packet_receive(socket, &tgid, sizeof(tgid), PACKET_FOREVER, NULL) == sizeof(tgid)) {
		answer->reply = (struct maps_reply){.tgid = tgid};
		answer_start(answer);
		rc = tgid ? process_read(answer, tgid) : list_read(answer);
		if (!rc)
			rc = answer_send(answer, true);
	}
	return rc;
}
