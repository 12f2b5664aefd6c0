// Text, plain rectangles and the bar of the color scale, over the picture.

#ifdef VERTEX
// From the top left corner.
layout(location = 0) in vec2 pixel;
layout(location = 1) in vec2 texture_at;
// sRGB and opacity.
layout(location = 2) in vec4 tint;
// > 0: a glyph, whose field changes by so much per pixel; 0: plain; -1: the color scale.
layout(location = 3) in float sharpness;

out vec2 at;
out vec4 color;
out float kind;

void main() {
  at = texture_at;
  color = tint;
  kind = sharpness;
  gl_Position = vec4(pixel * viewport.zw * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
#else
in vec2 at;
in vec4 color;
in float kind;
layout(location = 0) out vec4 result;

// Distances from the outlines of letters: above 0.5 inside.
uniform sampler2D glyphs;

void main() {
  result = color;
  if (kind > 0.0)
    result.a *= clamp((texture(glyphs, at).r - 0.5) * kind + 0.5, 0.0, 1.0);
  else if (kind < 0.0)
    result.rgb = texture(color_map, vec2((clamp(at.x, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}
#endif
