/* SPDX-License-Identifier: MIT */
/* Time correlation functions of molecules (velocity, angular velocity, dipole direction) and of the whole sample
 * (dipole moment, stress), relaxation times, and transport coefficients. Green and Kubo's formulas are D = 1/3 int
 * <v(0).v(t)> dt,   eta = V/(10 kT) int sum_ab <P_ab(0) P_ab(t)> dt. P is the symmetric traceless part of the pressure
 * tensor, which uses all five independent components (Daivis, Evans, J. Chem. Phys. 100 (1994) 541). Dipoles: C1 =
 * <u(0).u(t)>, C2 = <3 (u(0).u(t))^2 - 1>/2. */
#include "analysis/registry.h"
#include "analysis/statistics/correlator.h"
#include "analysis/statistics/decay.h"
#include "analysis/trajectory/series.h"
#include "analysis/trajectory/tracks.h"
#include "base/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Of molecules ---- */

static const double tensor_weights[6] = {1.0, 1.0, 1.0, 2.0, 2.0, 2.0};

struct adding {
    struct ph_correlator *correlator;
    const double *weights;
};

static enum ph_status add(const struct ph_tracks *tracks, void *data, struct ph_error *err)
{
    const struct adding *adding = data;
    return ph_correlator_add(adding->correlator, tracks->n, tracks->width, adding->weights, ph_tracks_signal, tracks,
                             err);
}

static bool polar(const struct ph_recording_kind *kind) { return !kind->known || !ph_vec3_is_zero(kind->dipole); }

/* One correlation function of molecules, by kind */
struct molecular {
    const char *of;
    unsigned needs;
    const struct ph_track *track;
    const double *weights;
    double scale, offset, factor;
    struct ph_decay_names target;
    bool rotates, dipole; /* of molecules that do, or have one */
};

static const struct molecular molecular[] = {
    {"velocity",
     PH_BIT(PH_VELOCITY),
     &ph_track_velocity,
     NULL,
     1.0,
     0.0,
     1.0 / 3.0,
     {.table = "velocity",
      .help = "<v(0).v(t)> of centres over its value at 0, and a third of its integral",
      .zero = "mean_square_velocity",
      .zero_help = "<v.v>",
      .time = "velocity_time",
      .integral = "diffusion",
      .integral_help = "a third of the integral (Green, Kubo)"},
     false,
     false},
    {"angular-velocity",
     PH_BIT(PH_ANGULAR_MOMENTUM) | PH_BIT(PH_ORIENTATION),
     &ph_track_angular_velocity,
     NULL,
     1.0,
     0.0,
     1.0,
     {.table = "angular_velocity",
      .help = "<omega(0).omega(t)> in space over its value at 0",
      .zero = "mean_square_angular_velocity",
      .zero_help = "<omega.omega>",
      .time = "angular_velocity_time"},
     true,
     false},
    {"dipole",
     PH_BIT(PH_DIPOLE),
     &ph_track_direction,
     NULL,
     1.0,
     0.0,
     1.0,
     {.table = "dipole_1", .help = "C1(t) = <u(0).u(t)>, u the direction of the dipole", .time = "dipole_time_1"},
     false,
     true},
    {"dipole",
     PH_BIT(PH_DIPOLE),
     &ph_track_directions,
     tensor_weights,
     1.5,
     -0.5,
     1.0,
     {.table = "dipole_2", .help = "C2(t) = <3 (u(0).u(t))^2 - 1>/2", .time = "dipole_time_2"},
     false,
     true},
};
enum { N_MOLECULAR = sizeof molecular / sizeof *molecular };

static void set_units(const struct ph_recording *recording, const struct molecular *from, struct ph_decay_names *target)
{
    *target = from->target;
    target->clock = recording->clock;
    if (!recording->physical)
        return;
    if (from->track == &ph_track_velocity) {
        strcpy(target->zero_unit, "nm+2 ps-2");
        strcpy(target->integral_unit, "nm+2 ps-1");
    }
    if (from->track == &ph_track_angular_velocity)
        strcpy(target->zero_unit, "ps-2");
}

static enum ph_status one_molecular(const struct ph_recording *recording, const struct ph_analysis_request *request,
                                    const struct molecular *what, size_t kind, size_t lags, struct ph_result *result,
                                    struct ph_error *err)
{
    const struct ph_recording_kind *about = &recording->kinds[kind];
    struct adding adding = {.weights = what->weights};
    struct ph_decay_names target;
    set_units(recording, what, &target);
    size_t *members = ph_recording_members(recording, kind);
    enum ph_status status = members ? ph_correlator_create(recording->n_frames, lags, &adding.correlator, err)
                                    : ph_no_memory(err, "a list of molecules");
    if (status == PH_OK)
        status = ph_tracks_visit(recording, request, what->track, about->n, members, add, &adding, err);
    struct ph_decay shape = {.lags = lags,
                             .interval = recording->interval,
                             .n_signals = (double)about->n,
                             .scale = what->scale,
                             .offset = what->offset,
                             .factor = what->factor,
                             .end = lags - 1};
    if (status == PH_OK)
        status = ph_decay_say(request, adding.correlator, &shape, &target, about->name, result, err);
    ph_correlator_destroy(adding.correlator);
    free(members);
    return status;
}

