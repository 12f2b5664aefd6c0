/* Damped springs in closed form: smooth cameras, pointers, characters, sounds and filters without a world.

   A damped spring pulls a value x with velocity v to a goal g:

       x'' = w^2 (g - x) + 2 zeta w (g' - x')

   w is the angular frequency in rad/s (2 pi times the oscillations per second), zeta the damping ratio: 0
   swings for ever, below 1 overshoots, 1 is critical (arrives soonest without overshoot), above 1 creeps.
   The motion is known exactly, so a step may be as long or as short as you like: nothing here blows up, and
   one step of a second ends where a thousand steps of a millisecond do.

       msd_damped_spring spring = msd_damped_spring_make_critical(0.15, 1.0 / 60);   half-life, step
       for (;;)
         msd_damped_spring_update(&spring, &camera_x, &camera_v, player_x);          once a frame

   Where to look:
     core          one step of one spring, from whatever numbers you think in; its future; time to settle
     batch         the same spring for whole arrays of float or double
     dampers       first order: a value that halves its distance every so often
     springs       critical, double, timed, velocity, tracking, angle
     quaternions   rotations
     uses          smoothing, characters, inertialization, curves, resonance
     conversions   every parameterisation of a spring, side by side
     naive         the usual formulas that fail at low frame rates, to compare with

   Everything but the batches of float is computed in double. Nothing allocates, nothing is global, no world
   is needed; any number of threads may call at once. Units are yours: x in any unit, v in that unit per
   second, times in seconds, angles in radians.

   Bad input is defined everywhere:
   - A parameter (frequency, ratio, stiffness, damping, half-life, duration, time step, gain) that is negative
     or NaN counts as 0; +infinity counts as the largest double.
   - A time step of 0 changes nothing, whatever the spring. Negative steps count as 0: time does not run
     backwards. Huge steps end at the goal at rest (an undamped spring: somewhere on its orbit).
   - A half-life or duration of 0, or an infinite frequency or stiffness, puts x at the goal and v to 0 in any
     step longer than 0.
   - Finite x, v and goal stay finite. What would be too large for a double stops at the largest one, and
     positions further apart than that count as that far apart.
   - A state or goal that is NaN stays NaN. Pointers must point to something, except where NULL is mentioned.

   Sources: R. Juckett, "Damped Springs" (2012); D. Holden, "Spring-It-On: The Game Developer's Spring-
   Roll-Call" (2021), with its slips put right; D. Bollo, "Inertialization", GDC 2018. The formulas stand
   beside the functions, the reasons in docs/damped_springs.md. */
#ifndef MSD_DAMPED_SPRING_H
#define MSD_DAMPED_SPRING_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------- core */

/* One step of one spring, reusable: with offsets from the goal
       x_next = pos_pos x + pos_vel v,    v_next = vel_pos x + vel_vel v.
   The coefficients depend on the spring and the step only. Make them once for a fixed step, or once a frame
   and use them for everything that shares the spring. Their errors are below 1e-12 of the largest (velocities
   scaled by w); where the frequency has to be computed first (_frequency, _ratio, _duration), its rounding
   adds 3e-16 w dt. */
typedef struct {
  double pos_pos, pos_vel, vel_pos, vel_vel;
} msd_damped_spring;

/* From the angular frequency in rad/s and the damping ratio. Frequency 0 is free motion. */
MSD_API msd_damped_spring msd_damped_spring_make(double angular_frequency, double damping_ratio,
                                                 double time_step);

/* From stiffness in 1/s^2 and damping in 1/s, both for unit mass: x'' = stiffness (g - x) - damping v.
   Stiffness 0 is a value that coasts to a stop. */
MSD_API msd_damped_spring msd_damped_spring_make_stiffness(double stiffness, double damping,
                                                           double time_step);

/* From a frequency in Hz and a half-life in s: damping = 4 ln2/halflife. Above
   msd_critical_frequency(halflife) it overshoots, and the swings shrink to a quarter in each half-life. */
MSD_API msd_damped_spring msd_damped_spring_make_frequency(double frequency, double halflife,
                                                           double time_step);

/* From the damping ratio and a half-life in s: stiffness = (damping / (2 ratio))^2. Ratio 0 would be
   infinitely stiff: it goes to the goal at once. */
