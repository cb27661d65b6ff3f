//===- ScaleView.cpp - what ergon scale finds, as text and as JSON --------===//

#include "tools/scale/Scale.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>

namespace ergon {

using Json = nlohmann::ordered_json;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string law(const ClusterQuantity &Of) {
  return Of.AtMhz ? fmt::format("·(f/{:g} MHz)^{:g}", *Of.AtMhz, Of.Exponent) : "";
}

static void printVectors(const ScaleDocument &Of) {
  // References stand once, by number.
  std::vector<std::string> References;
  auto Cite = [&](const std::string &Reference) -> std::string {
    if (Reference.empty())
      return "";
    auto Found = std::ranges::find(References, Reference);
    const std::size_t Number = Found - References.begin() + 1;
    if (Found == References.end())
      References.push_back(Reference);
    return fmt::format("[{}]", Number);
  };
  auto Line = [](std::string_view Symbol, const std::string &Text, const std::string &Cited) {
    if (Cited.empty())
      fmt::print("  {:<8} {}\n", Symbol, Text);
    else
      fmt::print("  {:<8} {:<40} {}\n", Symbol, Text, Cited);
  };
  fmt::print("{} on {}\n", Of.Application, Of.Machine);
  Line("α", fmt::format("{:g}", Of.Overlap), Cite(Of.OverlapReference));
  for (const ScaleWork &Each : Of.Work)
    Line(Each.Symbol, Each.Formula, Cite(Each.Reference));
  for (const ScaleTerm &Each : Of.Terms)
    Line(symbol(Each.Which),
         fmt::format("{:g} {}{}", Each.Amount.Amount.Value,
                     name(Each.Which).ends_with("_s") ? "s" : "W", law(Each.Amount)),
         Each.From + " " + Cite(Each.Reference));
  for (std::size_t I = 0; I != References.size(); ++I)
    fmt::print("  [{}] {}\n", I + 1, References[I]);
}

static std::string pointCells(const IsoPoint &At) {
  return fmt::format("{:>8g} {:>14.10g} {:>8g}", At.P, At.N, At.Mhz);
}

static const std::string PointHeading = fmt::format("{:>8} {:>14} {:>8}", "p", "n", "core_mhz");

static void printEfficiencies(const ScaleDocument &Of) {
  fmt::print(
      "\nE_1 on one processor, E_p on all, EEF = (E_p - E_1)/E_1, EE = E_1/E_p; time where the "
      "work is evenly divided; T_1/pT is the efficiency of time\n"
      "{} {:>11} {:>11} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8}\n",
      PointHeading, "E_1 J", "E_p J", "T_1 s", "T s", "P W", "EEF", "EE", "T_1/pT");
  for (const ScaleRow &Row : Of.Rows) {
    if (!Row.Value) {
      fmt::print("{} not known: {}\n", pointCells(Row.At), Row.Value.error().Why);
      continue;
    }
    const IsoEnergy &E = *Row.Value;
    fmt::print("{} {:>11.5g} {:>11.5g} {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g} {:>8.4f} {:>8.4f}\n",
               pointCells(Row.At), E.SequentialJ, E.parallelJ(), E.SequentialS, E.wallS(),
               E.powerW(), E.eef(), E.efficiency(), E.performance());
  }
}

static std::string orDash(const std::optional<double> &Value) {
  return Value ? fmt::format("{:.4f}", *Value) : "-";
}

static void printOverheads(const ScaleDocument &Of) {
  fmt::print("\nthe overhead E_p - E_1 in J, each part with the whole system's idle power while it "
             "lasts, and d ln EE/d ln x{}\n"
             "{} {:>11} {:>11} {:>11} {:>11} {:<12} {:>8} {:>8} {:>8} {}\n",
             Of.HasSteps ? " between x/2 and 2x" : "", PointHeading, "computation", "memory",
             "network", "idle of it", "  largest", "x = p", "x = n", "x = f", "largest");
  for (const ScaleRow &Row : Of.Rows) {
    if (!Row.Value)
      continue;
    const IsoEnergy &E = *Row.Value;
    double Idle = 0;
    for (const IsoOverhead &Each : E.Overheads)
      Idle += Each.IdleJ;
    fmt::print("{} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.4g}   {:<10} {:>8} {:>8} {:>8} {}\n",
               pointCells(Row.At), E.overhead(IsoPart::Computation).energy(),
               E.overhead(IsoPart::Memory).energy(), E.overhead(IsoPart::Network).energy(), Idle,
               E.dominant() ? name(*E.dominant()) : "-", orDash(Row.Moves.P), orDash(Row.Moves.N),
               orDash(Row.Moves.Mhz), Row.Moves.dominant().empty() ? "-" : Row.Moves.dominant());
  }
}

static std::string ranges(const ScaleKept &Of) {
  // Whole divisions in a program can make many of them.
  constexpr std::size_t Most = 6;
  std::string Result;
  for (const KeptRange &Each : Of.Ranges) {
    const std::size_t Number = &Each - Of.Ranges.data();
    if (Of.Ranges.size() > Most && Number > 2 && Number + 2 < Of.Ranges.size()) {
      if (Number == 3)
        Result += fmt::format(", … ({} more)", Of.Ranges.size() - 5);
      continue;
    }
    Result += fmt::format("{}{:.15g}", Result.empty() ? "" : ", ", Each.First);
    if (Each.Why == KeptRange::End::Searched)
      Result += " and above";
    else if (Each.Last != Each.First)
      Result += fmt::format(" to {:.15g}", Each.Last);
  }
  if (Result.empty())
    return "none";
  return Of.WhyNoValue.empty() ? Result : Result + ", where the vector ends: " + Of.WhyNoValue;
}

static void printKept(const ScaleDocument &Of) {
  fmt::print("\nEE of {:g} and above, searched to p = {:.15g} and n = {:.15g}\n", *Of.KeepEe,
             Of.MaxP, Of.MaxN);
  for (const ScaleKept &Each : Of.Kept) {
    const bool OverP = Each.At.P == 0;
    fmt::print("  {} = {:.10g} at {:g} MHz: {} = {}\n", OverP ? "n" : "p",
               OverP ? Each.At.N : Each.At.P, Each.At.Mhz, OverP ? "p" : "n", ranges(Each));
  }
}

void printScale(const ScaleDocument &Of) {
  printVectors(Of);
  printEfficiencies(Of);
  printOverheads(Of);
  if (Of.KeepEe)
    printKept(Of);
  for (const std::string &Note : Of.Notes)
    fmt::print("{}note: {}\n", &Note == &Of.Notes.front() ? "\n" : "", Note);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static std::int64_t whole(double Value) { return std::int64_t(Value); }

static Json point(const IsoPoint &At) {
  Json Result = Json::object();
  if (At.P != 0)
    Result["p"] = whole(At.P);
  if (At.N != 0)
    Result["n"] = whole(At.N);
  Result["core_mhz"] = At.Mhz;
  return Result;
}

static Json row(const ScaleRow &Of) {
  Json Result = point(Of.At);
  if (!Of.Value) {
    Result["not_known"] = Of.Value.error().Why;
    return Result;
  }
  const IsoEnergy &E = *Of.Value;
  Result["energy_1_j"] = E.SequentialJ;
  Result["energy_p_j"] = E.parallelJ();
  Result["time_1_s"] = E.SequentialS;
  Result["time_p_s"] = E.wallS();
  Result["power_w"] = E.powerW();
  Result["eef"] = E.eef();
  Result["ee"] = E.efficiency();
  Result["time_efficiency"] = E.performance();
  Json &Overhead = Result["overhead_j"] = {{"total", E.overheadJ()}};
  for (std::size_t I = 0; I != E.Overheads.size(); ++I)
    Overhead[std::string(name(IsoPart(I)))] = {{"active", E.Overheads[I].ActiveJ},
                                               {"idle", E.Overheads[I].IdleJ}};
  if (auto Part = E.dominant())
    Result["dominant_overhead"] = name(*Part);
  Json &Moves = Result["elasticity"] = Json::object();
  const std::pair<const char *, const std::optional<double> &> All[] = {
      {"p", Of.Moves.P}, {"n", Of.Moves.N}, {"core_mhz", Of.Moves.Mhz}};
  for (const auto &[Key, Value] : All)
    if (Value)
      Moves[Key] = *Value;
  if (!Of.Moves.dominant().empty())
    Result["dominant"] = Of.Moves.dominant() == "f" ? "core_mhz" : Of.Moves.dominant();
  return Result;
}

static Json kept(const ScaleKept &Of) {
  static constexpr const char *Ends[] = {"below", "not_known", "searched"};
  Json Result = point(Of.At);
  Json &Ranges = Result[Of.At.P == 0 ? "keeping_p" : "keeping_n"] = Json::array();
  for (const KeptRange &Each : Of.Ranges)
    Ranges.push_back(
        {{"first", whole(Each.First)}, {"last", whole(Each.Last)}, {"end", Ends[int(Each.Why)]}});
  if (!Of.WhyNoValue.empty())
    Result["not_known"] = Of.WhyNoValue;
  return Result;
}

std::string writeScale(const ScaleDocument &Of) {
  Json Result = {{"schema", "ergon-scale/1"},
                 {"application", Of.Application},
                 {"machine", Of.Machine},
                 {"overlap", Of.Overlap},
                 {"in_steps", Of.HasSteps}};
  Json &Terms = Result["terms"] = Json::object();
  for (const ScaleTerm &Each : Of.Terms) {
    Json &Term = Terms[std::string(name(Each.Which))] = {{"value", Each.Amount.Amount.Value}};
    if (Each.Amount.AtMhz) {
      Term["at_mhz"] = *Each.Amount.AtMhz;
      Term["exponent"] = Each.Amount.Exponent;
    }
    Term["from"] = Each.From;
    Term["reference"] = Each.Reference;
  }
  Json &Work = Result["work"] = Json::array();
  for (const ScaleWork &Each : Of.Work) {
    Json &Next = Work.emplace_back(Json{{"term", Each.Key}, {"formula", Each.Formula}});
    if (!Each.Reference.empty())
      Next["reference"] = Each.Reference;
  }
  Json &Points = Result["points"] = Json::array();
  for (const ScaleRow &Each : Of.Rows)
    Points.push_back(row(Each));
  if (Of.KeepEe) {
    Json &Keep = Result["keep_ee"] = {
        {"ee", *Of.KeepEe}, {"searched_p", whole(Of.MaxP)}, {"searched_n", whole(Of.MaxN)}};
    Keep["kept"] = Json::array();
    for (const ScaleKept &Each : Of.Kept)
      Keep["kept"].push_back(kept(Each));
  }
  Result["notes"] = Of.Notes;
  return Result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ergon
