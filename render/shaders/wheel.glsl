// A rotor as a wheel across its axis: a rim with three spokes through it, one half of one dark as the hand of a
// clock, on a stub of the axle.

const int SIDES = 64;

#ifdef VERTEX
layout(location = 0) in vec4 place; // m: centre, radius
layout(location = 1) in vec4 turn;  // unit vector of the axis; rad anticlockwise seen from its tip
layout(location = 2) in int body;

out vec3 position;
out vec3 normal;
out vec3 local; // across the axis, along the hand and beside it, in radii of the part; 0 on a cap, 1 on its side
flat out vec3 color;
flat out int is_axle;

void main() {
  // Where the angle is 0: as far up as the axis lets it be.
  vec3 axis = turn.xyz, along = up.xyz - dot(up.xyz, axis) * axis;
  if (length(along) < 0.1)
    along = abs(axis.x) < 0.9 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0);
  along = normalize(along - dot(along, axis) * axis);
  vec3 beside = cross(axis, along);

  int vertices = 12 + 6 * SIDES;
  int vertex = gl_VertexID % vertices, corner = vertex % 6;
  is_axle = gl_VertexID / vertices;
  vec2 at = vec2((0x32 >> corner & 1) == 1 ? 1.0 : -1.0, (0x2c >> corner & 1) == 1 ? 1.0 : -1.0); // two triangles
  float height = vertex < 6 ? 1.0 : -1.0;
  bool is_side = vertex >= 12;
  if (is_side) {
    float angle = 6.28318530718 * (float((vertex - 12) / 6) + 0.5 * (at.x + 1.0)) / float(SIDES);
    height = at.y;
    at = vec2(cos(angle), sin(angle));
  }
  local = vec3(at, is_side ? 1.0 : 0.0);
  float c = cos(turn.w), s = sin(turn.w);
  vec3 out_of = (c * at.x - s * at.y) * along + (s * at.x + c * at.y) * beside;
  vec2 size = place.w * (is_axle == 1 ? vec2(0.13, 0.24) : vec2(1.0, 0.04)); // radius, half the thickness
  normal = is_side ? out_of : height * axis;
  position = place.xyz + size.x * out_of + size.y * height * axis;
  color = colors_values() || int(coloring.y) == COLOR_KIND ? vec3(0.62, 0.64, 0.67) : palette[body % 6].rgb;
  gl_Position = view_projection * vec4(position, 1.0);
}
#else
in vec3 position;
in vec3 normal;
in vec3 local;
flat in vec3 color;
flat in int is_axle;
layout(location = 0) out vec4 result;

void main() {
  const vec3 dark = vec3(0.13, 0.14, 0.17);
  vec2 p = local.xy;
  float r = length(p), outside = r - 1.0; // below 0 inside, as the next ones
  float hand = max(max(abs(p.y) - 0.075, -p.x), outside);
  if (is_axle == 0) {
    float spokes = min(abs(p.y), min(abs(dot(p, vec2(0.866, 0.5))), abs(dot(p, vec2(0.866, -0.5))))) - 0.04;
    outside = max(outside, min(min(0.84 - r, spokes), hand));
  }
  vec3 tint = is_axle == 1 ? dark : color;
  float alpha = 1.0;
  if (local.z < 0.5) {
    alpha = clamp(0.5 - outside / max(fwidth(r), 1e-4), 0.0, 1.0); // becomes coverage of the pixel's samples
    if (hand < 0.0)
      tint = dark;
  }
#ifdef SHADOW
  if (alpha < 0.5)
    discard;
#else
  if (alpha == 0.0)
    discard;
#endif
  result = vec4(shade(tint, position, normalize(normal), 0.05), alpha);
}
#endif