MSD_API msd_damped_spring msd_damped_spring_make_ratio(double damping_ratio, double halflife,
                                                       double time_step);

/* From the duration of one oscillation in s and how bouncy it is: frequency = 1/duration, ratio = 1 - bounce.
   Bounce 0 is critical, 1 swings for ever, negative values creep. A bounce of NaN counts as 0. */
MSD_API msd_damped_spring msd_damped_spring_make_duration(double duration, double bounce, double time_step);

/* The critical spring of a half-life in s: y = 2 ln2/halflife, angular frequency y, ratio 1. The half-life is
   nominal: from rest, half the way takes 1.21 of it (msd_halflife_from_half_time is exact). */
MSD_API msd_damped_spring msd_damped_spring_make_critical(double halflife, double time_step);

/* Moves x and v one step towards a goal at rest. */
MSD_API void msd_damped_spring_update(const msd_damped_spring *spring, double *x, double *v, double goal);

/* Moves an offset from the goal one step towards 0. */
MSD_API void msd_damped_spring_decay(const msd_damped_spring *spring, double *x, double *v);

/* Moving goal: at the start of the step it is at `goal` and travels at goal_velocity during it. Follows a
   ramp without any error. time_step is the one the spring was made for. */
MSD_API void msd_damped_spring_track(const msd_damped_spring *spring, double time_step, double *x, double *v,
                                     double goal, double goal_velocity);

/* Held goal: it stands still during the step, yet its velocity is the one that v relaxes to:
   x'' = w^2 (goal - x) + 2 zeta w (goal_velocity - v). That is a goal at rest `lead` seconds ahead, at
   goal + lead goal_velocity; msd_damped_spring_lead gives the lead. */
MSD_API void msd_damped_spring_hold(const msd_damped_spring *spring, double lead, double *x, double *v,
                                    double goal, double goal_velocity);

/* How many seconds a spring lags behind a steadily moving goal whose velocity it is not told:
   2 zeta/w = damping/stiffness. 0 when the frequency is 0. A critical spring: halflife/ln2. */
MSD_API double msd_damped_spring_lead(double angular_frequency, double damping_ratio);

/* The same step for two, three components and for a goal at rest. */
MSD_API void msd_damped_spring_update_vec2(const msd_damped_spring *spring, double x[2], double v[2],
                                           const double goal[2]);
MSD_API void msd_damped_spring_update_vec3(const msd_damped_spring *spring, double x[3], double v[3],
                                           const double goal[3]);

/* Moving goals of two and three components. */
MSD_API void msd_damped_spring_track_vec2(const msd_damped_spring *spring, double time_step, double x[2],
                                          double v[2], const double goal[2], const double goal_velocity[2]);
MSD_API void msd_damped_spring_track_vec3(const msd_damped_spring *spring, double time_step, double x[3],
                                          double v[3], const double goal[3], const double goal_velocity[3]);

/* A position with its first and second derivative in time. */
typedef struct {
  double position, velocity, acceleration;
} msd_motion;

/* Where a spring will be `time` seconds (>= 0) after it was at `offset` from its goal with this velocity:
   offset, velocity and acceleration in closed form. */
MSD_API msd_motion msd_damped_spring_predict(double angular_frequency, double damping_ratio, double offset,
                                             double velocity, double time);

/* The time in s after which |offset| stays within `tolerance` (same unit, > 0) for ever: 0 when it already
   does, INFINITY when it never will. Exact to rounding, not an estimate from the envelope. */
MSD_API double msd_damped_spring_settle_time(double angular_frequency, double damping_ratio, double offset,
                                             double velocity, double tolerance);

/* ------------------------------------------------------------------------------------------------ batch */

/* One spring for whole arrays, at the speed of memory. Element i of x, v and goals belongs together; vectors
   stored in a row (xyzxyz) simply are three times as many elements. The arrays must not overlap. Nothing
   happens when count is 0 or x or v is NULL. Float arrays are computed in float by increments, which loses
   no more than storing the result in float does. */

/* Every element has its own goal. goals = NULL: all goals are 0 (decay). */
MSD_API void msd_damped_spring_update_floats(const msd_damped_spring *spring, float *x, float *v,
                                             const float *goals, size_t count);
