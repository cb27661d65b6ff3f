//===- ScevToExpr.h - SCEV as model expressions -----------------*- C++ -*-===//
//
// Translates LLVM's scalar evolution to expressions of the model. A SCEV is a machine integer, an
// expression a mathematical one with the same low bits; MachineNumbers.cpp decides which number the
// bits are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/ExprBounds.h"
#include "passes/symbolic/CalleeValues.h"
#include "passes/symbolic/SourceNames.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/SaveAndRestore.h"

#include <optional>

namespace ergon {

class ScevToExpr {
public:
  ScevToExpr(llvm::ScalarEvolution &SE, const llvm::LoopInfo &LI, const llvm::DominatorTree &DT,
             StoredValues &Memory, SourceNames &Names, CalleeValues *Callees)
      : SE(SE), LI(LI), DT(DT), Memory(Memory), Names(Names), Callees(Callees) {}

  /// \p Value as seen by code in \p Scope (null: outside all loops), in parameters and the
  /// induction variables of the loops around. Nothing where it depends on something that the
  /// analysis cannot follow.
  std::optional<Expr> translate(const llvm::SCEV *Value, const llvm::Loop *Scope);
  std::optional<Expr> translate(llvm::Value *Value, const llvm::Loop *Scope);

  /// The same; results of calls and loads become symbols. For a \p Value in a loop only if it is
  /// \p Needed: each iteration has another one, from what was there before the loop.
  std::optional<Expr> translateOrName(llvm::Value *Value, const llvm::Loop *Scope,
                                      bool Needed = false);

  /// \p Left - \p Right: for two addresses in one object a formula, even if neither has one.
  std::optional<Expr> difference(const llvm::SCEV *Left, const llvm::SCEV *Right,
                                 const llvm::Loop *Scope);
  /// A pointer that is only meaningful in comparison with others.
  std::optional<Expr> translateAddress(llvm::Value *Pointer, const llvm::Loop *Scope);

  /// The bits of a value as a number; \p Value has the sign of its source type.
  struct Number {
    Expr Value; ///< with the same low bits
    unsigned Bits;
    bool IsNatural; ///< it is not negative, so it is the unsigned number
    bool IsNarrow;  ///< it is the signed number: -2^(Bits-1) to 2^(Bits-1) - 1
    /// The bits read as an unsigned number.
    Expr asUnsigned() const;
  };
  /// The bits of a value as seen by code in \p Scope. Nothing where there is no expression.
  std::optional<Number> numberOf(const llvm::SCEV *S, const llvm::Loop *Scope);
  std::optional<Number> numberOf(llvm::Value *V, const llvm::Loop *Scope);
  /// The number of a constant of a `switch`.
  static Number caseNumber(const llvm::ConstantInt &Value);
  /// The bits of a value as an unsigned and as a signed number.
  std::optional<Expr> unsignedNumber(const llvm::SCEV *S, const llvm::Loop *Scope);
  std::optional<Expr> unsignedNumber(llvm::Value *V, const llvm::Loop *Scope);
  std::optional<Expr> signedNumber(const llvm::SCEV *S, const llvm::Loop *Scope);
  std::optional<Expr> signedNumber(llvm::Value *V, const llvm::Loop *Scope);
  /// The same where it is not negative; otherwise records a range check.
  std::optional<Expr> naturalNumber(llvm::Value *V, const llvm::Loop *Scope);
  /// Which arguments of \p Site, of at least `int` size, come from arithmetic that may wrap around,
  /// so that their \p Values may differ.
  std::vector<unsigned> wrappingArguments(const CallBase &Site,
                                          ArrayRef<std::optional<Expr>> Values,
                                          const llvm::Loop *Scope);
  /// 1 where \p Left is less than \p Right as unsigned numbers, else 0.
  static Expr isBelow(Number Left, Number Right, bool OrEqual);
  /// 1 where both have the same bits, else 0.
  Expr isSame(Number Left, Number Right);

  /// Sets the point of queries during its lifetime: answers use what is known at \p Point, and
  /// record numbers that the machine may be unable to represent. \p OfAddress: queries for
  /// addresses, which no count depends on, and whose extended indexes are not negative.
  class Question {
  public:
    /// Answers of \p Asked are for code at \p Point during its lifetime.
    Question(ScevToExpr &Asked, const Instruction &Point, bool OfAddress = false)
        : Point(Asked.AskedAt, &Point), OfAddress(Asked.IsOfAddress, OfAddress) {}
    Question(const Question &) = delete;

