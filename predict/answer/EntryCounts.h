//===- EntryCounts.h - counts of a recorded function ------------*- C++ -*-===//
//
// Opens a folder of records, finds the entry that is meant, and counts runs of it.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PREDICT_ANSWER_ENTRYCOUNTS_H
#define ERGON_PREDICT_ANSWER_ENTRYCOUNTS_H

#include "model/access/AccessProgram.h"
#include "model/program/Prediction.h"
#include "predict/store/LibraryStore.h"
#include "predict/store/RecordStore.h"
#include "predict/values/Bindings.h"

#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ergon {

/// What one run counts.
struct EntryCounts {
  Bindings Bound;
  CountValues Counts;
  std::vector<Unknown> Unknowns; ///< what each of Counts.Unbound stands for
};

class CountedEntry {
public:
  /// Error: no records, no such entry or several, a library file that is none.
  static std::expected<std::unique_ptr<CountedEntry>, Error> open(const EntryOptions &Options,
                                                                  Detail HowMuch = Detail::Costs);

  const Function &function() const { return *Entry; }
  /// Of what it calls and launches.
  const FunctionLookup &lookup() const { return Find; }
  /// The counts with what `--set` gave. Error: a name or value that cannot be set, a
  /// damaged record, a formula without a value. Those of \p Sets that name nothing of
  /// this entry are put into \p NotHere where it is given, else an error.
  std::expected<EntryCounts, Error> counts(const std::vector<std::string> &Sets,
                                           std::set<std::string> *NotHere = nullptr);

  /// What one run accesses with \p With, after counts(). The records were opened for that.
  AccessProgram accesses(const Bindings &With) const;
  /// What a symbol of these stands for.
  Unknown explain(const std::string &Symbol) const { return Composed->explain(Symbol); }

private:
  friend class CountedRecords;
  CountedEntry(RecordStore &Store, LibraryStore &Libraries, const Function &Entry, bool HasAccesses)
      : Entry(&Entry), HasAccesses(HasAccesses),
        Find(Libraries.after(Store.lookup(Failure), Failure)), InSymbols(Find) {}

  /// What `--set` gives. A name may be one that only shows with the values of others.
  std::expected<Bindings, Error> bind(const std::vector<std::string> &Sets,
                                      std::set<std::string> *NotHere);

  const Function *Entry;
  bool HasAccesses;             ///< they were read with the records
  std::optional<Error> Failure; ///< in the record of something that is called
  FunctionLookup Find;
  /// Totals in symbols tell what may be set; those with the values put in give sums
  /// closed forms that symbols do not have.
  TotalsBuilder InSymbols;
  std::optional<TotalsBuilder> Composed; ///< of the latest counts
};

/// A folder of records, opened once for several entries. It lives as long as they do.
class CountedRecords {
public:
  /// Over what was opened before and outlives it; its records have at least that detail.
  CountedRecords(RecordStore &Opened, LibraryStore &Described, Detail HowMuch)
      : Store(&Opened), Libraries(&Described), HowMuch(HowMuch) {}
  /// Error: no records, or a library file that is none. \p Skipped as for RecordStore::open().
  static std::expected<CountedRecords, Error> open(const EntryOptions &Options,
                                                   Detail HowMuch = Detail::Costs,
                                                   std::vector<Error> *Skipped = nullptr);

  /// The function that the options name. Error: none, or several.
  std::expected<std::unique_ptr<CountedEntry>, Error> find(const EntryOptions &Options);
  /// Where that is.
  std::expected<FunctionRef, Error> findRef(const EntryOptions &Options) {
    return Store->find(Options);
  }
  /// All functions that the options select, sorted by name.
  std::vector<FunctionRef> select(const EntryOptions &Options) { return Store->select(Options); }
  std::expected<std::unique_ptr<CountedEntry>, Error> load(const FunctionRef &Ref);

private:
  RecordStore *Store;
  LibraryStore *Libraries;
  Detail HowMuch;
};

/// Prints what each unknown is and how to bind it, on the standard error.
int reportUnbound(const std::string &Function, const std::vector<Unknown> &Unknowns);

} // namespace ergon

#endif
