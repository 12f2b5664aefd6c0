// The light's map in a quarter of its width and height: each pixel is the mean of 4 x 4, by four bilinear
// samples.

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
  vec2 step_size = 1.0 / vec2(textureSize(picture, 0));
  vec2 sum = vec2(0.0);
  for (int y = -1; y <= 1; y += 2)
    for (int x = -1; x <= 1; x += 2)
      sum += texture(picture, at + vec2(x, y) * step_size).rg;
  result = vec4(sum / 4.0, 0.0, 1.0);
}
#endif