static enum ph_status of_molecules(const struct ph_analysis_request *request, const struct molecular *what,
                                   struct ph_result *result, struct ph_error *err)
{
    struct ph_recording recording;
    size_t lags = 0;
    enum ph_status status = ph_recording_open(request, what->needs, 0, &recording, result, err);
    if (status == PH_OK)
        status =
            ph_choose_lags(request->files[0], recording.n_frames, recording.interval, request->lag, 0.25, &lags, err);
    for (size_t k = 0; k < recording.n_kinds && status == PH_OK; ++k) {
        const struct ph_recording_kind *kind = &recording.kinds[k];
        if ((what->rotates && (!kind->known || kind->species.degrees == 0)) || (what->dipole && !polar(kind)))
            continue;
        status = one_molecular(&recording, request, what, k, lags, result, err);
    }
    ph_recording_close(&recording);
    return status;
}

/* ---- Of the sample ---- */

static void dipole_signal(size_t s, const void *data, double *out)
{
    (void)s;
    const struct ph_series *series = data;
    for (size_t k = 0; k < series->rows; ++k)
        for (size_t c = 0; c < 3; ++c)
            out[c * series->rows + k] = series->values[3 * k + c];
}

/* Symmetric traceless part: xx, yy, zz, xy, xz, yz */
static void stress_signal(size_t s, const void *data, double *out)
{
    (void)s;
    const struct ph_series *series = data;
    const size_t n = series->rows;
    for (size_t k = 0; k < n; ++k) {
        const double *p = &series->values[9 * k], third = (p[0] + p[4] + p[8]) / 3.0;
        out[k] = p[0] - third;
        out[n + k] = p[4] - third;
        out[2 * n + k] = p[8] - third;
        out[3 * n + k] = 0.5 * (p[1] + p[3]);
        out[4 * n + k] = 0.5 * (p[2] + p[6]);
        out[5 * n + k] = 0.5 * (p[5] + p[7]);
    }
}

struct collective {
    size_t width;
    const double *weights;
    ph_signal *signal;
    double factor; /* of the integral */
};

static enum ph_status correlate_series(const struct ph_analysis_request *request, const struct ph_series *series,
                                       const struct collective *what, const struct ph_decay_names *target,
                                       struct ph_result *result, struct ph_error *err)
{
    const double part = 0.1; /* the longest lag over the length of the series */
    struct ph_correlator *correlator = NULL;
    size_t lags = 0;
    enum ph_status status =
        ph_choose_lags(request->files[0], series->rows, series->interval, request->lag, part, &lags, err);
    if (status == PH_OK)
        status = ph_correlator_create(series->rows, lags, &correlator, err);
    if (status == PH_OK)
        status = ph_correlator_add(correlator, 1, what->width, what->weights, what->signal, series, err);
    struct ph_decay shape = {.lags = lags,
                             .interval = series->interval,
                             .n_signals = 1.0,
                             .scale = 1.0,
                             .factor = what->factor,
                             .end = lags - 1};
    if (status == PH_OK)
        status = ph_decay_say(request, correlator, &shape, target, "", result, err);
    ph_correlator_destroy(correlator);
    return status;
}

static enum ph_status of_dipole(const struct ph_analysis_request *request, const struct ph_recording *about,
                                struct ph_result *result, struct ph_error *err)
{
    struct ph_series series;
    enum ph_status status = ph_series_read(&about->reader, request, "dipole", request->stage, &series, result, err);
    const struct ph_decay_names target = {.table = "total_dipole",
                                          .help = "<M(0).M(t)> of the dipole of the whole sample over its value at 0",
                                          .time = "total_dipole_time",
                                          .clock = about->clock};
    bool any = false;
    for (size_t k = 0; status == PH_OK && k < series.rows * series.width && !any; ++k)
        any = series.values[k] != 0.0;
    if (status == PH_OK && !any)
        ph_result_note(result, "The total dipole is left out: it is 0 throughout.");
    else if (status == PH_OK)
        status =
            correlate_series(request, &series, &(struct collective){3, NULL, dipole_signal, 1.0}, &target, result, err);
    ph_series_free(&series);
    return status;
}

