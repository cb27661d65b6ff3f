//===- RecordStore.cpp - the cost records of a folder ---------------------===//

#include "predict/store/RecordStore.h"
#include "model/program/FunctionComparison.h"
#include "model/program/MemberNames.h"
#include "predict/text/Suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace ergon {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The index of the opening bracket for the closing one at \p Position.
static std::size_t openingBracket(std::string_view Text, std::size_t Position) {
  int Depth = 0;
  for (std::size_t I = Position + 1; I-- > 0;) {
    char C = Text[I];
    if (C == ')' || C == '>' || C == ']')
      ++Depth;
    else if (C == '(' || C == '<' || C == '[')
      --Depth;
    if (Depth == 0)
      return I;
  }
  return std::string_view::npos;
}

std::string_view baseName(std::string_view Demangled) {
  // The parameters: the last bracketed list, followed only by qualifiers and clang's suffixes.
  std::size_t Close = Demangled.rfind(')');
  if (Close == std::string_view::npos)
    return Demangled;
  std::size_t Open = openingBracket(Demangled, Close);
  if (Open == std::string_view::npos || Open == 0)
    return Demangled;
  std::string_view Name = Demangled.substr(0, Open);
  // The return type of a template: up to the last space outside of brackets.
  int Depth = 0;
  for (std::size_t I = Name.size(); I-- > 0;) {
    char C = Name[I];
    if (C == '>' || C == ')')
      ++Depth;
    else if (C == '<' || C == '(')
      --Depth;
    else if (C == ' ' && Depth == 0 && !Name.substr(0, I).ends_with("operator"))
      return Name.substr(I + 1);
  }
  return Name;
}

/// `f` of `f<int>`.
static std::string_view withoutTemplateArguments(std::string_view Name) {
  if (!Name.ends_with('>') || Name.ends_with("operator>") || Name.ends_with("operator->"))
    return Name;
  std::size_t Open = openingBracket(Name, Name.size() - 1);
  return Open == std::string_view::npos ? Name : Name.substr(0, Open);
}

