// One pass of a Gaussian blur of the light's map.

uniform sampler2D picture;
// The step from one sample to the next in texture coordinates; the standard deviation in samples.
uniform vec3 blur;

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
  int reach = int(ceil(2.5 * blur.z));
  vec2 sum = vec2(0.0);
  float weights = 0.0;
  for (int i = -reach; i <= reach; i++) {
    float x = float(i) / blur.z;
    float weight = exp(-0.5 * x * x);
    sum += weight * texture(picture, at + float(i) * blur.xy).rg;
    weights += weight;
  }
  result = vec4(sum / weights, 0.0, 1.0);
}
#endif
