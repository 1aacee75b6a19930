/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/unwind_answer.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/gate/packet.h"
#include "format/event.h"
#include "format/limits.h"
#include "record/helper/elf_helper.h"

enum { PIECE_MOST = PACKET_MAX - sizeof(struct elf_unwind_reply) };

_Static_assert(PIECE_MOST <= (int)RWK_MAX_UNWIND_PIECE, "a packet becomes a record");

/* Takes ownership of the bytes. If no trace can hold them, "all of it" becomes impossible. */
static void add_blob(struct unwind_choice *choice, uint32_t section, bool with_hits, struct elf_section_bytes *bytes)
{
	choice->blobs[choice->blob_count++] =
		(struct unwind_choice_blob){.section = section, .with_hits = with_hits, .bytes = *bytes};
	choice->hit += with_hits ? bytes->size : 0;
	if (__builtin_add_overflow(choice->all, bytes->size, &choice->all))
		choice->all = UINT64_MAX;
	*bytes = (struct elf_section_bytes){0};
}

/* 1 if the section can be picked from now, else 0; -ENOMEM. A section that cannot be unpacked counts as missing. */
static int make_readable(struct elf_section_bytes *section, bool wanted)
{
	int r;

	if (!section->bytes || !section->compressed || !wanted)
		return section->bytes && !section->compressed;
	r = elf_section_unpack(section, RWK_MAX_UNWIND_SECTION);
	return r < 0 ? r == -ENOMEM ? r : 0 : 1;
}

/* Picks what was hit in one section, and all of the section, but .debug_frame only if anything was hit in it. */
static int part_pick(struct unwind_choice *choice, struct unwind_choice_part *part, uint64_t *hits, size_t *count)
{
	int r;

	part->hit.most = part->all.most = PIECE_MOST;
	r = unwind_pick_hit(&part->section, hits, count, &part->hit);
	choice->hit += part->hit.bytes;
	choice->left_out += part->hit.left_out;
	if (choice->only_hit)
		choice->all += part->hit.bytes;
	if (r || choice->only_hit || (!part->hit.bytes && part->section.kind == CFI_DEBUG_FRAME))
		return r;
	r = unwind_pick_all(&part->section, &part->all);
	if (r == -E2BIG)
		choice->all = UINT64_MAX;
	else if (!r && choice->all != UINT64_MAX)
		choice->all += part->all.bytes;
	return r == -E2BIG ? 0 : r;
}

int unwind_choice_make(const struct elf_file *file, uint64_t *hits, size_t count, struct unwind_choice *choice)
{
	struct elf_section_bytes *sections[] = {&choice->sections.eh_frame, &choice->sections.debug_frame};
	int r;

	if (elf_file_is_narrow(file)) /* the reader unwinds 64-bit programs only */
		return 0;
	r = elf_file_unwind(file, &choice->sections);
	for (size_t i = 0; !r && i < sizeof(sections) / sizeof(*sections); i++) {
		struct unwind_choice_part *part = &choice->parts[i];

		r = make_readable(sections[i], count);
		if (r <= 0)
			continue;
		part->section.kind = i ? CFI_DEBUG_FRAME : CFI_EH_FRAME;
		part->section.bytes = (struct cfi_bytes){sections[i]->bytes, sections[i]->size, sections[i]->address};
		part->section.text = elf_file_text_address(file);
		r = part_pick(choice, part, hits, &count);
	}
	return r;
}

void unwind_choice_add_mini(const struct elf_file *file, struct unwind_choice *choice)
{
	struct elf_section_bytes mini;
	int r = -ENOENT;

	if (!elf_file_has_symtab(file))
		r = elf_file_section(file, ".gnu_debugdata", RWK_MAX_UNWIND_SECTION, &mini);
	if (r == -E2BIG)
		choice->all = UINT64_MAX;
	if (!r)
		add_blob(choice, UNWIND_MINI_DEBUG_INFO, false, &mini);
}

void unwind_choice_deinit(struct unwind_choice *choice)
{
	for (size_t i = 0; i < choice->blob_count; i++)
		free(choice->blobs[i].bytes.bytes);
	for (size_t i = 0; i < sizeof(choice->parts) / sizeof(*choice->parts); i++) {
		unwind_pieces_deinit(&choice->parts[i].all);
		unwind_pieces_deinit(&choice->parts[i].hit);
	}
	elf_unwind_deinit(&choice->sections);
}

/* One piece; `packet` has room for PACKET_MAX bytes. */
static int piece_send(struct elf_unwind_reply *reply, const uint8_t *section, size_t offset, size_t size, int socket,
		      uint8_t *packet)
{
	reply->offset = (uint32_t)offset;
	reply->length = (uint32_t)size;
	memcpy(packet, reply, sizeof(*reply));
	memcpy(packet + sizeof(*reply), section + offset, size);
	return packet_send(socket, packet, sizeof(*reply) + size, -1);
}

static int part_send(const struct unwind_choice_part *part, bool all, int socket, uint32_t token, uint8_t *packet)
{
	const struct unwind_section_view *section = &part->section;
	const struct unwind_pieces *pieces = all ? &part->all : &part->hit;
	struct elf_unwind_reply reply = {
		.token = token,
		.section = section->kind == CFI_EH_FRAME ? UNWIND_EH_FRAME : UNWIND_DEBUG_FRAME,
		.address = section->bytes.address,
		.text = section->text,
		.size = (uint32_t)(section->bytes.size < RWK_MAX_UNWIND_SECTION ? section->bytes.size :
										  RWK_MAX_UNWIND_SECTION),
	};
	int r = 0;

	for (size_t i = 0; !r && i < pieces->list.count; i++)
		r = piece_send(&reply, section->bytes.bytes, pieces->list.items[i].offset,
			       pieces->list.items[i].size, socket, packet);
	return r;
}

static int blob_send(const struct unwind_choice_blob *blob, int socket, uint32_t token, uint8_t *packet)
{
	const struct elf_section_bytes *bytes = &blob->bytes;
	struct elf_unwind_reply reply = {
		.token = token, .section = blob->section, .address = bytes->address, .size = (uint32_t)bytes->size};
	int r = 0;

	for (size_t at = 0, size; !r && at < bytes->size; at += size) {
		size = bytes->size - at < PIECE_MOST ? bytes->size - at : PIECE_MOST;
		r = piece_send(&reply, bytes->bytes, at, size, socket, packet);
	}
	return r;
}

int unwind_choice_send(const struct unwind_choice *choice, bool all, int socket, uint32_t token)
{
	const struct elf_unwind_reply end = {.token = token, .last = 1};
	_cleanup_free_ uint8_t *packet = malloc(PACKET_MAX);
	int r = packet ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < sizeof(choice->parts) / sizeof(*choice->parts); i++)
		r = part_send(&choice->parts[i], all && !choice->only_hit, socket, token, packet);
	for (size_t i = 0; !r && i < choice->blob_count; i++)
		if (all || choice->blobs[i].with_hits)
			r = blob_send(&choice->blobs[i], socket, token, packet);
	return r ? r : packet_send(socket, &end, sizeof(end), -1);
}