MSD_API void msd_damped_spring_update_doubles(const msd_damped_spring *spring, double *x, double *v,
                                              const double *goals, size_t count);

/* All elements share one goal. */
MSD_API void msd_damped_spring_gather_floats(const msd_damped_spring *spring, float *x, float *v, float goal,
                                             size_t count);
MSD_API void msd_damped_spring_gather_doubles(const msd_damped_spring *spring, double *x, double *v,
                                              double goal, size_t count);

/* Every element has its own moving goal (msd_damped_spring_track). NULL for either: all 0. */
MSD_API void msd_damped_spring_track_floats(const msd_damped_spring *spring, double time_step, float *x,
                                            float *v, const float *goals, const float *goal_velocities,
                                            size_t count);
MSD_API void msd_damped_spring_track_doubles(const msd_damped_spring *spring, double time_step, double *x,
                                             double *v, const double *goals, const double *goal_velocities,
                                             size_t count);

/* Dampers (below) with one half-life for arrays. goals = NULL: all goals are 0. */
MSD_API void msd_damper_floats(float *x, const float *goals, double halflife, double time_step, size_t count);
MSD_API void msd_damper_doubles(double *x, const double *goals, double halflife, double time_step,
                                size_t count);

/* ---------------------------------------------------------------------------------------------- dampers */

/* A damper has no velocity: it starts with a jerk and then closes half of what is left every halflife s.
       x_next = goal + (x - goal) exp(-ln2 time_step/halflife) */
MSD_API double msd_damper(double x, double goal, double halflife, double time_step);

/* What msd_damper leaves of the distance, 0..1: exp(-ln2 time_step/halflife). */
MSD_API double msd_damper_remainder(double halflife, double time_step);

/* The damper that does in one step of reference_step s what `x += damping reference_step (goal - x)` does,
   and the equivalent for any other step: lets you keep a factor that was tuned at one frame rate.
       x_next = goal + (x - goal) exp(time_step/reference_step log1p(-reference_step damping))
   damping is in 1/s. False, and x is left alone, when reference_step * damping is not below 1: such a factor
   jumps past the goal and has no equivalent. */
MSD_API bool msd_damper_exponential(double *x, double goal, double damping, double reference_step,
                                    double time_step);

/* ---------------------------------------------------------------------------------------------- springs */

/* Critical springs in one call, y = 2 ln2/halflife. To move many values, or at a fixed step, keep the result
   of msd_damped_spring_make_critical instead: these compute it every time.
   simple: goal at rest. decay: goal 0 at rest. critical: held goal velocity (msd_damped_spring_hold). */
MSD_API void msd_simple_spring(double *x, double *v, double goal, double halflife, double time_step);
MSD_API void msd_decay_spring(double *x, double *v, double halflife, double time_step);
MSD_API void msd_critical_spring(double *x, double *v, double goal, double goal_velocity, double halflife,
                                 double time_step);

/* A critical spring that follows a critical spring: sets off gently, S-shaped, then settles. Each has half
   the half-life, y = 4 ln2/halflife. The pair is solved exactly, so it does not depend on the frame rate:
       a = middle - g, b = middle_v + y a, f0 = x - g, f1 = v + y f0,
       x(t) = g + e^-yt (f0 + f1 t + y^2 (a t^2/2 + b t^3/6)) */
typedef struct {
  double x, v;
  /* The spring in between; start it equal to x and v. */
  double middle_x, middle_v;
} msd_double_spring;

MSD_API void msd_double_spring_update(msd_double_spring *spring, double goal, double halflife,
                                      double time_step);

/* A critical spring that arrives at a given time. It follows a straight line that reaches the goal when
   time_left is over, looking apprehension * halflife ahead on it, and then settles on the goal. A step may
   span the moment of arrival: it is exact at any frame rate. */
typedef struct {
  double x, v;
  /* The point on the straight line; start it equal to x. */
  double line;
  /* May change at any time: the line then turns to it. */
  double goal;
  /* s until the line arrives, counted down by the update; 0 or less: it is there. */
  double time_left;
  /* s. */
  double halflife;
  /* Half-lives of looking ahead, >= 0. MSD_APPREHENSION_EXACT has no steady lag. */
  double apprehension;
} msd_timed_spring;

