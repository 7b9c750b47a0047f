/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_POWER_LAW_H
#define PH_LAB_POWER_LAW_H

/* The power of the step that an error follows, or the result that it is rounding only. */

#include <stdbool.h>

/* The order p of a method: its error is ~ step^p at a fixed time, ~ step^(p+1) after one step */
struct ph_order {
    bool exact;    /* no step size error: rounding only, whatever the step */
    bool resolved; /* the order is known to 0.2 (true if exact) */
    double order;  /* 0 if exact; if not resolved, a guess from the slope of the errors seen, or NaN */
    double error;  /* exact: the largest error; else the error at the finest step of the fit */
    double turn;   /* |omega| h of that step */
};

/* Errors against steps, from the coarsest to the finest */
enum { PH_ERRORS_MOST = 160 };
struct ph_errors {
    int n;
    double step[PH_ERRORS_MOST], error[PH_ERRORS_MOST];
    double rounding[PH_ERRORS_MOST];      /* what rounding usually adds to the error */
    double most_rounding[PH_ERRORS_MOST]; /* the most that it can add; an exact method stays below this at every step */
};

/* The order from errors ~ step^(order + excess), excess 1 after one step and 0 at a fixed time; rate is |omega| */
struct ph_order ph_order_of_errors(const struct ph_errors *errors, double excess, double rate);

#endif
