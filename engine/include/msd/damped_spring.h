/* Damped springs in closed form: smooth cameras, pointers, characters, sounds and filters without a world.

   A damped spring pulls a value x with velocity v to a goal g:

       x'' = w^2 (g - x) + 2 zeta w (g' - x')

   w is the angular frequency in rad/s (2 pi times the oscillations per second). zeta is the damping ratio: 0
   oscillates forever, below 1 overshoots, 1 is critical (fastest without overshoot), above 1 is overdamped.
   The solution is exact, so the time step can have any length: nothing here diverges, and one step of a
   second ends where a thousand steps of a millisecond do.

       msd_damped_spring spring = msd_damped_spring_make_critical(0.15, 1.0 / 60);   half-life, time step
       for (;;)
         msd_damped_spring_update(&spring, &camera_x, &camera_v, player_x);          once a frame

   Sections:

       core          one step of one spring, from any parameters; prediction; settling time
       batch         the same spring for whole arrays of float or double
       dampers       first order: exponential decay with a half-life
       springs       critical, double, timed, velocity, tracking, angle
       quaternions   rotations
       uses          smoothing, characters, inertialization, curves, resonance
       conversions   all parameterizations of a spring side by side
       naive         common formulas that fail at low frame rates, for comparison

   All computations are in double, except batches of float. Nothing allocates, there is no global state, and
   no world is needed; any number of threads may call at the same time. Units are free: x in any unit, v in
   that unit per second, times in seconds, angles in radians.

   Invalid input has defined results:
   - A parameter (frequency, ratio, stiffness, damping, half-life, duration, time step, gain) that is negative
     or NaN counts as 0; +infinity counts as the largest double.
   - A time step of 0 changes nothing, whatever the spring. Negative steps count as 0. Very long steps end at
     the goal at rest (an undamped spring: somewhere on its orbit).
   - A half-life or duration of 0, or an infinite frequency or stiffness, sets x to the goal and v to 0 in any
     step longer than 0.
   - Finite x, v and goal stay finite. Values too large for a double are clamped to the largest one, and
     positions further apart than that count as that far apart.
   - A state or goal that is NaN stays NaN. Pointers must be valid, except where NULL is mentioned.

   Sources: R. Juckett, "Damped Springs" (2012); D. Holden, "Spring-It-On: The Game Developer's
   Spring-Roll-Call" (2021), with its errors corrected; D. Bollo, "Inertialization", GDC 2018. Formulas are
   given at the functions; docs/learn/damped_springs.md explains them. */
#ifndef MSD_DAMPED_SPRING_H
#define MSD_DAMPED_SPRING_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------- core */

/* One step of one spring, reusable. With offsets from the goal:

       x_next = pos_pos x + pos_vel v,    v_next = vel_pos x + vel_vel v

   The coefficients depend only on the spring and the time step. Compute them once for a fixed step, or once a
   frame, and use them for every value with the same spring. Their errors are below 1e-12 of the largest
   (velocities scaled by w). Where the frequency is computed first (_frequency, _ratio, _duration), its
   rounding adds 3e-16 w dt. */
typedef struct {
  double pos_pos, pos_vel, vel_pos, vel_vel;
} msd_damped_spring;

/* Makes a spring from the angular frequency in rad/s and the damping ratio. Frequency 0 is free motion. */
MSD_API msd_damped_spring msd_damped_spring_make(double angular_frequency, double damping_ratio,
                                                 double time_step);

/* Makes a spring from stiffness in 1/s^2 and damping in 1/s, both for unit mass:
   x'' = stiffness (g - x) - damping v. With stiffness 0 the value decelerates to a stop. */
MSD_API msd_damped_spring msd_damped_spring_make_stiffness(double stiffness, double damping,
                                                           double time_step);

/* Makes a spring from a frequency in Hz and a half-life in s: damping = 4 ln2/halflife. Above
   msd_critical_frequency(halflife) it overshoots, and the amplitude falls to a quarter in each half-life. */
