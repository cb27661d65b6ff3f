//===- AccessDomains.cpp - iteration domains of a program's accesses ------===//

#include "model/traffic/AccessDomain.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <span>

namespace ergon {

AccessDomains::AccessDomains(const ProgramForm &Form, unsigned LineBytes, std::size_t Runs)
    : Subject(Form), LineBytes(LineBytes), Known(Form.accesses().size()),
      Whole(Form.accesses().size()), Left{Runs} {
  // One covers another only of the same object, in the same loop or in one around it.
  std::map<std::pair<unsigned, const LoopForm *>, std::vector<unsigned>> Together;
  for (unsigned A = 0; A != Form.accesses().size(); ++A) {
    const AccessForm &AF = Form.accesses()[A];
    Together[{AF.Access->Object, AF.Path.empty() ? nullptr : AF.Path.back()}].push_back(A);
  }
  for (unsigned A = 0; A != Form.accesses().size(); ++A) {
    const AccessForm &AF = Form.accesses()[A];
    unsigned First = unsigned(Form.accesses().size());
    for (std::size_t Depth = 0; Depth <= AF.Path.size(); ++Depth) {
      auto Found = Together.find({AF.Access->Object, Depth == 0 ? nullptr : AF.Path[Depth - 1]});
      if (Found == Together.end())
        continue;
      for (unsigned B : Found->second) {
        if (B >= First)
          break;
        if (B != A && covers(B, A) && (B < A || !covers(A, B)))
          First = B;
      }
    }
    Covers.push_back(First == Form.accesses().size() ? A : First);
  }
}

std::vector<unsigned> AccessDomains::unfollowed() const {
  std::vector<unsigned> Result;
  for (unsigned A = 0; A != Known.size(); ++A)
    if (std::ranges::any_of(
            Known[A], [](const auto &Item) { return Item && Item->isCut() && !Item->isLinear(); }))
      Result.push_back(A);
  return Result;
}

std::vector<unsigned> AccessDomains::scattered() const {
  std::vector<std::pair<std::size_t, unsigned>> Most; // runs and access, the most runs first
  std::vector<unsigned> Result;
  std::size_t All = 0;
  for (unsigned A = 0; A != Known.size(); ++A) {
    std::size_t Runs = 0;
    bool IsCut = false;
    for (const auto &Item : Known[A])
      if (Item && Item->isLinear()) {
        Runs += Item->runs();
        IsCut |= Item->isCut();
      }
    if (IsCut)
      Result.push_back(A);
    else if (Runs != 0)
      Most.emplace_back(Runs, A);
    All += Runs;
  }
  if (!Result.empty() || !isSpent())
    return Result;
  std::ranges::sort(Most, std::greater<>());
  std::size_t Rest = All;
  for (auto Next = Most.begin(); Next != Most.end() && Rest > All / 8; ++Next) {
    Rest -= Next->first;
    Result.push_back(Next->second);
  }
  return Result;
}

/// Whether \p Single runs in every iteration in which \p Other does, and touches the same lines.
bool AccessDomains::covers(unsigned Single, unsigned Other) const {
  const AccessForm &Wide = Subject.accesses()[Single], &Narrow = Subject.accesses()[Other];
  if (Wide.Access->Object != Narrow.Access->Object || Wide.Path.size() > Narrow.Path.size() ||
      (Wide.Access->What == Access::Kind::Load && Narrow.Access->What != Access::Kind::Load) ||
      !Wide.Offset || !Wide.Offset->affine() || !Narrow.Offset || !Narrow.Offset->affine())
    return false;
  const AffineForm &Its = *Wide.Offset->affine(), &Own = *Narrow.Offset->affine();
  auto isZero = [](std::int64_t Step) { return Step == 0; };
  const std::size_t Depth = Its.Steps.size();
  if (!std::equal(Its.Steps.begin(), Its.Steps.end(), Own.Steps.begin()) ||
      !std::all_of(Own.Steps.begin() + std::ptrdiff_t(Depth), Own.Steps.end(), isZero) ||
      !std::ranges::equal(Wide.Path, std::span(Narrow.Path).first(Depth)))
    return false;
  // With stride 0 only the line matters.
  const int Shift = std::ranges::all_of(Its.Steps, isZero) ? std::countr_zero(LineBytes) : 0;
  auto unitOf = [&](std::int64_t Byte) { return (Wide.Base + Byte) >> Shift; };
  if (unitOf(Own.Constant) < unitOf(Its.Constant) ||
      unitOf(Own.Constant + Narrow.Access->Bytes - 1) >
          unitOf(Its.Constant + Wide.Access->Bytes - 1))
    return false;
  return std::ranges::all_of(Wide.Conditions, [&](const Condition &C) {
    return std::ranges::any_of(Narrow.Conditions,
                               [&](const Condition &Equal) { return isSame(C, Equal); });
  });
}

/// The lines of an access that goes to random lines of its object: all, once it starts so often
/// that the expected number of lines left out is below half a line; none before.
const LineSet &AccessDomains::linesAnywhere(unsigned Access, const DomainQuery &Query) {
  static const LineSet None;
  const AccessForm &Form = Subject.accesses()[Access];
  Anywhere &A = Whole[Access];
  if (A.Starts.empty()) {
    const std::int64_t First = Form.Base + floorOf(Form.Anywhere->First).get_si(),
                       End = Form.Base + floorOf(Form.Anywhere->End).get_si();
    std::vector<LineRange> Range{{First / LineBytes, (End - 1) / LineBytes + 1}};
    A.Lines.assign(Range);
    const auto &From = Form.Access->From;
    const std::size_t Inside = From ? std::min<std::size_t>(From->Loops, Form.Path.size()) : 0;
    const double All = Inside ? runsAround(Form, Form.Path.size() - Inside) : runsOf(Form);
    for (std::size_t Loops = 0; Loops <= Form.Path.size(); ++Loops)
      A.Starts.push_back(All / std::max(1.0, runsAround(Form, Loops)));
  }
  const std::size_t Fixed = Query.Around.size();
  double Starts = A.Starts[Fixed];
  if (Query.Some && Fixed != Form.Path.size())
    Starts =
        std::min(Starts, A.Starts[Fixed + 1] * double(Query.Some->Last - Query.Some->First + 1));
  const double Count = double(A.Lines.count());
  return Starts >= Count * std::log(2 * Count) ? A.Lines : None;
}

const LineSet &AccessDomains::linesOf(unsigned Access, const DomainQuery &Query) {
  static const LineSet None;
  const AccessForm &Form = Subject.accesses()[Access];
  if (Form.Anywhere)
    return linesAnywhere(Access, Query);
  if (!Form.Offset)
    return None;
  const std::size_t Fixed = Query.Around.size();
  auto &Systems = Known[Access];
  Systems.resize(2 * (Form.Path.size() + 1));
  auto &System = Systems[2 * Fixed + Query.Range.has_value()];
  if (!System)
    System = std::make_unique<AccessDomain>(Form, Fixed, Query.Range.has_value(), LineBytes);
  return System->linesOf(Query, Memory, Left);
}

} // namespace ergon
