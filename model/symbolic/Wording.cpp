//===- Wording.cpp - numbers and names in messages ------------------------===//

#include "model/symbolic/Wording.h"

#include <algorithm>
#include <sstream>

namespace ergon {

std::string shortNumber(double Value) {
  std::ostringstream Out;
  Out.precision(4);
  Out << Value;
  return Out.str();
}

void unite(std::vector<std::string> &All, const std::vector<std::string> &Names) {
  for (const std::string &Name : Names)
    if (std::ranges::find(All, Name) == All.end())
      All.push_back(Name);
}

std::string listed(const std::vector<std::string> &Names) {
  constexpr std::size_t Most = 6;
  const std::size_t Shown = Names.size() > Most ? Most - 1 : Names.size();
  std::string Result;
  for (std::size_t K = 0; K != Shown; ++K) {
    if (K)
      Result += K + 1 == Names.size() ? " and " : ", ";
    Result += Names[K];
  }
  if (Shown != Names.size())
    Result += " and " + std::to_string(Names.size() - Shown) + " more";
  return Result;
}

std::string inLines(const std::vector<std::size_t> &Lines) {
  std::vector<std::string> Numbers;
  Numbers.reserve(Lines.size());
  for (std::size_t Line : Lines)
    Numbers.push_back(std::to_string(Line));
  return (Lines.size() == 1 ? "line " : "lines ") + listed(Numbers);
}

} // namespace ergon