MSD_API msd_damped_spring msd_damped_spring_make_frequency(double frequency, double halflife,
                                                           double time_step);

/* Makes a spring from the damping ratio and a half-life in s: stiffness = (damping / (2 ratio))^2. Ratio 0
   would be infinitely stiff: it reaches the goal at once. */
MSD_API msd_damped_spring msd_damped_spring_make_ratio(double damping_ratio, double halflife,
                                                       double time_step);

/* Makes a spring from the duration of one oscillation in s and its bounce: frequency = 1/duration, ratio = 1
   - bounce. Bounce 0 is critical, 1 oscillates forever, negative values are overdamped. NaN counts as 0. */
MSD_API msd_damped_spring msd_damped_spring_make_duration(double duration, double bounce, double time_step);

/* Makes the critical spring of a half-life in s: y = 2 ln2/halflife, angular frequency y, ratio 1. The
   half-life is nominal: from rest, half of the distance takes 1.21 of it (msd_halflife_from_half_time is
   exact). */
MSD_API msd_damped_spring msd_damped_spring_make_critical(double halflife, double time_step);

/* Moves x and v one step toward a goal at rest. */
MSD_API void msd_damped_spring_update(const msd_damped_spring *spring, double *x, double *v, double goal);

/* Moves an offset from the goal one step toward 0. */
MSD_API void msd_damped_spring_decay(const msd_damped_spring *spring, double *x, double *v);

/* Moves x and v one step toward a moving goal, which is at `goal` at the start of the step and has the
   velocity goal_velocity during it. Follows a uniformly moving goal without error. time_step must be the one
   the spring was made for. */
MSD_API void msd_damped_spring_track(const msd_damped_spring *spring, double time_step, double *x, double *v,
                                     double goal, double goal_velocity);

/* Moves x and v one step toward a goal whose position is constant during the step, while v relaxes to its
   velocity: x'' = w^2 (goal - x) + 2 zeta w (goal_velocity - v). That equals a goal at rest at goal + lead
   goal_velocity, `lead` seconds ahead; msd_damped_spring_lead returns the lead. */
MSD_API void msd_damped_spring_hold(const msd_damped_spring *spring, double lead, double *x, double *v,
                                    double goal, double goal_velocity);

/* Returns the time in s by which a spring lags behind a uniformly moving goal whose velocity it does not use:
   2 zeta/w = damping/stiffness. 0 if the frequency is 0. For a critical spring it is halflife/ln2. */
MSD_API double msd_damped_spring_lead(double angular_frequency, double damping_ratio);

/* msd_damped_spring_update for two and three components. */
MSD_API void msd_damped_spring_update_vec2(const msd_damped_spring *spring, double x[2], double v[2],
                                           const double goal[2]);
MSD_API void msd_damped_spring_update_vec3(const msd_damped_spring *spring, double x[3], double v[3],
                                           const double goal[3]);

/* msd_damped_spring_track for two and three components. */
MSD_API void msd_damped_spring_track_vec2(const msd_damped_spring *spring, double time_step, double x[2],
                                          double v[2], const double goal[2], const double goal_velocity[2]);
MSD_API void msd_damped_spring_track_vec3(const msd_damped_spring *spring, double time_step, double x[3],
                                          double v[3], const double goal[3], const double goal_velocity[3]);

/* A position with its first and second time derivatives. */
typedef struct {
  double position, velocity, acceleration;
} msd_motion;

/* Returns the state `time` seconds (>= 0) after the spring was at `offset` from its goal with this velocity:
   offset, velocity and acceleration in closed form. */
MSD_API msd_motion msd_damped_spring_predict(double angular_frequency, double damping_ratio, double offset,
                                             double velocity, double time);

/* Returns the settling time in s, after which |offset| stays within `tolerance` (same unit, > 0) forever: 0
   if it already does, INFINITY if it never will. Exact to rounding, not an estimate from the envelope. */
