#include "render/view/panel.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <cfloat>
#include <cmath>
#include <cstdio>

namespace {

const ImVec4 good(0.10f, 0.50f, 0.25f, 1), bad(0.75f, 0.15f, 0.10f, 1);

void set_style() {
  ImGui::StyleColorsLight();
  ImGuiStyle &style = ImGui::GetStyle();
  style.WindowRounding = style.FrameRounding = style.GrabRounding = 4;
  style.WindowBorderSize = 0;
  style.Colors[ImGuiCol_WindowBg] = ImVec4(1, 1, 1, 0.82f);
  style.Colors[ImGuiCol_FrameBg] = ImVec4(0.88f, 0.90f, 0.92f, 1);
  style.Colors[ImGuiCol_Header] = ImVec4(0.80f, 0.85f, 0.90f, 1);
  style.Colors[ImGuiCol_PlotHistogram] = ImVec4(0.93f, 0.76f, 0.42f, 1);
  style.Colors[ImGuiCol_PlotLines] = ImVec4(0.72f, 0.27f, 0.21f, 1);
}

/* A slider over several powers of ten. */
bool log_slider(const char *label, double *value, double low, double high, const char *format) {
  return ImGui::SliderScalar(label, ImGuiDataType_Double, value, &low, &high, format,
                             ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoRoundToFormat);
}

/* Covers the last slider with red from `limit` on, where stability ends, and puts a tick there. The scale is
   that of Dear ImGui: logarithmic, with 10^-4 at the left end, since the format of the slider has four digits.
   */
void mark_limit(double limit, double high) {
  const double low = 1e-4;
  if (!(limit < high))
    return;
  const ImGuiStyle &style = ImGui::GetStyle();
  ImVec2 begin = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
  /* Without the label. */
  end.x = begin.x + ImGui::CalcItemWidth();
  float left = begin.x + 2 + style.GrabMinSize / 2, right = end.x - 2 - style.GrabMinSize / 2;
  double share = limit > low ? std::log(limit / low) / std::log(high / low) : 0;
  float x = left + static_cast<float>(share) * (right - left);
  ImDrawList *list = ImGui::GetWindowDrawList();
  list->AddRectFilled(ImVec2(x, begin.y), end, IM_COL32(200, 40, 30, 70), style.FrameRounding,
                      ImDrawFlags_RoundCornersRight);
  list->AddLine(ImVec2(x, begin.y - 1), ImVec2(x, end.y + 1), IM_COL32(190, 35, 25, 255), 2);
}

/* A slider for a number, from 0; the network is certified while it is below `limit`. */
bool real_slider(const char *label, msd_real *value, double limit, double high) {
  double number = (double)*value;
  bool is_changed = log_slider(label, &number, 0, high, "%.4g");
  if (is_changed)
    *value = (msd_real)number;
  mark_limit(limit, high);
  return is_changed;
}

void time_settings(controls *c) {
  const char *integrators[MSD_INTEGRATOR_COUNT];
  for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++)
    integrators[i] = msd_integrator_name(static_cast<msd_integrator>(i));
  int integrator = c->integrator;
  if (ImGui::Combo("integrator", &integrator, integrators, MSD_INTEGRATOR_COUNT)) {
    c->integrator = static_cast<msd_integrator>(integrator);
    c->settings_changed = true;
  }
  double milliseconds = 1e3 * c->frame_time;
  if (log_slider("time step, ms", &milliseconds, 0.1, 100, "%.3g")) {
    c->frame_time = 1e-3 * milliseconds;
    c->settings_changed = true;
  }
  char automatic[32];
  std::snprintf(automatic, sizeof automatic, "automatic: %d", c->substeps_taken);
  c->settings_changed |=
      ImGui::SliderInt("substeps", &c->substeps, 0, 200, c->substeps == 0 ? automatic : "%d",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
  bool limits = c->limit;
  if (ImGui::Checkbox("soften springs that the step cannot take", &limits)) {
    c->limit = limits ? true : false;
    c->settings_changed = true;
  }
  const char *energies[MSD_ENERGY_MODE_COUNT];
  for (int i = 0; i < MSD_ENERGY_MODE_COUNT; i++)
    energies[i] = msd_energy_mode_name(static_cast<msd_energy_mode>(i));
  int energy = c->energy;
  if (ImGui::Combo("energy", &energy, energies, MSD_ENERGY_MODE_COUNT)) {
    c->energy = static_cast<msd_energy_mode>(energy);
    c->settings_changed = true;
  }
  double range[2] = {-20, 20};
  c->settings_changed |= ImGui::SliderScalarN("gravity, m/s2", ImGuiDataType_Double, c->gravity, 3, &range[0],
                                              &range[1], "%.2f");
  c->settings_changed |= log_slider("linear damping, 1/s", &c->linear_damping, 0, 100, "%.3g");
  c->settings_changed |= ImGui::SliderInt("threads", &c->threads, 0, 64, c->threads == 0 ? "automatic" : "%d",
                                          ImGuiSliderFlags_AlwaysClamp);
}

/* What MSD_MAX_STABLE amounts to depends on the number of springs at both ends of each spring, so that no
   slider can show it. When it is switched off, sliders start at 0.1. */
void coefficients(control_group *group) {
  msd_spring_def *def = &group->pattern;
  bool max_stable = def->ck < 0 && def->cd < 0;
  if (ImGui::Checkbox("maximum stable", &max_stable)) {
    def->ck = def->cd = max_stable ? MSD_MAX_STABLE : static_cast<msd_real>(0.1);
    group->is_changed = true;
  }
  if (max_stable)
    return;
  group->is_changed |= real_slider("Ck", &def->ck, group->limit[0], 2);
  group->is_changed |= real_slider("Cd", &def->cd, group->limit[1], 2);
}

void group_settings(control_group *group) {
  msd_spring_def *def = &group->pattern;
  if (!ImGui::TreeNodeEx(group, ImGuiTreeNodeFlags_DefaultOpen, "%s of %s: %d springs", group->name,
                         group->body, group->springs.count))
    return;
  switch (def->law) {
  case MSD_SPRING_STIFFNESS:
    group->is_changed |= real_slider("stiffness, N/m", &def->stiffness, group->limit[0], 1e6);
    group->is_changed |= real_slider("damping, N s/m", &def->damping, group->limit[1], 1e3);
    break;
  case MSD_SPRING_COEFFICIENT:
    coefficients(group);
    break;
  case MSD_SPRING_FREQUENCY:
    group->is_changed |= real_slider("frequency, Hz", &def->frequency, group->limit[0], 1e3);
    group->is_changed |= real_slider("damping ratio", &def->damping_ratio, group->limit[1], 10);
    break;
  case MSD_SPRING_HARD_LIMIT:
    group->is_changed |= real_slider("share taken back", &def->ck, 1, 1);
    break;
  default:
    break;
  }
  ImGui::TreePop();
}

void stability_report(controls *c) {
  if (!c->has_stability) {
    ImGui::TextColored(bad, "no substep can be certified");
    return;
  }
  const msd_stability &s = c->stability;
  if (c->integrator != MSD_SYMPLECTIC_EULER)
    ImGui::TextDisabled("certified for symplectic Euler only");
  if (c->softening.springs > 0)
    ImGui::Text("%d springs are softened", c->softening.springs);
  bool is_certified = s.used < 1;
  const char *certified =
      s.every_shape ? "stable in every configuration" : "stable now, softened in other configurations";
  ImGui::TextColored(is_certified ? good : bad, "%s", is_certified ? certified : "not certified");
  ImGui::ProgressBar(static_cast<float>(s.used), ImVec2(-FLT_MIN, 0),
                     is_certified ? "share of the limit used" : "over the limit");
  ImGui::Text("%d substeps of %.4g ms", c->substeps_taken, 1e3 * s.substep);
  if (std::isinf(s.stable_substep))
    ImGui::Text("any time step is stable");
  else
    ImGui::Text("stable up to %.4g ms", 1e3 * s.stable_substep);
}

/* A line of a plot. */
struct series {
  const char *name;
  const float *values;
  ImVec4 color;
};

/* Plots some series on one scale, and prints the newest value of each in its color. */
template <int COUNT>
void plot(const controls *c, const char *title, const series (&all)[COUNT], const char *unit) {
  float low = FLT_MAX, high = -FLT_MAX;
  for (const series &one : all) {
    for (int i = 0; i < c->samples; i++) {
      low = std::fmin(low, one.values[i]);
      high = std::fmax(high, one.values[i]);
    }
  }
  int first = c->samples < CONTROL_HISTORY ? 0 : c->newest + 1;
  ImVec2 place = ImGui::GetCursorScreenPos(), size(ImGui::GetContentRegionAvail().x, 90);
  ImGui::PushID(title);
  for (const series &one : all) {
    ImGui::SetCursorScreenPos(place);
    ImGui::PushStyleColor(ImGuiCol_PlotLines, one.color);
    /* The first one draws the frame for all. */
    if (&one != all)
      ImGui::PushStyleColor(ImGuiCol_FrameBg, ImVec4(0, 0, 0, 0));
    ImGui::PlotLines(one.name, one.values, c->samples, first, nullptr, low, high, size);
    ImGui::PopStyleColor(&one != all ? 2 : 1);
  }
  ImGui::PopID();
  for (int i = 0; i < COUNT; i++) {
    if (i % 2 == 1)
      ImGui::SameLine(size.x / 2);
    ImGui::TextColored(all[i].color, "%s %.4g %s", all[i].name, static_cast<double>(all[i].values[c->newest]),
                       unit);
  }
}

void plots(const controls *c) {
  const ImVec4 red(0.72f, 0.27f, 0.21f, 1), blue(0.15f, 0.42f, 0.62f, 1), brown(0.60f, 0.42f, 0.10f, 1),
      dark(0.22f, 0.24f, 0.28f, 1);
  const series energies[] = {{"kinetic", c->kinetic, red},
                             {"elastic", c->elastic, blue},
                             {"potential", c->potential, brown},
                             {"total", c->total, dark}};
  plot(c, "energies", energies, "J");
  if (c->energy != MSD_ENERGY_OFF) {
    const series made[] = {{"made by the steps", c->made, dark}};
    plot(c, "made", made, "J");
    if (c->made_most[0] != '\0')
      ImGui::TextWrapped("most of it by %s", c->made_most);
  }
  const series step_time[] = {{"step", c->step_time, dark}};
  plot(c, "step time", step_time, "ms");
  const series stretch[] = {{"largest stretch", c->stretch, red}};
  plot(c, "stretch", stretch, "%");
}

} // namespace

