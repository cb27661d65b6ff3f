//===- UnknownStarts.cpp - runs that start at unknown addresses -----------===//

#include "model/access/UnknownStarts.h"
#include "model/access/ObjectExtents.h"

#include <algorithm>
#include <map>

namespace ergon {

namespace {
/// All accesses relative to one unknown start.
struct Run {
  unsigned Object;
  Rational First, End; ///< bytes from the start
  bool IsKnown = true; ///< whether the extent of all of them is known
};

class RunStarter {
public:
  explicit RunStarter(AccessProgram &Program) : Program(Program) {}

  void place() {
    visit(Program.Body, [&](MemoryAccess &Access) { collect(Access); });
    if (!Runs.empty())
      visit(Program.Body, [&](MemoryAccess &MA) { settle(MA); });
  }

private:
  AccessProgram &Program;
  std::vector<AroundLoop> Loops;
  std::map<unsigned, Run> Runs; ///< by number of the start

  void visit(AccessNest &Nest, auto Function) {
    Loops.push_back({Nest.Variable, Nest.Last});
    for (AccessItem &Item : Nest.Items)
      if (auto *Inner = std::get_if<AccessNest>(&Item.What))
        visit(*Inner, Function);
      else if (auto &Access = std::get<MemoryAccess>(Item.What); !Access.Offset && Access.From)
        Function(Access);
    Loops.pop_back();
  }

  void collect(const MemoryAccess &Access) {
    const auto Range = rangeOf(Access.From->Further, Loops);
    if (!Range) {
      Runs.insert_or_assign(Access.From->Number, Run{Access.Object, 0, 0, false});
      return;
    }
    const Rational End = Range->High + Rational(Access.Bytes);
    auto [Found, New] = Runs.try_emplace(Access.From->Number, Run{Access.Object, Range->Low, End});
    Run &Whole = Found->second;
    Whole.IsKnown &= Whole.Object == Access.Object && !Access.From->GoesOn;
    Whole.First = std::min(Whole.First, Range->Low);
    Whole.End = std::max(Whole.End, End);
  }

  void settle(MemoryAccess &Access) {
    static constexpr int Least = 4; // minimum ratio of run to rest
    const Run &Whole = Runs.at(Access.From->Number);
    const MemoryObject &Object = Program.Objects[Access.Object];
    const auto Bytes = Object.Bytes ? Object.Bytes->constant() : std::nullopt;
    if (!Whole.IsKnown || !Bytes)
      return;
    const Rational Reach = Whole.End - Whole.First, Room = *Bytes - Reach;
    if (Room.sign() < 0 || Rational(Least) * Room > Reach)
      return;
    const Rational Unit(Access.Bytes);
    const Rational Start = floorOf(Room / (Rational(2) * Unit)) * Unit - Whole.First;
    Access.Offset = Access.From->Further + Expr(Start);
    Program.Assumptions.insert("accesses to `" + Object.Name +
                               "` that go over nearly all of it lie in its middle");
  }
};
} // namespace

void placeLongRuns(AccessProgram &Program) { RunStarter(Program).place(); }

} // namespace ergon
