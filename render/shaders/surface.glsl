// The triangles of a body; gl_VertexID is the vertex, see gather.glsl.

// A body; -3: a mesh collider.
uniform int body;
// The share of the light that passes a sheet; 0 for the surface of a solid.
uniform float translucency;
// Of a cloth: its first particle, its columns (0: not a cloth), columns from one drawn thread to the next.
uniform ivec3 grid;

#ifdef VERTEX
layout(location = 0) in int particle;

out vec3 position;
out vec3 normal;
out float value;
// Counts drawn threads along columns and rows.
out vec2 thread;

void main() {
  position = point_of(particle).xyz;
  normal = uintBitsToFloat(texelFetch(gathered, texel(gl_VertexID), 0).xyz);
  value = uintBitsToFloat(texelFetch(gathered, texel(particle), 0).w);
  int place = particle - grid.x, columns = max(grid.y, 1);
  thread = vec2(place % columns, place / columns) / float(max(grid.z, 1));
  gl_Position = view_projection * vec4(position, 1.0);
}
#else
in vec3 position;
in vec3 normal;
in float value;
in vec2 thread;
layout(location = 0) out vec4 result;

// How much of this pixel threads about two pixels wide cover; none where they would crowd.
float thread_cover() {
  vec2 slope = max(fwidth(thread), vec2(1e-6));
  vec2 away = abs(fract(thread - 0.5) - 0.5) / slope;
  vec2 cover = clamp(1.5 - away, 0.0, 1.0) * clamp(1.2 - 6.0 * slope, 0.0, 1.0);
  return max(cover.x, cover.y);
}

void main() {
  vec3 facing = normalize(normal) * (gl_FrontFacing ? 1.0 : -1.0);
  vec3 color = colors_values() ? PLAIN_COLOR : COLLIDER_COLOR;
  if (body >= 0 && colors_values())
    color = scale_color(value);
  else if (body >= 0)
    color = (gl_FrontFacing ? palette[body % 6] : back_palette[body % 6]).rgb;
  if (grid.y > 0 && coloring.z == 0.0)
    color *= 1.0 - 0.10 * thread_cover();
  result = vec4(shade(color, position, facing, 0.10, translucency), 1.0);
}
#endif