/* 1/ln2: the look-ahead that just makes up for the lag of a critical spring. 2 hurries, 0 trails. */
#define MSD_APPREHENSION_EXACT 1.4426950408889634

MSD_API void msd_timed_spring_update(msd_timed_spring *spring, double time_step);

/* The same at a given speed instead of a given time. */
typedef struct {
  double x, v;
  /* The point that travels; start it equal to x. */
  double line;
  /* May change at any time. */
  double goal;
  /* Units per s of the line; its sign does not matter; 0: it waits. */
  double speed;
  /* s. */
  double halflife;
  /* As above. */
  double apprehension;
} msd_velocity_spring;

MSD_API void msd_velocity_spring_update(msd_velocity_spring *spring, double time_step);

/* Tracking springs follow a goal of known position, velocity and acceleration, each as strictly as its gain
   says (0: ignored, 1: at once), and forgive wrong velocities. They show three stages of one idea:
       v += a_gain a_goal dt,  v = lerp(v, v_goal, v_gain),  v = lerp(v, (x_goal - x)/dt, x_gain),  x += v dt
   A gain of 0 (a half-life of INFINITY) leaves that part of the goal out: that is how to track without
   acceleration, or by position alone. Gains above 1 count as 1. */
typedef struct {
  double position, velocity, acceleration;
} msd_tracking_gains;

/* As published: the gains are per step, so the result depends on the frame rate. */
MSD_API void msd_tracking_spring(double *x, double *v, msd_motion goal, msd_tracking_gains gains,
                                 double time_step);

/* The gains from half-lives in s, 1 - exp(-ln2 dt/halflife): depends much less on the frame rate. */
MSD_API void msd_tracking_spring_halflife(double *x, double *v, msd_motion goal, msd_tracking_gains halflives,
                                          double time_step);

/* The differential equation behind it, solved exactly for gains that are meant per gain_step s (> 0):
       stiffness = x_gain/gain_step^2,  damping = (1 - (1-v_gain)(1-x_gain))/gain_step
   with a held goal. It does not depend on the frame rate for a goal at rest or in uniform motion held over
   the step. gain_step 0 goes to the goal at once. */
MSD_API void msd_tracking_spring_exact(double *x, double *v, msd_motion goal, msd_tracking_gains gains,
                                       double gain_step, double time_step);

/* Velocity and acceleration of a goal that is only known by samples time_step apart; 0 when that is 0. */
MSD_API double msd_sampled_velocity(double now, double before, double time_step);
MSD_API double msd_sampled_acceleration(double now, double before, double before_that, double time_step);

/* An angle in radians goes the shortest way round the circle. It is not wrapped: it may end a whole number
   of turns from `goal`, so that nothing jumps. */
MSD_API void msd_damped_spring_update_angle(const msd_damped_spring *spring, double *x, double *v,
                                            double goal);

/* -------------------------------------------------------------------------------------------- quaternions */

/* A rotation as a unit quaternion. Any length is accepted and normalised; a zero or non-finite one counts as
   no rotation. q and -q are the same rotation and give the same path. */
typedef struct {
  double w, x, y, z;
} msd_quaternion;

/* Moves a rotation to `goal` along the shortest arc. angular_velocity is the physical one, in rad/s about
   the axes of the world, as rigid bodies have it. With r the rotation vector of rotation * goal^-1, r follows
   the spring, and angular_velocity = J(r) r' with J the left Jacobian of SO(3). */
MSD_API void msd_damped_spring_update_quaternion(const msd_damped_spring *spring, msd_quaternion *rotation,
                                                 double angular_velocity[3], msd_quaternion goal);

/* The same, but keeps r' itself as the state: cheaper, and what most published code calls angular velocity.
   The two agree for small offsets and for rotations about one axis. */
MSD_API void msd_damped_spring_update_rotation_vector(const msd_damped_spring *spring,
                                                      msd_quaternion *rotation, double rate[3],
                                                      msd_quaternion goal);

/* The rotation vector (axis times angle in radians, angle 0..pi) of a rotation, and back. */
MSD_API void msd_quaternion_to_rotation_vector(msd_quaternion rotation, double vector[3]);
MSD_API msd_quaternion msd_quaternion_from_rotation_vector(const double vector[3]);

