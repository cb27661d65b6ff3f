//===- Script.cpp - a meter that says what a file tells it ----------------===//
//
// For tests. Each reading takes the next line: a count of nanojoules, `later` for no news, or
// another word, with which the meter ends and which is the reason. After the last line the count
// stays. A first line `range N` states where the counter goes around.
//
//===----------------------------------------------------------------------===//

#include "runtime/meters/GrowingFile.h"
#include "runtime/meters/Meter.h"

#include <cstring>

namespace ergon::runtime {
namespace {

class Script final : public CounterMeter {
public:
  Script(const std::string &File, GrowingFile Lines, std::uint64_t Range)
      : CounterMeter("script:" + File, "nothing", 0, 1, Range), Lines(std::move(Lines)) {}

private:
  GrowingFile Lines;
  std::uint64_t Now = 0;

  Outcome count(std::uint64_t &Raw) override {
    if (auto Line = Lines.peek()) {
      Lines.advance();
      if (*Line == "later")
        return Outcome::NoNews;
      auto Count = readDecimal(*Line, 0);
      if (!Count) {
        char Why[64] = "";
        Line->copy(Why, sizeof Why - 1);
        return end(Why);
      }
      Now = std::uint64_t(*Count);
    } else if (Lines.what()) {
      return end(Lines.what(), Lines.error());
    }
    Raw = Now;
    return Outcome::Read;
  }
};

} // namespace

void findScript(FoundMeters &Result, const std::string &File) {
  GrowingFile Lines(File);
  std::uint64_t Range = 0;
  if (auto Line = Lines.peek(); Line && Line->starts_with("range ")) {
    Range = std::uint64_t(readDecimal(Line->substr(6), 0).value_or(0));
    Lines.advance();
  }
  Result.Meters.push_back(std::make_unique<Script>(File, std::move(Lines), Range));
}

} // namespace ergon::runtime
