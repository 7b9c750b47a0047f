/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_KINDS_CONSERVATION_H
#define PH_ANALYSIS_KINDS_CONSERVATION_H

/* How well energy was conserved: the one definition used by `run`, `info`, `analyze energy` and reports. An isolated
 * system conserves its total energy. Thermostats and barostats exchange energy with the system. Their equations
 * conserve the total energy less the energy that they supplied. The series has this as `conserved_energy`, and only its
 * deviations show errors. */

#include "analysis/trajectory/series.h"

struct ph_conservation {
    size_t rows;
    const char *name; /* of the series: total_energy or conserved_energy; constant text */
    char unit[PH_H5MD_WORD];
    double first;                    /* the energy of the first row */
    double largest, last;            /* |deviation| from it at most, deviation of the last row */
    struct ph_line line;             /* through deviations from it by least squares: its slope is the drift */
    double rms, rms_error;           /* root mean square about the mean */
    double residual, residual_error; /* the same about the line */
};

/* Computes the conservation of a series of energies, all times `scale`; false without memory */
bool ph_conservation_of(const struct ph_series *energy, double scale, struct ph_conservation *out);

/* Reads the energy that a stage conserves: conserved_energy where the series has it there, else total_energy. To be
 * freed in any case; *name is a constant text. */
enum ph_status ph_conserved_read(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                 const char *stage, struct ph_series *series, const char **name,
                                 struct ph_result *result, struct ph_error *err);

/* Reads the conservation of the production of a file, or of all rows if the file does not say where the production
 * begins; rows = 0 if it has none */
enum ph_status ph_conservation_read(const struct ph_reader *reader, double scale, struct ph_conservation *out,
                                    struct ph_error *err);

/* Summary of a trajectory at the end of a run: rows of the production, energies per molecule */
struct ph_summary {
    struct ph_conservation energy;
    struct ph_mean potential, temperature_translation, temperature_rotation, pressure; /* NaN if there are none */
};
enum ph_status ph_summary_of(const struct ph_reader *reader, struct ph_summary *summary, struct ph_error *err);

#endif
