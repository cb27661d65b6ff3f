//===- Cases.h - documents that go wrong, as patches ------------*- C++ -*-===//
//
// Reads what test/profiles/cases.py says.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "formats/json/Json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ergon {

struct Case {
  std::string Name, Text;
  std::string Expected; ///< the lines, each with its end
  std::string Nearly;   ///< a document that is right, empty where the case has none
};

inline std::string readTestFile(const std::filesystem::path &Path) {
  std::expected<std::string, Error> Text = readTextFile(Path);
  EXPECT_TRUE(Text) << Path;
  return Text.value_or("");
}

/// Folder/List.json; and, where they are, the files of Folder/List: texts that no patch makes, each
/// with its lines in NAME.expected.
inline std::vector<Case> readCases(const std::filesystem::path &Folder, const std::string &List) {
  using nlohmann::json;
  std::vector<Case> Cases;
  for (const json &J : json::parse(readTestFile(Folder / (List + ".json")))) {
    const std::string Base = J.at("base");
    const json Document =
        json::parse(readTestFile(Folder / "good" / (Base + ".json"))).patch(J.at("patch"));
    std::string Expected;
    for (const std::string Line : J.at("expected"))
      Expected += Line + "\n";
    Cases.push_back({J.at("name"), Document.dump(), Expected,
                     J.contains("nearly") ? Document.patch(J["nearly"]).dump() : ""});
  }
  if (std::filesystem::is_directory(Folder / List))
    for (const auto &Entry : std::filesystem::directory_iterator(Folder / List))
      if (std::filesystem::path File = Entry.path(); File.extension() == ".json")
        Cases.push_back({File.stem(), readTestFile(File),
                         readTestFile(File.replace_extension(".expected")), ""});
  EXPECT_FALSE(Cases.empty());
  return Cases;
}

} // namespace ergon
