//===- CallBinding.cpp - a callee's symbols in its caller's terms ---------===//

#include "model/program/CallBinding.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <span>

namespace ergon {

bool isGlobalSymbol(std::string_view Symbol) {
  return Symbol.find("::") != std::string_view::npos && !isUnknownSymbol(Symbol);
}

/// `p->dims.nx` for the callee's `d->nx` in the object `p->dims`. Nothing where either has no such
/// form.
static std::optional<std::string> inObject(const std::string &Object, const std::string &Formal,
                                           const std::string &Symbol) {
  if (isReal(Symbol)) {
    auto Name = inObject(Object, Formal, std::string(symbolText(Symbol)));
    return Name ? std::optional(realSymbol(*Name)) : std::nullopt;
  }
  if (!Object.empty() && Symbol == "*" + Formal)
    return Object;
  if (Object.empty() || !Symbol.starts_with(Formal))
    return std::nullopt;
  std::string Rest = Symbol.substr(Formal.size());
  bool IsPointer = Object[0] == '*';
  std::string Start = IsPointer ? Object.substr(1) : Object;
  if (Rest.empty() || Rest[0] == '[')
    return Start + Rest;
  bool IsArrow = Rest.starts_with("->");
  if (!IsArrow && Rest[0] != '.')
    return std::nullopt;
  return Start + (IsPointer ? "->" : ".") + Rest.substr(IsArrow ? 2 : 1);
}

/// The caller's cell at \p Where, created and named if missing; nothing where its name is taken.
static std::optional<Expr> cellOf(Cell Where, const Function &Owner, std::vector<Cell> &Cells) {
  auto Found = std::ranges::find_if(Cells, [&](const Cell &C) {
    return C.Parameter == Where.Parameter && C.Path == Where.Path && C.Bytes == Where.Bytes &&
           C.Behind == Where.Behind;
  });
  if (Found != Cells.end())
    return Expr::symbol(Found->Symbol);
  // A parameter's name is free where it is the pointer to this very cell.
  auto IsTaken = [&](const Parameter &P) {
    bool Own =
        &P == &Owner.Parameters[Where.Parameter] && Where.Path == std::vector<std::int64_t>{0};
    return P.symbol() == Where.Symbol && !Own;
  };
  if (Where.Symbol.empty() ||
      std::ranges::find(Cells, Where.Symbol, &Cell::Symbol) != Cells.end() ||
      std::ranges::any_of(Owner.Parameters, IsTaken))
    return std::nullopt;
  Cells.push_back(std::move(Where));
  return Expr::symbol(Cells.back().Symbol);
}

/// The signed number in bits Low … Low + Bits - 1 of \p Whole, one of \p AllBits bits: for a +
/// 2^32·b it is a or b.
static Expr partOf(const Expr &Whole, unsigned Low, unsigned Bits, unsigned AllBits) {
  auto Upper = [](const Expr &Value, unsigned Below) { // rounded: below is a signed number
    Expr Unit{twoTo(Below)};
    return floorDiv(Value + Unit * Expr(Rational(1, 2)), Unit);
  };
  Expr Part = Low == 0 ? Whole : Upper(Whole, Low);
  if (Low + Bits == AllBits)
    return Part;
  return Part - Expr(twoTo(Bits)) * Upper(Part, Bits);
}

std::optional<Expr> fieldOf(const Expr &Packed, unsigned Low, unsigned Bits, unsigned AllBits) {
  Expr Result;
  // Fields side by side are multiples of their units; anything else may be all fields in one
  // number.
  const Rational UpperHalf = twoTo(AllBits / 2);
  if (!Packed.constant() && std::ranges::none_of(Packed.terms(), [&](const Term &T) {
        return (T.Coefficient / UpperHalf).isInteger();
      }))
    return std::nullopt;
  for (const Term &T : Packed.terms()) {
    if (!T.Coefficient.isInteger())
      return std::nullopt;
    Result += partOf(Expr(T.Coefficient), Low, Bits, AllBits) * Expr::fromTerms({{T.Factors, 1}});
  }
  return Result;
}

/// Whether \p I lies in the object that the cell \p C lies in.
static bool isBeside(const PassedObject::Item &I, const Cell &C) {
  return std::ranges::equal(I.Through, std::span(C.Path).first(C.Path.size() - 1));
}

/// The caller's address for the callee's pointer at \p Offset, beside \p C; nothing where the
/// caller stored none there.
static const PassedObject::Item *addressAt(const PassedObject &Object, const Cell &C,
                                           std::int64_t Offset) {
  auto Found = std::ranges::find_if(Object.Stored, [&](const PassedObject::Item &I) {
    return I.Offset == Offset && I.IsAddress && I.Value && isBeside(I, C);
  });
  return Found == Object.Stored.end() ? nullptr : &*Found;
}

/// True where \p Value depends on an address.
static bool hasAddress(const Expr &Value) {
  std::set<std::string> Symbols;
  Value.collectSymbols(Symbols);
  return std::ranges::any_of(Symbols, [](const std::string &Text) { return Text[0] == '&'; });
}

/// The distance of two stored pointers, in elements.
static std::optional<Expr> distanceIn(const PassedObject &Object, const Cell &C) {
  std::int64_t Offset = C.Path.back();
  const PassedObject::Item *To = addressAt(Object, C, Offset),
                           *From = addressAt(Object, C, Offset - C.Behind);
  if (!To || !From)
    return std::nullopt;
  Expr Distance = floorDiv(*To->Value - *From->Value, Expr(std::int64_t(C.Bytes)));
  return hasAddress(Distance) ? std::nullopt : std::optional(simplifyConditions(Distance));
}

std::optional<Expr> valueOfCell(const Cell &C, const Function &Callee, const Call &Site,
                                const Function &Owner, std::vector<Cell> &OwnerCells) {
  if (C.Parameter < Callee.Parameters.size() && Callee.Parameters[C.Parameter].Type == "i64") {
    if (C.Parameter >= Site.Arguments.size() || !Site.Arguments[C.Parameter])
      return std::nullopt;
    const Expr &Packed = *Site.Arguments[C.Parameter];
    unsigned Low = unsigned(8 * C.Path.front()), Bits = 8 * C.Bytes;
    return fieldOf(Packed, Low, Bits, 64).value_or(partOf(Packed, Low, Bits, 64));
  }
  auto To = std::ranges::find(Site.Objects, C.Parameter, &PassedObject::Argument);
  if (To == Site.Objects.end() || C.Parameter >= Callee.Parameters.size())
    return std::nullopt;
  static constexpr std::int64_t PointerBytes = 8;
  bool IsNumber = C.Path.size() == 1 && C.Behind == 0;
  std::int64_t Before = C.Path.size() == 1 ? C.Behind : 0;
  std::int64_t First = C.Path.front(), Bytes = IsNumber ? std::int64_t(C.Bytes) : PointerBytes;
  if (C.Behind != 0)
    if (auto Distance = distanceIn(*To, C))
      return Distance;
  auto Found = std::ranges::find_if(To->Stored, [&](const PassedObject::Item &I) {
    return C.Behind == 0 && !I.IsAddress && I.Offset == C.Path.back() && I.Bytes == C.Bytes &&
           isBeside(I, C);
  });
  const bool IsReal = C.Type.Kind == ScalarKind::Real;
  if (Found != To->Stored.end())
    return IsReal == Found->IsReal && Found->After.empty() ? Found->Value : std::nullopt;
  for (const PassedObject::Item &Element : To->Stored) {
    // Fields that the compiler stores together, as it passes small structures.
    if (!Element.Through.empty())
      continue;
    if (IsNumber && !IsReal && !Element.IsReal && !Element.IsAddress && Element.Value &&
        Element.After.empty() && Element.Offset <= First &&
        First + Bytes <= Element.Offset + std::int64_t(Element.Bytes))
      return partOf(*Element.Value, unsigned(8 * (First - Element.Offset)), unsigned(8 * Bytes),
                    8 * Element.Bytes);
    if (Element.Offset < First + Bytes &&
        First - Before < Element.Offset + std::int64_t(Element.Bytes))
      return std::nullopt;
  }
  if (!To->From || !To->From->After.empty())
    return std::nullopt;
  const PassedObject::Origin &From = *To->From;
  auto Name = inObject(From.Text, Callee.Parameters[C.Parameter].Name, C.Symbol);
  if (!From.Parameter)
    return Name ? std::optional(Expr::symbol(*Name)) : std::nullopt;
  if (*From.Parameter >= Owner.Parameters.size())
    return std::nullopt;
  Cell Where{Name.value_or(""), *From.Parameter, From.Path, C.Bytes, C.Behind, C.IsSigned, C.Type};
  Where.Path.back() += First;
  Where.Path.insert(Where.Path.end(), C.Path.begin() + 1, C.Path.end());
  return cellOf(std::move(Where), Owner, OwnerCells);
}

unsigned integerBits(const Parameter &P) {
  unsigned Bits = 0;
  const char *End = P.Type.data() + P.Type.size();
  const bool Whole =
      P.Type.starts_with('i') && std::from_chars(P.Type.data() + 1, End, Bits).ptr == End;
  return Whole ? Bits : 0;
}

Expr fitInto(const Parameter &Formal, const Expr &Argument, bool MayWrap, const Function &Owner,
             Expr &Value) {
  const unsigned Bits = integerBits(Formal);
  if (!Formal.IsSigned || Formal.Means || Bits < 2)
    return Expr();
  const Rational All = twoTo(Bits), Half = twoTo(Bits - 1);
  const Rational Least = *Formal.IsSigned ? -Half : Rational(0);
  if (auto Number = Value.constant()) {
    if (Number->isInteger())
      Value = Expr(*Number - All * floorOf((*Number - Least) / All));
    return Expr();
  }
  const Atom *Symbol = Value.asAtom();
  if (auto Own = std::ranges::find_if(Owner.Parameters,
                                      [&](const Parameter &P) {
                                        return Symbol && Symbol->What == Atom::Kind::Symbol &&
                                               P.Name == Symbol->Name;
                                      });
      Own != Owner.Parameters.end() && Own->IsSigned == Formal.IsSigned && Own->Type == Formal.Type)
    return Expr();
  if (Bits < 32) {
    Value -= Expr(All) * floorDiv(Value - Expr(Least), Expr(All));
    return Expr();
  }
  const bool IsUnsigned = std::ranges::any_of(Owner.Parameters, [&](const Parameter &Element) {
    return Element.IsSigned == false && Argument.dependsOn(Element.Name);
  });
  const Expr Above = isAtLeast(Value, Expr(Least + All)), Below = isAtLeast(Expr(Least) - 1, Value);
  if (MayWrap)
    return Above + Below;
  if (*Formal.IsSigned)
    return IsUnsigned ? Above : Expr();
  return Below;
}

} // namespace ergon
