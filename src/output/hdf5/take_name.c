/* SPDX-License-Identifier: MIT */
#include "output/hdf5/take_name.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int ph_take_name(const char *temporary, const char *name, bool overwrite)
{
    if (!overwrite) { /* a hard link never replaces a file; a renaming would */
        if (link(temporary, name) == 0)
            return unlink(temporary) == 0 ? 0 : errno;
        if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
            return errno;
        if (access(name, F_OK) == 0) /* file systems without hard links: the best that can be done */
            return EEXIST;
    }
    return rename(temporary, name) == 0 ? 0 : errno;
}
