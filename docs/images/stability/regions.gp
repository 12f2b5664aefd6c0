# Stability regions of one mode, k = dt^2 stiffness/mass and d = dt damping/mass: `gnuplot regions.gp`
# draws regions.svg. Curves from docs/theory/stability.md.
set terminal svg size 900,420 font 'DejaVu Sans,11' background 'white'
set output 'regions.svg'
set samples 600
set xrange [0:3]
set yrange [0:9]
set xlabel 'd = dt damping / mass'
set ylabel 'k = dt² stiffness / mass'
set border 3
set tics nomirror out
set key outside right center reverse Left samplen 2 spacing 1.6
# RK4: |R(s)|^2 with s^2 + d s + k = 0. Complex pair: s = -d/2 + i sqrt(k - d^2/4).
rk(s) = abs(1 + s + s**2/2 + s**3/6 + s**4/24)
root(d, k, sign) = (-d + sign * sqrt({1,0} * (d * d - 4 * k))) / 2
grows(d, k) = rk(root(d, k, 1)) > rk(root(d, k, -1)) ? rk(root(d, k, 1)) : rk(root(d, k, -1))
set table $rk4
set isosamples 301, 451
set samples 301
set contour base
set cntrparam levels discrete 1.0
unset surface
splot [d=0.0001:3] [k=0.02:9] grows(d, k)
unset table
unset contour
set surface
plot $rk4 using 1:2 with lines linewidth 3 linecolor rgb '#2f6fb0' title 'Runge-Kutta 4', \
     (x <= 2.7852936 ? 8 - 2.872229*x : NaN) with lines linewidth 1.5 dashtype 2 linecolor rgb '#2f6fb0' \
       title 'certified for it: k + 2.87 d = 8', \
     (x < 2 ? 4 - 2*x + x*x : NaN) with lines linewidth 3 linecolor rgb '#8a4fb0' title 'velocity Verlet', \
     (x <= 2 ? 4 - 2*x : NaN) with lines linewidth 3 linecolor rgb '#2f8f4e' title 'symplectic Euler: k + 2 d = 4', \
     (x < 2 ? x : NaN) with lines linewidth 2 linecolor rgb '#c8402f' title 'explicit Euler: k < d < 2 + k/2', \
     (x > 2 ? 2*(x - 2) : NaN) with lines linewidth 2 linecolor rgb '#c8402f' notitle
