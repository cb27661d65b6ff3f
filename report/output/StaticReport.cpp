//===- StaticReport.cpp - a report as Markdown and SVG --------------------===//
//
// A client of ReportProgram, as the page is: it asks, sorts and writes.
//
//===----------------------------------------------------------------------===//

#include "report/output/StaticReport.h"
#include "formats/json/TextFile.h"
#include "predict/text/Text.h"
#include "report/output/Svg.h"
#include "report/program/ReportProgram.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

namespace fs = std::filesystem;

namespace ergon {

using Json = nlohmann::ordered_json;

namespace {
class StaticReport {
public:
  StaticReport(ReportProgram &Program, const std::vector<ReportSource> &Sources, const Json &Set)
      : Program(Program), Sources(Sources), Set(Set) {}

  std::string Markdown;
  std::map<std::string, std::string> Plots; ///< SVG by its name

  std::expected<void, Error> write(const std::string &Beside);

private:
  static constexpr std::size_t MaxFunctions = 10, MaxLines = 20;
  ReportProgram &Program;
  const std::vector<ReportSource> &Sources;
  const Json &Set;
  Json Whole, Machine, Rows;

  /// The program's answer to the question \p What about the report's function, values and machine,
  /// with \p More added.
  std::expected<Json, Error> ask(std::string_view What, const Json &More = Json::object());
  std::string sourceLine(const std::string &Path, unsigned Number) const;
  void addFunctions();
  std::expected<void, Error> addRuns();
  std::expected<void, Error> addLines(const Json &J);
  std::expected<void, Error> addPlots(const std::string &Beside);
};
} // namespace

std::expected<Json, Error> StaticReport::ask(std::string_view What, const Json &More) {
  Json Request = {{"do", What}, {"set", Set}};
  if (!Machine.is_null())
    Request["machine"] = Machine;
  Request.update(More);
  Json Answer = Json::parse(Program.answer(Request.dump()), nullptr, false);
  if (auto Bad = Answer.find("error"); Bad != Answer.end())
    return std::unexpected(Error{Bad->get<std::string>(), "", "", ""});
  return Answer;
}

/// `1.2 mJ`, or a dash.
static std::string shown(const Json &Value, const char *Unit) {
  return Value.is_number() ? quantity(Value.get<double>(), Unit) : "–";
}

/// The same, `~1.2 mJ` where \p Row rests on estimates.
static std::string shownOf(const Json &Row, const char *Key, const char *Unit) {
  const bool IsEstimated = !Row.value("estimated", Json::array()).empty();
  return (IsEstimated && Row[Key].is_number() ? "~" : "") + shown(Row[Key], Unit);
}

/// `2000/5500`: the clocks of a setting in MHz; empty where it has none.
static std::string clocksOf(const Json &Setting) {
  if (!Setting.contains("core_mhz"))
    return "";
  const std::string Core = fmt::format("{:g}", Setting["core_mhz"].get<double>());
  return Setting.contains("mem_mhz")
             ? fmt::format("{}/{:g}", Core, Setting["mem_mhz"].get<double>())
             : Core;
}

/// Why a row has no numbers, or what is estimated for them.
static std::string remarkOn(const Json &Row) {
  static constexpr std::size_t MaxNamed = 3;
  const Json Estimated = Row.value("estimated", Json::array());
  if (Row.contains("why") || Estimated.empty())
    return Row.value("why", "");
  std::vector<std::string> Names;
  for (std::size_t I = 0; I != std::min(Estimated.size(), MaxNamed); ++I)
    Names.push_back(Estimated[I].get<std::string>());
  return "estimated: " + joined(Names) +
         (Estimated.size() > MaxNamed ? fmt::format(" and {} more", Estimated.size() - MaxNamed)
                                      : "");
}

std::string StaticReport::sourceLine(const std::string &Path, unsigned Number) const {
  auto Found = std::ranges::find(Sources, Path, &ReportSource::Path);
  if (Found == Sources.end())
    return "";
  std::string_view Text = Found->Text;
  for (; Number > 1 && !Text.empty(); --Number)
    Text.remove_prefix(std::min(Text.find('\n'), Text.size() - 1) + 1);
  return std::string(Text.substr(0, Text.find('\n')));
}

void StaticReport::addFunctions() {
  Markdown += "\n## Functions by energy\n\n"
              "| function | place | energy | time | flops | remark |\n"
              "| --- | --- | ---: | ---: | ---: | --- |\n";
  for (const Json &Row : Rows) {
    const Json &J = Whole["functions"][Row["id"].get<std::size_t>()];
    Markdown += fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", escaped(J["name"].get<std::string>()),
        escaped(fmt::format("{}:{}", J["file"].get<std::string>(), J["line"].get<unsigned>())),
        shownOf(Row, "energy_j", "J"), shownOf(Row, "time_s", "s"), shownOf(Row, "flops", "flop"),
        escaped(remarkOn(Row)));
  }
}

