"""Writes the reference tables of the damped springs that have no table elsewhere: stiffness_form.csv,
double_spring.csv, character.csv, tracking_exact.csv and quaternion.csv.

Nothing here uses the closed forms of the library. Every linear spring is the matrix exponential of its
differential equation in 60 digits; the angular velocity of a rotation is taken from the derivative of its
rotation matrix. Needs mpmath.
"""

from itertools import product
from mpmath import mp, mpf, matrix, expm, sqrt, sin, cos, log, acos, diff, eye

mp.dps = 60


def f32(value):
    """The nearest float, so that inputs mean the same number everywhere."""
    import struct

    return struct.unpack("f", struct.pack("f", value))[0]


def text(values):
    return ",".join(mp.nstr(mpf(v), 17) for v in values)


def write(name, header, rows):
    with open(name, "w") as file:
        file.write(header + "\n")
        for row in rows:
            file.write(text(row) + "\n")


def flow(equation, state, time):
    """The state after `time` under state' = equation * state."""
    return expm(matrix(equation) * mpf(time), method="taylor") * matrix(state)


def stiffness_form():
    for s, d, dt in product([0, 1, 100, 4e4], [0, f32(0.01), 1, 19.999, 20, 20.001, 400, 3e4],
                            [0, f32(1e-3), f32(1 / 60), 1, 60]):
        m = expm(matrix([[0, 1], [-mpf(s), -mpf(d)]]) * mpf(dt), method="taylor")
        yield s, d, dt, m[0, 0], m[0, 1], m[1, 0], m[1, 1]


def double_spring():
    ln2 = log(2)
    for h, dt in product([f32(0.05), f32(0.2), 2], [0, f32(1e-3), f32(1 / 60), f32(0.3), 2]):
        y = 4 * ln2 / mpf(h)
        for x, v, xm, vm, g in [(1, 0, 1, 0, 0), (0, 3, 0, -2, 0), (f32(0.3), -1, f32(-0.7), 5, 10)]:
            a = [[0, 1, 0, 0, 0], [-y * y, -2 * y, y * y, 0, 0], [0, 0, 0, 1, 0],
                 [0, 0, -y * y, -2 * y, y * y], [0, 0, 0, 0, 0]]
            r = flow(a, [x, v, xm, vm, g], dt)
            yield h, dt, x, v, xm, vm, g, r[0], r[1], r[2], r[3]


def character():
    ln2 = log(2)
    for h, dt in product([f32(1e-3), f32(0.1), f32(0.5), 10, 1000], [0, f32(1e-4), f32(1 / 60), f32(0.25), 2]):
        y = 2 * ln2 / mpf(h)
        for x, v, a, g in [(0, 1, 0, 0), (0, 0, 1, 0), (5, f32(-0.8), 12, 3)]:
            m = [[0, 1, 0, 0], [0, 0, 1, 0], [0, -y * y, -2 * y, y * y], [0, 0, 0, 0]]
            r = flow(m, [x, v, a, g], dt)
            yield h, dt, x, v, a, g, r[0], r[1], r[2]


def tracking_exact():
    for gx, gv, ga in [(f32(0.01), f32(0.2), 1), (f32(0.5), 0, 0), (0, f32(0.2), 1), (0, 0, 1), (f32(1e-9), f32(0.5), 1),
                       (f32(1e-9), 0, 1), (1, 1, 1), (f32(1e-5), f32(1e-3), f32(0.5))]:
        for dt, step in product([f32(1e-3), f32(1 / 60), f32(0.5)], [f32(1 / 60)]):
            h, x, v, g, q, a = mpf(step), 1, -2, f32(0.25), 3, f32(-7.5)
            t0 = (1 - mpf(gv)) * (1 - mpf(gx))
            s, d = mpf(gx) / h**2, (1 - t0) / h
            push = mpf(gv) * (1 - mpf(gx)) / h * q + mpf(ga) * t0 * a
            r = flow([[0, 1, 0], [-s, -d, s * mpf(g) + push], [0, 0, 0]], [x, v, 1], dt)
            yield gx, gv, ga, step, dt, x, v, g, q, a, r[0], r[1]


def cross(r):
    return matrix([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def rotation(r):
    angle = sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2)
    k = cross([c / angle for c in r])
    return eye(3) + k * sin(angle) + k * k * (1 - cos(angle))


def angular_velocity(r, rate):
    """omega with R' = [omega]x R, for R(t) = rotation(r + t rate) at t = 0."""
    def entry(i, j):
        return diff(lambda t: rotation([r[k] + t * rate[k] for k in range(3)])[i, j], 0)

    spin = matrix(3, 3)
    for i, j in product(range(3), range(3)):
        spin[i, j] = entry(i, j)
    spin = spin * rotation(r).T
    return [spin[2, 1], spin[0, 2], spin[1, 0]]


def quaternion_of(r):
    angle = sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2)
    s = sin(angle / 2) / angle
    return [cos(angle / 2), s * r[0], s * r[1], s * r[2]]


def multiply(a, b):
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]]


def quaternion():
    """Starts are given as the rotation vector from the goal and its rate; the goal is a unit quaternion."""
    goals = [(1, 0, 0, 0), (0.5, 0.5, -0.5, 0.5)]
    starts = [((0.3, -0.2, 0.1), (0, 0, 0)), ((2, 1, -1.5), (1, -4, 2)), ((1e-4, 2e-4, -1e-4), (3, 0, -1)),
              ((0, 3, 0), (0, 2, 0))]
    for goal, (r, rate), w, zeta, dt in product(goals, starts, [5], [0.25, 1, 2], [f32(1 / 60), 0.5]):
        r, rate = [mpf(c) for c in r], [mpf(c) for c in rate]
        m = expm(matrix([[0, 1], [-mpf(w) ** 2, -2 * mpf(zeta) * w]]) * mpf(dt), method="taylor")
        end = [m[0, 0] * a + m[0, 1] * b for a, b in zip(r, rate)]
        end_rate = [m[1, 0] * a + m[1, 1] * b for a, b in zip(r, rate)]
        yield (list(goal) + [w, zeta, dt] + multiply(quaternion_of(r), goal) + angular_velocity(r, rate) + rate
               + multiply(quaternion_of(end), goal) + angular_velocity(end, end_rate) + end_rate)


write("stiffness_form.csv", "stiffness,damping,dt,pos_pos,pos_vel,vel_pos,vel_vel", stiffness_form())
write("double_spring.csv", "halflife,dt,x0,v0,middle_x0,middle_v0,goal,x,v,middle_x,middle_v", double_spring())
write("character.csv", "halflife,dt,x0,v0,a0,goal_velocity,x,v,a", character())
write("tracking_exact.csv", "x_gain,v_gain,a_gain,gain_step,dt,x0,v0,goal,goal_velocity,goal_acceleration,x,v", tracking_exact())
write("quaternion.csv",
      "goal_w,goal_x,goal_y,goal_z,omega,zeta,dt,w0,x0,y0,z0,wx0,wy0,wz0,rate_x0,rate_y0,rate_z0,"
      "w,x,y,z,wx,wy,wz,rate_x,rate_y,rate_z", quaternion())
