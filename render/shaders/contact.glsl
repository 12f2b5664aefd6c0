// A contact as a line on the screen with a dot on it: the coverage of both is computed in pixels.

// m: how far behind a surface marks are seen, since contacts lie on the surface that hides them.
uniform float lift;

#ifdef VERTEX
// The ends of the line in m, and how far along it the dot is.
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in float dot_place;

// Pixels from the first end of the line, and from there to its other end.
out vec2 at;
flat out vec2 along;
flat out float dot_share;
// Half the width of the line, and the radius of the dot, in pixels.
flat out vec2 sizes;

void main() {
  vec4 ends[2] = vec4[2](view_projection * vec4(from, 1.0), view_projection * vec4(to, 1.0));
  bool is_seen = ends[0].w > 0.0 && ends[1].w > 0.0;
  vec2 scale = 0.5 * viewport.xy;
  sizes = vec2(0.6, 2.2) * max(viewport.y / 800.0, 0.75);
  along = scale * (ends[1].xy / ends[1].w - ends[0].xy / ends[0].w);
  dot_share = dot_place;
  int end = gl_VertexID & 1;
  float reach = sizes.y + 1.0, side = (gl_VertexID & 2) == 2 ? reach : -reach;
  vec2 ahead = dot(along, along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
  vec2 offset = (end == 1 ? reach : -reach) * ahead + side * vec2(-ahead.y, ahead.x);
  at = (end == 1 ? along : vec2(0.0)) + offset;
  vec3 place = end == 1 ? to : from;
  vec4 lifted = view_projection * vec4(place + lift * normalize(eye.xyz - place), 1.0);
  vec4 clip = ends[end];
  clip.xy += offset / scale * clip.w;
  clip.z = lifted.z / lifted.w * clip.w;
  // Divided here, so that what is passed on is interpolated on the screen, which OpenGL ES has no word for.
  gl_Position = is_seen && lifted.w > 0.0 ? vec4(clip.xyz / clip.w, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
#else
in vec2 at;
flat in vec2 along;
flat in float dot_share;
flat in vec2 sizes;
layout(location = 0) out vec4 result;

// Colliders push one way, and surfaces each other.
const vec3 OF_COLLIDER = vec3(0.10, 0.10, 0.14), OF_SURFACES = vec3(0.84, 0.05, 0.42);

void main() {
  float share = clamp(dot(at, along) / max(dot(along, along), 1e-6), 0.0, 1.0);
  float beside = min(length(at - share * along) - sizes.x, length(at - dot_share * along) - sizes.y);
  // Becomes the coverage of the samples of the pixel.
  float alpha = clamp(0.5 - beside, 0.0, 1.0);
  if (alpha == 0.0)
    discard;
  result = vec4(dot_share == 0.0 ? OF_COLLIDER : OF_SURFACES, alpha);
}
#endif