  private:
    llvm::SaveAndRestore<const Instruction *> Point;
    llvm::SaveAndRestore<bool> OfAddress;
  };
  /// During its lifetime, numbers are those that the programmer means: not negative where they are
  /// read as unsigned.
  struct Trust : llvm::SaveAndRestore<bool> {
    /// Trusts numbers in the answers of \p Asked during its lifetime.
    explicit Trust(ScevToExpr &Asked) : SaveAndRestore(Asked.IsTrusted, true) {}
    Trust(const Trust &) = delete;
  };
  /// During its lifetime, numbers that calls of other translation units return are symbols
  /// (SourceNames::callValue): their records may tell them.
  struct WithReturned : llvm::SaveAndRestore<bool> {
    /// Of the answers of \p Asked during its lifetime.
    explicit WithReturned(ScevToExpr &Asked) : SaveAndRestore(Asked.HasReturned, true) {}
    WithReturned(const WithReturned &) = delete;
  };
  /// Records that \p Value, in \p Range, must be in \p Allowed: otherwise the machine has another
  /// number, or a loop another end.
  void mustLieIn(const Expr &Value, const Bounds &Allowed, const std::optional<Bounds> &Range);
  void mustLieIn(const Expr &Value, const Bounds &Allowed) {
    mustLieIn(Value, Allowed, rangeOf(Value));
  }
  /// A number that formulas depend on, and the range of its type.
  struct RangeCheck {
    SourceLocation Location;
    Expr Value;
    Bounds Allowed;
  };
  /// The range checks of the answers so far, in query order.
  const std::vector<RangeCheck> &rangeChecks() const { return Checks; }
  /// True where \p Value depends on an unsigned number of at least `int` size.
  bool hasUnsigned(const Expr &Value) const;
  /// True where \p Value depends on an induction variable.
  bool hasLoop(const Expr &Value);
  /// The range of \p Value over all values of its symbols.
  std::optional<Bounds> rangeOf(const Expr &Value);

  /// Allows values known only at run time to become symbols. Otherwise only those that are symbols
  /// already are translated: a symbol helps where a trip count depends on it, and is a burden
  /// elsewhere.
  void allowNewSymbols(bool Allow) {
    NewSymbols = Allow;
    ++Symbols;
  }

  /// Sets the last iteration \p Last of \p L, in terms of the loops around it: its variables then
  /// have values after the loop, even without a SCEV trip count.
  void setLast(const llvm::Loop &L, const Expr &Last) { Lasts[&L] = Last; }

  /// Sets \p Share to 1 where the path through a loop of several exits takes the edge from \p From
  /// to \p To, and to 0 otherwise.
  void setShare(const BasicBlock &From, const BasicBlock &To, const Expr &Share) {
    Shares[{&From, &To}] = Share;
  }
  std::optional<Expr> shareOf(const BasicBlock &From, const BasicBlock &To) const {
    auto Found = Shares.find({&From, &To});
    return Found == Shares.end() ? std::nullopt : std::optional(Found->second);
  }

  /// The integer or pointer that \p Wanted holds in the state \p From of memory, as seen by code in
  /// \p Scope. Nothing where it is not known.
  std::optional<Expr> valueAt(const Place &Wanted, const llvm::MemoryAccess *From,
                              const llvm::Loop *Scope);
  /// The place that \p Formal, seen from \p Pointer, is when memory is in state \p From.
  std::optional<Place> placeOf(const llvm::Value &Pointer, const Place &Formal,
                               const llvm::MemoryAccess *From);

  /// The exact value of the floating-point \p V as seen by code in \p Scope; nothing where it may
  /// be rounded.
  std::optional<Expr> realNumber(llvm::Value *V, const llvm::Loop *Scope);