/// What was measured, and what the model says without it.
std::expected<void, Error> StaticReport::addRuns() {
  bool Any = false;
  for (const Json &J : Whole["functions"]) {
    if (J["measured_runs"] == 0)
      continue;
    auto Predicted = ask("predict", {{"function", J["id"]}});
    if (!Predicted)
      return std::unexpected(Predicted.error());
    for (const Json &Run : Predicted->value("measured", Json::array())) {
      if (!std::exchange(Any, true))
        Markdown +=
            "\n## Measured runs\n\n"
            "The numbers above are corrected by them.\n\n"
            "| function | setting | time | energy | model’s time | model’s energy | from |\n"
            "| --- | --- | ---: | ---: | ---: | ---: | --- |\n";
      const bool HasEnergy = Run.contains("energy_j");
      Markdown += fmt::format(
          "| {} | {} | {} | {} | {} | {} | {} |\n", escaped(J["name"].get<std::string>()),
          clocksOf(Run["setting"]), shown(Run["time_s"], "s"),
          shown(HasEnergy ? Run["energy_j"] : Json(), "J"), shown(Run["model_time_s"], "s"),
          shown(HasEnergy ? Run["model_energy_j"] : Json(), "J"),
          escaped(Run["source"].get<std::string>()));
    }
  }
  return {};
}

/// The lines of one function that take the most.
std::expected<void, Error> StaticReport::addLines(const Json &J) {
  auto Answer = ask("lines", {{"function", J["id"]}});
  if (!Answer)
    return std::unexpected(Answer.error());
  std::vector<std::pair<std::string, Json>> Lines;
  double Total = 0;
  for (const Json &File : (*Answer)["files"])
    for (const Json &Row : File["rows"])
      Lines.emplace_back(File["path"].get<std::string>(), Row);
  auto Joules = [](const Json &Row) {
    return Row["energy_j"].is_number() ? Row["energy_j"].get<double>() : 0;
  };
  for (const auto &[Path, Row] : Lines)
    Total += Joules(Row);
  for (const Json &Element : (*Answer)["rest"])
    Total += Joules(Element);
  std::ranges::sort(Lines, {}, [&](const auto &Item) {
    return std::tuple(-Joules(Item.second), Item.first,
                      Item.second["line"].template get<unsigned>());
  });
  Markdown += fmt::format("\n### {}\n\n| line | energy | share | flops | runs | known | source |\n"
                          "| --- | ---: | ---: | ---: | --- | --- | --- |\n",
                          escaped(J["name"].get<std::string>()));
  auto Share = [&](const Json &Row) {
    return Total > 0 ? fmt::format("{:.1f} %", 100 * Joules(Row) / Total) : "–";
  };
  for (std::size_t I = 0; I != std::min(Lines.size(), MaxLines); ++I) {
    const auto &[Path, Row] = Lines[I];
    const unsigned Number = Row["line"].get<unsigned>();
    Markdown += fmt::format("| {} | {} | {} | {} | {} | {} | <code>{}</code> |\n",
                            escaped(fmt::format("{}:{}", Path, Number)),
                            shown(Row["energy_j"], "J"), Share(Row), shown(Row["flops"], "flop"),
                            escaped(Row["times"].get<std::string>()),
                            Row["known"].get<std::string>(), escaped(sourceLine(Path, Number)));
  }
  if (Lines.size() > MaxLines)
    Markdown += fmt::format("| {} more | | | | | | |\n", Lines.size() - MaxLines);
  for (const Json &Entry : (*Answer)["rest"])
    Markdown += fmt::format("| | {} | {} | | | | {} |\n", shown(Entry["energy_j"], "J"),
                            Share(Entry), escaped(Entry["what"].get<std::string>()));
  return {};
}

