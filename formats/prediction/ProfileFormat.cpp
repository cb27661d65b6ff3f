//===- ProfileFormat.cpp - ergon-top/1 ------------------------------------===//

#include "formats/prediction/ProfileFormat.h"
#include "formats/json/CsvCell.h"
#include "formats/prediction/PredictionJson.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ergon {

using Json = nlohmann::ordered_json;

std::string_view name(ProfileRow::Kind What) {
  static constexpr std::string_view Names[] = {"function", "loop",    "line", "kernel",
                                               "transfer", "library", "host"};
  return Names[unsigned(What)];
}

std::string_view name(ProfileBy By) {
  static constexpr std::string_view Names[] = {"function", "line", "loop", "kernel"};
  return Names[unsigned(By)];
}

/// Time and energy as far as they are known.
static Json costJson(const ProgramProfile &Profile, const PartCost &C) {
  Json Result = {{"size", C.Size}};
  if (Profile.hasTime())
    Result["time_s"] = C.TimeS;
  if (Profile.hasEnergy())
    Result["energy_j"] = C.EnergyJ;
  return Result;
}

static Json rowJson(const ProgramProfile &Profile, const ProfileRow &Row) {
  const double Sum = Profile.measure(Profile.Sum);
  Json Result = {{"kind", name(Row.What)}, {"name", Row.Name}};
  if (Row.Where.isValid())
    Result["at"] = Row.Where.text();
  Result["calls"] = jsonOf(Row.Calls);
  Result["self"] = costJson(Profile, Row.Self);
  Result["total"] = costJson(Profile, Row.Total);
  Result["share"] = Sum > 0 ? Profile.measure(Row.Self) / Sum : 0;
  if (!Row.Bound.empty())
    Result["bound"] = Row.Bound;
  Result["known"] = name(Row.How);
  Result["counts"] = jsonOf(Row.Counts);
  return Result;
}

static Json adviceJson(const ProgramProfile &Profile, const Advice &A) {
  Json Result = {{"rule", A.What.Rule},
                 {"at", A.What.Location.text()},
                 {"function", A.What.Function},
                 {"message", A.What.Message},
                 {"share", A.Share}};
  if (A.What.Saved) {
    Result["saved_s"] = A.What.Saved->TimeS;
    if (Profile.hasEnergy())
      Result["saved_j"] = A.What.Saved->EnergyJ;
  }
  return Result;
}

std::string writeProfile(const ProgramProfile &Profile) {
  Json Result = {{"schema", "ergon-top/1"},
                 {"by", name(Profile.By)},
                 {"scope", name(Profile.Scope)},
                 {"sum", costJson(Profile, Profile.Sum)},
                 {"estimated_share", Profile.EstimatedShare},
                 {"rows", Json::array()}};
  for (const ProfileRow &Row : Profile.Rows)
    Result["rows"].push_back(rowJson(Profile, Row));
  Result["advice"] = Json::array();
  for (const Advice &A : Profile.Advised)
    Result["advice"].push_back(adviceJson(Profile, A));
  if (!Profile.NotEvaluated.empty())
    Result["not_evaluated"] = Profile.NotEvaluated;
  Result["prediction"] = Json::parse(writePrediction(Profile.Whole), nullptr, false);
  return Result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The shortest text that reads back as the same number.
static std::string numberText(double Value) { return Json(Value).dump(); }

std::string writeProfileCsv(const ProgramProfile &Profile) {
  std::string Result = "kind,name,at,calls,self_size,total_size";
  const bool HasTime = Profile.hasTime(), HasEnergy = Profile.hasEnergy();
  Result += HasTime ? ",self_s,total_s" : "";
  Result += HasEnergy ? ",self_j,total_j" : "";
  Result += ",share,bound,known\n";
  const double Sum = Profile.measure(Profile.Sum);
  for (const ProfileRow &Row : Profile.Rows) {
    Result += std::string(name(Row.What)) + "," + csvCell(Row.Name) + "," +
              csvCell(Row.Where.text()) + "," + jsonOf(Row.Calls).dump();
    auto Add = [&](double Value) { Result += "," + numberText(Value); };
    Add(Row.Self.Size);
    Add(Row.Total.Size);
    if (HasTime) {
      Add(Row.Self.TimeS);
      Add(Row.Total.TimeS);
    }
    if (HasEnergy) {
      Add(Row.Self.EnergyJ);
      Add(Row.Total.EnergyJ);
    }
    Add(Sum > 0 ? Profile.measure(Row.Self) / Sum : 0);
    Result += "," + csvCell(Row.Bound) + "," + std::string(name(Row.How)) + "\n";
  }
  return Result;
}

std::string writeFolded(const ProgramProfile &Profile) {
  const double Unit = Profile.hasTime() ? 1e9 : 1;
  std::string Result;
  double Before = 0, Written = 0; // the rest of rounding goes on to the next
  for (const FoldedStack &Stack : Profile.Stacks) {
    Before += Profile.measure(Stack.Self) * Unit;
    const double Value = std::round(Before) - Written;
    if (Value <= 0)
      continue;
    Written += Value;
    std::string Line;
    for (const std::string &Name : Stack.Path) {
      std::string Frame = Name;
      std::ranges::replace(Frame, ';', ':');
      std::ranges::replace_if(Frame, [](unsigned char C) { return C < ' '; }, ' ');
      Line += (Line.empty() ? "" : ";") + Frame;
    }
    Result += Line + " " + std::to_string(std::int64_t(Value)) + "\n";
  }
  return Result;
}

} // namespace ergon
