/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names of block devices as in /proc/partitions: "vda", "sda1", "dm-0". Memory is fixed. The file
 * is read at the start, and again when a caller asks for a device that it did not have, at most ten
 * times a second.
 */
#ifndef RWALKER_RECORD_SOURCE_BLOCK_DEVICES_H
#define RWALKER_RECORD_SOURCE_BLOCK_DEVICES_H

#include <stddef.h>
#include <stdint.h>

struct block_devices;

/* 0, -ENOMEM. If the file cannot be read, no device has a name. */
int block_devices_create(struct block_devices **ret_devices);
void block_devices_destroy(struct block_devices *devices);

/* Adds the devices in a part of the file. Returns how much of it was whole lines. */
size_t block_devices_parse(struct block_devices *devices, const char *text, size_t length);

/* device: as in stat(2). NULL if unknown. Valid until the next call. */
const char *block_devices_find(struct block_devices *devices, uint64_t device);

#endif
