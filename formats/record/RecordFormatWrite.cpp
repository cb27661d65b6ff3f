//===- RecordFormatWrite.cpp - cost records: writing ----------------------===//

#include "formats/json/JsonWriter.h"
#include "formats/record/RecordFormat.h"
#include "formats/record/RecordKeys.h"
#include "formats/record/RecordTypes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

namespace ergon {

using Json = nlohmann::ordered_json;

/// Small whole numbers as numbers, all else as text.
static void writeFormula(JsonWriter &To, const Expr &Value) {
  static constexpr std::int64_t MaxExact = std::int64_t(1) << 53; // of a double
  const auto Number = Value.constant();
  const auto Word = Number ? Number->asWord() : std::nullopt;
  if (Word && std::abs(*Word) < MaxExact)
    To.value(*Word);
  else
    To.value(toText(Value));
}

static void writeFormulaOrNull(JsonWriter &To, const std::optional<Expr> &Value) {
  if (Value)
    writeFormula(To, *Value);
  else
    To.null();
}

/// A list is left out where it is empty.
template <typename List, typename Writer>
static void writeList(JsonWriter &To, std::string_view Key, const List &ObjectTypes, Writer Write) {
  if (ObjectTypes.empty())
    return;
  To.key(Key);
  To.beginArray();
  for (const auto &Type : ObjectTypes)
    Write(To, Type);
  To.endArray();
}

static void writePlace(JsonWriter &To, const SourceLocation &Location) {
  if (Location.isValid())
    To.member("at", Location.text());
}

static void writeShape(JsonWriter &To, const LaunchShape &Shape) {
  To.beginObject();
  To.key("shared_bytes");
  writeFormula(To, Shape.SharedBytes);
  writeList(To, "grid", Shape.Grid, writeFormula);
  writeList(To, "block", Shape.Block, writeFormula);
  To.endObject();
}

static void writeArguments(JsonWriter &To, const std::vector<std::optional<Expr>> &Exprs) {
  To.beginArray();
  for (const auto &E : Exprs)
    writeFormulaOrNull(To, E);
  To.endArray();
}

static void writeObject(JsonWriter &To, const PassedObject &Object) {
  To.beginObject();
  To.member("arg", Object.Argument);
  if (Object.From) {
    To.key("from");
    To.beginObject();
    if (Object.From->Parameter)
      To.member("param", *Object.From->Parameter);
    writePath(To, Object.From->Path);
    To.member("text", Object.From->Text);
    To.endObject();
  }
  writeList(To, "stored", Object.Stored, [](JsonWriter &To, const PassedObject::Item &I) {
    To.beginObject();
    To.member("offset", I.Offset);
    To.member("bytes", I.Bytes);
    To.key("value");
    writeFormulaOrNull(To, I.Value);
    if (I.IsAddress)
      To.member("address", true);
    To.endObject();
  });
  To.endObject();
}

static void writePointer(JsonWriter &To, const PointerArgument &Argument) {
  To.beginObject();
  To.member("arg", Argument.Argument);
  To.member("space", name(Argument.Where));
  if (!Argument.Base.empty())
    To.member("base", Argument.Base);
  if (Argument.Offset) {
    To.key("offset");
    writeFormula(To, *Argument.Offset);
  }
  if (Argument.Row) {
    To.key("row");
    writeFormula(To, *Argument.Row);
  }
  if (Argument.When) {
    To.key("when");
    writeFormula(To, *Argument.When);
  }
  To.endObject();
}

static void writeCall(JsonWriter &To, const Call &Site) {
  To.beginObject();
  if (!Site.Callee.empty())
    To.member("callee", Site.Callee);
  if (!Site.Symbol.empty())
    To.member("symbol", Site.Symbol);
  if (Site.IsLaunch)
    To.member("launch", true);
  To.key("args");
  writeArguments(To, Site.Arguments);
  writeList(To, "wrapping", Site.Wrapping,
            [](JsonWriter &To, unsigned Single) { To.value(Single); });
  writeList(To, "objects", Site.Objects, writeObject);
  writeList(To, "globals", Site.Globals, [](JsonWriter &To, const auto &Item) {
    To.beginObject();
    To.member("symbol", Item.first);
    To.key("value");
    writeFormula(To, Item.second);
    To.endObject();
  });
  writePlace(To, Site.Location);
  if (Site.Shape) {
    To.key("shape");
    writeShape(To, *Site.Shape);
  }
  writeList(To, "pointers", Site.Pointers, writePointer);
  writeList(To, "made", Site.Origins, [](JsonWriter &To, const MadeBy &MB) {
    To.beginObject();
    To.member("arg", MB.Number);
    To.member("by", MB.Callee);
    To.key("args");
    writeArguments(To, MB.Arguments);
    To.endObject();
  });
  if (Site.Order)
    To.member("order", Site.Order);
  if (!Site.Result.empty())
    To.member("result", Site.Result);
  To.endObject();
}

/// `{"slots": 3, "add f64 256": 1}`
static void writeMix(JsonWriter &To, const InstructionMix &Mix) {
  To.beginObject();
  if (Mix.Slots != 0)
    To.member("slots", Mix.Slots);
  for (const auto &[Kind, Times] : Mix.Counts)
    To.member(Kind.text(), Times);
  To.endObject();
}

static void writeMachineLoop(JsonWriter &To, const MachineLoop &Loop) {
  To.beginObject();
  To.member("step", Loop.Step);
  if (Loop.Iteration) {
    To.key("instructions");
    writeMix(To, *Loop.Iteration);
  }
  writeList(To, "chains", Loop.Chains, writeMix);
  if (!Loop.Entry.empty()) {
    To.key("entry");
    writeMix(To, Loop.Entry);
  }
  To.endObject();
}

static void writeStart(JsonWriter &To, const UnknownStart &Start) {
  To.beginObject();
  To.member("start", Start.Number);
  if (Start.Loops)
    To.member("loops", Start.Loops);
  if (!Start.Further.isZero()) {
    To.key("further");
    writeFormula(To, Start.Further);
  }
  if (Start.GoesOn)
    To.member("goes_on", true);
  To.endObject();
}

static void writeCounts(JsonWriter &To, const Counts &C) {
  To.beginObject();
  for (const auto &[Class, Amount] : C) {
    To.key(name(Class));
    writeFormula(To, Amount);
  }
  To.endObject();
}

static void writeHint(JsonWriter &To, const Hint &H) {
  To.beginObject();
  To.member("what", H.What);
  writePlace(To, H.Location);
  if (!H.Detail.empty())
    To.member("detail", H.Detail);
  if (!H.Saves.empty()) {
    To.key("saves");
    writeCounts(To, H.Saves);
  }
  if (H.NeededIn)
    To.member("needed_in", H.NeededIn);
  writeList(To, "if_only_read", H.IfOnlyRead, [](JsonWriter &To, const KernelArgument &Argument) {
    To.beginObject();
    To.member("kernel", Argument.Kernel);
    To.member("argument", Argument.Argument);
    To.endObject();
  });
  To.endObject();
}

static void writeAccess(JsonWriter &To, const Access &A) {
  To.beginObject();
  To.member("op", name(A.What));
  To.member("space", name(A.Where));
  To.member("bytes", A.Bytes);
  if (!A.Base.empty())
    To.member("base", A.Base);
  if (A.Offset) {
    To.key("offset");
    writeFormula(To, *A.Offset);
  }
  if (A.Line)
    To.member("line", A.Line);
  if (A.Column)
    To.member("column", A.Column);
  if (!A.File.empty())
    To.member("file", A.File);
  if (A.Order)
    To.member("order", A.Order);
  if (A.Length) {
    To.key("length");
    writeFormula(To, *A.Length);
  }
  if (A.Row) {
    To.key("row");
    writeFormula(To, *A.Row);
  }
  if (A.NonTemporal)
    To.member("non_temporal", true);
  if (A.From) {
    To.key("from");
    writeStart(To, *A.From);
  }
  To.endObject();
}

static void writePointed(JsonWriter &To, const PointedLocation &Place) {
  To.beginObject();
  if (!Place.Object.empty())
    To.member("object", Place.Object);
  if (Place.Offset) {
    To.key("offset");
    writeFormula(To, *Place.Offset);
  }
  To.endObject();
}

static void writePointerStore(JsonWriter &To, const PointerStore &Store) {
  To.beginObject();
  To.member("object", Store.Object);
  To.key("offset");
  writeFormula(To, Store.Offset);
  To.key("value");
  writePointed(To, Store.Value);
  if (Store.Order)
    To.member("order", Store.Order);
  To.endObject();
}

static void writeKnownObject(JsonWriter &To, const SizedObject &Object) {
  To.beginObject();
  To.member("name", Object.Name);
  To.member("space", name(Object.Where));
  To.member("bytes", Object.Bytes);
  if (!Object.Symbol.empty())
    To.member("symbol", Object.Symbol);
  if (Object.IsAllocated)
    To.member("allocated", true);
  if (Object.Via) {
    To.key("through");
    To.beginObject();
    To.member("object", Object.Via->Object);
    if (Object.Via->Offset)
      To.member("offset", *Object.Via->Offset);
    if (Object.Via->AtEntry)
      To.member("at_entry", true);
    To.endObject();
  }
  To.endObject();
}

static void writeBlock(JsonWriter &To, const Block &B) {
  To.beginObject();
  To.key("runs");
  writeFormula(To, B.Runs);
  if (B.How != Known::Exact)
    To.member("known", name(B.How));
  if (!B.PerRun.empty()) {
    To.key("counts");
    writeCounts(To, B.PerRun);
  }
  writeList(To, "accesses", B.Accesses, writeAccess);
  writeList(To, "pointer_loads", B.PointerLoads, [](JsonWriter &To, const PointerLoad &Load) {
    To.beginObject();
    To.member("object", Load.Object);
    To.member("order", Load.Order);
    To.endObject();
  });
  writeList(To, "pointer_stores", B.PointerStores, writePointerStore);
  writeList(To, "calls", B.Calls, writeCall);
  if (!B.Instructions.empty()) {
    To.key("instructions");
    writeMix(To, B.Instructions);
  }
  writeList(To, "hints", B.Hints, writeHint);
  writeList(To, "lines", B.Lines, [](JsonWriter &To, const LineCost &Cost) {
    To.beginObject();
    To.member("line", Cost.Line);
    if (!Cost.File.empty())
      To.member("file", Cost.File);
    To.key("counts");
    writeCounts(To, Cost.PerRun);
    To.endObject();
  });
  To.endObject();
}

static void writeLoop(JsonWriter &To, const Loop &L) {
  To.beginObject();
  To.member("var", L.Variable);
  writePlace(To, L.Location);
  To.key("entries");
  writeFormula(To, L.Entries);
  To.key("last");
  writeFormula(To, L.Last);
  if (L.TripsKnown != Known::Exact)
    To.member("known", name(L.TripsKnown));
  for (const auto &[Key, Field] : ShapeKeys)
    if (L.Shape.*Field != 0)
      To.member(Key, L.Shape.*Field);
  writeList(To, "made", L.Made, writeMachineLoop);
  if (L.Order)
    To.member("order", L.Order);
  To.key("blocks");
  To.beginArray();
  for (const Block &B : L.Blocks)
    writeBlock(To, B);
  To.endArray();
  writeList(To, "loops", L.Loops, writeLoop);
  To.endObject();
}

static void writeUnknown(JsonWriter &To, const Unknown &U) {
  To.beginObject();
  To.member("symbol", U.Symbol);
  To.member("why", U.Why);
  writePlace(To, U.Location);
  if (U.Measured)
    To.member("measured", toText(Expr(*U.Measured)));
  if (U.Most)
    To.member("most", U.Most);
  if (U.Estimate)
    To.member("estimate", toText(Expr(*U.Estimate)));
  To.endObject();
}

static void writeFunction(JsonWriter &To, const Function &F) {
  To.beginObject();
  // The names come first: RecordFile finds them there.
  To.member("name", F.Name);
  To.member("demangled", F.Demangled);
  To.member("snapshot", F.Snapshot);
  To.member("local", F.IsLocal);
  if (F.IsWeak)
    To.member("weak", true);
  writeList(To, "aliases", F.Aliases, [](JsonWriter &To, const Alias &A) {
    To.beginObject();
    To.member("name", A.Name);
    if (A.IsLocal)
      To.member("local", true);
    if (A.IsWeak)
      To.member("weak", true);
    To.endObject();
  });
  if (F.IsKernel)
    To.member("kernel", true);
  writePlace(To, F.Location);
  To.key("params");
  To.beginArray();
  for (const Parameter &P : F.Parameters) {
    To.beginObject();
    To.member("name", P.Name);
    To.member("type", P.Type);
    if (P.IsSigned)
      To.member("signed", *P.IsSigned);
    To.endObject();
  }
  To.endArray();
  writeList(To, "cells", F.Cells, writeCell);
  writeList(To, "declared", F.Declared, writeDeclaredMember);
  writeList(To, "objects", F.Objects, writeKnownObject);
  if (F.Returns) {
    To.key("returns");
    writePointed(To, *F.Returns);
  }
  writeList(To, "unknowns", F.Unknowns, writeUnknown);
  writeList(To, "assumptions", F.Assumptions, [](JsonWriter &To, const Assumption &Single) {
    To.beginObject();
    To.member("what", Single.What);
    writePlace(To, Single.Location);
    To.endObject();
  });
  writeList(To, "wraps", F.WrapChecks, [](JsonWriter &To, const WrapCheck &Check) {
    To.beginObject();
    To.key("if");
    writeFormula(To, Check.Wraps);
    writePlace(To, Check.Location);
    To.endObject();
  });
  writeList(To, "annotations", F.Annotations,
            [](JsonWriter &To, const std::string &Item) { To.value(Item); });
  To.key("body");
  writeLoop(To, F.Body);
  To.endObject();
}

/// The first line without its line break.
static std::string headerOf(const Unit &U, std::size_t Functions) {
  Json Header = {{"schema", RecordSchema},     {"source", U.Source}, {"object", U.Object},
                 {"directory", U.Directory},   {"target", U.Target}, {"compiler", U.Compiler},
                 {"function_count", Functions}};
  for (const SourceFile &File : U.Files)
    Header["files"].push_back({{"path", File.Path}, {"md5", File.Md5}});
  std::string Result = dumpValid(Header);
  Result.back() = ',';
  if (!U.Types.empty()) {
    JsonWriter To(Result);
    writeList(To, "types", U.Types, writeObjectType);
    Result += ',';
  }
  return Result + "\"functions\":[";
}

std::string writeRecord(const Unit &U, const std::vector<Function> &Functions) {
  std::string Result = headerOf(U, Functions.size());
  for (std::size_t I = 0; I != Functions.size(); ++I) {
    Result += I ? ",\n" : "\n";
    JsonWriter To(Result);
    writeFunction(To, Functions[I]);
  }
  Result += "\n]}\n";
  return Result;
}

std::string movedRecord(const RecordFile &File, const Unit &To) {
  std::string Result = headerOf(To, File.functions().size());
  for (std::size_t I = 0; I != File.functions().size(); ++I) {
    Result += I ? ",\n" : "\n";
    Result += File.functions()[I].Line;
  }
  return Result + "\n]}\n";
}

} // namespace ergon