/* ------------------------------------------------------------------------------------------------- uses */

/* Smoothing. Feeding a noisy signal to a critical spring as its goal is a low-pass filter of second order,
   H(i w) = y^2/(y + i w)^2 with y = 2 ln2/halflife. */

/* What is left of a sine of this frequency in Hz, 0..1: 1/(1 + (2 pi f/y)^2). */
MSD_API double msd_smoothing_gain(double halflife, double frequency);

/* The frequency in Hz where the power is halved (-3 dB), 0.6436 y/(2 pi); and the half-life for it. */
MSD_API double msd_smoothing_cutoff(double halflife);
MSD_API double msd_smoothing_halflife(double cutoff_frequency);

/* How much of the variance of white noise, sampled once a step, is left: about y dt/4 for short steps.
   Computed exactly for any step. */
MSD_API double msd_smoothing_noise_gain(double halflife, double time_step);

/* Characters. The velocity of a character follows the stick by a critical spring, so the stick sets
   goal_velocity, and the position is its exact integral. */
MSD_API void msd_character_update(msd_motion *character, double goal_velocity, double halflife,
                                  double time_step);

/* The future of a character whose stick stays put: path[i] is at i * interval from now, path[0] is now. */
MSD_API void msd_character_predict(const msd_motion *character, double goal_velocity, double halflife,
                                   double interval, msd_motion *path, size_t count);

/* Inertialization: switch a value from one motion to another without a jump and without blending the two.
   At the switch the difference is kept as an offset, which then decays by a critical spring. Start with
   zeros; one of these per animated value. */
typedef struct {
  double offset_x, offset_v;
} msd_inertializer;

/* From now on the other motion, which is at (to_x, to_v), is played instead of the one at (from_x, from_v).
   Both are raw motions, without the offset; a switch during a transition goes on smoothly. */
MSD_API void msd_inertializer_transition(msd_inertializer *inertializer, double from_x, double from_v,
                                         double to_x, double to_v);

/* Advances the offset one step, and adds it to the motion that is played: *x and *v come as the raw motion at
   the end of the step and leave as what to show. */
MSD_API void msd_inertializer_update(msd_inertializer *inertializer, double halflife, double time_step,
                                     double *x, double *v);

/* Curves through control points. The straight lines between `count` points at the places 0, 1, 2, ...:
   the value at `place`, and in *slope (may be NULL) the change per place. Beyond the ends the first and last
   line go on. One point is a constant; none give 0. */
MSD_API double msd_polyline(const double *points, size_t count, double place, double *slope);

/* A curve that a spring draws while it follows that polyline, starting on it: samples[i] is at the place
   i (count-1)/(sample_count-1). Frequency is in radians per place. Each line is tracked exactly, so more
   samples only show more of the same curve. */
MSD_API void msd_spring_curve(const double *points, size_t count, double angular_frequency,
                              double damping_ratio, double *samples, size_t sample_count);

/* Resonance. Energy of a spring of unit mass: 1/2 ((scale velocity)^2 + stiffness (scale offset)^2). */
MSD_API double msd_damped_spring_energy(double offset, double velocity, double stiffness, double scale);

/* Amplitude of x when the goal swings at drive rad/s with amplitude 1 and its velocity is not told:
   w^2/|w^2 - drive^2 + 2 i zeta w drive|. Infinite at the resonance of an undamped spring. */
MSD_API double msd_damped_spring_response(double angular_frequency, double damping_ratio, double drive);

/* The stiffness that resonates with a drive of `drive` rad/s at this damping in 1/s. The definitions differ
   in what is said to resonate; they agree when damping is small. */
typedef enum {
  /* drive^2: velocity of x and power are largest. */
  MSD_RESONANCE_POWER,
  /* drive^2 + damping^2/4: the spring's own damped frequency is the drive's. */
  MSD_RESONANCE_DAMPED,
  /* drive^2 + damping^2/2: the response curve over drive peaks at the drive. */
  MSD_RESONANCE_AMPLITUDE
} msd_resonance;

MSD_API double msd_resonant_stiffness(double drive, double damping, msd_resonance definition);

