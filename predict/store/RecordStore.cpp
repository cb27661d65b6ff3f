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

/// The index after the bracket that closes the one at \p At, scanning backwards
/// from \p At, a closing one: the index of the opening one.
static std::size_t openingBracket(std::string_view Text, std::size_t At) {
  int Depth = 0;
  for (std::size_t I = At + 1; I-- > 0;) {
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
  // The parameters: the last bracketed list, behind which only qualifiers and
  // clang's suffixes stand.
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

/// How well \p Wanted names a function: 0 not at all, else the higher the better.
static int matchQuality(const RecordFile::Entry &Each, std::string_view Wanted) {
  if (Each.Name == Wanted ||
      std::ranges::find(Each.Aliases, Wanted, &RecordFile::OtherName::Name) != Each.Aliases.end())
    return 4;
  if (Each.Demangled == Wanted)
    return 3;
  std::string_view Base = baseName(Each.Demangled);
  if (Base == Wanted)
    return 2;
  return withoutTemplateArguments(Base) == Wanted ? 1 : 0;
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// The source file, and what was made of it where \p Other is of the same.
static std::string named(const FunctionRef &Of, const FunctionRef &Other) {
  const Unit &Each = Of.File->unit();
  return Each.Source == Other.File->unit().Source && !Each.Object.empty()
             ? Each.Source + " for " + Each.Object
             : Each.Source;
}

const RecordStore::Copies &RecordStore::compare(const FunctionRef &First,
                                                const FunctionRef &Second) {
  const auto [At, New] = Compared.try_emplace({First.Entry, Second.Entry});
  if (New) {
    const auto Left = load(First), Right = load(Second);
    if (Left && Right)
      At->second = {isSameButNames(**Left, **Right), countUnnamed(**Left), countUnnamed(**Right)};
  }
  return At->second;
}

/// The caller's target before a device's (a host function and a kernel have
/// different names) and its snapshot; then the linker's choice, a strong definition,
/// else one that is the same as the others: that of the caller's unit or source.
/// Where they are not the same, the first by name of its record ends the question. Of two that
/// differ in names alone it is the one that has more of them.
void RecordStore::choose(FunctionRef &Held, const FunctionRef &Next, const FunctionRef *From) {
  auto Rank = [&](const FunctionRef &Each) {
    const Unit &Of = Each.File->unit();
    return std::tuple(From && Of.Target != From->File->unit().Target,
                      From && Each.Entry->Snapshot != From->Entry->Snapshot, Each.isWeak(),
                      From && Each.File != From->File,
                      From && Of.Source != From->File->unit().Source,
                      Of.Source.substr(Of.Source.rfind('/') + 1), std::string_view(Of.Object),
                      std::string_view(Each.File->path()));
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

/// The path of \p File, from \p Directory where it is relative, without `.` and `..`. By hand, as
/// there is no std::filesystem in WebAssembly.
static std::string normalPath(const std::string &Directory, const std::string &File) {
  const std::string Whole = File.starts_with('/') ? File : Directory + "/" + File;
  std::vector<std::string> Parts;
  for (std::size_t Begin = 0; Begin <= Whole.size();) {
    const std::size_t End = std::min(Whole.find('/', Begin), Whole.size());
    const std::string Part = Whole.substr(Begin, End - Begin);
    Begin = End + 1;
    if (Part == ".." && !Parts.empty() && Parts.back() != "..")
      Parts.pop_back();
    else if (!Part.empty() && Part != ".")
      Parts.push_back(Part);
  }
  std::string Result;
  for (const std::string &Part : Parts)
    Result += "/" + Part;
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
    const std::string Source = normalPath(File->unit().Directory, File->unit().Source);
    for (const RecordFile::Entry &Each : File->functions()) {
      if (!Wanted.Snapshot.empty() && Each.Snapshot != Wanted.Snapshot)
        continue;
      int Quality = Wanted.Entry.empty() ? Best : matchQuality(Each, Wanted.Entry);
      if (Quality < Best)
        continue;
      if (Quality > Best) {
        Result.clear();
        Seen.clear();
        Best = Quality;
      }
      // The same function of several units; a local one is another in each source.
      auto [At, New] = Seen.try_emplace({std::string(Each.Name),
                                         fmt::format("{} {}", File->unit().Target, Each.Snapshot),
                                         Each.IsLocal ? Source : ""},
                                        Result.size());
      if (New)
        Result.push_back({File.get(), &Each});
      else
        choose(Result[At->second], {File.get(), &Each}, nullptr);
    }
  }
  if (!Wanted.Snapshot.empty() || Wanted.Entry.empty())
    return Result;
  // Without a word about it: the first of these that there is.
  for (std::string_view Snapshot : {"algorithm", "source", "machine"}) {
    auto Is = [&](const FunctionRef &R) { return R.Entry->Snapshot == Snapshot; };
    if (std::ranges::any_of(Result, Is)) {
      std::erase_if(Result, std::not_fn(Is));
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
    for (const FunctionRef &Each : Found)
      List += fmt::format("{}{} ({}, {})", List.empty() ? "" : "; ", Each.Entry->Demangled,
                          named(Each, &Each == &Found[0] ? Found[1] : Found[0]),
                          Each.File->unit().Target);
    return std::unexpected(Error{
        fmt::format("{} functions are called {}: {}", Found.size(), inQuotes(Wanted.Entry), List),
        "", "give the name with its parameters, or --unit FILE, or --target TRIPLE", Directory});
  }
  std::vector<std::string> Names;
  std::set<std::string> Snapshots;
  for (const auto &File : Files)
    for (const RecordFile::Entry &Each : File->functions()) {
      Names.emplace_back(baseName(Each.Demangled));
      if (matchQuality(Each, Wanted.Entry) != 0)
        Snapshots.emplace(Each.Snapshot);
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
                           [](const Parameter &Each) { return Each.Name.starts_with("arg"); }))
    return;
  for (const auto &File : Files)
    for (const RecordFile::Entry &Each : File->functions()) {
      std::size_t At = Each.Demangled.find(Mark);
      if (At == std::string::npos ||
          std::string(Each.Demangled).erase(At, Mark.size()) != Kernel.Demangled)
        continue;
      auto Stub = File->load(Each, Detail::Costs, Formulas);
      if (!Stub || Stub->Parameters.size() != Kernel.Parameters.size())
        continue;
      std::vector<std::string> Names;
      for (std::size_t I = 0; I != Stub->Parameters.size(); ++I) {
        Names.push_back(Stub->Parameters[I].Name);
        if (Stub->Parameters[I].Type == Kernel.Parameters[I].Type)
          Kernel.Parameters[I].IsSigned = Stub->Parameters[I].IsSigned;
      }
      return renameParameters(Kernel, Names);
    }
}

const ObjectType *RecordStore::typeIn(const std::string &Target, const std::string &Class) {
  if (!Types) {
    Types.emplace();
    for (const auto &File : Files)
      for (const ObjectType &Each : File->unit().Types)
        if (auto [At, New] = Types->try_emplace({File->unit().Target, Each.Class}, &Each);
            !New && At->second && *At->second != Each)
          At->second = nullptr;
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
    Slot = std::make_unique<Function>(std::move(*Parsed));
    if (Slot->IsKernel)
      nameKernelParameters(*Slot);
    nameMembers(*Slot,
                [&](const std::string &Class) { return typeIn(Ref.File->unit().Target, Class); });
    if (!Counted.empty())
      Counted.bind(*Slot, Ref.File->unit().Source);
    Origin.emplace(Slot.get(), Ref);
  }
  return Slot.get();
}

/// True where \p Name, which other units do not see, is one of the function's.
static bool isLocalName(const RecordFile::Entry &Of, std::string_view Name) {
  return (Of.IsLocal && Of.Name == Name) ||
         std::ranges::any_of(Of.Aliases, [&](const RecordFile::OtherName &Each) {
           return Each.IsLocal && Each.Name == Name;
         });
}

const Function *RecordStore::callee(const std::string &Name, const Function &Caller,
                                    std::optional<Error> &Failure) {
  if (ByName.empty())
    for (const auto &File : Files)
      for (const RecordFile::Entry &Each : File->functions()) {
        ByName.emplace(Each.Name, FunctionRef{File.get(), &Each});
        for (const RecordFile::OtherName &As : Each.Aliases)
          ByName.emplace(As.Name, FunctionRef{File.get(), &Each, &As});
      }
  const FunctionRef &From = Origin.at(&Caller);
  // `UNIT:NAME` is local to that unit: a pointer to it was called elsewhere.
  if (const std::size_t Colon = Name.rfind(':'); Colon != std::string::npos)
    for (const auto &File : Files)
      for (const RecordFile::Entry &Each : File->functions())
        if (isLocalName(Each, std::string_view(Name).substr(Colon + 1)) &&
            Each.Snapshot == From.Entry->Snapshot &&
            File->unit().Source == std::string_view(Name).substr(0, Colon) &&
            File->unit().Target == From.File->unit().Target)
          return loaded({File.get(), &Each}, Failure);
  std::optional<FunctionRef> Found;
  auto [Begin, End] = ByName.equal_range(Name);
  for (auto It = Begin; It != End; ++It) {
    const FunctionRef &Each = It->second;
    bool SameTarget = Each.File->unit().Target == From.File->unit().Target;
    // The two compilations of a translation unit may have different -O.
    if ((SameTarget && Each.Entry->Snapshot != From.Entry->Snapshot) ||
        (SameTarget && Each.isLocal() && Each.File != From.File))
      continue;
    if (SameTarget && Each.isLocal()) {
      Found = Each; // it hides what others call so
      break;
    }
    if (Found)
      choose(*Found, Each, &From);
    else
      Found = Each;
  }
  return Found ? loaded(*Found, Failure) : nullptr;
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
