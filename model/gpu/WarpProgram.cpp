//===- WarpProgram.cpp - a kernel's accesses, warp by warp ----------------===//

#include "model/gpu/WarpProgram.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ergon {

std::array<std::int64_t, 3> LaunchSize::blockAt(std::int64_t Number) const {
  return {Number % Grid[0], Number / Grid[0] % Grid[1], Number / Grid[0] / Grid[1]};
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

class WarpProgram::Compiler {
public:
  explicit Compiler(WarpProgram &Result) : Target(Result) {}

  /// Consecutive items with equal conditions test them once.
  void add(const AccessNest &From, Nest &To) {
    for (auto First = From.Items.begin(); First != From.Items.end();) {
      auto Past = std::find_if(First + 1, From.Items.end(),
                               [&](const AccessItem &AI) { return AI.Runs != First->Runs; });
      Failure.reset();
      Item Together;
      runs(First->Runs, Together, locationOf(*First));
      std::optional<Error> NotKnown = Failure;
      for (; First != Past; ++First) {
        if (NotKnown)
          leaveOpen(*First, *NotKnown);
        else
          addOne(*First, Together.Inner ? *Together.Inner : Together.Inner.emplace());
      }
      if (Together.Inner)
        To.Items.push_back(std::move(Together));
    }
  }

private:
  WarpProgram &Target;
  std::vector<std::string> Iterations;
  std::optional<Error> Failure; ///< of the current item

  static const SourceLocation &locationOf(const AccessItem &Item) {
    auto *Access = std::get_if<MemoryAccess>(&Item.What);
    return Access ? Access->Location : std::get<AccessNest>(Item.What).Location;
  }

  /// Compiles \p AI, without its conditions.
  void addOne(const AccessItem &AI, Nest &To) {
    Item Next;
    if (auto *Access = std::get_if<MemoryAccess>(&AI.What)) {
      if (Access->Offset)
        Next.Offset = WarpFormula::compile(*Access->Offset, Iterations);
      Next.Access = unsigned(Target.Accesses.size());
      Target.Accesses.push_back(Access);
      To.Items.push_back(std::move(Next));
      return;
    }
    const AccessNest &Loop = std::get<AccessNest>(AI.What);
    Nest &Inner = Next.Inner.emplace();
    if (Loop.Variable.empty()) {
      add(Loop, Inner);
    } else {
      Failure.reset();
      Inner.Last = formula(Loop.Last, Loop.Location);
      if (Failure)
        return leaveOpen(AI, *Failure);
      Iterations.push_back(Loop.Variable);
      add(Loop, Inner);
      Iterations.pop_back();
    }
    To.Items.push_back(std::move(Next));
  }

  /// The number of runs of \p Item, and of what is in it, is unknown.
  void leaveOpen(const AccessItem &Item, const Error &Why) {
    if (auto *Access = std::get_if<MemoryAccess>(&Item.What)) {
      Target.Open.emplace(unsigned(Target.Accesses.size()), Why);
      Target.Accesses.push_back(Access);
      return;
    }
    for (const AccessItem &AI : std::get<AccessNest>(Item.What).Items)
      leaveOpen(AI, Why);
  }

  WarpFormula formula(const Expr &E, const SourceLocation &Location) {
    if (auto Result = WarpFormula::compile(E, Iterations))
      return *Result;
    if (!Failure)
      Failure = failure(E, Location);
    return {};
  }

  /// Why \p E cannot be evaluated in each thread.
  Error failure(const Expr &E, const SourceLocation &Location) const {
    std::string Where = Location.isValid() ? "what runs at " + Location.text() : "what runs";
    std::set<std::string> Symbols;
    E.collectSymbols(Symbols);
    for (const std::string &Name : Symbols)
      if (std::ranges::find(Iterations, Name) == Iterations.end() &&
          !Name.starts_with("threadIdx.") && !Name.starts_with("blockIdx."))
        return {Where + " depends on " + quoteSymbol(Name), "", "give it a value"};
    return {Where + " depends on a formula that is too deep or has too large numbers: " +
                toText(E).substr(0, 80),
            "", "choose a smaller launch"};
  }

  static bool isProductOfConditions(const Term &T) {
    return std::ranges::all_of(
        T.Factors, [](const auto &Factor) { return Factor.first->What == Atom::Kind::Indicator; });
  }

  /// \p Value is not negative. A product of conditions minus 1 becomes its factors, so that each
  /// cuts boxes separately.
  void condition(const Expr &Value, Item &I, const SourceLocation &Location) {
    Expr Product = Value + Expr(1);
    auto Terms = Product.terms();
    if (Terms.size() != 1 || Terms[0].Coefficient != Rational(1) || Terms[0].Factors.empty() ||
        !isProductOfConditions(Terms[0])) {
      I.Conditions.push_back(formula(Value, Location));
      return;
    }
    for (const auto &[Factor, Power] : Terms[0].Factors)
      condition(Factor->Operands[0], I, Location);
  }

  void runs(const Expr &Times, Item &I, const SourceLocation &Location) {
    auto Terms = Times.terms();
    bool IsProduct = Terms.size() == 1 && isProductOfConditions(Terms[0]);
    if (Terms.empty()) {
      I.Share = 0;
    } else if (IsProduct) {
      I.Share = Terms[0].Coefficient.get_d();
      for (const auto &[Factor, Power] : Terms[0].Factors)
        condition(Factor->Operands[0], I, Location);
    } else {
      const Rational Denominator = commonDenominator(Times);
      I.Share = 1 / Denominator.get_d();
      I.Times = formula(Times * Expr(Denominator), Location);
    }
    Target.HasShares |= I.Share != 0 && I.Share != 1;
  }
};

WarpProgram::WarpProgram(const AccessProgram &Program) { Compiler(*this).add(Program.Body, Body); }

//===----------------------------------------------------------------------===//
// Walk
//===----------------------------------------------------------------------===//

class WarpProgram::Walk {
public:
  Walk(std::int64_t &Effort, const std::function<void(const WarpVisit &)> &Visit,
       std::span<const IndexRange> IndexRanges)
      : Effort(Effort), Visit(Visit), IndexRanges(IndexRanges) {}
  bool IsComplete = true;

  void items(const Nest &N, const WarpBox &Box, double Weight) {
    for (const Item &I : N.Items)
      if (I.Share != 0)
        item(I, Box, Weight);
  }

private:
  std::int64_t &Effort;
  const std::function<void(const WarpVisit &)> &Visit;
  std::span<const IndexRange> IndexRanges; ///< by loop, the outermost first
  std::uint64_t Random = 1;
  double Share = 1; ///< of the runs of what is around that a lane takes part in

  /// Visits both parts of a box, or one that represents both.
  template <class Action> void cut(const WarpBox &Box, BoxCut Where, double Weight, Action Do) {
    WarpBox Low = Box, High = Box;
    Low.Ranges[Where.Variable].Last = Where.Position - 1;
    High.Ranges[Where.Variable].First = Where.Position;
    if (Effort > 0) {
      Do(Low, Weight);
      Do(High, Weight);
      return;
    }
    IsComplete = false;
    // A random point with equal probability (a linear congruential generator, Knuth's MMIX).
    Random = Random * 6364136223846793005u + 1442695040888963407u;
    double Share =
        double(Low.Ranges[Where.Variable].size()) / double(Box.Ranges[Where.Variable].size());
    if (double(Random >> 11) * 0x1p-53 < Share)
      Do(Low, Weight / Share);
    else
      Do(High, Weight / (1 - Share));
  }

  std::expected<WarpValue, BoxCut> over(const WarpFormula &Formula, const WarpBox &Box) {
    Effort -= Formula.size();
    return Formula.over(Box);
  }

  std::expected<LaneMask, BoxCut> lanesOf(const WarpFormula &Condition, const WarpBox &Box) {
    auto Value = over(Condition, Box);
    if (!Value)
      return std::unexpected(Value.error());
    return lanesNotNegative(*Value, Box);
  }

  /// Reduces the active lanes to those in which the item runs. Where they differ over the box,
  /// returns where to cut it.
  std::optional<BoxCut> applyConditions(const Item &I, WarpBox &Box) {
    std::optional<BoxCut> Cut;
    for (const WarpFormula &Condition : I.Conditions) {
      auto Lanes = lanesOf(Condition, Box);
      if (Lanes)
        Box.Active &= *Lanes;
      else if (!Cut)
        Cut = Lanes.error();
      if (!Box.Active)
        return std::nullopt; // whatever the others are
    }
    return Cut;
  }

  void item(const Item &I, WarpBox Box, double Weight) {
    auto Again = [&](const WarpBox &Part, double Times) { item(I, Part, Times); };
    if (auto Cut = applyConditions(I, Box))
      return cut(Box, *Cut, Weight, Again);
    if (!Box.Active)
      return;
    if (I.Times) {
      auto Value = over(*I.Times, Box);
      if (!Value)
        return cut(Box, Value.error(), Weight, Again);
      if (Value->hasSteps(Box)) // a count that depends on a variable: cut at each value
        return cut(Box, halfOf(*Value, Box), Weight, Again);
      return timed(I, Box, *Value, Weight);
    }
    runShare(I, Box, Weight, I.Share);
  }

  /// Each lane does it in \p Times of the runs.
  void runShare(const Item &I, const WarpBox &Box, double Weight, double Times) {
    const double Outer = std::exchange(Share, Share * std::min(1.0, Times));
    run(I, Box, Weight * Times);
    Share = Outer;
  }

  static BoxCut halfOf(const WarpValue &Value, const WarpBox &Box) {
    unsigned V = 0;
    while (Value.Steps[V] == 0 || Box.Ranges[V].isPoint())
      ++V;
    return {V, Box.Ranges[V].First + (Box.Ranges[V].size() + 1) / 2};
  }

  /// Groups lanes with equal execution counts.
  void timed(const Item &I, const WarpBox &Box, const WarpValue &Times, double Weight) {
    for (LaneMask Left = Box.Active; Left;) {
      std::int64_t Most = Times.Lane[unsigned(std::countr_zero(Left))];
      WarpBox Part = Box;
      Part.Active = 0;
      for (LaneMask Rest = Left; Rest; Rest &= Rest - 1)
        if (Times.Lane[unsigned(std::countr_zero(Rest))] == Most)
          Part.Active |= Rest & -Rest;
      Left &= ~Part.Active;
      if (Most > 0)
        runShare(I, Part, Weight, I.Share * double(Most));
    }
  }

  void run(const Item &I, const WarpBox &Box, double Weight) {
    auto Again = [&](const WarpBox &Part, double Times) { run(I, Part, Times); };
    if (!I.Inner) {
      if (!I.Offset)
        return Visit({I.Access, Box, Weight, Share, nullptr});
      auto Offset = over(*I.Offset, Box);
      if (!Offset)
        return cut(Box, Offset.error(), Weight, Again);
      return Visit({I.Access, Box, Weight, Share, &*Offset});
    }
    if (!I.Inner->Last)
      return items(*I.Inner, Box, Weight);
    auto Last = over(*I.Inner->Last, Box);
    if (!Last)
      return cut(Box, Last.error(), Weight, Again);
    WarpBox Inside = Box;
    std::int64_t Most = -1;
    for (LaneMask Left = Box.Active; Left; Left &= Left - 1)
      Most = std::max(Most, Last->Lane[unsigned(std::countr_zero(Left))]);
    unsigned Variable = Inside.Variables++;
    IndexRange &Range = Inside.Ranges[Variable];
    Range = {0, Most + Last->span(Box).Last};
    if (const unsigned Loop = Variable - 3; Loop < IndexRanges.size())
      Range = {std::max(Range.First, IndexRanges[Loop].First),
               std::min(Range.Last, IndexRanges[Loop].Last)};
    if (Range.Last < Range.First)
      return;
    Last->Steps[Variable] = -1;
    iterate(*I.Inner, *Last, Inside, Weight);
  }

  /// A loop's iterations: \p Left of them follow each.
  void iterate(const Nest &N, const WarpValue &Left, const WarpBox &Box, double Weight) {
    --Effort;
    auto Lanes = lanesNotNegative(Left, Box);
    if (!Lanes)
      return cut(Box, Lanes.error(), Weight,
                 [&](const WarpBox &Part, double Times) { iterate(N, Left, Part, Times); });
    if (!*Lanes)
      return;
    WarpBox Inside = Box;
    Inside.Active = *Lanes;
    items(N, Inside, Weight);
  }
};

bool WarpProgram::walk(const LaunchSize &Launch, std::int64_t Warp,
                       const std::array<IndexRange, 3> &Blocks, std::int64_t &Effort,
                       const std::function<void(const WarpVisit &)> &Visit,
                       std::span<const IndexRange> IndexRanges) const {
  WarpBox Box;
  for (unsigned L = 0; L != LanesOfWarp; ++L) {
    std::int64_t Thread = Warp * LanesOfWarp + L;
    if (Thread >= Launch.threads())
      break;
    Box.Active |= LaneMask(1) << L;
    Box.Threads[0][L] = Thread % Launch.Block[0];
    Box.Threads[1][L] = Thread / Launch.Block[0] % Launch.Block[1];
    Box.Threads[2][L] = Thread / Launch.Block[0] / Launch.Block[1];
  }
  for (unsigned I = 0; I != 3; ++I) {
    Box.Ranges[I] = Blocks[I];
    if (Blocks[I].size() <= 0)
      return true;
  }
  if (!Box.Active)
    return true;
  Walk Through(Effort, Visit, IndexRanges);
  Through.items(Body, Box, 1);
  return Through.IsComplete;
}

} // namespace ergon