/// How well \p Wanted matches a function's name: 0 not at all, else higher is better.
static int matchQuality(const RecordFile::Entry &E, std::string_view Wanted) {
  if (E.Name == Wanted ||
      std::ranges::find(E.Aliases, Wanted, &RecordFile::OtherName::Name) != E.Aliases.end())
    return 4;
  if (E.Demangled == Wanted)
    return 3;
  std::string_view Base = baseName(E.Demangled);
  if (Base == Wanted)
    return 2;
  return withoutTemplateArguments(Base) == Wanted ? 1 : 0;
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// The source file, with the output if \p Other is of the same source.
static std::string named(const FunctionRef &Ref, const FunctionRef &Other) {
  const Unit &U = Ref.File->unit();
  return U.Source == Other.File->unit().Source && !U.Object.empty() ? U.Source + " for " + U.Object
                                                                    : U.Source;
}

RecordStore &RecordStore::detailed() {
  if (HowMuch == Detail::All)
    return *this;
  if (!Detailed) // without notices: these records gave theirs
    Detailed = std::make_unique<RecordStore>(Directory, Detail::All, Files, Counted);
  return *Detailed;
}

const RecordStore::Copies &RecordStore::compare(const FunctionRef &First,
                                                const FunctionRef &Second) {
  const auto [Found, New] = Compared.try_emplace({First.Entry, Second.Entry});
  if (New) {
    RecordStore &Whole = HowMuch == Detail::Costs ? *this : detailed();
    const auto Left = Whole.load(First), Right = Whole.load(Second);
    if (Left && Right)
      Found->second = {isSameButNames(**Left, **Right), countUnnamed(**Left),
                       countUnnamed(**Right)};
  }
  return Found->second;
}

/// Prefers the caller's target over a device's (a host function and a kernel have different names)
/// and its snapshot; then the linker's choice, a strong definition; then among equal definitions
/// that of the caller's unit or source. Among different ones the first record by name. Of two that
/// differ only in names, the one with more names.
void RecordStore::choose(FunctionRef &Held, const FunctionRef &Next, const FunctionRef *From) {
  auto Rank = [&](const FunctionRef &Ref) {
    const Unit &U = Ref.File->unit();
    return std::tuple(From && U.Target != From->File->unit().Target,
                      From && Ref.Entry->Snapshot != From->Entry->Snapshot, Ref.isWeak(),
                      From && Ref.File != From->File, From && U.Source != From->File->unit().Source,
                      U.Source.substr(U.Source.rfind('/') + 1), std::string_view(U.Object),
                      std::string_view(Ref.File->path()));
  };
  bool Better = Rank(Next) < Rank(Held), Differs = false;
  if (Held.File->unit().Target == Next.File->unit().Target &&
      Held.Entry->Snapshot == Next.Entry->Snapshot && Held.Entry->Line != Next.Entry->Line) {
    const Copies &Found = compare(Held, Next);
    Differs = !Found.AreSame;
    if (!Differs && Found.UnnamedOfFirst != Found.UnnamedOfSecond)
      Better = Found.UnnamedOfSecond < Found.UnnamedOfFirst;
  }
  const FunctionRef &Taken = Better ? Next : Held, &Other = Better ? Held : Next;
  if (Differs && Reported.emplace(Held.Entry->Name).second && Notice)
    Notice(fmt::format("{} differs between {} and {}: the one of {}, {}, is taken",
                       Held.Entry->Demangled, named(Held, Next), named(Next, Held),
                       named(Taken, Other),
                       Taken.isWeak() < Other.isWeak()    ? "which is not weak"
                       : From && Taken.File == From->File ? "where it is called"
                                                          : "the first by its record's name"));
  if (Better)
    Held = Next;
}

// By hand, as there is no std::filesystem in WebAssembly.
std::string normalPath(const std::string &Directory, const std::string &File) {
  const std::string Whole = File.starts_with('/') ? File : Directory + "/" + File;
  std::vector<std::string_view> Parts;
  for (std::size_t Begin = 0; Begin <= Whole.size();) {
    const std::size_t End = std::min(Whole.find('/', Begin), Whole.size());
    const std::string_view Part = std::string_view(Whole).substr(Begin, End - Begin);
    Begin = End + 1;
    if (Part == ".." && !Parts.empty() && Parts.back() != "..")
      Parts.pop_back();
    else if (!Part.empty() && Part != ".")
      Parts.push_back(Part);
  }
  std::string Result;
  for (std::string_view Part : Parts)
    (Result += '/') += Part;
  return Result;
}

std::vector<FunctionRef> RecordStore::select(const FunctionQuery &Wanted) {
  std::vector<FunctionRef> Result;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> Seen;
  int Best = 1;
  for (const auto &File : Files) {
    if ((!File->unit().Source.contains(Wanted.Unit) &&
         !File->unit().Object.contains(Wanted.Unit)) ||
        File->unit().Target.find(Wanted.Target) == std::string::npos)
      continue;
    for (const RecordFile::Entry &Function : File->functions()) {
      if (!Wanted.Snapshot.empty() && Function.Snapshot != Wanted.Snapshot)
        continue;
      int Quality = Wanted.Entry.empty() ? Best : matchQuality(Function, Wanted.Entry);
      if (Quality < Best)
        continue;
      if (Quality > Best) {
        Result.clear();
        Seen.clear();
        Best = Quality;
      }
      // One function in several units; internal linkage makes it distinct per source.
      auto [Found, New] = Seen.try_emplace(
          {std::string(Function.Name), fmt::format("{} {}", File->unit().Target, Function.Snapshot),
           Function.IsLocal ? normalPath(File->unit().Directory, File->unit().Source) : ""},
          Result.size());
      if (New)
        Result.push_back({File.get(), &Function});
      else
        choose(Result[Found->second], {File.get(), &Function}, nullptr);
    }
  }
  if (!Wanted.Snapshot.empty() || Wanted.Entry.empty())
    return Result;
  // By default the first of these that exists.
  for (std::string_view Snapshot : {"algorithm", "source", "machine"}) {
    auto Matches = [&](const FunctionRef &R) { return R.Entry->Snapshot == Snapshot; };
    if (std::ranges::any_of(Result, Matches)) {
      std::erase_if(Result, std::not_fn(Matches));
      break;
    }
  }
  return Result;
}

std::expected<FunctionRef, Error> RecordStore::find(const FunctionQuery &Wanted) {
  std::vector<FunctionRef> Found = select(Wanted);
  if (Found.size() == 1)
    return Found[0];
  if (Found.size() > 1) {
    std::string List;
    for (const FunctionRef &Ref : Found)
      List +=
          fmt::format("{}{} ({}, {})", List.empty() ? "" : "; ", Ref.Entry->Demangled,
                      named(Ref, &Ref == &Found[0] ? Found[1] : Found[0]), Ref.File->unit().Target);
    return std::unexpected(Error{
        fmt::format("{} functions are called {}: {}", Found.size(), inQuotes(Wanted.Entry), List),
        "", "give the name with its parameters, or --unit FILE, or --target TRIPLE", Directory});
  }
  std::vector<std::string> Names;
  std::set<std::string> Snapshots;
  for (const auto &File : Files)
    for (const RecordFile::Entry &Function : File->functions()) {
      Names.emplace_back(baseName(Function.Demangled));
      if (matchQuality(Function, Wanted.Entry) != 0)
        Snapshots.emplace(Function.Snapshot);
    }
  if (Snapshots.size() == 1 && !Wanted.Snapshot.empty() && !Snapshots.contains(Wanted.Snapshot))
    return std::unexpected(
        Error{fmt::format("function {} has no snapshot {}, only {}", inQuotes(Wanted.Entry),
                          inQuotes(Wanted.Snapshot), inQuotes(*Snapshots.begin())),
              "", "record with ERGON_SNAPSHOTS=source,algorithm,machine (ergon record --snapshots)",
              Directory});
  std::ranges::sort(Names);
  Names.erase(std::ranges::unique(Names).begin(), Names.end());
  return std::unexpected(Error{"no function is called " + inQuotes(Wanted.Entry), "",
                               suggestName(Wanted.Entry, Names), Directory});
}

void RecordStore::nameKernelParameters(Function &Kernel) {
  static constexpr std::string_view Mark = "__device_stub__";
  if (!std::ranges::all_of(Kernel.Parameters,
                           [](const Parameter &P) { return P.Name.starts_with("arg"); }))
    return;
  for (const auto &File : Files)
    for (const RecordFile::Entry &E : File->functions()) {
      std::size_t Position = E.Demangled.find(Mark);
      if (Position == std::string::npos ||
          std::string(E.Demangled).erase(Position, Mark.size()) != Kernel.Demangled)
        continue;
      auto Stub = File->load(E, Detail::Costs, Formulas);
      if (!Stub || (*Stub)->Parameters.size() != Kernel.Parameters.size())
        continue;
      std::vector<std::string> Names;
      for (std::size_t I = 0; I != Kernel.Parameters.size(); ++I) {
        const Parameter &Named = (*Stub)->Parameters[I];
        Names.push_back(Named.Name);
        if (Named.Type == Kernel.Parameters[I].Type)
          Kernel.Parameters[I].IsSigned = Named.IsSigned;
      }
      return renameParameters(Kernel, Names);
    }
}

const ObjectType *RecordStore::typeIn(const std::string &Target, const std::string &Class) {
  if (!Types) {
    Types.emplace();
    for (const auto &File : Files)
      for (const ObjectType &Type : File->unit().Types)
        if (auto [Position, New] = Types->try_emplace({File->unit().Target, Type.Class}, &Type);
            !New && Position->second && *Position->second != Type)
          Position->second = nullptr;
  }
  const auto Found = Types->find({Target, Class});
  return Found == Types->end() ? nullptr : Found->second;
}

std::expected<const Function *, Error> RecordStore::load(const FunctionRef &Ref) {
  std::unique_ptr<Function> &Slot = Loaded[Ref.Entry];
  if (!Slot) {
    auto Parsed = Ref.File->load(*Ref.Entry, HowMuch, Formulas);
    if (!Parsed)
      return std::unexpected(Parsed.error());
    Slot = std::move(*Parsed);
    if (Slot->IsKernel)
      nameKernelParameters(*Slot);
    nameMembers(*Slot,
                [&](const std::string &Class) { return typeIn(Ref.File->unit().Target, Class); });
    Origin.emplace(Slot.get(), Ref);
    std::optional<Error> Failure; // a damaged callee is reported where it is counted
    putCalleeFacts(*Slot, lookup(Failure));
    if (!Counted.empty())
      Counted.bind(*Slot, Ref.File->unit().Source);
    if (Slot->AsRun)
      Origin.emplace(Slot->AsRun.get(), Ref);
  }
  return Slot.get();
}

/// Whether \p Name is an internal name of the function.
static bool isLocalName(const RecordFile::Entry &E, std::string_view Name) {
  return (E.IsLocal && E.Name == Name) ||
         std::ranges::any_of(E.Aliases, [&](const RecordFile::OtherName &ON) {
           return ON.IsLocal && ON.Name == Name;
         });
}

const Function *RecordStore::callee(const std::string &Name, const Function &Caller,
                                    std::optional<Error> &Failure) {
  if (ByName.empty()) {
    std::size_t NumFunctions = 0;
    for (const auto &File : Files)
      NumFunctions += File->functions().size();
    ByName.reserve(NumFunctions);
    Loaded.reserve(NumFunctions);
    Origin.reserve(NumFunctions);
    for (const auto &File : Files)
      for (const RecordFile::Entry &E : File->functions()) {
        ByName.emplace(E.Name, Definition{{File.get(), &E}});
        for (const RecordFile::OtherName &As : E.Aliases)
          ByName.emplace(As.Name, Definition{{File.get(), &E, &As}});
      }
  }
  const FunctionRef &From = Origin.at(&Caller);
  // `UNIT:NAME` has internal linkage in that unit: a pointer to it was called elsewhere.
  if (const std::size_t Colon = Name.rfind(':'); Colon != std::string::npos)
    for (const auto &File : Files)
      for (const RecordFile::Entry &Element : File->functions())
        if (isLocalName(Element, std::string_view(Name).substr(Colon + 1)) &&
            Element.Snapshot == From.Entry->Snapshot &&
            File->unit().Source == std::string_view(Name).substr(0, Colon) &&
            File->unit().Target == From.File->unit().Target)
          return loaded({File.get(), &Element}, Failure);
  Definition *Found = nullptr;
  auto [Begin, End] = ByName.equal_range(Name);
  for (auto It = Begin; It != End; ++It) {
    const FunctionRef &Ref = It->second.Ref;
    bool SameTarget = Ref.File->unit().Target == From.File->unit().Target;
    // The two compilations of a translation unit may have different -O.
    if ((SameTarget && Ref.Entry->Snapshot != From.Entry->Snapshot) ||
        (SameTarget && Ref.isLocal() && Ref.File != From.File))
      continue;
    if (SameTarget && Ref.isLocal()) {
      Found = &It->second; // it hides external functions of that name
      break;
    }
    FunctionRef Better = Found ? Found->Ref : Ref;
    if (Found)
      choose(Better, Ref, &From);
    if (Better.Entry == Ref.Entry)
      Found = &It->second;
  }
  if (Found && !Found->Called)
    Found->Called = loaded(Found->Ref, Failure);
  return Found ? Found->Called : nullptr;
}

const Function *RecordStore::loaded(const FunctionRef &Ref, std::optional<Error> &Failure) {
  auto Result = load(Ref);
  if (Result)
    return *Result;
  if (!Failure)
    Failure = Result.error();
  return nullptr;
}

FunctionLookup RecordStore::lookup(std::optional<Error> &Failure) {
  return [this, &Failure](const std::string &Name, const Function &Caller) {
    return callee(Name, Caller, Failure);
  };
}

} // namespace ergon