/* A bank of resonators, like the hairs of the inner ear, that finds the frequency in a signal. The memory is
   yours: an array of these. */
typedef struct {
  msd_damped_spring spring;
  /* Smooths the power. */
  msd_damped_spring average;
  /* Hz. */
  double frequency;
  /* State of the resonator. */
  double x, v;
  /* Mean square of v/stiffness, and its rate. */
  double power, power_change;
} msd_resonator;

/* Tunes `count` resonators from lowest to highest Hz, spaced by equal ratios. halflife is how fast they
   forget, in s: a few periods of the lowest is good. time_step is the time between samples. */
MSD_API void msd_resonator_bank_tune(msd_resonator *bank, size_t count, double lowest, double highest,
                                     double halflife, double time_step);

/* Feeds one sample to all of them. */
MSD_API void msd_resonator_bank_feed(msd_resonator *bank, size_t count, double sample);

/* The frequency in Hz of the strongest part of the signal: where the power would be largest between the
   resonators. The inverse power is a parabola in stiffness, so three of them give it exactly for a steady
   sine. 0 when nothing was heard or the bank is empty. */
MSD_API double msd_resonator_bank_peak(const msd_resonator *bank, size_t count);

/* ------------------------------------------------------------------------------------------ conversions */

/* One spring of unit mass in every way of describing it. Any msd_spring_from_... function fills all fields.
   Fields that do not exist are infinite (half-life without damping) or as the limit has them. */
typedef struct {
  /* 1/s^2 = w^2; for a mass m: m times as much, in N/m. */
  double stiffness;
  /* 1/s = 2 zeta w; for a mass m: m times as much, in N s/m. */
  double damping;
  /* rad/s, w. */
  double angular_frequency;
  /* Hz, w/(2 pi). */
  double frequency;
  /* zeta = damping/(2 sqrt(stiffness)); 0 when both are 0. */
  double damping_ratio;
  /* s, 4 ln2/damping; swings (zeta < 1) shrink to a quarter in it. */
  double halflife;
  /* s, 1/frequency. */
  double duration;
  /* 1 - zeta. */
  double bounce;
} msd_spring_parameters;

MSD_API msd_spring_parameters msd_spring_from_angular(double angular_frequency, double damping_ratio);
MSD_API msd_spring_parameters msd_spring_from_stiffness(double stiffness, double damping);
MSD_API msd_spring_parameters msd_spring_from_frequency(double frequency, double halflife);
MSD_API msd_spring_parameters msd_spring_from_ratio(double damping_ratio, double halflife);
MSD_API msd_spring_parameters msd_spring_from_duration(double duration, double bounce);
MSD_API msd_spring_parameters msd_spring_from_critical(double halflife);

/* The coefficient springs of spring.h: stiffness = ck/step^2, damping = cd/step. They are numbers per step of
   symplectic Euler, and another spring at another step. step 0 gives an infinitely stiff spring. */
MSD_API msd_spring_parameters msd_spring_from_coefficients(double ck, double cd, double step);
MSD_API void msd_spring_to_coefficients(const msd_spring_parameters *parameters, double step, double *ck,
                                        double *cd);

/* Single conversions. 0 in gives INFINITY out where the formula divides by it. */
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

/* A critical spring's half-life is nominal. From rest it is half way after half_time = 1.2106714396939775
   halflife, where (1 + y t) e^-yt = 1/2. */
MSD_API double msd_half_time_from_halflife(double halflife);
MSD_API double msd_halflife_from_half_time(double half_time);

/* ------------------------------------------------------------------------------------------------ naive */

/* What is found in many programs, kept here to show how it fails. Do not use these.

   lerp: the same fraction every frame, so twice the frame rate is twice as fast.
   damper: x += damping dt (goal - x). Overshoots when damping dt > 1, explodes above 2.
   spring: symplectic Euler. Depends on the frame rate; explodes when stiffness dt^2 + 2 damping dt > 4. */
MSD_API double msd_naive_lerp(double x, double goal, double factor);
MSD_API double msd_naive_damper(double x, double goal, double damping, double time_step);
MSD_API void msd_naive_spring(double *x, double *v, double goal, double stiffness, double damping,
                              double time_step);

#ifdef __cplusplus
}
#endif

#endif