MSD_API double msd_damped_spring_settle_time(double angular_frequency, double damping_ratio, double offset,
                                             double velocity, double tolerance);

/* ------------------------------------------------------------------------------------------------ batch */

/* One spring for whole arrays, limited by memory bandwidth only. Element i of x, v and goals belong together;
   interleaved vectors (xyzxyz) are three times as many elements. The arrays must not overlap. Nothing happens
   if count is 0 or x or v is NULL. Float arrays are computed in float by increments, which loses no more than
   storing the result in float does. */

/* Update each element toward its own goal. goals = NULL: all goals are 0 (decay). */
MSD_API void msd_damped_spring_update_floats(const msd_damped_spring *spring, float *x, float *v,
                                             const float *goals, size_t count);
MSD_API void msd_damped_spring_update_doubles(const msd_damped_spring *spring, double *x, double *v,
                                              const double *goals, size_t count);

/* Update all elements toward one common goal. */
MSD_API void msd_damped_spring_gather_floats(const msd_damped_spring *spring, float *x, float *v, float goal,
                                             size_t count);
MSD_API void msd_damped_spring_gather_doubles(const msd_damped_spring *spring, double *x, double *v,
                                              double goal, size_t count);

/* Update each element toward its own moving goal (msd_damped_spring_track). NULL for either array: all 0. */
MSD_API void msd_damped_spring_track_floats(const msd_damped_spring *spring, double time_step, float *x,
                                            float *v, const float *goals, const float *goal_velocities,
                                            size_t count);
MSD_API void msd_damped_spring_track_doubles(const msd_damped_spring *spring, double time_step, double *x,
                                             double *v, const double *goals, const double *goal_velocities,
                                             size_t count);

/* Apply msd_damper with one half-life to arrays. goals = NULL: all goals are 0. */
MSD_API void msd_damper_floats(float *x, const float *goals, double halflife, double time_step, size_t count);
MSD_API void msd_damper_doubles(double *x, const double *goals, double halflife, double time_step,
                                size_t count);

/* ---------------------------------------------------------------------------------------------- dampers */

/* Moves a value toward a goal by exponential decay: the distance halves every halflife s. There is no
   velocity, so the motion starts abruptly.

       x_next = goal + (x - goal) exp(-ln2 time_step/halflife) */
MSD_API double msd_damper(double x, double goal, double halflife, double time_step);

/* Returns the fraction of the distance that msd_damper leaves, 0 to 1: exp(-ln2 time_step/halflife). */
MSD_API double msd_damper_remainder(double halflife, double time_step);

/* Converts a damper that was tuned at one frame rate to any time step. In one step of reference_step s it
   equals `x += damping reference_step (goal - x)`:

       x_next = goal + (x - goal) exp(time_step/reference_step log1p(-reference_step damping))

   damping is in 1/s. Returns false, and leaves x unchanged, if reference_step * damping is not below 1: such
   a factor overshoots the goal and has no equivalent. */
MSD_API bool msd_damper_exponential(double *x, double goal, double damping, double reference_step,
                                    double time_step);

/* ---------------------------------------------------------------------------------------------- springs */

/* Critical springs in one call, y = 2 ln2/halflife. simple: goal at rest. decay: goal 0 at rest. critical:
   goal velocity as in msd_damped_spring_hold. For many values, or a fixed time step, keep the result of
   msd_damped_spring_make_critical instead: these functions compute it in each call. */
MSD_API void msd_simple_spring(double *x, double *v, double goal, double halflife, double time_step);
MSD_API void msd_decay_spring(double *x, double *v, double halflife, double time_step);
MSD_API void msd_critical_spring(double *x, double *v, double goal, double goal_velocity, double halflife,
                                 double time_step);

