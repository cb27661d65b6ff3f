//===- ScaleView.cpp - what ergon scale finds, as text and as JSON --------===//

#include "tools/scale/Scale.h"
#include "tools/scale/ScaleRanges.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>

namespace ergon {

using Json = nlohmann::ordered_json;

static std::string law(const ClusterQuantity &Quantity) {
  return Quantity.AtMhz ? fmt::format("·(f/{:g} MHz)^{:g}", *Quantity.AtMhz, Quantity.Exponent)
                        : "";
}

static void printVectors(const ScaleDocument &Document) {
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
  fmt::print("{} on {}\n", Document.Application, Document.Machine);
  Line("α", fmt::format("{:g}", Document.Overlap), Cite(Document.OverlapReference));
  for (const ScaleWork &Work : Document.Work)
    Line(Work.Symbol, Work.Formula, Cite(Work.Reference));
  for (const ScaleTerm &Term : Document.Terms)
    Line(symbol(Term.Which),
         fmt::format("{:g} {}{}", Term.Amount.Amount.Value,
                     name(Term.Which).ends_with("_s") ? "s" : "W", law(Term.Amount)),
         Term.From + " " + Cite(Term.Reference));
  for (std::size_t I = 0; I != References.size(); ++I)
    fmt::print("  [{}] {}\n", I + 1, References[I]);
}

static std::string pointCells(const IsoPoint &Point) {
  return fmt::format("{:>8g} {:>14.10g} {:>8g}", Point.P, Point.N, Point.Mhz);
}

static const std::string PointHeading = fmt::format("{:>8} {:>14} {:>8}", "p", "n", "core_mhz");

static void printEfficiencies(const ScaleDocument &Document) {
  fmt::print(
      "\nE_1 on one processor, E_p on all, EEF = (E_p - E_1)/E_1, EE = E_1/E_p; time where the "
      "work is evenly divided; T_1/pT is the efficiency of time\n"
      "{} {:>11} {:>11} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8}\n",
      PointHeading, "E_1 J", "E_p J", "T_1 s", "T s", "P W", "EEF", "EE", "T_1/pT");
  for (const ScaleRow &Row : Document.Rows) {
    if (!Row.Value) {
      fmt::print("{} not known: {}\n", pointCells(Row.Point), Row.Value.error().Why);
      continue;
    }
    const IsoEnergy &E = *Row.Value;
    fmt::print("{} {:>11.5g} {:>11.5g} {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g} {:>8.4f} {:>8.4f}\n",
               pointCells(Row.Point), E.SequentialJ, E.parallelJ(), E.SequentialS, E.wallS(),
               E.powerW(), E.eef(), E.efficiency(), E.performance());
  }
}

static std::string orDash(const std::optional<double> &Value) {
  return Value ? fmt::format("{:.4f}", *Value) : "-";
}

static void printOverheads(const ScaleDocument &Document) {
  const bool HasNodes = std::ranges::any_of(
      Document.Terms, [](const ScaleTerm &Term) { return Term.Which == ClusterTerm::NodeIdleW; });
  auto Sharing = [&](const std::string &Cell) { return HasNodes ? Cell : ""; };
  fmt::print(
      "\nthe overhead E_p - E_1 in J, each part with the idle power of whole systems{} while "
      "it lasts, and d ln EE/d ln x{}\n",
      HasNodes ? " and nodes" : "", Document.HasSteps ? " between x/2 and 2x" : "");
  if (HasNodes)
    fmt::print("sharing: p processors have their nodes' power together, where one has a node's "
               "alone\n");
  fmt::print("{} {:>11} {:>11} {:>11}{} {:>11} {:<12} {:>8} {:>8} {:>8} {}\n", PointHeading,
             "computation", "memory", "network", Sharing(fmt::format(" {:>11}", "sharing")),
             "idle of it", "  largest", "x = p", "x = n", "x = f", "largest");
  for (const ScaleRow &Row : Document.Rows) {
    if (!Row.Value)
      continue;
    const IsoEnergy &E = *Row.Value;
    double Idle = 0;
    for (const IsoOverhead &Overhead : E.Overheads)
      Idle += Overhead.IdleJ;
    fmt::print("{} {:>11.4g} {:>11.4g} {:>11.4g}{} {:>11.4g}   {:<10} {:>8} {:>8} {:>8} {}\n",
               pointCells(Row.Point), E.overhead(IsoPart::Computation).energy(),
               E.overhead(IsoPart::Memory).energy(), E.overhead(IsoPart::Network).energy(),
               Sharing(fmt::format(" {:>11.4g}", E.overhead(IsoPart::Sharing).energy())), Idle,
               E.dominant() ? name(*E.dominant()) : "-", orDash(Row.Exponents.P),
               orDash(Row.Exponents.N), orDash(Row.Exponents.Mhz),
               Row.Exponents.dominant().empty() ? "-" : Row.Exponents.dominant());
  }
}

std::string rangesText(const std::vector<KeptRange> &Ranges) {
  // Whole divisions in a program can make many of them.
  constexpr std::size_t Most = 6;
  std::string Result;
  for (const KeptRange &Range : Ranges) {
    const std::size_t Number = &Range - Ranges.data();
    if (Ranges.size() > Most && Number > 2 && Number + 2 < Ranges.size()) {
      if (Number == 3)
        Result += fmt::format(", … ({} more)", Ranges.size() - 5);
      continue;
    }
    Result += fmt::format("{}{:.15g}", Result.empty() ? "" : ", ", Range.First);
    if (Range.Why == KeptRange::End::Searched)
      Result += " and above";
    else if (Range.Last != Range.First)
      Result += fmt::format(" to {:.15g}", Range.Last);
  }
  return Result.empty() ? "none" : Result;
}

static std::string ranges(const ScaleKept &Kept) {
  const std::string Result = rangesText(Kept.Ranges);
  return Kept.WhyNoValue.empty() ? Result : Result + ", where the vector ends: " + Kept.WhyNoValue;
}

static void printKept(const ScaleDocument &Document) {
  fmt::print("\nEE of {:g} and above, searched to p = {:.15g} and n = {:.15g}\n", *Document.KeepEe,
             Document.MaxP, Document.MaxN);
  for (const ScaleKept &Kept : Document.Kept) {
    const bool OverP = Kept.Point.P == 0;
    fmt::print("  {} = {:.10g} at {:g} MHz: {} = {}\n", OverP ? "n" : "p",
               OverP ? Kept.Point.N : Kept.Point.P, Kept.Point.Mhz, OverP ? "p" : "n",
               ranges(Kept));
  }
}

void printScale(const ScaleDocument &Document) {
  printVectors(Document);
  printEfficiencies(Document);
  printOverheads(Document);
  if (Document.KeepEe)
    printKept(Document);
  for (const std::string &Note : Document.Notes)
    fmt::print("{}note: {}\n", &Note == &Document.Notes.front() ? "\n" : "", Note);
}

static std::int64_t whole(double Value) { return std::int64_t(Value); }

static Json point(const IsoPoint &Point) {
  Json Result = Json::object();
  if (Point.P != 0)
    Result["p"] = whole(Point.P);
  if (Point.N != 0)
    Result["n"] = whole(Point.N);
  Result["core_mhz"] = Point.Mhz;
  return Result;
}

static Json row(const ScaleRow &Row) {
  Json Result = point(Row.Point);
  if (!Row.Value) {
    Result["not_known"] = Row.Value.error().Why;
    return Result;
  }
  const IsoEnergy &E = *Row.Value;
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
      {"p", Row.Exponents.P}, {"n", Row.Exponents.N}, {"core_mhz", Row.Exponents.Mhz}};
  for (const auto &[Key, Value] : All)
    if (Value)
      Moves[Key] = *Value;
  if (!Row.Exponents.dominant().empty())
    Result["dominant"] = Row.Exponents.dominant() == "f" ? "core_mhz" : Row.Exponents.dominant();
  return Result;
}

