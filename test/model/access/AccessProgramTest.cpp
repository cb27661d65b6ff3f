//===- AccessProgramTest.cpp - what code accesses, written out ------------===//
//
// Loop trees built by hand; the order and the places were derived on paper.
//
//===----------------------------------------------------------------------===//

#include "test/support/AccessPrograms.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace ergon;
using ergon::accesses::formula;
using testing::ElementsAre;

static Access at(const std::string &Base, const std::string &Offset, unsigned Order,
                 Access::Kind What = Access::Kind::Load) {
  return {.What = What,
          .Where = Space::Memory,
          .Bytes = 8,
          .Base = Base,
          .Offset = formula(Offset),
          .Order = Order};
}

static Block block(std::vector<Access> Accesses, const std::string &Runs = "1") {
  Block Result{.Runs = formula(Runs)};
  Result.Accesses = std::move(Accesses);
  return Result;
}

static Function function(const std::string &Name, std::vector<Parameter> Parameters, Loop Body) {
  Function Result;
  Result.Name = Result.Demangled = Name;
  Result.Parameters = std::move(Parameters);
  Result.Body = std::move(Body);
  return Result;
}

static Loop loop(const std::string &Variable, const std::string &Last, std::vector<Block> Blocks,
                 std::vector<Loop> Loops = {}, unsigned Order = 0) {
  Loop Result;
  Result.Variable = Variable;
  Result.Entries = 1;
  Result.Last = formula(Last);
  Result.Blocks = std::move(Blocks);
  Result.Loops = std::move(Loops);
  Result.Order = Order;
  return Result;
}

static AccessProgram written(const Function &Entry, const std::vector<const Function *> &Others,
                             const Substitution &Bound = {}) {
  return accessesOf(
      Entry,
      [&](const std::string &Name, const Function &) {
        auto Found = std::ranges::find(Others, Name, &Function::Name);
        return Found == Others.end() ? nullptr : *Found;
      },
      Bound);
}

/// `runs: load x + offset` for an access, `i <= last { … }` for a loop.
static std::string text(const AccessProgram &Program, const AccessNest &Nest) {
  std::string Result;
  for (const AccessItem &Item : Nest.Items) {
    Result += Result.empty() ? "" : "; ";
    if (Item.Runs != Expr(1))
      Result += toText(Item.Runs) + ": ";
    if (auto *Inner = std::get_if<AccessNest>(&Item.What)) {
      Result +=
          Inner->Variable + " <= " + toText(Inner->Last) + " { " + text(Program, *Inner) + " }";
      continue;
    }
    auto &Access = std::get<MemoryAccess>(Item.What);
    Result += std::string(name(Access.What)) + " " + Program.Objects[Access.Object].Name + " " +
              (Access.Offset ? toText(*Access.Offset) : "?");
  }
  return Result;
}
static std::string text(const AccessProgram &Program) { return text(Program, Program.Body); }

TEST(AccessProgram, RunsInTheOrderOfTheCode) {
  // x[0]; for i { a[i] }; if (n >= 5) y[0]; x[1]
  Function F = function(
      "f", {{"n", "i32"}},
      loop("", "0", {block({at("x", "0", 0), at("x", "8", 3)}), block({at("y", "0", 2)}, "[n-5]")},
           {loop("i", "n-1", {block({at("a", "8*i", 0)})}, {}, 1)}));
  EXPECT_EQ(text(written(F, {})), "load x 0; i <= -1+n { load a 8*i }; [-5+n]: load y 0; load x 8");
  EXPECT_EQ(text(written(F, {}, {{"n", Expr(4)}})), "load x 0; i <= 3 { load a 8*i }; load x 8");
}

TEST(AccessProgram, CallsStandInTheirPlaceWithWhatTheyAreGiven) {
  Function Row = function("row", {{"p", "ptr"}, {"n", "i32"}},
                          loop("", "0", {}, {loop("i", "n-1", {block({at("p", "8*i", 0)})})}));
  Call Site{.Callee = "row", .Arguments = {std::nullopt, formula("m")}, .Location = {"a.c", 3, 4}};
  Site.Pointers = {{0, Space::Memory, "A", formula("8*i*m")}};
  Site.Order = 1;
  Block Calling = block({at("A", "0", 0), at("A", "8", 2)});
  Calling.Calls = {Site};
  Function F =
      function("f", {{"A", "ptr"}, {"m", "i32"}}, loop("", "0", {}, {loop("i", "m-1", {Calling})}));
  EXPECT_EQ(
      text(written(F, {&Row})),
      "i <= -1+m { load A 0; store (calls) 0; i' <= -1+m { load A 8*i*m+8*`i'` }; load A 8 }");
  EXPECT_THAT(written(F, {&Row}).Unbound, ElementsAre("m"));
  EXPECT_THAT(written(F, {}).OpenCalls, ElementsAre("call:row"));
}

