//===- RowResponses.cpp - what a profile makes of rows of samples ---------===//

#include "model/fit/RowResponses.h"

#include <optional>
#include <span>
#include <utility>

namespace ergon {

Setting profileSetting(const Machine &M, const Setting &OfRow) {
  Setting Result = OfRow;
  for (const Setting &Known : M.Settings)
    if (Known.sameClocks(OfRow)) {
      if (!Result.CoreMv)
        Result.CoreMv = Known.CoreMv;
      if (!Result.MemMv)
        Result.MemMv = Known.MemMv;
      if (!Result.ActualCoreMhz)
        Result.ActualCoreMhz = Known.ActualCoreMhz;
    }
  return Result;
}

static std::vector<Setting> settingsWith(const Machine &M, const Samples &S,
                                         const std::vector<std::size_t> &Numbers) {
  std::vector<Setting> Result;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (Numbers[Row] == Result.size())
      Result.push_back(profileSetting(M, S.Rows[Row].Clocks));
  return Result;
}

RowResponses::RowResponses(const Machine &M, const Samples &S)
    : S(S), Settings(settingsOf(S)), Prepared(M, settingsWith(M, S, Settings), S.Classes) {}

Response RowResponses::of(std::size_t Row) const {
  Piece Work;
  for (const std::optional<double> &Count : S.Rows[Row].Counts)
    Work.Amounts.push_back(Count.value_or(0));
  return Prepared.response(Settings[Row], std::span(&Work, 1));
}

} // namespace ergon
