/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_PAPERS_H
#define PH_LAB_PAPERS_H

/* Papers that several objects of the lab refer to; macros, so that a section can be written behind. */

#define PH_PAPER_CELLEDONI                                                                                             \
    "E. Celledoni, F. Fasso, N. Safstrom, A. Zanna, The exact computation of the free rigid body motion and its use "  \
    "in splitting methods, SIAM J. Sci. Comput. 30 (2008) 2084"

#define PH_PAPER_KRYSL                                                                                                 \
    "P. Krysl, Dynamically equivalent implicit algorithms for the integration of rigid body rotations, Commun. "       \
    "Numer. Meth. Engng 24 (2008) 141"

#define PH_PAPER_VILMART "G. Vilmart, Rigid body dynamics, preprint hal-00912388 (2013)"

#define PH_PAPER_HAIRER                                                                                                \
    "E. Hairer, G. Vilmart, Preprocessed discrete Moser-Veselov algorithm for the full dynamics of the rigid body, "   \
    "J. Phys. A 39 (2006) 13225"

#define PH_PAPER_ORTOLAN "G. Ortolan, Topics on geometric integration, PhD thesis, University of Padua (2011)"

#endif