TEST(AccessProgram, WhatNoAccessTellsOf) {
  // g does three operations in a loop and is called twice, f one: 4 of 8 bytes. f's and g's return
  // addresses and six registers each, and 128 bytes behind them.
  Block Inner = block({});
  Inner.PerRun.add(CostClass::IntOps, 2);
  Inner.PerRun.add(CostClass::Branches, 1);
  Inner.PerRun.add(of(CostClass::LoadBytes, Space::Memory), 8); // no operation
  Function Callee = function("g", {}, loop("", "0", {}, {loop("i", "9", {Inner})}));
  Block Calling = block({});
  Calling.PerRun.add(CostClass::IntMul, 1);
  Calling.Calls = {{.Callee = "g", .Arguments = {}, .Location = {}},
                   {.Callee = "g", .Arguments = {}, .Location = {}, .Order = 1}};
  Function F = function("f", {}, loop("", "0", {Calling}));
  EXPECT_EQ(written(F, {&Callee}).Hidden.StackBytes, 2 * 56 + 128u);
  EXPECT_EQ(written(F, {&Callee}).Hidden.CodeBytes, 32u);
  EXPECT_EQ(written(Callee, {}).Hidden.StackBytes, 56 + 128u);
}

TEST(AccessProgram, WhatACalleeIsGivenAndNobodyKnowsIsItsOwnObject) {
  Function Callee = function("g", {{"p", "ptr"}}, loop("", "0", {block({at("p", "0", 0)})}));
  Block Calling = block({at("p", "0", 0)});
  Calling.Calls = {{.Callee = "g", .Arguments = {std::nullopt}, .Location = {}, .Order = 1}};
  Function F = function("f", {{"p", "ptr"}}, loop("", "0", {Calling}));
  EXPECT_EQ(text(written(F, {&Callee})), "load p 0; store (calls) 0; load g::p 0");
}

TEST(AccessProgram, RecursionIsOpen) {
  Block Calling = block({at("p", "0", 0)});
  Calling.Calls = {{.Callee = "f", .Arguments = {std::nullopt}, .Location = {}, .Order = 1}};
  Function F = function("f", {{"p", "ptr"}}, loop("", "0", {Calling}));
  AccessProgram Found = written(F, {&F});
  EXPECT_EQ(text(Found), "load p 0");
  EXPECT_THAT(Found.OpenCalls, ElementsAre("recursion:f"));
}

TEST(AccessProgram, ACopyGoesOverItsBytes) {
  Access From = at("s", "4", 0), To = at("d", "0", 0, Access::Kind::Store);
  From.Bytes = To.Bytes = 16;
  From.Length = To.Length = formula("n");
  Function F = function("f", {{"n", "i32"}}, loop("", "0", {block({From, To})}));
  // 100 bytes in pieces of 16 are 7.
  EXPECT_EQ(text(written(F, {}, {{"n", Expr(100)}})),
            "byte <= 6 { load s 4+16*byte; store d 16*byte }");
}

TEST(AccessProgram, APlaceThatHangsOnAConditionIsTwo) {
  // The left neighbour in a ring: n-1 for the first, else i-1.
  Function F = function(
      "f", {{"n", "i32"}},
      loop("", "0", {}, {loop("i", "n-1", {block({at("b", "8*n-8+[i-1]*(8*i-8*n)", 0)})})}));
  EXPECT_EQ(text(written(F, {})), "i <= -1+n { [-1+i]: load b -8+8*i; [-i]: load b -8+8*n }");
}

TEST(AccessProgram, RowsOfATableFollowOneAnother) {
  Access Element = at("*A", "8*j", 0);
  Element.Row = formula("8*i");
  Function F =
      function("f", {{"n", "i32"}},
               loop("", "0", {}, {loop("i", "n-1", {}, {loop("j", "9", {block({Element})})})}));
  // Ten doubles and malloc's eight bytes, on multiples of 16: 96.
  AccessProgram Found = written(F, {});
  EXPECT_EQ(text(Found), "i <= -1+n { j <= 9 { load *A 96*i+8*j } }");
  EXPECT_THAT(Found.Assumptions, ElementsAre("the rows that A leads to lie one after another"));
}

TEST(AccessProgram, CallsLeaveReturnAddresses) {
  // f calls g, which calls h, each of them has 56 bytes of the stack.
  Function Last = function("h", {}, loop("", "0", {}));
  Block CallsLast = block({}), CallsNext = block({});
  CallsLast.Calls = {{.Callee = "h", .Arguments = {}, .Location = {}}};
  Function Next = function("g", {}, loop("", "0", {CallsLast}));
  CallsNext.Calls = {{.Callee = "g", .Arguments = {}, .Location = {}}};
  Function F = function("f", {}, loop("", "0", {}, {loop("i", "9", {CallsNext})}));
  AccessProgram Found = written(F, {&Next, &Last});
  EXPECT_EQ(text(Found), "i <= 9 { store (calls) 0; store (calls) 56 }");
  EXPECT_EQ(Found.Objects.at(0).Where, Space::Stack);
}

