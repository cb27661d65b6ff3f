//===- EntryCounts.h - counts of a recorded function ------------*- C++ -*-===//
//
// Finds an entry in a folder of records that was opened once, and evaluates its counts.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/access/AccessProgram.h"
#include "model/evaluation/ProgramSites.h"
#include "model/program/KnownCalls.h"
#include "model/program/Prediction.h"
#include "predict/store/LibraryStore.h"
#include "predict/store/RecordStore.h"
#include "predict/values/Bindings.h"

#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ergon {

/// The counts of one run.
struct EntryCounts {
  Bindings Bound;
  CountValues Counts;
  std::vector<Unknown> Unknowns; ///< what each of Counts.Unbound stands for
  /// Evaluated call by call, without formulas (ProgramNumbers): CountedEntry::accesses() has none.
  bool IsInNumbers = false;
  LongSums Sums = LongSums::Open; ///< as they were counted
};

/// A function of a folder of records, to be counted with values of its symbols.
class CountedEntry {
public:
  /// The entry as it was recorded, with what is known of its calls through pointers.
  const Function &function() const { return *Entry; }
  /// The same as the store has it.
  const Function &recorded() const { return *Recorded; }
  /// Whether it runs on a GPU: a kernel, or a function that kernels call.
  bool isDevice() const;
  /// Its callees and kernels.
  const FunctionLookup &lookup() const { return Find; }
  /// What is known of the calls that it reaches.
  ProgramSites &sites() { return Sites; }
  /// What was wrong in the record of a callee that was looked up.
  const std::optional<Error> &failure() const { return Failure; }
  /// The counts with \p Values. Symbols without a value are no error: Counts.Unbound lists them.
  /// Error: an invalid name or value, a damaged record, a formula without a value. Indexes of names
  /// that this entry lacks go to \p NotHere if given; otherwise they are an error. Those in \p
  /// AlsoKnown it has.
  std::expected<EntryCounts, Error> counts(const std::vector<GivenValue> &Values,
                                           std::set<std::size_t> *NotHere = nullptr,
                                           LongSums How = LongSums::Open,
                                           const AccessNames &AlsoKnown = {});

  /// The first launch of each kernel in a run with \p Bound.
  std::vector<FirstLaunch> firstLaunches(const Bindings &Bound) const {
    return builder(Bound.substitution()).firstLaunches(*Entry, /*WithCounts=*/true, Launches);
  }
  /// Totals with these values, and with measured ones.
  TotalsBuilder builder(Substitution Bound) const {
    return TotalsBuilder(Find, std::move(Bound), /*UseMeasured=*/true, Sums);
  }
  /// What is known of first launches beside their formulas.
  const KnownLaunches &knownLaunches() const { return Launches; }
  void setKnownLaunches(KnownLaunches Known) { Launches = std::move(Known); }
  /// Of symbols that vary, what the code that is known makes of them; null where it is not known.
  const code::ProgramValues::Mean *mean(const std::string &Symbol) const {
    auto Found = Means.find(Symbol);
    return Found == Means.end() ? nullptr : &Found->second;
  }
  void setMeans(std::map<std::string, code::ProgramValues::Mean> Known) {
    Means = std::move(Known);
  }
  /// What calls through pointers call, by the names of functions in their code and the symbols of
  /// the calls: these calls are in the place of those from now on. Before the first counts().
  void setKnownCalls(std::map<std::string, KnownTargets> Known);
  /// The same for values of symbols, by the names of functions in their code: numbers that others
  /// of the name do not have. Counts that they are in are assumed.
  void setKnownValues(std::map<std::string, Substitution> Known);
  /// Formulas in a function's own symbols that estimates of its unknowns are made with, by its name
  /// in its code; beside them are the limits of loops that ordinary numbers do not end.
  void setLikely(std::map<std::string, Substitution> Known) { Likely = std::move(Known); }
  bool hasLikely() const { return !Likely.empty(); }
  /// From now on, unknowns are what is likely, but for those in \p Except, which have values.
  void takeLikely(std::set<std::string> Except);
  /// They are unknown again.
  void dropLikely();
  /// Makes kernels that are known to be launched parts of \p T, where its formulas, with estimates,
  /// launch them never.
  void addKnownKernels(Totals &T) const;

  /// The accesses of one run with \p Bound, after counts(), if the records were opened with more
  /// than costs. Valid until accesses of another run are asked for. Error: a damaged record.
  std::expected<const AccessProgram *, Error> accesses(const Bindings &Bound);
  /// The accesses of one launch of a kernel that it reaches, with what \p First says of it.
  AccessProgram accessesOfLaunch(const FirstLaunch &First);
  /// The meaning of a symbol in these.
  Unknown explain(const std::string &Symbol) const;

private:
  friend class CountedRecords;
  CountedEntry(std::shared_ptr<RecordStore> Opened, std::shared_ptr<LibraryStore> Described,
               const Function &Entry, bool HasAccesses)
      : Store(std::move(Opened)), Libraries(std::move(Described)), Entry(&Entry), Recorded(&Entry),
        HasAccesses(HasAccesses),
        Find(withKnown(Libraries->after(Store->lookup(Failure), Failure))), InSymbols(Find) {}

