/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_STORE_CHANGES_H
#define PH_OUTPUT_HDF5_STORE_CHANGES_H

/* Of store.h: how bytes reach the file. Bytes behind the last commit are written at once, changes of bytes before it
 * wait for the next commit. */

#include "output/hdf5/store.h"

/* A change of committed bytes that waits for the next commit */
struct ph_store_held {
    haddr_t address;
    size_t size;
    unsigned char *bytes; /* owned */
    bool numbers;         /* of a data set, not of HDF5's indices */
};

struct ph_store {
    H5FD_t driver; /* HDF5's part, first */
    int descriptor;
    haddr_t end;       /* end of HDF5's allocations */
    haddr_t size;      /* of the file */
    haddr_t committed; /* bytes before this may be in use by readers */
    size_t n_held, room;
    struct ph_store_held *held;     /* owned; no two overlap with different bytes */
    bool reads;                     /* only: see ph_store_read */
    bool reserves;                  /* numbers of data sets beyond the last commit are left to other processes */
    struct ph_store_place reserved; /* the last of these */
    bool sealed;                    /* a seal lies behind the committed bytes: removed before the first change */
    bool seals;                     /* the file gets a seal when it is closed, which leaves out these */
    size_t n_left_out;
    struct ph_seal_range *left_out; /* owned */
    bool discard; /* nothing is written any more: changes are kept in memory until the file is closed, then dropped */
    int failure;  /* errno of the first failure; 0 none */
};

/* Records errno as the first failure. From then on nothing is written. Returns false. */
bool ph_store_fail(struct ph_store *store);
/* Writes bytes that no reader uses */
bool ph_store_write(struct ph_store *store, haddr_t address, size_t size, const unsigned char *bytes);
/* Copies the part that two ranges have in common. */
void ph_store_overlay(haddr_t to_address, size_t to_size, unsigned char *to, haddr_t address, size_t size,
                      const unsigned char *bytes);
/* Keeps a change of committed bytes in memory until the next commit */
bool ph_store_hold(struct ph_store *store, bool numbers, haddr_t address, size_t size, const unsigned char *bytes);
void ph_store_forget(struct ph_store *store);
/* Writes the changes that are held, in an order that keeps the file readable */
bool ph_store_write_held(struct ph_store *store);

#endif
