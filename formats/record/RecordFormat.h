//===- RecordFormat.h - cost records ----------------------------*- C++ -*-===//
//
// A cost record is what the plugin writes for one translation unit and target:
// an `ergon-record/1` document whose functions stand one to a line, each line
// beginning with its names. So a reader finds a function without parsing the
// others. What predictions of costs do not need, most of a function, is its
// `details`, on the next line: they are parsed where they are asked for. A
// document in another layout (one that a script wrote again) is brought to
// this one first.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "formats/json/FileText.h"
#include "model/program/Function.h"

#include <deque>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ergon {

inline constexpr std::string_view RecordSchema = "ergon-record/1";
/// How the files are named: `<source>-<hash>.ergon.json`.
inline constexpr std::string_view RecordSuffix = ".ergon.json";

/// The document for a unit and its functions; ends with a line break.
std::string writeRecord(const Unit &U, const std::vector<Function> &Functions);

class RecordFile;
/// The document that writeRecord() writes for the same functions compiled in another folder.
std::string movedRecord(const RecordFile &File, const Unit &To);

/// The name of a unit's file, without a folder: another for each source file, target and object
/// file, whatever folder the compiler runs in. A long one is cut: the hash is of the whole.
std::string recordFileName(const Unit &U);

/// Parsed formulas by their text: a program has few different ones.
class FormulaCache {
public:
  /// Parses it where it is new.
  std::expected<Expr, Error> parse(std::string_view Text);

private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view Text) const {
      return std::hash<std::string_view>()(Text);
    }
  };
  std::unordered_map<std::string, Expr, Hash, std::equal_to<>> Known;
};

/// How much of a function is read.
enum class Detail {
  Costs,   ///< without accesses, but those through generic pointers, whose space a caller says
  Traffic, ///< the same for questions that may ask for all; and the lines of formulas
  Lines,   ///< and the part of each source line in the costs
  All
};

/// A record whose functions are parsed when they are asked for.
class RecordFile {
public:
  struct OtherName {
    std::string_view Name;
    bool IsLocal = false, IsWeak = false;
  };
  struct Entry {
    std::string_view Name, Demangled, Snapshot;
    bool IsLocal = false, IsWeak = false;
    std::vector<OtherName> Aliases;
    std::string_view Line; // the function's JSON; of a long one packed (PackedText.h)
    std::size_t Costs = 0; // how much of it stands before its details, where it has any; else 0
  };

  /// Reads the unit and finds the functions of \p Text, the content of \p Path.
  /// Error: not a whole record, or one of another schema version.
  static std::expected<RecordFile, Error> open(FileText Text, const std::string &Path);

  /// The path as given to open(), the unit, and the functions in the order of the document.
  const std::string &path() const { return Path; }
  const Unit &unit() const { return Recorded; }
  const std::vector<Entry> &functions() const { return Entries; }
  /// A function's code may be read later on, for which this text must still be there. Error: a key
  /// or a formula in what is read of the function is wrong.
  std::expected<std::unique_ptr<Function>, Error> load(const Entry &Which, Detail HowMuch,
                                                       FormulaCache &Formulas) const;

private:
  std::string Path;
  FileText Text;                     // the entries point into it
  std::deque<std::string> Unescaped; // and into these
  Unit Recorded;
  std::vector<Entry> Entries;
};

} // namespace ergon
