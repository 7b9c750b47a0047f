/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_EXPORT_EXPORT_XDR_H
#define PH_OUTPUT_EXPORT_EXPORT_XDR_H

/* Within the exports: numbers as XDR has them in GROMACS's files, the highest byte first. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline void ph_xdr_bits(uint64_t bits, int bytes, FILE *out)
{
    for (int k = 8 * (bytes - 1); k >= 0; k -= 8)
        putc_unlocked((int)(bits >> k & 0xff), out);
}

static inline void ph_xdr_integer(int64_t number, FILE *out) { ph_xdr_bits((uint32_t)number, 4, out); }

static inline void ph_xdr_float(double number, FILE *out)
{
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    ph_xdr_bits(bits, 4, out);
}

static inline void ph_xdr_double(double number, FILE *out)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    ph_xdr_bits(bits, 8, out);
}

#endif
