//===- RecordStore.h - the cost records of a folder -------------*- C++ -*-===//
//
// Opens the records of a folder and finds functions in them. Functions are parsed on demand.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/record/RecordFormat.h"
#include "model/program/Program.h"
#include "model/program/Run.h"

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace ergon {

/// A folder of records, with libraries and runs.
struct RecordSource {
  std::string Directory{};              ///< holds the records, as `*.ergon.json`
  std::vector<std::string> Libraries{}; ///< files that say what library calls cost
  std::vector<std::string> Runs{};      ///< run records, or folders of them
  /// Of the program: what the runs counted is fitted to these where they had others (Runs::fitTo).
  std::optional<std::vector<std::string>> Arguments{};
};

/// Selects a function of the records.
struct FunctionQuery {
  std::string Entry{};    ///< demangled name with or without parameters, or mangled
  std::string Snapshot{}; ///< empty: `algorithm`, or `source` where there is no other
  std::string Unit{};     ///< part of the source file's name, to tell two apart
  std::string Target{};   ///< part of the target triple
  bool AsRun = false;     ///< as the runs had it, where they did (Function::AsRun)
};

/// Receives remarks that are no errors: one line of text. May be empty.
using NoticeHandler = std::function<void(const std::string &)>;

/// A function's position in the store.
struct FunctionRef {
  const RecordFile *File;
  const RecordFile::Entry *Entry;
  /// Set where it was found by an alias.
  const RecordFile::OtherName *As = nullptr;

  /// Of the name that was asked for: no other unit sees it; another definition may replace it.
  bool isLocal() const { return As ? As->IsLocal : Entry->IsLocal; }
  bool isWeak() const { return As ? As->IsWeak : Entry->IsWeak; }
};

using RecordFiles = std::vector<std::shared_ptr<const RecordFile>>;

/// The records of a folder. A loaded function lives as long as the store.
class RecordStore {
public:
  /// Over opened records of \p Directory. Unknowns have the values of \p Counted.
  RecordStore(std::string Directory, Detail HowMuch, RecordFiles Files, Runs Counted = {},
              NoticeHandler Notice = {})
      : Directory(std::move(Directory)), HowMuch(HowMuch), Counted(std::move(Counted)),
        Notice(std::move(Notice)), Files(std::move(Files)) {}
  /// Opens every record in the folder of \p From. Of two records of one translation unit and target
  /// the newer is used, with a notice. Reads \p HowMuch of the functions. Unknowns have the values
  /// of the runs of \p From. With \p Skipped, an unreadable record is skipped and reported there;
  /// otherwise it is the error.
  static std::expected<RecordStore, Error> open(const RecordSource &From, Detail HowMuch,
                                                const NoticeHandler &Notice = {},
                                                std::vector<Error> *Skipped = nullptr);
  /// The same records, not read again, with the values of \p Other.
  RecordStore withRuns(Runs Other) const {
    return {Directory, HowMuch, Files, std::move(Other), Notice};
  }

  /// The same records and runs with all of each function, which are read when they are asked for:
  /// few questions need each access, and accesses are half of a function.
  RecordStore &detailed();

  /// The runs that unknowns have their values of.
  const Runs &runs() const { return Counted; }
  /// The folder, as it was given.
  const std::string &directory() const { return Directory; }
  /// The functions of a snapshot that \p Wanted names; all without an entry. Of several definitions
  /// in translation units, the linker's choice; a notice reports differences.
  std::vector<FunctionRef> select(const FunctionQuery &Wanted);
  /// The one function that \p Wanted names. Error: none, or several.
  std::expected<FunctionRef, Error> find(const FunctionQuery &Wanted);

  /// The position of a loaded function.
  const FunctionRef &refOf(const Function &F) const { return Origin.at(&F); }
  /// Parses it, once.
  std::expected<const Function *, Error> load(const FunctionRef &Ref);
  /// Definitions for calls, in the snapshot and target of the caller. An error
  /// in a callee's record is kept in \p Failure.
  FunctionLookup lookup(std::optional<Error> &Failure);

private:
  std::string Directory;
  Detail HowMuch;
  FormulaCache Formulas;
  Runs Counted;
  NoticeHandler Notice;
  RecordFiles Files;
  std::unordered_map<const RecordFile::Entry *, std::unique_ptr<Function>> Loaded;
  std::unordered_map<const Function *, FunctionRef> Origin;
  /// A definition of a name, and its function, if it was called by that name; else null.
  struct Definition {
    FunctionRef Ref;
    const Function *Called = nullptr;
  };
  std::unordered_multimap<std::string_view, Definition> ByName; // filled by lookup()
  std::unique_ptr<RecordStore> Detailed;                        // null until it is asked for
  std::set<std::string> Reported; // names with several different definitions
  /// Two records of one function whose texts differ.
  struct Copies {
    bool AreSame = false; ///< apart from names
    std::size_t UnnamedOfFirst = 0, UnnamedOfSecond = 0;
  };
  std::map<std::pair<const RecordFile::Entry *, const RecordFile::Entry *>, Copies> Compared;

  /// Classes by target and name; null where units describe one differently.
  std::optional<std::map<std::pair<std::string_view, std::string_view>, const ObjectType *>> Types;
  const ObjectType *typeIn(const std::string &Target, const std::string &Class);

  const Copies &compare(const FunctionRef &First, const FunctionRef &Second);

  /// Replaces \p Held by \p Next where it is the better definition for a call in \p From.
  void choose(FunctionRef &Held, const FunctionRef &Next, const FunctionRef *From);

  /// Debug info of optimized device code has no names; takes them from the kernel's host stub.
  void nameKernelParameters(Function &Kernel);
  const Function *callee(const std::string &Name, const Function &Caller,
                         std::optional<Error> &Failure);
  const Function *loaded(const FunctionRef &Ref, std::optional<Error> &Failure);
};

/// `ns::f` of `void ns::f<int>(int) const`: without return type and parameters.
std::string_view baseName(std::string_view Demangled);

/// The path of \p File, from \p Directory where it is relative, without `.` and `..`.
std::string normalPath(const std::string &Directory, const std::string &File);

} // namespace ergon