std::expected<void, Error> StaticReport::addPlots(const std::string &Beside) {
  auto Roofs = ask("roofs");
  if (!Roofs)
    return std::unexpected(Roofs.error());
  const std::string Name = Machine.get<std::string>();
  Plot Roofline{.Title = "Roofline of " + Name,
                .X = {.Label = "flops per byte of main memory"},
                .Y = {.Label = "flop/s"}};
  for (const Json &Class : (*Roofs)["classes"]) {
    auto Roof = ask("roofs", {{"flops", Class}});
    if (!Roof)
      return std::unexpected(Roof.error());
    if ((*Roof)["curves"].is_null())
      continue;
    Plot::Line &Line = Roofline.Lines.emplace_back(Class.get<std::string>());
    for (const Json &J : (*Roof)["curves"]["time"])
      Line.Points.emplace_back(J[0].get<double>(), J[1].get<double>());
  }
  Bars Parts{"Where the energy goes", {}};
  Plot Plane{.Title = "Settings of " + Name,
             .X = {.Label = "time", .Unit = "s", .Kind = Plot::Scale::Logarithmic},
             .Y = {.Label = "energy", .Unit = "J", .Kind = Plot::Scale::Logarithmic}};
  for (const Json &Row : Rows) {
    if (!Row["energy_j"].is_number() || Roofline.Marks.size() == MaxFunctions)
      break;
    const Json &Subject = Whole["functions"][Row["id"].get<std::size_t>()];
    auto Predicted = ask("predict", {{"function", Subject["id"]}});
    if (!Predicted)
      return std::unexpected(Predicted.error());
    const std::string Function = Subject["name"].get<std::string>();
    const double TimeS = (*Predicted)["time_s"]["value"].get<double>();
    if (auto Dram = (*Predicted)["intensity"].find("dram"); Dram != (*Predicted)["intensity"].end())
      Roofline.Marks.push_back(
          {Function, {Dram->get<double>(), Row["flops"].get<double>() / TimeS}});
    if (!Parts.All.empty())
      continue;
    // Of the function that takes the most.
    Parts.Title += " in " + Function;
    for (const auto &[Class, Joules] : (*Predicted)["breakdown_j"].items())
      if (Joules.get<double>() > 0)
        Parts.All.push_back({Class, quantity(Joules.get<double>(), "J"), Joules.get<double>()});
    std::ranges::sort(Parts.All, {},
                      [](const Bars::Bar &B) { return std::pair(-B.Size, B.Label); });
    auto Settings = ask("settings", {{"function", Subject["id"]}});
    if (!Settings)
      return std::unexpected(Settings.error());
    Plane.Title += " for " + Function;
    for (const Json &Run : Predicted->value("measured", Json::array()))
      if (Run.contains("energy_j"))
        Plane.Marks.push_back({"measured",
                               {Run["time_s"].get<double>(), Run["energy_j"].get<double>()},
                               Plot::Shape::Cross,
                               Run["source"].get<std::string>()});
    for (const Json &Element : (*Settings)["points"])
      if (Element["energy_j"].is_number() && Element["time_s"].is_number()) {
        const bool IsFront = Element["pareto"].get<bool>();
        // The front first: it is seen where others lie close to it.
        Plane.Marks.insert(IsFront ? Plane.Marks.begin() : Plane.Marks.end(),
                           {IsFront ? clocksOf(Element) : "",
                            {Element["time_s"].get<double>(), Element["energy_j"].get<double>()},
                            IsFront ? Plot::Shape::Disc : Plot::Shape::Ring});
      }
  }
  Plots = {{Beside + "roofline.svg", toSvg(Roofline)},
           {Beside + "breakdown.svg", toSvg(Parts)},
           {Beside + "settings.svg", toSvg(Plane)}};
  Markdown += "\n## Plots\n";
  for (const auto &[File, Svg] : Plots)
    Markdown += fmt::format("\n![{0}]({0})\n", File);
  return {};
}

