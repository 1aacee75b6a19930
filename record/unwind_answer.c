/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/unwind_answer.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "format/event_embed.h"
#include "format/limits.h"
#include "record/elf_helper.h"
#include "record/packet.h"

enum { PIECE_MOST = PACKET_MAX - sizeof(struct elf_unwind_reply) };

_Static_assert(PIECE_MOST <= (int)RWK_MAX_UNWIND_PIECE, "a packet becomes a record");

/* What was hit of one section, and all of it where anything was. */
static int part_pick(struct unwind_choice *choice, struct unwind_choice_part *part, uint64_t *hits, size_t *count)
{
	int r;

	part->hit.most = part->all.most = PIECE_MOST;
	r = unwind_pick_hit(&part->section, hits, count, &part->hit);
	choice->hit += part->hit.bytes;
	choice->left_out += part->hit.left_out;
	if (r || (!part->hit.bytes && part->section.kind == CFI_DEBUG_FRAME))
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
	const struct elf_section_bytes *sections[] = {&choice->sections.eh_frame, &choice->sections.debug_frame};
	int r = elf_file_unwind(file, &choice->sections);

	for (size_t i = 0; !r && i < sizeof(sections) / sizeof(*sections); i++) {
		struct unwind_choice_part *part = &choice->parts[i];

		if (!sections[i]->bytes || sections[i]->compressed)
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
	struct elf_section_bytes *mini = &choice->mini;
	int r = elf_file_has_symtab(file) ? -ENOENT : elf_file_section(file, ".gnu_debugdata", RWK_MAX_UNWIND_SECTION, mini);

	if (r == -E2BIG || (!r && __builtin_add_overflow(choice->all, mini->size, &choice->all)))
		choice->all = UINT64_MAX;
}

void unwind_choice_deinit(struct unwind_choice *choice)
{
	free(choice->mini.bytes);
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
		.size = (uint32_t)(section->bytes.size < RWK_MAX_UNWIND_SECTION ? section->bytes.size : RWK_MAX_UNWIND_SECTION),
	};
	int r = 0;

	for (size_t i = 0; !r && i < pieces->list.count; i++)
		r = piece_send(&reply, section->bytes.bytes, pieces->list.items[i].offset, pieces->list.items[i].size, socket,
			       packet);
	return r;
}

static int mini_send(const struct elf_section_bytes *mini, int socket, uint32_t token, uint8_t *packet)
{
	struct elf_unwind_reply reply = {.token = token, .section = UNWIND_MINI_DEBUG_INFO, .size = (uint32_t)mini->size};
	int r = 0;

	for (size_t at = 0, size; !r && at < mini->size; at += size) {
		size = mini->size - at < PIECE_MOST ? mini->size - at : PIECE_MOST;
		r = piece_send(&reply, mini->bytes, at, size, socket, packet);
	}
	return r;
}

int unwind_choice_send(const struct unwind_choice *choice, bool all, int socket, uint32_t token)
{
	const struct elf_unwind_reply end = {.token = token, .last = 1};
	_cleanup_free_ uint8_t *packet = malloc(PACKET_MAX);
	int r = packet ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < sizeof(choice->parts) / sizeof(*choice->parts); i++)
		r = part_send(&choice->parts[i], all, socket, token, packet);
	if (!r && all)
		r = mini_send(&choice->mini, socket, token, packet);
	return r ? r : packet_send(socket, &end, sizeof(end), -1);
}
