/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_SEAL_H
#define PH_OUTPUT_HDF5_SEAL_H

/* The seal of a trajectory: a checksum behind the end of the HDF5 file, written when the run ends. HDF5 has no
 * checksums for attributes, headers, indices and rows of series; without a seal a flipped bit there could be read as
 * another number. Frames have checksums of their own, so the seal leaves them out: a check reads the rest. */

/* A run removes the seal before it writes to the file again. Every other program that writes through HDF5 removes it,
 * too, because HDF5 cuts off bytes that it does not know. A file without a seal is being written, was changed, or its
 * run was killed. Readers report this, unless a run is writing the file. There is no seal at each commit: if the
 * machine fails and the last pages are lost, readers would refuse a file that can be resumed from its checkpoint. */

/* The format:
 *
 *   from the first page (4096 bytes) after the end:  the ranges left out, each its first byte and the byte after it
 *   the last 48 bytes:  their number; the end; CRC-32 of all bytes before the end that are in no range; CRC-32 of the
 *   seal up to here; the mark, 16 bytes
 *
 * Numbers are little-endian and have 8 bytes. CRC-32 is zlib's. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ph_seal_range {
    uint64_t first, end; /* bytes */
};

/* Returns true if the open file has a seal, even a damaged one; *end: where the bytes before it end. */
bool ph_seal_find(int descriptor, uint64_t *end);

/* Appends a seal to a file of `end` bytes. Sorts the ranges. If it fails, returns false and sets errno; the file may
 * then be longer than `end`. */
bool ph_seal_put(int descriptor, uint64_t end, size_t n, struct ph_seal_range *ranges);

/* Fails if file and seal disagree, or the seal is damaged. Succeeds if there is no seal. */
enum ph_status ph_seal_check(const char *file, bool *sealed, struct ph_error *err);

#endif
