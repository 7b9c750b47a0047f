/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_EXPORT_XTC_COORDINATES_H
#define PH_OUTPUT_EXPORT_XTC_COORDINATES_H

/* The compressed coordinates of XTC files (xdr3dfcoord). Coordinates are rounded to multiples of 1/precision, whole
 * numbers, and those are packed into a stream of bits, atom by atom, in groups.
 *
 * A group begins with one atom in full: its three numbers less their least values in the frame, each below its
 * range. One bit follows. If it is 1, five bits say how many more atoms the group has: 3 n + 1, n up to 8 (one less
 * or more would change the index below); if it is 0, it has as many as the group before. */

/* These atoms are near: for each, three differences plus half of a small range S = range[index], all between 0 and
 * S. The atom in full is the second of the group. The first is given by its difference from it, the third from the
 * first, all others from the one before: of water, both hydrogens are given from the oxygen. */

/* Three numbers a, b, c below A, B, C are one number (a B + b) C + c, with as many bits as A B C has, or of near atoms
 * as many as the index says, which are enough for S^3. It is written by bytes, the lowest first, each with its highest
 * bit first. Ranges above 2^24 do not fit: then each of the three numbers is written by itself, highest bit first.
 *
 * The index may change from group to group. Rigid molecules need the same everywhere: here it is the same for the whole
 * frame, the one that gives the fewest bits. Any reader reads that. */

#include <stddef.h>
#include <stdint.h>

struct ph_xtc_packed {
    int32_t least[3], most[3]; /* of the whole numbers */
    int32_t index;             /* of the small range */
    size_t size;               /* bytes */
    unsigned char *bytes;      /* not owned */
};

/* Bytes that n atoms need at most */
size_t ph_xtc_room(size_t n);

/* Packs n atoms, given as whole numbers whose ranges are below 2^31, into room for ph_xtc_room(n) bytes. */
void ph_xtc_pack(size_t n, const int32_t (*atom)[3], unsigned char *room, struct ph_xtc_packed *packed);

#endif
