//===- Suggest.cpp - names nearest to a mistyped one ----------------------===//

#include "predict/text/Suggest.h"
#include "model/symbolic/Wording.h"

#include "formats/json/Error.h"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

namespace ergon {

static char lower(char C) { return C >= 'A' && C <= 'Z' ? C - 'A' + 'a' : C; }

/// Edit distance with swaps of neighbours (optimal string alignment).
static std::size_t distance(std::string_view A, std::string_view B) {
  std::vector<std::size_t> Before, Last(B.size() + 1), Row(B.size() + 1);
  for (std::size_t J = 0; J <= B.size(); ++J)
    Last[J] = J;
  for (std::size_t I = 1; I <= A.size(); ++I) {
    Row[0] = I;
    for (std::size_t J = 1; J <= B.size(); ++J) {
      auto IsSame = [&](std::size_t X, std::size_t Y) {
        return lower(A[X - 1]) == lower(B[Y - 1]);
      };
      Row[J] = std::min({Last[J] + 1, Row[J - 1] + 1, Last[J - 1] + !IsSame(I, J)});
      if (I > 1 && J > 1 && IsSame(I, J - 1) && IsSame(I - 1, J))
        Row[J] = std::min(Row[J], Before[J - 2] + 1);
    }
    Before = std::exchange(Last, Row);
  }
  return Last[B.size()];
}

std::optional<std::string> nearestName(std::string_view Wanted,
                                       std::span<const std::string> Candidates) {
  const std::string *Best = nullptr;
  std::size_t BestDistance = 0;
  for (const std::string &Candidate : Candidates) {
    const std::size_t D = distance(Wanted, Candidate);
    if (D <= std::max<std::size_t>(1, Candidate.size() / 3) && (!Best || D < BestDistance)) {
      Best = &Candidate;
      BestDistance = D;
    }
  }
  return Best ? std::optional(*Best) : std::nullopt;
}

std::string suggestName(std::string_view Wanted, std::span<const std::string> Candidates) {
  constexpr std::size_t Shown = 12;
  std::string Text;
  if (std::optional<std::string> Nearest = nearestName(Wanted, Candidates))
    Text = "did you mean " + inQuotes(*Nearest) + "? ";
  Text += Candidates.empty() ? "there are none" : "there are: ";
  Text += joined(Candidates | std::views::take(Shown));
  if (Candidates.size() > Shown)
    Text += " and " + std::to_string(Candidates.size() - Shown) + " more";
  return Text;
}

} // namespace ergon