  /// Some names appear only once others have values.
  std::expected<Bindings, Error> bind(const std::vector<GivenValue> &Values,
                                      std::set<std::size_t> *NotHere, const AccessNames &AlsoKnown);

  std::shared_ptr<RecordStore> Store;
  std::shared_ptr<LibraryStore> Libraries;
  const Function *Entry, *Recorded; ///< Recorded: as the store has it
  bool HasAccesses;                 ///< they may be asked for
  /// The entry with its accesses as read, and its callees; null before those are asked for.
  const Function *Detailed = nullptr;
  FunctionLookup FindDetailed;
  /// Reads the functions anew where they were read without accesses; null where they cannot be
  /// read.
  const Function *detailed();
  AccessProgram accessesWith(const Substitution &Values);
  std::optional<Error> Failure; ///< in a callee's record
  std::map<std::string, KnownTargets> KnownCalls;
  std::map<std::string, Substitution> KnownValues;
  std::map<std::string, Substitution> Likely;
  std::set<std::string> NotLikely; ///< they have values
  /// Functions with these calls and values, by what they are made of, and back; null for those that
  /// have none.
  using Versions = std::map<const Function *, std::unique_ptr<Function>>;
  Versions WithKnown, WithLikely;
  Versions *Taken = &WithKnown; ///< what is counted with
  std::map<const Function *, const Function *> WithoutKnown;
  Substitution knownIn(const Function &F) const;
  void useKnown();
  void use(Versions &Wanted);
  FunctionLookup withKnown(FunctionLookup Inner);
  const Function *withKnown(const Function &F);
  FunctionLookup Find;
  KnownLaunches Launches;
  std::map<std::string, code::ProgramValues::Mean> Means;
  std::shared_ptr<ClosedSums> Sums = std::make_shared<ClosedSums>();
  /// Totals in symbols show what may have a value; totals with substituted values have closed forms
  /// that symbols lack.
  TotalsBuilder InSymbols;
  ProgramSites Sites{Find};
  std::optional<AccessNames> NamesOfAccesses; ///< the same of accesses, once they are asked for
  std::optional<TotalsBuilder> Composed;      ///< of the latest counts
  /// The latest accesses, and the values and free calls that they are with.
  std::optional<std::tuple<Substitution, std::set<std::string>, AccessProgram>> Accesses;
};

/// A folder of records, opened once for several entries. Copies share what was opened.
class CountedRecords {
public:
  /// Over opened records, with at least that detail. Accesses are read when they are asked for,
  /// where it is more than costs.
  CountedRecords(std::shared_ptr<RecordStore> Opened, std::shared_ptr<LibraryStore> Described,
                 Detail HowMuch)
      : Store(std::move(Opened)), Libraries(std::move(Described)), HowMuch(HowMuch) {}
  /// Error: no records, or an invalid library file. \p Notice and \p Skipped as for
  /// RecordStore::open(), \p DataFolder as in ShippedFolder.
  static std::expected<CountedRecords, Error>
  open(const RecordSource &From, Detail HowMuch = Detail::Costs, const NoticeHandler &Notice = {},
       std::vector<Error> *Skipped = nullptr, const std::string &DataFolder = {});
  /// The same records, not read again, with the run records at these paths instead of others.
  /// Error: a path that is no run record.
  std::expected<CountedRecords, Error> withRuns(const std::vector<std::string> &Paths) const;

  /// The function that \p Wanted names. Error: none, or several.
  std::expected<std::unique_ptr<CountedEntry>, Error> find(const FunctionQuery &Wanted);
  /// Where that is.
  std::expected<FunctionRef, Error> findRef(const FunctionQuery &Wanted) {
    return Store->find(Wanted);
  }
  /// All functions that \p Wanted selects, in the order of their records.
  std::vector<FunctionRef> select(const FunctionQuery &Wanted) { return Store->select(Wanted); }
  /// Reads the function of \p Ref, to be counted; with \p AsRun as the runs had it. Error: its
  /// record cannot be read.
  std::expected<std::unique_ptr<CountedEntry>, Error> load(const FunctionRef &Ref,
                                                           bool AsRun = false);

  /// The opened records.
  RecordStore &store() { return *Store; }
  /// Definitions in the records, otherwise library descriptions. An error in a callee's record is
  /// put into \p Failure, which must outlive the result.
  FunctionLookup lookup(std::optional<Error> &Failure) {
    return Libraries->after(Store->lookup(Failure), Failure);
  }

private:
  std::shared_ptr<RecordStore> Store;
  std::shared_ptr<LibraryStore> Libraries;
  Detail HowMuch;
};

} // namespace ergon
