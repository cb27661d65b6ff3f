//===- EntryCounts.h - counts of a recorded function ------------*- C++ -*-===//
//
// Finds an entry in a folder of records that was opened once, and counts runs of it.
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

/// A function of a folder of records, which is counted for values of its symbols.
class CountedEntry {
public:
  /// The entry as it was recorded.
  const Function &function() const { return *Entry; }
  /// Of what it calls and launches.
  const FunctionLookup &lookup() const { return Find; }
  /// The counts with \p Values. Symbols without a value are no error: Counts.Unbound has them.
  /// Error: a name or value that cannot be given, a damaged record, a formula without a value. The
  /// indices of those that name nothing of this entry are put into \p NotHere where it is given,
  /// else they are an error.
  std::expected<EntryCounts, Error> counts(const std::vector<GivenValue> &Values,
                                           std::set<std::size_t> *NotHere = nullptr);

  /// What one run accesses with \p B, after counts(). The records were opened for that.
  AccessProgram accesses(const Bindings &B) const;
  /// What a symbol of these stands for.
  Unknown explain(const std::string &Symbol) const { return Composed->explain(Symbol); }

private:
  friend class CountedRecords;
  CountedEntry(std::shared_ptr<RecordStore> Opened, std::shared_ptr<LibraryStore> Described,
               const Function &Entry, bool HasAccesses)
      : Store(std::move(Opened)), Libraries(std::move(Described)), Entry(&Entry),
        HasAccesses(HasAccesses), Find(Libraries->after(Store->lookup(Failure), Failure)),
        InSymbols(Find) {}

  /// A name may be one that only shows with the values of others.
  std::expected<Bindings, Error> bind(const std::vector<GivenValue> &Values,
                                      std::set<std::size_t> *NotHere);

  std::shared_ptr<RecordStore> Store;
  std::shared_ptr<LibraryStore> Libraries;
  const Function *Entry;
  bool HasAccesses;             ///< they were read with the records
  std::optional<Error> Failure; ///< in the record of something that is called
  FunctionLookup Find;
  /// Totals in symbols tell what may be given a value; those with the values put in give sums
  /// closed forms that symbols do not have.
  TotalsBuilder InSymbols;
  std::optional<TotalsBuilder> Composed; ///< of the latest counts
};

/// A folder of records, opened once for several entries. Copies share what was opened.
class CountedRecords {
public:
  /// Over what was opened before; its records have at least that detail.
  CountedRecords(std::shared_ptr<RecordStore> Opened, std::shared_ptr<LibraryStore> Described,
                 Detail HowMuch)
      : Store(std::move(Opened)), Libraries(std::move(Described)), HowMuch(HowMuch) {}
  /// Error: no records, or a library file that is none. \p Notice and \p Skipped as for
  /// RecordStore::open(), \p DataFolder as in ShippedFolder.
  static std::expected<CountedRecords, Error>
  open(const RecordSource &From, Detail HowMuch = Detail::Costs, const NoticeHandler &Notice = {},
       std::vector<Error> *Skipped = nullptr, const std::string &DataFolder = {});
  /// The same records, which are not read again, with what the runs of these paths counted in the
  /// place of other runs. Error: a path that is no run record.
  std::expected<CountedRecords, Error> withRuns(const std::vector<std::string> &Paths) const;

  /// The function that \p Wanted names. Error: none, or several.
  std::expected<std::unique_ptr<CountedEntry>, Error> find(const FunctionQuery &Wanted);
  /// Where that is.
  std::expected<FunctionRef, Error> findRef(const FunctionQuery &Wanted) {
    return Store->find(Wanted);
  }
  /// All functions that \p Wanted selects, in the order of their records.
  std::vector<FunctionRef> select(const FunctionQuery &Wanted) { return Store->select(Wanted); }
  /// Reads the function of \p Ref, to be counted. Error: its record cannot be read.
  std::expected<std::unique_ptr<CountedEntry>, Error> load(const FunctionRef &Ref);

  /// The opened records.
  RecordStore &store() { return *Store; }
  /// Definitions of the records, and descriptions of libraries where they have none. An error in a
  /// callee's record is kept in \p Failure, which outlives the result as the records do.
  FunctionLookup lookup(std::optional<Error> &Failure) {
    return Libraries->after(Store->lookup(Failure), Failure);
  }

private:
  std::shared_ptr<RecordStore> Store;
  std::shared_ptr<LibraryStore> Libraries;
  Detail HowMuch;
};

} // namespace ergon

#endif