std::expected<void, Error> StaticReport::write(const std::string &Beside) {
  auto About = ask("program");
  if (!About)
    return std::unexpected(About.error());
  Whole = std::move(*About);
  const Json &First = Whole["machines"][0];
  Machine = First["name"];
  auto Table = ask("functions");
  if (!Table)
    return std::unexpected(Table.error());
  Rows = (*Table)["rows"];
  std::sort(Rows.begin(), Rows.end(), [](const Json &Left, const Json &Right) {
    auto Key = [](const Json &Row) {
      return std::pair(Row["energy_j"].is_number() ? -Row["energy_j"].get<double>() : 1.0,
                       Row["id"].get<std::size_t>());
    };
    return Key(Left) < Key(Right);
  });
  Markdown = fmt::format("# What it costs\n\nOn {}", escaped(Machine.get<std::string>()));
  const Json &J = First["settings"][First["default"].get<std::size_t>()];
  for (const auto &[Clock, Mhz] : J.items())
    Markdown += fmt::format(", {} {:g}", escaped(Clock), Mhz.get<double>());
  for (const auto &[Name, Value] : Set.items())
    Markdown += fmt::format(", {} = {}", escaped(Name), escaped(Value.get<std::string>()));
  Markdown += ".\n";
  for (const Json &Element : Whole["files"])
    if (const std::string State = Element["state"].get<std::string>(); State != "ok")
      Markdown += fmt::format("\n{}: {}, so its text is not shown.\n",
                              escaped(Element["path"].get<std::string>()), State);
  addFunctions();
  if (auto Added = addRuns(); !Added)
    return Added;
  if (Rows.empty() || !Rows[0]["energy_j"].is_number())
    return {};
  Markdown += "\n## Lines that take the most\n";
  for (std::size_t I = 0; I != std::min(Rows.size(), MaxFunctions); ++I)
    if (Rows[I]["energy_j"].is_number())
      if (auto Added = addLines(Whole["functions"][Rows[I]["id"].get<std::size_t>()]); !Added)
        return Added;
  return addPlots(Beside);
}

std::expected<void, Error> writeStaticReport(ReportData Data, const std::string &Output,
                                             NoticeHandler Notice) {
  const std::vector<ReportSource> Sources = Data.Sources;
  const Json Set = Data.Set;
  auto Program = ReportProgram::open(std::move(Data), std::move(Notice));
  if (!Program)
    return std::unexpected(Program.error());
  const bool IsFile = Output.ends_with(".md");
  const fs::path File = IsFile ? fs::path(Output) : fs::path(Output) / "report.md";
  StaticReport Report(**Program, Sources, Set);
  if (auto Made = Report.write(IsFile ? File.stem().string() + "-" : ""); !Made)
    return Made;
  if (std::error_code Bad; !IsFile && !fs::create_directories(Output, Bad) && Bad)
    return std::unexpected(
        Error{"cannot be made: " + Bad.message(), "", "give a folder that you own", Output});
  for (const auto &[Name, Svg] : Report.Plots)
    if (auto Written = writeTextFile((File.parent_path() / Name).string(), Svg); !Written)
      return Written;
  return writeTextFile(File.string(), Report.Markdown);
}

} // namespace ergon