TEST(AccessProgram, LogarithmsLoadFromATable) {
  // Of the functions of a block one has a table, and it is one in the program. A kernel's are
  // others.
  Block B = block({at("x", "8*i", 0)});
  for (const char *Kind : {"log f64 64", "tan f64 64", "add f64 64"})
    B.Instructions.Counts[InstructionKind::parse(Kind).value()] = 1;
  Function F = function("f", {}, loop("", "0", {}, {loop("i", "9", {B, B})}));
  AccessProgram Found = written(F, {});
  EXPECT_EQ(text(Found), "i <= 9 { load (table of log f64) ?; load (table of log f64) ?; "
                         "load x 8*i; load x 8*i }");
  EXPECT_EQ(Found.Objects.at(0).Bytes, Expr(2048));
  F.IsKernel = true;
  EXPECT_EQ(text(written(F, {})), "i <= 9 { load x 8*i; load x 8*i }");
}

TEST(AccessProgram, RunsOverNearlyAllOfAnObjectHaveLittleRoom) {
  // From an unknown start over k <= 89 of 100 doubles: 80 bytes are left, half of them before it. A
  // second access is eight bytes behind the first.
  auto From = [](const std::string &Further) {
    Access Result = at("a", "0", 0);
    Result.Offset.reset();
    Result.From = UnknownStart{1, 1, formula(Further)};
    return Result;
  };
  auto F = [&](const std::string &Last) {
    Function Made = function(
        "f", {},
        loop("", "0", {},
             {loop("i", "9", {}, {loop("k", Last, {block({From("8*k-16"), From("8*k-8")})})})}));
    Made.Objects = {{.Name = "a", .Where = Space::Memory, .Bytes = 800}};
    return Made;
  };
  AccessProgram Found = written(F("88"), {});
  EXPECT_EQ(text(Found), "i <= 9 { k <= 88 { load a 40+8*k; load a 48+8*k } }");
  EXPECT_THAT(Found.Assumptions,
              ElementsAre("accesses to `a` that go over nearly all of it lie in its middle"));
  // Of 50 and one there is as much room as they take.
  EXPECT_EQ(text(written(F("48"), {})), "i <= 9 { k <= 48 { load a ?; load a ? } }");
  // Where nobody knows how far they go there is none.
  EXPECT_EQ(text(written(F("n"), {})), "i <= 9 { k <= n { load a ?; load a ? } }");
}

TEST(AccessProgram, RunsThatGoOnWhereTheLastOneEnded) {
  // Rows of a sparse matrix, one of three entered, with 25/2 elements in the mean then.
  Access Element = at("a", "0", 0);
  Element.Offset.reset();
  Element.From = UnknownStart{1, 1, formula("8*k"), true};
  Loop Row = loop("k", "trips-1", {block({Element})});
  Row.Entries = formula("taken");
  Function F = function("f", {{"n", "i32"}}, loop("", "0", {}, {loop("i", "n-1", {}, {Row})}));
  AccessProgram Found = written(F, {}, {{"trips", formula("25/2")}, {"taken", formula("1/3")}});
  // 8·25/6 is 33 and a third.
  EXPECT_EQ(text(Found), "i <= -1+n { 1/3: k <= 23/2 { load a 33*i+8*k } }");
  EXPECT_THAT(Found.Assumptions,
              ElementsAre("loops over `a` each go on where the one before ended"));
  // Of 8/100 bytes in the mean there is no whole number.
  Found = written(F, {}, {{"trips", formula("1")}, {"taken", formula("1/100")}});
  EXPECT_EQ(text(Found), "i <= -1+n { 1/100: k <= 0 { load a ? } }");
}

TEST(AccessProgram, WhatACalleeGoesOverFromAnUnknownPlace) {
  Function Inner = function("g", {{"p", "ptr"}},
                            loop("", "0", {}, {loop("k", "9", {block({at("p", "8*k", 0)})})}));
  Call Site;
  Site.Callee = "g";
  Site.Pointers = {{.Argument = 0, .Where = Space::Memory, .Base = "a"}};
  Block Calls{.Runs = 1};
  Calls.Calls = {Site};
  Function F = function("f", {{"n", "i32"}}, loop("", "0", {}, {loop("i", "n-1", {Calls})}));
  AccessProgram Found = written(F, {&Inner});
  const auto From = accessesIn(Found.Body).back()->From;
  ASSERT_TRUE(From);
  EXPECT_EQ(From->Loops, 1u);
  EXPECT_EQ(toText(From->Further), "8*k");
}
