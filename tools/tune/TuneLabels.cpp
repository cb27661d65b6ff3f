//===- TuneLabels.cpp - ways to run by their names ------------------------===//

#include "tools/tune/TuneLabels.h"
#include "predict/text/Text.h"

#include <fmt/format.h>

namespace ergon {

const char *figureName(Objective Goal) {
  static constexpr const char *Names[] = {"energy", "E·T", "E·T²", "time"};
  return Names[std::size_t(Goal)];
}

std::string heading(const TuneDocument &Document, const TunedEntry &Entry) {
  const std::string Given = names(Entry.Bindings, Entry.Bounds);
  return fmt::format("{}{} on {}: least {}", Entry.Function, Given.empty() ? "" : " with " + Given,
                     Document.Machine, figureName(Document.Goal));
}

std::string clocks(const TuneDocument &Document, std::size_t Setting) {
  const ergon::Setting &S = Document.Settings[Setting];
  return S.CoreMhz ? clocksText(S) + " MHz" : "the only setting";
}

std::string label(const TuneDocument &Document, const TunedEntry &Entry, const Option &O) {
  const std::string &Candidate = Entry.Candidates[O.Candidate];
  return Candidate.empty() ? clocks(Document, O.Setting)
                           : Candidate + ", " + clocks(Document, O.Setting);
}

/// The first option of the longest time that has the chosen candidate and fits.
template <typename Filter>
static std::optional<std::size_t> longest(const TuneDocument &Document, const TunedEntry &Entry,
                                          Filter Fits) {
  const std::size_t Candidate = Entry.Options[Entry.Choices.at(Document.Goal).Best].Candidate;
  std::optional<std::size_t> Found;
  for (std::size_t I = 0; I != Entry.Options.size(); ++I)
    if (const Option &O = Entry.Options[I];
        O.Candidate == Candidate && Fits(O) && (!Found || O.TimeS > Entry.Options[*Found].TimeS))
      Found = I;
  return Found;
}

std::size_t slowest(const TuneDocument &Document, const TunedEntry &Entry) {
  return *longest(Document, Entry, [](const Option &) { return true; });
}

std::size_t atDefault(const TuneDocument &Document, const TunedEntry &Entry) {
  return *longest(Document, Entry, [&](const Option &O) { return O.Setting == Document.Default; });
}

std::optional<std::size_t> fixedByFit(const TuneDocument &Document, const TunedEntry &Entry) {
  if (!Document.Losses)
    return std::nullopt;
  return longest(Document, Entry, [&](const Option &O) {
    return Document.Settings[O.Setting].sameClocks(Document.Losses->FixedSetting);
  });
}

} // namespace ergon