Json rangesJson(const std::vector<KeptRange> &Ranges) {
  static constexpr const char *Ends[] = {"below", "not_known", "searched"};
  Json Result = Json::array();
  for (const KeptRange &Range : Ranges)
    Result.push_back({{"first", whole(Range.First)},
                      {"last", whole(Range.Last)},
                      {"end", Ends[int(Range.Why)]}});
  return Result;
}

static Json kept(const ScaleKept &Kept) {
  Json Result = point(Kept.Point);
  Result[Kept.Point.P == 0 ? "keeping_p" : "keeping_n"] = rangesJson(Kept.Ranges);
  if (!Kept.WhyNoValue.empty())
    Result["not_known"] = Kept.WhyNoValue;
  return Result;
}

std::string writeScale(const ScaleDocument &Document) {
  Json Result = {{"schema", "ergon-scale/1"},
                 {"application", Document.Application},
                 {"machine", Document.Machine},
                 {"overlap", Document.Overlap},
                 {"in_steps", Document.HasSteps}};
  Json &Terms = Result["terms"] = Json::object();
  for (const ScaleTerm &ST : Document.Terms) {
    Json &Term = Terms[std::string(name(ST.Which))] = {{"value", ST.Amount.Amount.Value}};
    if (ST.Amount.AtMhz) {
      Term["at_mhz"] = *ST.Amount.AtMhz;
      Term["exponent"] = ST.Amount.Exponent;
    }
    Term["from"] = ST.From;
    Term["reference"] = ST.Reference;
  }
  Json &Work = Result["work"] = Json::array();
  for (const ScaleWork &SW : Document.Work) {
    Json &Next = Work.emplace_back(Json{{"term", SW.Key}, {"formula", SW.Formula}});
    if (!SW.Reference.empty())
      Next["reference"] = SW.Reference;
  }
  Json &Points = Result["points"] = Json::array();
  for (const ScaleRow &Row : Document.Rows)
    Points.push_back(row(Row));
  if (Document.KeepEe) {
    Json &Keep = Result["keep_ee"] = {{"ee", *Document.KeepEe},
                                      {"searched_p", whole(Document.MaxP)},
                                      {"searched_n", whole(Document.MaxN)}};
    Keep["kept"] = Json::array();
    for (const ScaleKept &Kept : Document.Kept)
      Keep["kept"].push_back(kept(Kept));
  }
  Result["notes"] = Document.Notes;
  return Result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ergon