  /// 1 where the i1 \p Condition holds in \p Scope, else 0.
  std::optional<Expr> condition(llvm::Value *Condition, const llvm::Loop *Scope);

private:
  llvm::ScalarEvolution &SE;
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  StoredValues &Memory;
  SourceNames &Names;
  CalleeValues *Callees;
  llvm::DenseMap<const llvm::Value *, Expr> Values;
  llvm::DenseMap<const llvm::Loop *, Expr> Lasts;
  llvm::DenseMap<std::pair<const BasicBlock *, const BasicBlock *>, Expr> Shares;
  llvm::SmallPtrSet<const llvm::PHINode *, 4> Stepping; // whose step is being computed
  /// Values at the start of an iteration that are being computed, and their stand-ins.
  struct OpenValue {
    const llvm::MemoryPhi *At;
    AccessPath Where;
    std::string Name;
  };
  std::vector<OpenValue> OpenValues;
  std::map<std::pair<const CallBase *, std::string>, Expr> CalleeObjects; ///< their addresses
  unsigned Depth = 0;
  bool NewSymbols = false, OnlyOrigins = false;
  std::optional<bool> IsVectorized; // some loop of the function; computed once
  static constexpr unsigned MaxDepth = 40;
  /// Larger formulas are useless and slow.
  static constexpr std::size_t MaxTerms = 30, MaxSize = 4000;
  /// Values in values grow without a bound, though each is of few terms.
  static bool isTooLarge(const Expr &Value) {
    return Value.terms().size() > MaxTerms || Value.size() > MaxSize;
  }

  /// The translation of a SCEV or condition in a loop; without one, it may get one after new
  /// symbols.
  struct Answer {
    std::optional<Expr> Formula;
    unsigned Symbols = 0;
  };
  /// SCEVs share operands, and branches share conditions, so each is translated once per scope.
  using CacheKey = std::pair<const void *, const llvm::Loop *>;
  llvm::DenseMap<CacheKey, Answer> Translated;
  /// The same for answers that depend on the querying block, or on trust.
  llvm::DenseMap<std::pair<CacheKey, std::pair<const void *, int>>, Answer> TranslatedAt;
  unsigned Symbols = 0; ///< how often the set of allowed symbols has changed
  const Instruction *AskedAt = nullptr;
  bool IsTrusted = false, IsOfAddress = false, HasReturned = false;
  unsigned ContextUses = 0; ///< how often an answer used the point of the query
  std::vector<RangeCheck> Checks;
  llvm::StringMap<const llvm::Loop *> LoopsByName;

  const llvm::Loop *loopOf(const std::string &Symbol);
  Bounds rangeOfSymbol(const std::string &Symbol);
  bool hasClearSign(const llvm::SCEV *S);
  bool isOrdered(const llvm::SCEV *S, bool IsSigned, const llvm::Loop *Scope);
  bool isFactorWidth(unsigned Bits) const;
  bool countsAround(const llvm::SCEV *S) const;
  static Number extremum(Number Left, Number Right, bool IsMin);