/* A critical spring that follows a critical spring, for a smooth S-shaped start and end. Each has half the
   half-life, y = 4 ln2/halflife. The pair is solved exactly, so it does not depend on the frame rate:

       a = middle - g, b = middle_v + y a, f0 = x - g, f1 = v + y f0,
       x(t) = g + e^-yt (f0 + f1 t + y^2 (a t^2/2 + b t^3/6)) */
typedef struct {
  double x, v;
  /* The spring in between; initialize it to x and v. */
  double middle_x, middle_v;
} msd_double_spring;

/* Advances the pair by time_step seconds. */
MSD_API void msd_double_spring_update(msd_double_spring *spring, double goal, double halflife,
                                      double time_step);

/* A critical spring that arrives at a given time. It follows a straight line that reaches the goal after
   time_left, aiming apprehension * halflife ahead on it, and then settles at the goal. A time step may
   include the moment of arrival: the result is exact at any frame rate. */
typedef struct {
  double x, v;
  /* The point on the straight line; initialize it to x. */
  double line;
  /* May change at any time; the line then turns to it. */
  double goal;
  /* s. Time until the line arrives, reduced by the update; 0 or less: it has arrived. */
  double time_left;
  /* s. */
  double halflife;
  /* >= 0. Look-ahead in half-lives; MSD_APPREHENSION_EXACT has no steady lag. */
  double apprehension;
} msd_timed_spring;

/* 1/ln2: the look-ahead that exactly compensates the lag of a critical spring. 2 leads, 0 lags. */
#define MSD_APPREHENSION_EXACT 1.4426950408889634

/* Advances the spring by time_step seconds. */
MSD_API void msd_timed_spring_update(msd_timed_spring *spring, double time_step);

/* A critical spring that follows a line at a given speed instead of arriving at a given time. */
typedef struct {
  double x, v;
  /* The moving point; initialize it to x. */
  double line;
  /* May change at any time. */
  double goal;
  /* Units per s of the line; the sign is ignored; 0: it stays. */
  double speed;
  /* s. */
  double halflife;
  /* >= 0. Look-ahead in half-lives, as in msd_timed_spring. */
  double apprehension;
} msd_velocity_spring;

/* Advances the spring by time_step seconds. */
MSD_API void msd_velocity_spring_update(msd_velocity_spring *spring, double time_step);

/* Gains of tracking springs, which follow a goal of known position, velocity and acceleration. Each gain says
   how strictly (0: ignored, 1: at once). Wrong velocities are tolerated. The three functions below are stages
   of one idea:

       v += a_gain a_goal dt,  v = lerp(v, v_goal, v_gain),  v = lerp(v, (x_goal - x)/dt, x_gain),  x += v dt

   A gain of 0 (a half-life of INFINITY) ignores that component of the goal, for example to track without
   acceleration or by position alone. Gains above 1 count as 1. */
typedef struct {
  double position, velocity, acceleration;
} msd_tracking_gains;

/* Tracks a goal as published: gains are per step, so the result depends on the frame rate. */
MSD_API void msd_tracking_spring(double *x, double *v, msd_motion goal, msd_tracking_gains gains,
                                 double time_step);

/* Tracks a goal with gains from half-lives in s, 1 - exp(-ln2 dt/halflife), which depends much less on the
   frame rate. */
MSD_API void msd_tracking_spring_halflife(double *x, double *v, msd_motion goal, msd_tracking_gains halflives,
                                          double time_step);

/* Tracks a goal by the exact solution of the underlying differential equation, with gains per gain_step s (>
   0):

       stiffness = x_gain/gain_step^2,  damping = (1 - (1-v_gain)(1-x_gain))/gain_step

   The goal is constant during the step, as in msd_damped_spring_hold. The result does not depend on the frame
   rate if the goal is at rest, or in uniform motion and constant during each step. gain_step 0 reaches the
   goal at once. */
MSD_API void msd_tracking_spring_exact(double *x, double *v, msd_motion goal, msd_tracking_gains gains,
                                       double gain_step, double time_step);

