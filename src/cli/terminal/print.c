/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <stdio.h>

void ph_cli_print(FILE *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; ++c) {
        const bool wide = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0; /* the second set of controls, in UTF-8 */
        fputc((*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f || wide ? '?' : *c, out);
        c += wide;
    }
}
