// What was drawn with fewer pixels, over all of the picture.

uniform sampler2D picture;

#ifdef VERTEX
out vec2 at;

void main() {
  vec2 corner = triangle_corner();
  at = corner * 0.5 + 0.5;
  gl_Position = vec4(corner, 0.0, 1.0);
}
#else
in vec2 at;
layout(location = 0) out vec4 result;

void main() {
  result = texture(picture, at);
}
#endif
