//===- RecordFormat.h - cost records --------------------------*- C++ -*-===//
//
// A cost record is what the plugin writes for one translation unit and target:
// an `ergon-record/1` document whose functions stand one to a line, each line
// beginning with its names. So a reader finds a function without parsing the
// others; a document in another layout (one that a script wrote again) is
// brought to this one first.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_FORMATS_RECORDFORMAT_H
#define ERGON_FORMATS_RECORDFORMAT_H

#include "formats/Json.h"
#include "model/Function.h"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

inline constexpr std::string_view RecordSchema = "ergon-record/1";
/// How the files are named: `<source>-<hash>.ergon.json`.
inline constexpr std::string_view RecordSuffix = ".ergon.json";

/// The document for a unit and its functions; ends with a line break.
std::string writeRecord(const Unit &Of, const std::vector<Function> &Functions);

/// A record whose functions are parsed when they are asked for.
class RecordFile {
public:
  struct Entry {
    std::string Name, Demangled, Snapshot;
    bool IsLocal = false, IsWeak = false;
    std::string_view Line; // the function's JSON, in the record's text
  };

  /// Reads the unit and finds the functions of \p Text, the content of \p Path.
  /// Error: not a whole record, or one of another schema version.
  static std::expected<RecordFile, Error> open(std::string Text, const std::string &Path);

  const std::string &path() const { return Path; }
  const Unit &unit() const { return Of; }
  const std::vector<Entry> &functions() const { return Entries; }
  /// Error: a key or a formula in the function's line is wrong.
  std::expected<Function, Error> load(const Entry &Which) const;

private:
  std::string Path;
  std::unique_ptr<std::string> Text; // the entries' lines point into it
  Unit Of;
  std::vector<Entry> Entries;
};

} // namespace ergon

#endif
