//===- TuneFormat.h - ergon-tune/1 ------------------------------*- C++ -*-===//

#pragma once

#include "model/energy/ClockPlan.h"
#include "model/program/SymbolEstimate.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// One kernel of an entry that has several, by itself.
struct TunedPart {
  std::string Name;
  std::optional<double> Launches;
  std::optional<Choice> Best; ///< in Options; nothing where none is allowed
  std::vector<Option> Options;
};

/// What was found for one function at one setting all along.
struct TunedEntry {
  std::string Entry;    ///< as the user named it
  std::string Function; ///< demangled
  std::map<std::string, Rational> Bindings;
  SymbolBounds Bounds;
  std::map<std::string, Rational> Defaults;
  std::vector<std::string> Candidates; ///< `block.x=64`; one that is empty where none are tried
  /// What stands in for symbols without a value, the largest share of the spread first.
  std::vector<SymbolEstimate> Estimates;
  std::vector<Option> Options;
  std::map<std::size_t, CostIntervals> Costs; ///< of options, those that are shown
  std::size_t Fastest = 0;                    ///< race to halt
  /// At each setting, with the first candidate; empty where not asked for.
  std::vector<std::optional<Balance>> Balances;
  std::map<Objective, Choice> Choices; ///< that of the document, and others that are shown
  std::vector<TunedPart> Parts;        ///< where there are several
  // See Cost and Estimate.
  std::vector<std::string> NotCovered, Unpriced, Untimed;
  /// `bytes_dram` is what is requested: no caches are known that could keep a part of it.
  bool DramIsRequested = false;
};

/// A setting for each part of all entries, one after the other.
struct TunedProgram {
  std::vector<std::vector<std::string>> Parts; ///< names, by phase
  std::optional<TimeEnergy> Switch;            ///< what switching takes, where it is known
  ClockPlan Whole;                             ///< one setting
  ClockPlan Best;                              ///< with switching as given; without: for nothing
  double BreakEven = 0;                        ///< see breakEvenSwitch(); where Switch is not known
};

/// Whether \p Best, of \p Options, is another than the setting \p Default with the same candidate,
/// and no better than that by more than errors: then there is no reason to leave it.
bool keepsDefault(const std::vector<Option> &Options, const Choice &Best, std::size_t Default);

/// Everything that a tune document says.
struct TuneDocument {
  std::string Machine;
  std::vector<Setting> Settings;
  std::size_t Default = 0; ///< of these
  Objective Goal = Objective::Energy;
  Limits Limit;
  std::vector<TunedEntry> Entries;
  std::optional<ChoiceLosses> Losses; ///< what choices on this machine lost for other programs
  std::vector<ComparedRun> Measured;  ///< what all costs were corrected by
  std::size_t KnownSettings = 0;      ///< at how many settings these are
  std::optional<Setting> MeasureNext; ///< where a further run would tell most
  std::optional<TunedProgram> Program;
  std::string WhyNoProgram; ///< where there are several parts and no plan for them
  std::map<std::string, std::vector<Unknown>> Unbound; ///< functions and what they need
  std::map<std::string, std::string> LeftOut;          ///< functions and why
  std::vector<std::string> Commands;                   ///< that set the clocks
  std::string WhyNoCommands;
};

/// The JSON document, ending with a line break.
std::string writeTune(const TuneDocument &Document);

} // namespace ergon