bool panel_open(GLFWwindow *window) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO &io = ImGui::GetIO();
  /* Leaves no file behind. */
  io.IniFilename = nullptr;
  if (std::FILE *font = std::fopen(MSD_PANEL_FONT, "rb")) {
    std::fclose(font);
    io.Fonts->AddFontFromFileTTF(MSD_PANEL_FONT, 15);
  }
  set_style();
  return ImGui_ImplGlfw_InitForOpenGL(window, true) && ImGui_ImplOpenGL3_Init("#version 330 core");
}

void panel_close() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

bool panel_has_pointer() {
  return ImGui::GetIO().WantCaptureMouse;
}

bool panel_has_keys() {
  return ImGui::GetIO().WantTextInput;
}

void panel_draw(controls *c) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  ImGuiIO &io = ImGui::GetIO();
  ImGui::SetNextWindowPos(ImVec2(20, 130), ImGuiCond_FirstUseEver);
  ImGui::SetNextWindowSize(ImVec2(370, std::fmax(io.DisplaySize.y - 260.0f, 200.0f)), ImGuiCond_FirstUseEver);
  if (ImGui::Begin("Tuning")) {
    ImGui::PushItemWidth(190);
    if (ImGui::CollapsingHeader("Stability", ImGuiTreeNodeFlags_DefaultOpen))
      stability_report(c);
    if (c->group_count > 0 && ImGui::CollapsingHeader("Springs", ImGuiTreeNodeFlags_DefaultOpen))
      for (int i = 0; i < c->group_count; i++)
        group_settings(&c->groups[i]);
    if (ImGui::CollapsingHeader("Time and forces", ImGuiTreeNodeFlags_DefaultOpen))
      time_settings(c);
    if (ImGui::CollapsingHeader("Plots"))
      plots(c);
    ImGui::PopItemWidth();
  }
  ImGui::End();
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}
