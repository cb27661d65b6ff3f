//===- CellNames.cpp - the source's names of integers in memory -----------===//

#include "passes/ir/AddressSpaces.h"
#include "passes/ir/FortranNames.h"
#include "passes/ir/SourceTypes.h"
#include "passes/symbolic/ScevToExpr.h"
#include "passes/symbolic/SourceNames.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <set>

namespace ergon {

Expr SourceNames::parameter(const llvm::Argument &Which) {
  if (Which.getType()->isFloatingPointTy())
    return Expr::symbol(realSymbol(argument(Which)));
  if (!Which.getType()->isPointerTy())
    return Expr::symbol(argument(Which));
  // `n` names the value there: its location is `&n`.
  if (References.contains(&Which))
    return Expr::symbol("&" + argument(Which));
  Addresses.insert(&Which);
  return Expr::symbol(argument(Which));
}

SourceNames::Content SourceNames::contentOf(const llvm::Argument &Which) const {
  if (!Which.getType()->isIntegerTy() || isDevice(*F.getParent()))
    return Content::Number;
  if (const llvm::DIType *Type = Origins[Which.getArgNo()].Type)
    return isa_and_nonnull<llvm::DICompositeType>(stripNames(Type)) && !isInteger(Type)
               ? Content::Fields
               : Content::Number;
  return Which.getType()->isIntegerTy(64) ? Content::Either : Content::Number;
}

std::optional<AccessPath> SourceNames::fieldsIn(const llvm::Value &Wide,
                                                StoredValues &Memory) const {
  if (auto *Copied = dyn_cast<llvm::LoadInst>(&Wide))
    return loadedConstant(*Copied) ? std::nullopt : Memory.entryPath(*Copied);
  auto *Argument = dyn_cast<llvm::Argument>(&Wide);
  if (Argument && contentOf(*Argument) == Content::Fields)
    return AccessPath{Argument, {0}};
  return std::nullopt;
}

ScalarType SourceNames::scalarType(const llvm::Argument &Which) const {
  if (Which.getType()->isFloatingPointTy())
    return {ScalarKind::Real};
  ScalarType Result = scalarTypeOf(Origins[Which.getArgNo()].Type);
  if (!Which.getType()->isIntegerTy() || Result.Kind == ScalarKind::Real)
    return {};
  return Result;
}

std::optional<bool> SourceNames::isSigned(const llvm::Argument &Which) const {
  if (!Which.getType()->isIntegerTy())
    return std::nullopt;
  if (auto Signed =
          isSignedInteger(Origins[Which.getArgNo()].Type, Which.getType()->getIntegerBitWidth()))
    return Signed;
  if (Which.hasSExtAttr() || Which.hasZExtAttr())
    return Which.hasSExtAttr();
  return std::nullopt;
}

/// `::n`, `::grid::count`; for a static variable `file.c::n`, since another file may have one of
/// the same name.
static std::string globalName(const llvm::GlobalVariable &Global,
                              const llvm::DIGlobalVariable *Variable) {
  std::string Name = (Variable ? Variable->getName() : Global.getName()).str();
  std::string Scopes;
  for (const llvm::DIScope *Scope = Variable ? Variable->getScope() : nullptr; Scope;
       // A common block belongs to all procedures that declare it.
       Scope = isa<llvm::DICommonBlock>(Scope) ? nullptr : Scope->getScope()) {
    if (isa<llvm::DILexicalBlockBase, llvm::DIFile, llvm::DICompileUnit>(Scope))
      continue;
    Scopes.insert(0, (Scope->getName().empty() ? "(anonymous)" : Scope->getName().str()) + "::");
  }
  std::string File;
  if (Global.hasLocalLinkage())
    File = Variable ? Variable->getFilename().str() : sourceFile(*Global.getParent());
  return File + "::" + Scopes + Name;
}

static const llvm::DIGlobalVariable *variableOf(const llvm::GlobalVariable &Global) {
  SmallVector<llvm::DIGlobalVariableExpression *, 1> Found;
  Global.getDebugInfo(Found);
  return Found.size() == 1 ? Found[0]->getVariable() : nullptr;
}

/// The variable of a common block that contains \p Offset, and its start.
static std::pair<const llvm::DIGlobalVariable *, long>
commonVariable(const llvm::GlobalVariable &Global, long Offset) {
  std::pair<const llvm::DIGlobalVariable *, long> Result{nullptr, -1};
  SmallVector<llvm::DIGlobalVariableExpression *, 4> Found;
  Global.getDebugInfo(Found);
  for (const llvm::DIGlobalVariableExpression *Described : Found)
    if (std::int64_t Begin;
        Described->getExpression()->extractIfOffset(Begin) && Begin <= Offset &&
        Begin > Result.second &&
        isa_and_nonnull<llvm::DICommonBlock>(Described->getVariable()->getScope()))
      Result = {Described->getVariable(), long(Begin)};
  return Result;
}

/// Fortran's name of the number at \p Offset in the descriptor of \p Array: CFI_cdesc_t of
/// ISO_Fortran_binding.h has 24 bytes, then for each dimension lower bound, extent and stride in
/// bytes. Nothing where \p Type has no descriptor.
static std::optional<std::string> dimensionOf(const std::string &Array, const llvm::DIType *Type,
                                              long Offset, unsigned Bytes) {
  auto *Composite = dyn_cast_or_null<llvm::DICompositeType>(stripNames(Type));
  if (!Composite || !Composite->getRawDataLocation() || Offset < 24 || Offset % 8 != 0 ||
      Bytes != 8)
    return std::nullopt;
  static constexpr const char *Names[] = {"lbound", "size", "stride"};
  long Number = (Offset - 24) / 8;
  return std::string(Names[Number % 3]) + "(" + Array + "," + std::to_string(Number / 3 + 1) + ")";
}

/// A pointer with a varying step leads into an array.
static bool isStepped(const llvm::Value &Pointer) {
  return llvm::any_of(Pointer.users(),
                      [](const llvm::User *User) { return isa<llvm::GEPOperator>(User); });
}

/// The source's name for the base of \p Where, before any offset.
SourceNames::Root SourceNames::rootOf(const AccessPath &Where) const {
  Root Result{.Path = Where.Path};
  if (auto *Argument = dyn_cast<llvm::Argument>(Where.Base)) {
    const Origin &From = Origins[Argument->getArgNo()];
    Result.Text = From.Offset == 0 ? argument(*Argument) : From.Name;
    Result.Type = From.Type;
    Result.Path.front() += From.Offset;
    // An argument by value in memory, or a Fortran dummy argument.
    Result.IsObject = Result.Type && !indirection(Result.Type);
    Result.IsStepped = isStepped(*Argument);
    return Result;
  }
  Result.IsObject = true;
  if (auto *Global = dyn_cast<llvm::GlobalVariable>(Where.Base)) {
    const llvm::DIGlobalVariable *Variable = variableOf(*Global);
    if (auto [Member, Begin] = commonVariable(*Global, Result.Path.front()); Member) {
      Variable = Member;
      Result.Path.front() -= Begin;
    }
    Result.Text = globalName(*Global, Variable);
    Result.Type = Variable ? Variable->getType() : nullptr;
    return Result;
  }
  Result.Text = object(*Where.Base);
  if (auto Found = Objects.find(Where.Base); Found != Objects.end())
    Result.Type = Found->second->getType();
  return Result;
}

/// Appends the part \p Found of element \p Index of what \p Text, a pointer or an object, denotes.
/// \p IsFirst: it is the base itself.
static void appendPart(std::string &Text, const Part &Found, long Index, bool IsReference,
                       bool IsStepped, bool IsFirst) {
  bool IsScalar = Found.Path.empty();
  bool IsElement = StringRef(Text).ends_with(".data()");
  if (IsElement)
    Text.resize(Text.rfind(".data()"));
  if (!IsReference && (Index != 0 || (IsScalar && IsStepped) || IsElement))
    Text += "[" + std::to_string(Index) + "]" + Found.Path;
  else if (IsReference || (IsScalar && IsFirst))
    Text += Found.Path;
  else if (IsScalar)
    Text = "*" + Text;
  else if (Found.Path.front() == '[')
    Text = "(*" + Text + ")" + Found.Path;
  else
    Text += "->" + Found.Path.substr(1);
}

/// The source's spelling of the integer or pointer of \p Bytes bytes at \p Where, or, for 0 bytes,
/// of the object there; the latter is empty without debug info of its type.
SourceNames::Spelling SourceNames::spell(const AccessPath &Where, unsigned Bytes) const {
  // IsObject: Text is the object itself rather than a pointer to it.
  auto [Text, Path, Type, IsObject, IsStepped] = rootOf(Where);
  std::optional<Part> Found;
  std::optional<DeclaredMember> Declared;
  for (std::size_t I = 0; I != Path.size(); ++I) {
    bool Last = I + 1 == Path.size();
    long Offset = Path[I];
    if (Last && IsObject)
      if (auto Dimension = dimensionOf(Text, Type, Offset, Bytes))
        return {*Dimension, std::nullopt};
    if (Last && Bytes == 0 && Offset == 0)
      return {
          (IsObject || (Type && indirection(Type) && indirection(Type)->IsReference) ? "" : "*") +
              Text,
          std::nullopt};
    auto Via = IsObject ? Indirection{Type, true}
                        : indirection(Type).value_or(Indirection{nullptr, false});
    const llvm::DIType *Object = stripNames(Via.To);
    long Size = Object ? long(Object->getSizeInBits() / 8) : 0;
    long Index = Size > 0 && !Via.IsReference && Offset >= 0 ? Offset / Size : 0;
    Found = Offset < 0 ? std::nullopt
                       : partAt(Object, std::uint64_t(Offset - Index * Size),
                                Last ? Bytes : F.getDataLayout().getPointerSize());
    if (!Found) {
      if (Bytes == 0)
        return {};
      if (auto Innermost =
              Offset < 0 || Index != 0 ? std::nullopt : declaredAt(Object, std::uint64_t(Offset))) {
        const std::string Member = Innermost->Path.empty() ? "" : Innermost->Path.substr(1) + ".";
        Declared = DeclaredMember{.Symbol = "",
                                  .Object = Text + (Via.IsReference ? "." : "->") + Member,
                                  .Class = Innermost->Class,
                                  .Path = {Path.begin() + long(I), Path.end()},
                                  .Bytes = Bytes};
        Declared->Path.front() = long(Innermost->Inside);
      }
      // For a register the name alone is complete.
      bool IsRegister = !Where.Base->getType()->isPointerTy();
      if (Offset != 0 || IsStepped || I != 0 || !Last || IsRegister)
        Text = "(" + Text + (Offset < 0 ? "" : "+") + std::to_string(Offset) + ")";
      Type = nullptr;
    } else {
      Type = Found->Type;
      appendPart(Text, *Found, Index, Via.IsReference, IsStepped, I == 0);
    }
    IsObject = IsStepped = false;
  }
  return {Text, Found, Declared};
}

void SourceNames::note(const Spelling &Spelled, const std::string &Symbol) {
  if (!Spelled.Declared ||
      llvm::any_of(Declared, [&](const DeclaredMember &Member) { return Member.Symbol == Symbol; }))
    return;
  Declared.push_back(*Spelled.Declared);
  Declared.back().Symbol = Symbol;
}

std::string SourceNames::nameOf(const AccessPath &Where, unsigned Bytes) {
  const Spelling Spelt = spell(Where, Bytes);
  note(Spelt, Spelt.Text);
  return Spelt.Text;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

static std::size_t hashOf(const Sight &What, unsigned Bytes, long Behind) {
  std::size_t Hash = llvm::hash_combine(What.Where.Base, llvm::hash_combine_range(What.Where.Path),
                                        llvm::hash_combine_range(What.Writers), Bytes, Behind);
  return Hash >> 1; // the largest numbers are reserved keys of a DenseMap
}

const Expr *SourceNames::known(const Sight &What, unsigned Bytes, long Behind, bool IsReal) const {
  auto Candidates = KnownAt.find(hashOf(What, Bytes, Behind));
  if (Candidates != KnownAt.end())
    for (unsigned Number : Candidates->second)
      if (const InMemory &Candidate = Known[Number];
          Candidate.Bytes == Bytes && Candidate.Behind == Behind && Candidate.IsReal == IsReal &&
          Candidate.What == What)
        return &Candidate.Symbol;
  return nullptr;
}

const Expr &SourceNames::remember(Sight What, unsigned Bytes, long Behind, Expr Symbol,
                                  bool IsReal) {
  KnownAt[hashOf(What, Bytes, Behind)].push_back(unsigned(Known.size()));
  Known.push_back({std::move(What), Bytes, Behind, IsReal, std::move(Symbol)});
  return Known.back().Symbol;
}

Expr SourceNames::cell(const AccessPath &Where, unsigned Bytes, bool IsReal) {
  if (const Expr *Done = known({Where, {}}, Bytes, 0, IsReal))
    return *Done;
  Spelling Spelt = spell(Where, Bytes);
  const llvm::DIType *Type = Spelt.Found ? Spelt.Found->Type : nullptr;
  if (IsReal)
    return cell(Where, Bytes, 0, std::move(Spelt.Text), {}, {ScalarKind::Real});
  const auto IsSigned = isSignedInteger(Type, 8 * Bytes);
  ScalarType Kind = scalarTypeOf(Type);
  if (Kind.Kind == ScalarKind::Real)
    Kind = {};
  Expr Result = cell(Where, Bytes, 0, std::move(Spelt.Text), IsSigned, std::move(Kind));
  if (const Atom *Symbol = Result.asAtom()) {
    Types[Symbol->Name] = {8 * Bytes, IsSigned == false};
    note(Spelt, Symbol->Name);
  }
  return Result;
}

Expr SourceNames::cell(const AccessPath &Where, unsigned Bytes, long Behind, std::string Name,
                       std::optional<bool> IsSigned, ScalarType Type) {
  const bool IsReal = Type.Kind == ScalarKind::Real;
  auto *Argument = dyn_cast<llvm::Argument>(Where.Base);
  if (Argument && Name == argument(*Argument) && !Addresses.contains(Argument) &&
      References.insert(Argument).second) {
    // The parameter's own name.
  } else {
    Name = unique(Argument && Name == argument(*Argument) ? "*" + Name : Name);
  }
  if (IsReal)
    Name = realSymbol(Name);
  if (Argument)
    Cells.push_back(
        {Name, Argument->getArgNo(), Where.Path, Bytes, Behind, IsSigned, std::move(Type)});
  return remember({Where, {}}, Bytes, Behind, Expr::symbol(Name), IsReal);
}

/// The possible writers of what \p What sees.
static std::string writersOf(const Sight &What) {
  std::string Result;
  for (const Instruction *Writer : What.Writers) {
    auto *Site = dyn_cast_or_null<CallBase>(Writer);
    const llvm::Function *Callee = Site ? Site->getCalledFunction() : nullptr;
    if (!Site || isa<llvm::IntrinsicInst>(Site))
      continue;
    std::string Name =
        Callee ? "the call of " + sourceName(Callee->getName(), *Callee->getParent()) : "a call";
    if (Result.empty() || Name < Result) // the writers are unordered
      Result = std::move(Name);
  }
  return Result.empty() ? ", which this function changes" : ", after " + Result;
}

std::optional<Expr> SourceNames::seen(const Sight &What, unsigned Bytes, const Instruction &Point,
                                      bool MayName) {
  if (What.Writers.empty()) {
    Expr Symbol = cell(What.Where, Bytes);
    auto *Type = dyn_cast<llvm::IntegerType>(Point.getType());
    if (isa<llvm::GlobalVariable>(What.Where.Base) && Symbol.asAtom() && Type &&
        Type->getBitWidth() <= 64)
      GlobalLoads.try_emplace(&Point, Symbol.asAtom()->Name);
    return Symbol;
  }
  if (const Expr *Done = known(What, Bytes, 0))
    return *Done;
  if (!MayName)
    return std::nullopt;
  Expr Symbol =
      unknown("value", nearestLocation(Point), nameOf(What.Where, Bytes) + writersOf(What),
              Probe{.Value = &Point, .Point = &Point});
  return remember(What, Bytes, 0, std::move(Symbol));
}

Expr SourceNames::reloaded(const Sight &What, unsigned Bytes, const Instruction &Point,
                           const Expr &Formula, const std::vector<PointerTaker> &After) {
  if (After.empty())
    return Formula;
  if (const Expr *Done = known(What, Bytes, 0))
    return *Done;
  const Expr Symbol =
      unknown("value", nearestLocation(Point), nameOf(What.Where, Bytes) + writersOf(What),
              Probe{.Value = &Point, .Point = &Point});
  explain(Symbol, Formula);
  unknownNamed(Symbol).After = After;
  return remember(What, Bytes, 0, Symbol);
}

/// `v.size()`, `v.capacity()`; of other structures `r.first..last`.
std::string SourceNames::distanceName(const AccessPath &To, const AccessPath &From) const {
  unsigned Bytes = F.getDataLayout().getPointerSize();
  std::string Name = spell(From, Bytes).Text, Last = spell(To, Bytes).Text;
  StringRef Object = Name, End = Last;
  if (Object.consume_back(".data()") && End.consume_front(Object))
    return (Object + (End == ".end()" ? ".size()" : ".capacity()")).str();
  return Name + ".." + End.substr(End.find_last_of(".>") + 1).str();
}

std::optional<Expr> SourceNames::seenPointer(const Sight &What, const llvm::LoadInst *Load,
                                             bool MayName) {
  auto Found = spell(What.Where, F.getDataLayout().getPointerSize()).Found;
  auto Follows = Found ? followerOf(*Found) : std::nullopt;
  if (!Follows) {
    if (const Expr *Done = known(What, 0, 0))
      return *Done;
    return remember(What, 0, 0, freshAddress({}));
  }
  unsigned Bytes = unsigned(Follows->ElementBytes);
  long Behind = long(Follows->Behind);
  Sight First = What;
  First.Where.Path.back() -= Behind;
  auto Start = seenPointer(First, nullptr, MayName);
  const Expr *Done = known(What, Bytes, Behind);
  if (!Start || (!Done && !What.Writers.empty() && !MayName))
    return std::nullopt;
  if (Done)
    return *Start + *Done * Expr(long(Bytes));
  std::string Name = distanceName(What.Where, First.Where);
  if (What.Writers.empty())
    return *Start + cell(What.Where, Bytes, Behind, Name) * Expr(long(Bytes));
  Expr Distance = unknown("value", Load ? nearestLocation(*Load) : SourceLocation(),
                          Name + writersOf(What), distanceProbe(Load, Behind, Bytes));
  static constexpr unsigned MaxBits = 60; // a number of elements
  Types[Distance.asAtom()->Name] = {MaxBits, true};
  return *Start + remember(What, Bytes, Behind, std::move(Distance)) * Expr(long(Bytes));
}

std::optional<std::pair<AccessPath, Expr>> SourceNames::followed(const AccessPath &Pointer) {
  const auto Found = spell(Pointer, F.getDataLayout().getPointerSize()).Found;
  // In other structures two pointers may be two arrays.
  const bool IsOfVector = Found && (StringRef(Found->Path).ends_with(".end()") ||
                                    StringRef(Found->Path).ends_with(".limit()"));
  const auto Follows = IsOfVector ? followerOf(*Found) : std::nullopt;
  if (!Follows)
    return std::nullopt;
  AccessPath First = Pointer;
  First.Path.back() -= long(Follows->Behind);
  const unsigned Bytes = unsigned(Follows->ElementBytes);
  const Expr *Done = known({Pointer, {}}, Bytes, long(Follows->Behind));
  const Expr Elements =
      Done ? *Done : cell(Pointer, Bytes, long(Follows->Behind), distanceName(Pointer, First));
  return std::pair(std::move(First), Elements * Expr(long(Bytes)));
}

std::optional<SourceNames::MemorySymbol> SourceNames::memoryNamed(StringRef Symbol) const {
  for (const InMemory &Each : Known)
    if (const Atom *Name = Each.Symbol.asAtom();
        Name && Name->Name == Symbol && Each.What.Writers.empty())
      return MemorySymbol{Each.What.Where, Each.Bytes, Each.Behind, Each.IsReal};
  return std::nullopt;
}

std::optional<Expr> SourceNames::integerAt(const AccessPath &Where) {
  if (Where.Path != std::vector<long>{0})
    return std::nullopt;
  const llvm::DIType *Type = nullptr;
  if (auto *Argument = dyn_cast<llvm::Argument>(Where.Base)) {
    Type = Origins[Argument->getArgNo()].Type;
    if (auto Via = indirection(Type))
      Type = Via->To;
  } else if (auto *Global = dyn_cast<llvm::GlobalVariable>(Where.Base)) {
    if (const llvm::DIGlobalVariable *Variable = variableOf(*Global))
      Type = Variable->getType();
    else if (auto *Integer = dyn_cast<llvm::IntegerType>(Global->getValueType()))
      return cell(Where, Integer->getBitWidth() / 8);
  }
  Type = stripNames(Type);
  if (!isInteger(Type))
    return std::nullopt;
  return cell(Where, unsigned(Type->getSizeInBits() / 8));
}

} // namespace ergon
