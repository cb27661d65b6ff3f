//===- ClocksText.cpp - clocks on the command line ------------------------===//

#include "tools/base/ClocksText.h"
#include "formats/json/NumberText.h"

#include <algorithm>
#include <ranges>

namespace ergon {

std::optional<GivenClocks> parseClocks(std::string_view Text) {
  static constexpr double LeastMhz = 1, MostMhz = 1e6;
  GivenClocks Result;
  const bool IsNamed = Text.find('=') != std::string_view::npos;
  std::size_t Place = 0;
  for (auto Part : std::views::split(Text, IsNamed ? ',' : '/')) {
    std::string_view Word(Part.begin(), Part.end());
    std::optional<double> *To = Place == 0   ? &Result.CoreMhz
                                : Place == 1 ? &Result.MemMhz
                                             : nullptr;
    if (IsNamed) {
      To = Word.starts_with("core=")  ? &Result.CoreMhz
           : Word.starts_with("mem=") ? &Result.MemMhz
                                      : nullptr;
      Word.remove_prefix(std::min(Word.size(), Word.find('=') + 1));
    }
    const auto Number = parseNumber(Word);
    const double Mhz = Number ? Number->get_d() : 0;
    if (!To || *To || !(Mhz >= LeastMhz && Mhz <= MostMhz))
      return std::nullopt;
    *To = Mhz;
    ++Place;
  }
  return Place == 0 ? std::nullopt : std::optional(Result);
}

} // namespace ergon