/* Return the velocity and acceleration of a goal from samples that are time_step apart; 0 if time_step is 0. */
MSD_API double msd_sampled_velocity(double now, double before, double time_step);
MSD_API double msd_sampled_acceleration(double now, double before, double before_that, double time_step);

/* Moves an angle in radians one step toward a goal along the shorter arc. The angle is not wrapped, to avoid
   jumps: it may end a whole number of turns from `goal`. */
MSD_API void msd_damped_spring_update_angle(const msd_damped_spring *spring, double *x, double *v,
                                            double goal);

/* -------------------------------------------------------------------------------------------- quaternions */

/* A rotation as a unit quaternion. Any length is accepted and normalized; a zero or non-finite quaternion
   counts as no rotation. q and -q are the same rotation and give the same path. */
typedef struct {
  double w, x, y, z;
} msd_quaternion;

/* Moves a rotation one step toward a goal along the shortest arc. angular_velocity is the physical one, in
   rad/s about world axes, as in rigid body dynamics. With r the rotation vector of rotation * goal^-1, r
   follows the spring, and angular_velocity = J(r) r' with J the left Jacobian of SO(3). */
MSD_API void msd_damped_spring_update_quaternion(const msd_damped_spring *spring, msd_quaternion *rotation,
                                                 double angular_velocity[3], msd_quaternion goal);

/* Moves a rotation one step toward a goal with r' itself as the state. It is faster, and r' is what most
   published code calls angular velocity. Both agree for small offsets and for rotations about one axis. */
MSD_API void msd_damped_spring_update_rotation_vector(const msd_damped_spring *spring,
                                                      msd_quaternion *rotation, double rate[3],
                                                      msd_quaternion goal);

/* Convert a rotation to its rotation vector (axis times angle in radians, angle 0 to pi), and back. */
MSD_API void msd_quaternion_to_rotation_vector(msd_quaternion rotation, double vector[3]);
MSD_API msd_quaternion msd_quaternion_from_rotation_vector(const double vector[3]);

/* ------------------------------------------------------------------------------------------------- uses */

/* Smoothing. A critical spring with a noisy signal as its goal is a second-order low-pass filter,
   H(i w) = y^2/(y + i w)^2 with y = 2 ln2/halflife. */

/* Returns the gain of the filter at a frequency in Hz, 0 to 1: 1/(1 + (2 pi f/y)^2). */
MSD_API double msd_smoothing_gain(double halflife, double frequency);

/* Return the -3 dB cutoff frequency in Hz, where the power is halved: 0.6436 y/(2 pi); and the half-life for
   a cutoff. */
MSD_API double msd_smoothing_cutoff(double halflife);
MSD_API double msd_smoothing_halflife(double cutoff_frequency);

/* Returns the remaining fraction of the variance of white noise that is sampled once a step: about y dt/4 for
   short steps. Exact for any step. */
MSD_API double msd_smoothing_noise_gain(double halflife, double time_step);

/* Characters. The velocity of the character follows the stick by a critical spring, so the stick sets
   goal_velocity; the position is its exact integral. */
MSD_API void msd_character_update(msd_motion *character, double goal_velocity, double halflife,
                                  double time_step);

/* Predicts a character whose stick does not move: path[i] is the state after i * interval seconds, path[0]
   now. */
MSD_API void msd_character_predict(const msd_motion *character, double goal_velocity, double halflife,
                                   double interval, msd_motion *path, size_t count);

/* Inertialization: switches a value from one motion to another without a jump and without blending the two.
   At the switch the difference is stored as an offset, which decays by a critical spring. Use one of these
   per animated value, initialized to zeros. */
typedef struct {
  double offset_x, offset_v;
} msd_inertializer;

/* Switches from the motion that is at (from_x, from_v) to the one at (to_x, to_v). Both are raw motions,
   without the offset; a switch during a transition continues smoothly. */