static void say_in_mpas(struct ph_result *result)
{
    const double mpas = 602.214076; /* kJ/mol ps/nm^3 in one mPa s */
    const struct ph_value *found = ph_result_find(result, "viscosity");
    if (!found)
        return;
    const struct ph_value viscosity = *found; /* which may move */
    struct ph_value *value = ph_result_value(result, "viscosity_in_mPas", viscosity.value / mpas,
                                             viscosity.error / mpas, "mPa s", "the same");
    memcpy(value->caution, viscosity.caution, sizeof value->caution);
}

static enum ph_status of_stress(const struct ph_analysis_request *request, const struct ph_recording *about,
                                struct ph_result *result, struct ph_error *err)
{
    const struct ph_reader *reader = &about->reader;
    struct ph_series series;
    struct ph_boxes boxes = {.volume = NAN};
    double temperature = NAN;
    enum ph_status status = ph_series_read(reader, request, "pressure_tensor", request->stage, &series, result, err);
    if (status == PH_OK)
        status = ph_series_temperature(reader, request, &temperature, result, err);
    if (status == PH_OK)
        status = ph_recording_boxes(about, request->stage, &boxes, result, err);
    if (status == PH_OK && (series.width != 9 || !boxes.periodic))
        status = ph_error_set(err, PH_ERR_INPUT, "%s: viscosity needs a tensor of nine numbers and a box.",
                              reader->file.name);
    if (status == PH_OK && boxes.change)
        ph_result_note(result, "The box changes in time: the viscosity is that of the mean volume, and includes what "
                               "the barostat does to the stress.");
    struct ph_decay_names target = {.table = "stress",
                                    .help = "correlation of the symmetric traceless pressure tensor over its value at "
                                            "0, and V/(10 kT) times its integral",
                                    .time = "stress_time",
                                    .integral = "viscosity",
                                    .integral_help = "V/(10 kT) times the integral (Green, Kubo)",
                                    .clock = about->clock};
    strcpy(target.integral_unit, ph_recording_unit(about, "kJ mol-1 ps nm-3"));
    const struct collective stress = {6, tensor_weights, stress_signal,
                                      boxes.volume / (10.0 * about->boltzmann * temperature)};
    if (status == PH_OK)
        status = correlate_series(request, &series, &stress, &target, result, err);
    if (status == PH_OK && about->physical)
        say_in_mpas(result);
    ph_series_free(&series);
    return status;
}

/* ---- All ---- */

static bool wanted(const struct ph_analysis_request *request, const char *of)
{
    return !request->of || strcmp(request->of, of) == 0;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    static const char *const words[] = {"velocity", "angular-velocity", "dipole", "total-dipole", "stress"};
    bool known = !request->of;
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
        known = known || strcmp(words[k], request->of) == 0;
    if (!known)
        return ph_error_set(err, PH_ERR_INPUT,
                            "--of %s: not accepted; give velocity, angular-velocity, dipole, total-dipole or stress.",
                            request->of);
    struct ph_recording about;
    enum ph_status status = ph_recording_open_about(request, &about, err);
    for (size_t k = 0; k < N_MOLECULAR + 2 && status == PH_OK; ++k) {
        const char *of = k < N_MOLECULAR ? molecular[k].of : (k == N_MOLECULAR ? "total-dipole" : "stress");
        struct ph_error inner = {.status = PH_OK};
        if (!wanted(request, of))
            continue;
        if (k < N_MOLECULAR)
            status = of_molecules(request, &molecular[k], result, &inner);
        else if (k == N_MOLECULAR)
            status = of_dipole(request, &about, result, &inner);
        else
            status = of_stress(request, &about, result, &inner);
        if (status == PH_ERR_INPUT && !request->of) { /* the file may have the other functions */
            ph_result_note(result, "Without %s: %s", of, inner.text);
            status = PH_OK;
        } else if (status != PH_OK && err) {
            *err = inner;
        }
    }
    if (status == PH_OK && result->n_tables == 0)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: has nothing that could be correlated in time. %.700s",
                              request->files[0], result->n_notes > 0 ? result->notes[0] : "");
    ph_recording_close(&about);
    return status;
}

const struct ph_analysis ph_analysis_correlation = {
    .name = "correlation",
    .summary = "time correlation functions, relaxation times, diffusion and viscosity",
    .documentation =
        "By kind of molecule: velocity (with the diffusion coefficient), angular velocity in space, and C1 and C2 of "
        "the direction of the dipole; of the sample: dipole moment, and stress (with the viscosity). --of takes one of "
        "velocity, angular-velocity, dipole, total-dipole, stress; without it all that the file has. Integrals end "
        "where the function is lost in noise, or at the second time of --fit.",
    .needs = "velocities, angular momenta, orientations or dipoles of frames at equal intervals; series/dipole, "
             "series/pressure_tensor",
    .options = "stage frames of lag fit temperature",
    .run = run,
};
