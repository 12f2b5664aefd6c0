// The light's map, made smaller or softer.

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

#ifdef SHRINK
// To a quarter of its width and height: each pixel is the mean of 4 x 4, by four bilinear samples.
vec2 filtered() {
  vec2 step_size = 1.0 / vec2(textureSize(picture, 0));
  vec2 sum = vec2(0.0);
  for (int y = -1; y <= 1; y += 2)
    for (int x = -1; x <= 1; x += 2)
      sum += texture(picture, at + vec2(x, y) * step_size).rg;
  return sum / 4.0;
}
#else
// The step from one sample to the next in texture coordinates; the standard deviation in samples.
uniform vec3 blur;

// One pass of a Gaussian blur.
vec2 filtered() {
  int reach = int(ceil(2.5 * blur.z));
  vec2 sum = vec2(0.0);
  float weights = 0.0;
  for (int i = -reach; i <= reach; i++) {
    float x = float(i) / blur.z;
    float weight = exp(-0.5 * x * x);
    sum += weight * texture(picture, at + float(i) * blur.xy).rg;
    weights += weight;
  }
  return sum / weights;
}
#endif

void main() {
  result = vec4(filtered(), 0.0, 1.0);
}
#endif