MSD_API void msd_inertializer_transition(msd_inertializer *inertializer, double from_x, double from_v,
                                         double to_x, double to_v);

/* Advances the offset by one step and adds it to the current motion: *x and *v are the raw motion at the end
   of the step as input, and the values to show as output. */
MSD_API void msd_inertializer_update(msd_inertializer *inertializer, double halflife, double time_step,
                                     double *x, double *v);

/* Curves through control points. Returns the value at `place` of the polyline through `count` points at the
   places 0, 1, 2, ...; *slope (may be NULL) receives the change per place. The first and last line continue
   beyond the ends. One point is a constant; none give 0. */
MSD_API double msd_polyline(const double *points, size_t count, double place, double *slope);

/* Computes the curve that a spring draws while it follows that polyline, starting on it: samples[i] is at the
   place i (count-1)/(sample_count-1). The frequency is in radians per place. Each line is tracked exactly, so
   more samples only refine the same curve. */
MSD_API void msd_spring_curve(const double *points, size_t count, double angular_frequency,
                              double damping_ratio, double *samples, size_t sample_count);

/* Resonance. Returns the energy of a spring of unit mass: 1/2 ((scale velocity)^2 + stiffness (scale
   offset)^2). */
MSD_API double msd_damped_spring_energy(double offset, double velocity, double stiffness, double scale);

/* Returns the amplitude of x if the goal oscillates at drive rad/s with amplitude 1 and its velocity is not
   used: w^2/|w^2 - drive^2 + 2 i zeta w drive|. Infinite at the resonance of an undamped spring. */
MSD_API double msd_damped_spring_response(double angular_frequency, double damping_ratio, double drive);

/* Definitions of resonance with a drive. They agree if damping is small. */
typedef enum {
  /* stiffness = drive^2: the velocity of x and the power are largest. */
  MSD_RESONANCE_POWER,
  /* stiffness = drive^2 + damping^2/4: the damped frequency of the spring is that of the drive. */
  MSD_RESONANCE_DAMPED,
  /* stiffness = drive^2 + damping^2/2: the response curve over drive peaks at the drive. */
  MSD_RESONANCE_AMPLITUDE
} msd_resonance;

/* Returns the stiffness that resonates with a drive of `drive` rad/s at this damping in 1/s. */
MSD_API double msd_resonant_stiffness(double drive, double damping, msd_resonance definition);

/* A resonator of a bank that finds the frequency of a signal, as the inner ear does. The bank is an array of
   these in memory of the program. */
typedef struct {
  msd_damped_spring spring;
  /* Smooths the power. */
  msd_damped_spring average;
  /* Hz. */
  double frequency;
  /* State of the resonator. */
  double x, v;
  /* Mean square of v/stiffness, and its rate of change. */
  double power, power_change;
} msd_resonator;

/* Tunes `count` resonators from lowest to highest Hz, spaced by equal ratios. halflife is their memory in s;
   a few periods of the lowest frequency work well. time_step is the time between samples. */
MSD_API void msd_resonator_bank_tune(msd_resonator *bank, size_t count, double lowest, double highest,
                                     double halflife, double time_step);

/* Feeds one sample to all resonators. */
MSD_API void msd_resonator_bank_feed(msd_resonator *bank, size_t count, double sample);

/* Returns the frequency in Hz of the strongest component of the signal, interpolated between the resonators.
   The inverse power is a parabola in stiffness, so three resonators give it exactly for a steady sine. 0 if
   there was no signal or the bank is empty. */
MSD_API double msd_resonator_bank_peak(const msd_resonator *bank, size_t count);

/* ------------------------------------------------------------------------------------------ conversions */

/* One spring of unit mass in all parameterizations. Every msd_spring_from_... function fills all fields.
   Fields that do not exist are infinite (half-life without damping) or have their limit. */
