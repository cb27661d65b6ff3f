//===- TunePlot.cpp - what ergon tune finds, as plots ---------------------===//

#include "tools/tune/TunePlot.h"
#include "predict/text/Text.h"
#include "tools/tune/TuneLabels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace ergon {

/// The options that have a name, by their positions, with what each is.
static std::map<std::size_t, std::vector<std::string>> namedOptions(const TuneDocument &Document,
                                                                    const TunedEntry &Entry) {
  std::map<std::size_t, std::vector<std::string>> Result;
  Result[Entry.Choices.at(Document.Goal).Best].push_back("chosen");
  Result[atDefault(Document, Entry)].push_back("default");
  Result[Entry.Fastest].push_back("fastest");
  Result[slowest(Document, Entry)].push_back("slowest");
  if (const auto Fixed = fixedByFit(Document, Entry))
    Result[*Fixed].push_back("best of the fit");
  return Result;
}

static void addOptions(Plot &Result, const TuneDocument &Document, const TunedEntry &Entry) {
  const auto Names = namedOptions(Document, Entry);
  const std::size_t Best = Entry.Choices.at(Document.Goal).Best;
  std::vector<Plot::Mark> Measured, Named, Front, Others;
  // With several entries a run is of all of them.
  if (Document.Entries.size() == 1)
    for (const auto &[Run, ModelS, ModelJ] : Document.Measured)
      if (Run.EnergyJ)
        Measured.push_back({.Label = "measured" + at(Run.Clocks),
                            .Position = {Run.TimeS, *Run.EnergyJ},
                            .Drawn = Plot::Shape::Cross,
                            .Note = Run.Source});
  for (std::size_t I = 0; I != Entry.Options.size(); ++I) {
    const Option &O = Entry.Options[I];
    const std::string Clocks = label(Document, Entry, O);
    Plot::Mark Mark{.Label = "",
                    .Position = {O.TimeS, O.EnergyJ},
                    .Drawn = I == Best      ? Plot::Shape::Chosen
                             : !O.IsAllowed ? Plot::Shape::Dot
                             : O.IsOnFront  ? Plot::Shape::Disc
                                            : Plot::Shape::Ring,
                    .Note = fmt::format("{}: {}, {}", Clocks, quantity(O.TimeS, "s"),
                                        quantity(O.EnergyJ, "J"))};
    if (auto Found = Names.find(I); Found != Names.end()) {
      Mark.Label = fmt::format("{}: {}", Clocks, joined(Found->second));
      Named.insert(I == Best ? Named.begin() : Named.end(), std::move(Mark));
    } else if (O.IsOnFront && O.IsAllowed) {
      Mark.Label = Clocks;
      Front.push_back(std::move(Mark));
    } else {
      Others.push_back(std::move(Mark));
    }
  }
  for (std::vector<Plot::Mark> *Rest : {&Named, &Measured, &Front, &Others})
    std::ranges::move(*Rest, std::back_inserter(Result.Marks));
}

/// What the shapes that are there mean.
static void addMeanings(Plot &Result) {
  for (const auto &[Drawn, Meaning] : {std::pair(Plot::Shape::Disc, "on the front"),
                                       std::pair(Plot::Shape::Ring, "other settings"),
                                       std::pair(Plot::Shape::Dot, "outside the limits"),
                                       std::pair(Plot::Shape::Cross, "measured")})
    if (std::ranges::find(Result.Marks, Drawn, &Plot::Mark::Drawn) != Result.Marks.end())
      Result.Meanings.emplace_back(Drawn, Meaning);
}

std::vector<Plot> tunePlots(const TuneDocument &Document) {
  std::vector<Plot> Result;
  for (const TunedEntry &Entry : Document.Entries) {
    Plot &Plane = Result.emplace_back(
        Plot{.Title = heading(Document, Entry),
             .X = {.Label = "time", .Unit = "s", .Kind = Plot::Scale::Logarithmic},
             .Y = {.Label = "energy", .Unit = "J", .Kind = Plot::Scale::Logarithmic}});
    Plot::Line &Front = Plane.Lines.emplace_back(Plot::Line{.Label = "front"});
    for (const Option &O : Entry.Options)
      if (O.IsOnFront)
        Front.Points.emplace_back(O.TimeS, O.EnergyJ);
    std::ranges::sort(Front.Points);
    addOptions(Plane, Document, Entry);
    addMeanings(Plane);
  }
  return Result;
}

} // namespace ergon
