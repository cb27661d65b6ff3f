//===- PlaceSystems.cpp - where a program's accesses go while loops run ---===//

#include "model/traffic/PlaceSystem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace ergon {

PlaceSystems::PlaceSystems(const ProgramForm &Of, unsigned LineBytes)
    : Of(Of), LineBytes(LineBytes), Known(Of.accesses().size()), Whole(Of.accesses().size()) {
  for (unsigned A = 0; A != Of.accesses().size(); ++A) {
    Covers.push_back(A);
    for (unsigned B = 0; B != Of.accesses().size() && Covers[A] == A; ++B)
      if (B != A && covers(B, A) && (B < A || !covers(A, B)))
        Covers[A] = B;
  }
}

bool PlaceSystems::isCut() const {
  return std::ranges::any_of(Known, [](const auto &OfAccess) {
    return std::ranges::any_of(OfAccess, [](const auto &Each) { return Each && Each->isCut(); });
  });
}

std::vector<unsigned> PlaceSystems::unfollowed() const {
  std::vector<unsigned> Result;
  for (unsigned A = 0; A != Known.size(); ++A)
    if (std::ranges::any_of(
            Known[A], [](const auto &Each) { return Each && Each->isCut() && !Each->isLinear(); }))
      Result.push_back(A);
  return Result;
}

/// Whether \p One runs where \p Other does, in the loops that it is in, and touches the same.
bool PlaceSystems::covers(unsigned One, unsigned Other) const {
  const AccessForm &Wide = Of.accesses()[One], &Narrow = Of.accesses()[Other];
  if (Wide.Of->Object != Narrow.Of->Object || Wide.Path.size() > Narrow.Path.size() ||
      (Wide.Of->What == Access::Kind::Load && Narrow.Of->What != Access::Kind::Load) ||
      !Wide.Offset || !Wide.Offset->affine() || !Narrow.Offset || !Narrow.Offset->affine())
    return false;
  const AffineForm &Its = *Wide.Offset->affine(), &Own = *Narrow.Offset->affine();
  auto isZero = [](std::int64_t Step) { return Step == 0; };
  const std::size_t Depth = Its.Steps.size();
  if (!std::equal(Its.Steps.begin(), Its.Steps.end(), Own.Steps.begin()) ||
      !std::all_of(Own.Steps.begin() + std::ptrdiff_t(Depth), Own.Steps.end(), isZero) ||
      !std::ranges::equal(Wide.Path, std::span(Narrow.Path).first(Depth)))
    return false;
  // Where nothing moves, the lines are what counts.
  const int Shift = std::ranges::all_of(Its.Steps, isZero) ? std::countr_zero(LineBytes) : 0;
  auto unitOf = [&](std::int64_t Byte) { return (Wide.Base + Byte) >> Shift; };
  if (unitOf(Own.Constant) < unitOf(Its.Constant) ||
      unitOf(Own.Constant + Narrow.Of->Bytes - 1) > unitOf(Its.Constant + Wide.Of->Bytes - 1))
    return false;
  return std::ranges::all_of(Wide.Conditions, [&](const Condition &Each) {
    return std::ranges::any_of(Narrow.Conditions,
                               [&](const Condition &Same) { return isSame(Each, Same); });
  });
}

/// Of an access that goes to any line of its object each time that it starts: all of them, once it
/// starts so often that in the mean not half a line is left out; before that, none.
const LineSet &PlaceSystems::linesAnywhere(unsigned Access, const PlaceQuery &Query) {
  static const LineSet None;
  const AccessForm &Form = Of.accesses()[Access];
  Anywhere &Here = Whole[Access];
  if (Here.Starts.empty()) {
    const std::int64_t First = Form.Base + floorOf(Form.Anywhere->First).get_si(),
                       End = Form.Base + floorOf(Form.Anywhere->End).get_si();
    std::vector<LineRange> Range{{First / LineBytes, (End - 1) / LineBytes + 1}};
    Here.Lines.assign(Range);
    const auto &From = Form.Of->From;
    const std::size_t Inside = From ? std::min<std::size_t>(From->Loops, Form.Path.size()) : 0;
    const double All = Inside ? runsAround(Form, Form.Path.size() - Inside) : runsOf(Form);
    for (std::size_t Loops = 0; Loops <= Form.Path.size(); ++Loops)
      Here.Starts.push_back(All / std::max(1.0, runsAround(Form, Loops)));
  }
  const std::size_t Fixed = Query.Around.size();
  double Starts = Here.Starts[Fixed];
  if (Query.Some && Fixed != Form.Path.size())
    Starts =
        std::min(Starts, Here.Starts[Fixed + 1] * double(Query.Some->Last - Query.Some->First + 1));
  const double Count = double(Here.Lines.count());
  return Starts >= Count * std::log(2 * Count) ? Here.Lines : None;
}

const LineSet &PlaceSystems::linesOf(unsigned Access, const PlaceQuery &Query) {
  static const LineSet None;
  const AccessForm &Form = Of.accesses()[Access];
  if (Form.Anywhere)
    return linesAnywhere(Access, Query);
  if (!Form.Offset)
    return None;
  const std::size_t Fixed = Query.Around.size();
  auto &Systems = Known[Access];
  Systems.resize(2 * (Form.Path.size() + 1));
  auto &System = Systems[2 * Fixed + Query.Within.has_value()];
  if (!System)
    System = std::make_unique<PlaceSystem>(Form, Fixed, Query.Within.has_value(), LineBytes);
  return System->linesOf(Query, Memory, Effort);
}

} // namespace ergon
