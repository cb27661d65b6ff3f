//===- PointerTargetsTest.cpp - which objects pointers lead to ------------===//
//
// Functions built by hand; which accesses go to one object was derived on paper.
//
//===----------------------------------------------------------------------===//

#include "test/support/AccessPrograms.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace ergon;
using ergon::accesses::formula;
using testing::ElementsAre;

namespace {

Access at(const std::string &Base, unsigned Order, Access::Kind What = Access::Kind::Load) {
  return {.What = What,
          .Where = Space::Memory,
          .Bytes = 8,
          .Base = Base,
          .Offset = Expr(0),
          .Order = Order};
}

Function function(const std::string &Name, std::vector<Access> Accesses,
                  std::vector<SizedObject> Objects = {}) {
  Function Result;
  Result.Name = Result.Demangled = Name;
  Result.Objects = std::move(Objects);
  Result.Body.Entries = 1;
  Result.Body.Blocks = {Block{.Runs = 1, .Accesses = std::move(Accesses)}};
  return Result;
}

Block &blockOf(Function &F) { return F.Body.Blocks.front(); }

void call(Function &From, const std::string &Callee, unsigned Order,
          const std::string &Pointer = "", const std::string &Result = "") {
  Call Site{.Callee = Callee, .Arguments = {}, .Location = {}, .Order = Order, .Result = Result};
  if (!Pointer.empty())
    Site.Pointers = {{.Argument = 0, .Where = Space::Memory, .Base = Pointer, .Offset = Expr(0)}};
  blockOf(From).Calls.push_back(std::move(Site));
}

SizedObject global(const std::string &Name, const std::string &Symbol) {
  return {.Name = Name, .Where = Space::Memory, .Symbol = Symbol};
}
SizedObject allocated(const std::string &Name) {
  return {.Name = Name, .Where = Space::Memory, .IsAllocated = true};
}
SizedObject through(const std::string &Name, const std::string &Object, std::int64_t Offset,
                    bool AtEntry = true) {
  return {
      .Name = Name, .Where = Space::Memory, .Via = SizedObject::Through{Object, Offset, AtEntry}};
}

void collect(const AccessProgram &Program, const AccessNest &Nest, const std::string &Prefix,
             std::vector<std::string> &Result) {
  for (const AccessItem &Item : Nest.Items) {
    const std::string Runs = Item.Runs == Expr(1) ? "" : toText(Item.Runs) + ": ";
    if (auto *Inner = std::get_if<AccessNest>(&Item.What))
      collect(Program, *Inner, Prefix + Runs, Result);
    else if (const MemoryObject &Object = Program.Objects[std::get<MemoryAccess>(Item.What).Object];
             Object.Name != "(calls)")
      Result.push_back(Prefix + Runs + Object.Name);
  }
}

AccessProgram written(const Function &Entry, const std::vector<const Function *> &Others) {
  return accessesOf(Entry,
                    [&](const std::string &Name, const Function &) {
                      auto Found = std::ranges::find(Others, Name, &Function::Name);
                      return Found == Others.end() ? nullptr : *Found;
                    },
                    {});
}

/// The objects of a run's accesses, in order, but for return addresses.
std::vector<std::string> objects(const Function &Entry,
                                 const std::vector<const Function *> &Others) {
  AccessProgram Program = written(Entry, Others);
  std::vector<std::string> Result;
  collect(Program, Program.Body, "", Result);
  return Result;
}

TEST(PointerTargets, AGlobalIsOneObjectInTheProgram) {
  // f and g name the same u; each has a static t of its own file.
  Function Callee =
      function("g", {at("u", 0), at("t", 1)}, {global("u", "u"), global("t", "b.c:t")});
  Function F = function("f", {at("u", 0), at("t", 1)}, {global("u", "u"), global("t", "a.c:t")});
  call(F, "g", 2);
  EXPECT_THAT(objects(F, {&Callee}), ElementsAre("u", "t", "u", "t#2"));
}

TEST(PointerTargets, APointerInAGlobalLeadsWhereItWasStored) {
  // f calls make, which stores new memory to ::p, and then use, which reads p and what is there.
  Function Make =
      function("make", {at("(pointer 1)", 0)}, {global("p", "p"), allocated("(pointer 1)")});
  blockOf(Make).PointerStores = {{"p", Expr(0), {"(pointer 1)", Expr(0)}, 1}};
  Function Use = function("use", {at("*p", 0)}, {global("p", "p"), through("*p", "p", 0)});
  Function F = function("f", {});
  call(F, "make", 0);
  call(F, "use", 1);
  call(F, "use", 2);
  EXPECT_THAT(objects(F, {&Make, &Use}),
              ElementsAre("make::(pointer 1)", "make::(pointer 1)", "make::(pointer 1)"));
  // Without make it is still one object.
  EXPECT_THAT(objects(F, {&Use}), ElementsAre("*p", "*p"));
}

TEST(PointerTargets, MemoryThatIsKeptIsNotMadeAgain) {
  // x = make(), y = make(); clear() has a buffer in each run, which the next run has again.
  Function Make = function("make", {at("m", 0)}, {allocated("m")});
  Make.Returns = PointedLocation{"m", Expr(0)};
  Function Clear = function("clear", {at("b", 0)}, {allocated("b")});
  Function F = function("f", {at("x", 4), at("y", 5)});
  call(F, "make", 0, "", "x");
  call(F, "make", 1, "", "y");
  call(F, "clear", 2);
  call(F, "clear", 3);
  EXPECT_THAT(objects(F, {&Make, &Clear}),
              ElementsAre("make::m", "make::m#2", "clear::b", "clear::b", "make::m", "make::m#2"));
}

TEST(PointerTargets, MembersOfTwoObjectsAreApart) {
  // Fields a and b of f have each memory of their own behind the pointer at 8 bytes.
  Function Init = function("init", {}, {allocated("d")});
  Init.Parameters = {{"this", "ptr"}};
  blockOf(Init).PointerStores = {{"this", Expr(8), {"d", Expr(0)}, 0}};
  Function Set = function("set", {at("this->d", 0)}, {through("this->d", "this", 8)});
  Set.Parameters = {{"this", "ptr"}};
  Function F = function("f", {});
  for (unsigned I = 0; const char *Callee : {"init", "set"})
    for (const char *Field : {"a", "b"})
      call(F, Callee, I++, Field);
  EXPECT_THAT(objects(F, {&Init, &Set}), ElementsAre("init::d", "init::d#2"));
}

TEST(PointerTargets, VariablesHoldPointers) {
  // struct { double *d; } s; s.d = new memory; set(&s)
  Function Set = function("set", {at("this->d", 0)}, {through("this->d", "this", 8)});
  Set.Parameters = {{"this", "ptr"}};
  Access First = at("s", 0);
  First.Where = Space::Stack;
  Function F = function(
      "f", {First}, {{.Name = "s", .Where = Space::Stack, .Bytes = 16}, allocated("(pointer 1)")});
  blockOf(F).PointerStores = {{"s", Expr(8), {"(pointer 1)", Expr(0)}, 1}};
  call(F, "set", 2, "s");
  EXPECT_THAT(objects(F, {&Set}), ElementsAre("s", "(pointer 1)"));
}

TEST(PointerTargets, PointersThatChangePlacesTakeTurns) {
  // for (s) { read(u's); t = u; u = v; v = t }
  Function Read = function("read", {at("*u", 0)}, {global("u", "u"), through("*u", "u", 0)});
  Function F = function("f", {},
                        {global("u", "u"), global("v", "v"), through("*u", "u", 0, false),
                         through("*v", "v", 0, false)});
  Function Swap =
      function("swap", {},
               {global("u", "u"), global("v", "v"), through("*u", "u", 0), through("*v", "v", 0)});
  blockOf(Swap).PointerStores = {{"u", Expr(0), {"*v", Expr(0)}, 0},
                                 {"v", Expr(0), {"*u", Expr(0)}, 1}};
  Loop Steps;
  Steps.Variable = "s";
  Steps.Entries = 1;
  Steps.Last = Expr(5);
  Steps.Blocks = std::move(F.Body.Blocks);
  F.Body.Blocks.clear();
  F.Body.Loops = {Steps};
  for (unsigned I = 0; const char *Callee : {"read", "swap"})
    F.Body.Loops[0].Blocks[0].Calls.push_back(
        {.Callee = Callee, .Arguments = {}, .Location = {}, .Order = I++});
  EXPECT_THAT(objects(F, {&Read, &Swap}),
              ElementsAre(toText(isEqual(formula("s-2*floor(s,2)"), Expr(0))) + ": *u",
                          toText(isEqual(formula("s-2*floor(s,2)"), Expr(1))) + ": *v"));
}

TEST(PointerTargets, AnUnknownPointerMayLeadToAnotherObject) {
  Function Callee = function("g", {at("p", 0)});
  Callee.Parameters = {{"p", "ptr"}};
  Function F = function("f", {at("a", 0)});
  call(F, "g", 1);
  AccessProgram Found = written(F, {&Callee});
  ASSERT_EQ(Found.Objects.size(), 3u); // and the return address
  EXPECT_FALSE(Found.Objects.front().MayBeOther);
  EXPECT_TRUE(Found.Objects.back().MayBeOther);
}

} // namespace
