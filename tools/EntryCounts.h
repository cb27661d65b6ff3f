//===- EntryCounts.h - counts of a recorded function ------------*- C++ -*-===//
//
// Opens a folder of records, finds the entry that is meant, and counts runs of it.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_TOOLS_ENTRYCOUNTS_H
#define ERGON_TOOLS_ENTRYCOUNTS_H

#include "model/Prediction.h"
#include "tools/Bindings.h"
#include "tools/LibraryStore.h"
#include "tools/RecordStore.h"

#include <expected>
#include <memory>
#include <optional>
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
  static std::expected<std::unique_ptr<CountedEntry>, Error> open(const EntryOptions &Options);

  const Function &function() const { return *Entry; }
  /// The counts with what `--set` gave. Error: a name or value that cannot be set, a
  /// damaged record, a formula without a value.
  std::expected<EntryCounts, Error> counts(const std::vector<std::string> &Sets);

private:
  CountedEntry(RecordStore &Store, LibraryStore &Libraries, const Function &Entry)
      : Entry(&Entry), Find(Libraries.after(Store.lookup(Failure), Failure)), InSymbols(Find) {}

  const Function *Entry;
  std::optional<Error> Failure; ///< in the record of something that is called
  FunctionLookup Find;
  /// Totals in symbols tell what may be set; those with the values put in give sums
  /// closed forms that symbols do not have.
  TotalsBuilder InSymbols;
  std::optional<TotalsBuilder> Composed; ///< of the latest counts
};

/// Prints what each unknown is and how to bind it, on the standard error.
int reportUnbound(const std::string &Function, const std::vector<Unknown> &Unknowns);

} // namespace ergon

#endif