typedef struct {
  /* 1/s^2, w^2. For a mass m: m times as much, in N/m. */
  double stiffness;
  /* 1/s, 2 zeta w. For a mass m: m times as much, in N s/m. */
  double damping;
  /* rad/s, w. */
  double angular_frequency;
  /* Hz, w/(2 pi). */
  double frequency;
  /* zeta = damping/(2 sqrt(stiffness)); 0 if both are 0. */
  double damping_ratio;
  /* s, 4 ln2/damping. The amplitude (zeta < 1) falls to a quarter in it. */
  double halflife;
  /* s, 1/frequency. */
  double duration;
  /* 1 - zeta. */
  double bounce;
} msd_spring_parameters;

/* Convert from any parameterization; arguments are those of msd_damped_spring_make and its variants. */
MSD_API msd_spring_parameters msd_spring_from_angular(double angular_frequency, double damping_ratio);
MSD_API msd_spring_parameters msd_spring_from_stiffness(double stiffness, double damping);
MSD_API msd_spring_parameters msd_spring_from_frequency(double frequency, double halflife);
MSD_API msd_spring_parameters msd_spring_from_ratio(double damping_ratio, double halflife);
MSD_API msd_spring_parameters msd_spring_from_duration(double duration, double bounce);
MSD_API msd_spring_parameters msd_spring_from_critical(double halflife);

/* Convert from and to the coefficient law of spring.h: stiffness = ck/step^2, damping = cd/step. ck and cd
   are relative to a substep of symplectic Euler, so they are a different spring at a different substep. step
   0 gives an infinitely stiff spring. */
MSD_API msd_spring_parameters msd_spring_from_coefficients(double ck, double cd, double step);
MSD_API void msd_spring_to_coefficients(const msd_spring_parameters *parameters, double step, double *ck,
                                        double *cd);

/* Single conversions. Where the formula divides by an argument of 0, the result is INFINITY. */
MSD_API double msd_damping_from_halflife(double halflife);                     /* 4 ln2/halflife */
MSD_API double msd_halflife_from_damping(double damping);                      /* 4 ln2/damping */
MSD_API double msd_stiffness_from_frequency(double frequency);                 /* (2 pi f)^2, f in Hz */
MSD_API double msd_frequency_from_stiffness(double stiffness);                 /* sqrt(s)/(2 pi) Hz */
MSD_API double msd_damping_ratio(double stiffness, double damping);            /* d/(2 sqrt(s)) */
MSD_API double msd_stiffness_from_ratio(double damping_ratio, double damping); /* (d/(2 zeta))^2 */
MSD_API double msd_damping_from_ratio(double damping_ratio, double stiffness); /* 2 zeta sqrt(s) */
MSD_API double msd_critical_stiffness(double halflife);                        /* (2 ln2/halflife)^2 */
MSD_API double msd_critical_frequency(double halflife);                        /* Hz: ln2/(pi halflife) */
MSD_API double msd_critical_halflife(double frequency);                        /* s: ln2/(pi f), f in Hz */

/* Convert between the nominal half-life of a critical spring and the time after which it is halfway from
   rest: half_time = 1.2106714396939775 halflife, where (1 + y t) e^-yt = 1/2. */
MSD_API double msd_half_time_from_halflife(double halflife);
MSD_API double msd_halflife_from_half_time(double half_time);

/* ------------------------------------------------------------------------------------------------ naive */

/* Common formulas, for comparison only. Do not use these.
   - lerp: the same fraction every frame, so twice the frame rate is twice as fast.
   - damper: x += damping dt (goal - x). Overshoots if damping dt > 1, diverges above 2.
   - spring: symplectic Euler. Depends on the frame rate; diverges if stiffness dt^2 + 2 damping dt > 4. */
MSD_API double msd_naive_lerp(double x, double goal, double factor);
MSD_API double msd_naive_damper(double x, double goal, double damping, double time_step);
MSD_API void msd_naive_spring(double *x, double *v, double goal, double stiffness, double damping,
                              double time_step);

#ifdef __cplusplus
}
#endif

#endif
