//===- UnknownStarts.cpp - runs that start at unknown places --------------===//

#include "model/access/UnknownStarts.h"
#include "model/access/ObjectExtents.h"

#include <algorithm>
#include <map>

namespace ergon {

namespace {
/// All accesses that start at one place.
struct Run {
  unsigned Object;
  Rational First, End; ///< bytes from the start
  bool IsKnown = true; ///< how far all of them go
};

class RunPlacer {
public:
  explicit RunPlacer(AccessProgram &Of) : Of(Of) {}

  void place() {
    visit(Of.Body, [&](MemoryAccess &Each) { collect(Each); });
    if (!Runs.empty())
      visit(Of.Body, [&](MemoryAccess &Each) { settle(Each); });
  }

private:
  AccessProgram &Of;
  std::vector<AroundLoop> Loops;
  std::map<unsigned, Run> Runs; ///< by number of the start

  void visit(AccessNest &Nest, auto Each) {
    Loops.push_back({Nest.Variable, Nest.Last});
    for (AccessItem &Item : Nest.Items)
      if (auto *Inner = std::get_if<AccessNest>(&Item.What))
        visit(*Inner, Each);
      else if (auto &One = std::get<MemoryAccess>(Item.What); !One.Offset && One.From)
        Each(One);
    Loops.pop_back();
  }

  void collect(const MemoryAccess &One) {
    const auto Range = rangeOf(One.From->Further, Loops);
    if (!Range) {
      Runs.insert_or_assign(One.From->Number, Run{One.Object, 0, 0, false});
      return;
    }
    const Rational End = Range->High + Rational(One.Bytes);
    auto [Found, New] = Runs.try_emplace(One.From->Number, Run{One.Object, Range->Low, End});
    Run &Whole = Found->second;
    Whole.IsKnown &= Whole.Object == One.Object && !One.From->GoesOn;
    Whole.First = std::min(Whole.First, Range->Low);
    Whole.End = std::max(Whole.End, End);
  }

  void settle(MemoryAccess &One) {
    static constexpr int Least = 4; // times the room that is left, is nearly all
    const Run &Whole = Runs.at(One.From->Number);
    const MemoryObject &Object = Of.Objects[One.Object];
    const auto Bytes = Object.Bytes ? Object.Bytes->constant() : std::nullopt;
    if (!Whole.IsKnown || !Bytes)
      return;
    const Rational Reach = Whole.End - Whole.First, Room = *Bytes - Reach;
    if (Room.sign() < 0 || Rational(Least) * Room > Reach)
      return;
    const Rational Unit(One.Bytes);
    const Rational Start = Rational(floorOf(Room / (Rational(2) * Unit))) * Unit - Whole.First;
    One.Offset = One.From->Further + Expr(Start);
    Of.Assumptions.insert("accesses to `" + Object.Name +
                          "` that go over nearly all of it lie in its middle");
  }
};
} // namespace

void placeLongRuns(AccessProgram &Of) { RunPlacer(Of).place(); }

} // namespace ergon
