// A spring as a tube from a to b: a strip around it between two rings, which lie in the planes that bisect the
// bends.

const int SIDES = 12;

#ifdef VERTEX
// Particles: before, a, b, after.
layout(location = 0) in ivec4 ends;
// m: rest length, radius.
layout(location = 1) in vec2 lengths;
// A body, -1: a loose spring or joint, -2: between pins, -3: a line of a mesh collider; then the index of the
// spring.
layout(location = 2) in ivec2 looks;

out vec3 position;
out vec3 normal;
out float value;
flat out vec3 color;
flat out int look;

vec3 unit_or(vec3 v, vec3 otherwise) {
  float size = length(v);
  return size > 0.0 ? v / size : otherwise;
}

void main() {
  vec4 a = point_of(ends.y), b = point_of(ends.z);
  vec3 along = unit_or(b.xyz - a.xyz, vec3(0.0, 1.0, 0.0));
  bool far = (gl_VertexID & 1) == 1;
  vec3 here = far ? b.xyz : a.xyz;
  vec3 other = point_of(far ? ends.w : ends.x).xyz;
  vec3 bend = unit_or(far ? other - here : here - other, along);
  vec3 tangent = unit_or(along + bend, along);

  float angle = 6.28318530718 * float(gl_VertexID >> 1) / float(SIDES);
  vec3 side = normalize(cross(along, abs(along.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
  normal = cos(angle) * side + sin(angle) * cross(along, side);
  // Slides the vertex along the tube into the plane of the bend; less far at sharp bends, which are left blunt.
  float slide = dot(normal, tangent) / max(dot(along, tangent), 0.5);
  position = here + lengths.y * (normal - slide * along);
  value = spring_value(looks.y, a, b, lengths.x);
  look = looks.x;
  vec3 plain = look == -1 ? SPRING_COLOR : look == -2 ? PIN_COLOR : COLLIDER_COLOR;
  color = look >= 0 ? palette[look % 6].rgb : plain;
  gl_Position = view_projection * vec4(position, 1.0);
}
#else
in vec3 position;
in vec3 normal;
in float value;
flat in vec3 color;
flat in int look;
layout(location = 0) out vec4 result;

void main() {
  vec3 tint = colors_values() && look >= -1 ? scale_color(value) : color;
  result = vec4(shade(tint, position, normalize(normal), 0.06, 0.0), 1.0);
}
#endif