  std::optional<Expr> once(CacheKey Key, function_ref<std::optional<Expr>()> Translate);
  std::optional<Expr> visit(const llvm::SCEV *S, const llvm::Loop *Scope);
  std::optional<Expr> visit(llvm::Value *V, const llvm::Loop *Scope);
  std::optional<Expr> formula(std::optional<Expr> Value) const;
  std::optional<Expr> visitUncached(const llvm::SCEV *S, const llvm::Loop *Scope);
  Expr lowBitsOf(const Expr &Value, unsigned Bits);
  std::optional<Expr> visitField(const llvm::SCEV *S);
  std::optional<Expr> visitLowerField(const llvm::SCEVMulExpr &Shifted);
  /// Whether \p S is 64 bits of a call or from memory that hold two numbers: no formula has both.
  static bool isOfTwoNumbers(const llvm::SCEV *S);
  std::optional<Expr> visitOperands(const llvm::SCEVNAryExpr *S, const llvm::Loop *Scope,
                                    Expr (*Join)(const Expr &, const Expr &));
  std::optional<Expr> visitUnsignedExtremum(const llvm::SCEVNAryExpr *S, const llvm::Loop *Scope);
  std::optional<Expr> compareUnsigned(llvm::CmpInst::Predicate How, const llvm::SCEV *LeftScev,
                                      const llvm::SCEV *RightScev, const llvm::Loop *Scope);
  std::optional<Expr> visitRecurrence(const llvm::SCEVAddRecExpr *S, const llvm::Loop *Scope);
  std::optional<Expr> stepOf(llvm::PHINode &Phi, const llvm::Loop &L);
  std::optional<Expr> sumOfSteps(const Expr &Step, const llvm::Loop &L);
  std::optional<Expr> valueAround(const llvm::PHINode &Phi, const llvm::Loop &L);
  std::optional<Expr> valueReloaded(const llvm::PHINode &Phi, const llvm::Loop &L,
                                    const llvm::Loop *Scope);
  std::optional<Expr> valueBefore(const llvm::PHINode &Phi, const llvm::Loop &L);
  std::optional<Expr> visitPhi(llvm::PHINode &Phi, const llvm::Loop *Scope);
  std::optional<Expr> afterLoops(Expr Value, const llvm::Loop *Inner, const llvm::Loop *Scope);
  std::optional<Expr> visitValue(llvm::Value *V, const llvm::Loop *Scope);
  std::optional<Expr> visitInstruction(Instruction *I, const llvm::Loop *Scope);
  std::optional<Expr> visitMask(Instruction *I, const llvm::Loop *Scope);
  std::optional<Expr> visitSkipped(const llvm::PHINode *Phi, const BasicBlock &From,
                                   const llvm::Loop *Scope);
  std::optional<Expr> visitJoin(const llvm::PHINode *Phi, const llvm::Loop *Scope);
  std::optional<long> overlapCheck(llvm::Value *Condition);
  Expr fromZeroOn(const Expr &Condition, const llvm::Loop *Scope) const;
  std::optional<Expr> isZero(llvm::Value *V, const llvm::Loop *Scope);
  std::optional<Expr> valueAtUncached(const Place &Wanted, const llvm::MemoryAccess *From,
                                      const llvm::Loop *Scope);
  std::optional<Expr> valueAtJoin(const Place &Wanted, const llvm::MemoryPhi &Phi,
                                  const llvm::Loop *Scope);
  std::optional<Expr> valueAtHeader(const Place &Wanted, const llvm::MemoryPhi &Phi,
                                    const llvm::Loop &L);
  std::optional<Expr> valueAfterCall(const Place &Wanted, const llvm::MemoryDef &At,
                                     const llvm::Loop *Scope);
  std::optional<Expr> inCaller(const CalleeValues::Effect &What, const CallBase &Site,
                               const llvm::MemoryAccess *Before, const llvm::Loop *Scope);
  std::optional<Expr> inCaller(const std::string &Symbol, const CalleeValues::Meaning &Means,
                               const CallBase &Site, const llvm::MemoryAccess *Before,
                               const llvm::Loop *Scope);
  std::optional<Expr> visitPart(const llvm::ExtractValueInst &Part, const llvm::Loop *Scope);
  std::optional<Expr> visitLoad(const llvm::LoadInst &Load, const llvm::Loop *Scope);
  std::optional<Expr> visitCall(const CallBase &Site, const llvm::Loop *Scope);
  std::optional<Expr> isExchangedNull(const llvm::SCEV *Pointer, const llvm::SCEV *Null);
  std::optional<Expr> comparePointers(const llvm::SCEV *Left, const llvm::SCEV *Right,
                                      llvm::CmpInst::Predicate How, const llvm::Loop *Scope);
  std::optional<Expr> areBelow(llvm::Value *V, unsigned Bits, const llvm::Loop *Scope);
  std::optional<Expr> compareJoined(const llvm::ICmpInst &Compare, const llvm::Loop *Scope);
  std::optional<Expr> realInMemory(const llvm::LoadInst &Load, const llvm::Loop *Scope);
  std::optional<Expr> powerOf(const CallBase &Site, const llvm::Loop *Scope);
  std::optional<Expr> roundedNumber(llvm::Value *V, const llvm::Loop *Scope);
  std::optional<Expr> compareReals(const Expr &Left, const Expr &Right,
                                   llvm::CmpInst::Predicate How);
  std::optional<Expr> compareReal(const llvm::FCmpInst &Compare, const llvm::Loop *Scope);
  std::optional<Expr> compare(const llvm::ICmpInst *Compare, const llvm::Loop *Scope);
  std::optional<Expr> conditionUncached(llvm::Value *Condition, const llvm::Loop *Scope);
};

/// \p Value extended to at least `int` size, signed or unsigned.
const llvm::SCEV *widened(const llvm::SCEV *Value, bool IsSigned, llvm::ScalarEvolution &SE);

/// What \p Load reads of a constant global; null where it is another one.
llvm::Constant *loadedConstant(const llvm::LoadInst &Load);

/// \p Value as a signed number; a condition is 0 or 1.
Expr integerExpr(const llvm::APInt &Value);

/// \p Value mod 2^Bits, between 0 and 2^Bits - 1.
Expr lowBits(const Expr &Value, unsigned Bits);

} // namespace ergon
