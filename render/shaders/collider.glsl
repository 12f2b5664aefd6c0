// A collider: a box about the origin of its frame, rounded by a radius. That of a sphere is a point, that of a
// capsule a line.

// m.
uniform vec3 place;
uniform mat3 turn;
// Half the sides of the box; the radius. m.
uniform vec3 extents;
uniform float radius;

#ifdef VERTEX
// A corner of the box that reaches from -1 to 1.
layout(location = 0) in vec3 corner;
// Unit vector.
layout(location = 1) in vec3 outwards;

out vec3 position;
out vec3 normal;

void main() {
  normal = turn * outwards;
  position = place + turn * (extents * corner) + radius * normal;
  gl_Position = view_projection * vec4(position, 1.0);
}
#else
in vec3 position;
in vec3 normal;
layout(location = 0) out vec4 result;

void main() {
  vec3 facing = normalize(normal) * (gl_FrontFacing ? 1.0 : -1.0);
  result = vec4(shade(colors_values() ? PLAIN_COLOR : COLLIDER_COLOR, position, facing, 0.03, 0.0), 1.0);
}
#endif
