// A spring as a line on the screen, thin enough to leave gaps between short ones.

#ifdef VERTEX
// a, b, bits of the rest length in m, kind.
layout(location = 0) in ivec4 spring;

out vec3 color;

// The most pixels on each side of the middle of a line, in a picture 800 pixels high.
const float WIDTH = 1.5;
// The kind whose lines are thin, and hidden while they are slack.
const int TETHERS = 5;

void main() {
  vec4 a = point_of(spring.x), b = point_of(spring.y);
  vec4 clip_a = view_projection * vec4(a.xyz, 1.0), clip_b = view_projection * vec4(b.xyz, 1.0);
  bool far = (gl_VertexID & 1) == 1;
  vec4 clip = far ? clip_b : clip_a;
  bool is_tether = spring.w == TETHERS, is_taut = distance(a.xyz, b.xyz) > 0.9999 * intBitsToFloat(spring.z);
  bool visible = spring.x != spring.y && clip_a.w > 0.0 && clip_b.w > 0.0 && (is_taut || !is_tether);
  vec2 along = (clip_b.xy / clip_b.w - clip_a.xy / clip_a.w) * viewport.xy;
  vec2 across = visible && dot(along, along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
  float width = min(WIDTH * max(viewport.y / 800.0, 0.75), max(0.05 * length(along), 0.2));
  width *= is_tether ? 0.45 : 1.0;
  clip.xy += ((gl_VertexID & 2) == 2 ? width : -width) * across * viewport.zw * clip.w;
  // In front of the surface that the spring is part of.
  clip.z -= 2e-4 * clip.w;
  float value = spring_value(gl_InstanceID, a, b, intBitsToFloat(spring.z));
  if (colors_values())
    color = scale_color(value);
  else
    color = int(coloring.y) == COLOR_KIND ? kinds[spring.w % 6].rgb : vec3(0.16, 0.18, 0.22);
  gl_Position = visible ? clip : vec4(2.0, 2.0, 2.0, 1.0);
}
#else
in vec3 color;
layout(location = 0) out vec4 result;

void main() {
  result = vec4(color, 1.0);
}
#endif
