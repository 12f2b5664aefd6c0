// A rotor as a wheel across its axis, on a stub of an axle: a rim with three spokes from side to side, of which
// one half is dark and broad like the hand of a clock.

const int SIDES = 64;
// The parts. RIM is the inner wall of the rim; the other walls are the sides of the hand and of the spokes.
const int WHEEL = 0, AXLE = 1, RIM = 2, HAND_WALL = 3, SPOKE_WALL = 4;
// Half the widths, in radii of the wheel.
const float SPOKE = 0.04, HAND = 0.075;

#ifdef VERTEX
// m: center, radius.
layout(location = 0) in vec4 place;
// The axis, a unit vector, and the angle in rad, counterclockwise as seen from the tip of the axis.
layout(location = 1) in vec4 turn;
layout(location = 2) in int body;
layout(location = 3) in float value;

out vec3 position;
out vec3 normal;
// Along and across the hand, in radii of the part; then 0 on a cap, 1 on a side.
out vec3 local;
flat out vec3 color;
flat out int part;

// A corner of a side wall of a spoke, near the axle or at the rim, in radii of the wheel. Walls 0 and 1 are
// those of the hand.
vec2 wall_corner(int wall, bool is_far, out vec2 outwards) {
  float turned = 1.0471975512 * float(wall / 2), side = wall % 2 == 0 ? 1.0 : -1.0;
  vec2 ray = vec2(cos(turned), sin(turned));
  outwards = side * vec2(-ray.y, ray.x);
  return (is_far ? 0.84 : 0.1) * ray + (wall < 2 ? HAND : SPOKE) * outwards;
}

void main() {
  // Angle 0 points up, as far as the axis allows.
  vec3 axis = turn.xyz, along = up.xyz - dot(up.xyz, axis) * axis;
  if (length(along) < 0.1)
    along = abs(axis.x) < 0.9 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0);
  along = normalize(along - dot(along, axis) * axis);
  vec3 beside = cross(axis, along);

  // The vertices of a part with two caps and a side.
  int closed = 12 + 6 * SIDES;
  int vertex = gl_VertexID, corner = vertex % 6;
  part = vertex / closed;
  vertex -= min(part, 2) * closed;
  if (part >= 2)
    part = vertex < 6 * SIDES ? RIM : vertex < 6 * (SIDES + 2) ? HAND_WALL : SPOKE_WALL;
  // The corners of two triangles.
  vec2 at = vec2((0x32 >> corner & 1) == 1 ? 1.0 : -1.0, (0x2c >> corner & 1) == 1 ? 1.0 : -1.0);
  float height = part > AXLE ? at.y : vertex < 6 ? 1.0 : -1.0;
  bool is_side = part > AXLE || vertex >= 12;
  vec2 outwards = vec2(0.0);
  if (part >= HAND_WALL) {
    at = wall_corner((vertex - 6 * SIDES) / 6, at.x > 0.0, outwards);
  } else if (is_side) {
    int side = (part == RIM ? vertex : vertex - 12) / 6;
    float angle = 6.28318530718 * (float(side) + 0.5 * (at.x + 1.0)) / float(SIDES);
    height = at.y;
    outwards = vec2(cos(angle), sin(angle));
    at = part == RIM ? 0.84 * outwards : outwards;
    outwards *= part == RIM ? -1.0 : 1.0;
  }
  local = vec3(at, is_side ? 1.0 : 0.0);
  float c = cos(turn.w), s = sin(turn.w);
  mat2x3 plane = mat2x3(c * along + s * beside, c * beside - s * along);
  // Radius, and half the thickness.
  vec2 size = place.w * (part == AXLE ? vec2(0.13, 0.24) : vec2(1.0, 0.04));
  normal = is_side ? plane * outwards : height * axis;
  position = place.xyz + size.x * (plane * at) + size.y * height * axis;
  int coloring_by = int(coloring.y);
  bool has_value = coloring_by == COLOR_SPEED || coloring_by == COLOR_ENERGY;
  vec3 plain = coloring_by == COLOR_NONE ? palette[body % 6].rgb : PLAIN_COLOR;
  color = has_value ? scale_color(value) : plain;
  gl_Position = view_projection * vec4(position, 1.0);
}
#else
in vec3 position;
in vec3 normal;
in vec3 local;
flat in vec3 color;
flat in int part;
layout(location = 0) out vec4 result;

void main() {
  vec2 p = local.xy;
  // Signed distances, negative inside: from the part, then from the hand.
  float r = length(p), outside = r - 1.0;
  float hand = max(max(abs(p.y) - HAND, -p.x), outside);
  if (part == WHEEL) {
    float spokes = min(abs(p.y), min(abs(dot(p, vec2(0.866, 0.5))), abs(dot(p, vec2(0.866, -0.5))))) - SPOKE;
    outside = max(outside, min(min(0.84 - r, spokes), hand));
  }
  vec3 tint = part == AXLE || part == HAND_WALL ? PIN_COLOR : color;
  float alpha = 1.0;
  if (local.z < 0.5) {
    // The width of a pixel; and the coverage of its samples.
    float width = max(fwidth(r), 1e-4);
    alpha = clamp(0.5 - outside / width, 0.0, 1.0);
    if (hand < 0.5 * width)
      tint = PIN_COLOR;
  }
#ifdef SHADOW
  if (alpha < 0.5)
    discard;
#else
  if (alpha == 0.0)
    discard;
#endif
  result = vec4(shade(tint, position, normalize(normal), 0.05, 0.0), alpha);
}
#endif
