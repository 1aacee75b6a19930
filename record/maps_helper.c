/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/maps_helper.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/byte_buffer.h"
#include "common/cleanup.h"
#include "record/packet.h"

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

/* The kernel writes a newline in a path as \012, and nothing else so (fs/proc/task_mmu.c, seq_path with "\n"). */
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
static bool line_parse(char *text, struct maps_record *record, char **ret_path)
{
	static const char DELETED[] = " (deleted)";
	unsigned int major_number, minor_number;
	char perms[8];
	int at = 0;
	size_t length;

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &record->start, &record->end, perms,
		   &record->file_offset, &major_number, &minor_number, &record->inode, &at) != 7 ||
	    !at || perms[2] != 'x')
		return false;
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
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", tgid, name);
	return fopen(path, "re");
}

static void comm_read(struct answer *answer, uint32_t tgid)
{
	_cleanup_fclose_ FILE *file = proc_open(tgid, "comm");
	size_t length = file ? fread(answer->reply.comm, 1, sizeof(answer->reply.comm) - 1, file) : 0;

	while (length && answer->reply.comm[length - 1] == '\n')
		length--;
	memset(answer->reply.comm + length, 0, sizeof(answer->reply.comm) - length);
}

static int maps_read(struct answer *answer, uint32_t tgid)
{
	_cleanup_fclose_ FILE *file = proc_open(tgid, "maps");
	_cleanup_free_ char *text = NULL;
	struct maps_record record;
	size_t room = 0;
	char *path;
	int rc = 0;

	if (!file)
		return answer->reply.error = errno == ENOENT ? -ESRCH : -errno, 0;
	while (!rc && getline(&text, &room, file) > 0)
		if (line_parse(text, &record, &path))
			rc = answer_add(answer, &record, path);
	if (!rc && ferror(file))
		answer->reply.error = -EIO;
	return rc;
}

int maps_helper_run(int socket)
{
	struct answer answer = {.socket = socket};
	uint32_t tgid;
	int rc = 0;

	while (!rc && packet_receive(socket, &tgid, sizeof(tgid), PACKET_FOREVER, NULL) == sizeof(tgid)) {
		answer.reply = (struct maps_reply){.tgid = tgid};
		answer_start(&answer);
		comm_read(&answer, tgid);
		rc = maps_read(&answer, tgid);
		if (!rc)
			rc = answer_send(&answer, true);
	}
	return rc;
}
