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
static void writeList(JsonWriter &To, std::string_view Key, const List &Of, Writer Write) {
  if (Of.empty())
    return;
  To.key(Key);
  To.beginArray();
  for (const auto &Each : Of)
    Write(To, Each);
  To.endArray();
}

static void writePlace(JsonWriter &To, const SourceLocation &At) {
  if (At.isValid())
    To.member("at", At.text());
}

static void writeShape(JsonWriter &To, const LaunchShape &Of) {
  To.beginObject();
  To.key("shared_bytes");
  writeFormula(To, Of.SharedBytes);
  writeList(To, "grid", Of.Grid, writeFormula);
  writeList(To, "block", Of.Block, writeFormula);
  To.endObject();
}

static void writeArguments(JsonWriter &To, const std::vector<std::optional<Expr>> &Of) {
  To.beginArray();
  for (const auto &Each : Of)
    writeFormulaOrNull(To, Each);
  To.endArray();
}

static void writeObject(JsonWriter &To, const PassedObject &Each) {
  To.beginObject();
  To.member("arg", Each.Argument);
  if (Each.From) {
    To.key("from");
    To.beginObject();
    if (Each.From->Parameter)
      To.member("param", *Each.From->Parameter);
    writePath(To, Each.From->Path);
    To.member("text", Each.From->Text);
    To.endObject();
  }
  writeList(To, "stored", Each.Stored, [](JsonWriter &To, const PassedObject::Item &One) {
    To.beginObject();
    To.member("offset", One.Offset);
    To.member("bytes", One.Bytes);
    To.key("value");
    writeFormulaOrNull(To, One.Value);
    if (One.IsAddress)
      To.member("address", true);
    To.endObject();
  });
  To.endObject();
}

static void writePointer(JsonWriter &To, const PointerArgument &Of) {
  To.beginObject();
  To.member("arg", Of.Argument);
  To.member("space", name(Of.Where));
  if (!Of.Base.empty())
    To.member("base", Of.Base);
  if (Of.Offset) {
    To.key("offset");
    writeFormula(To, *Of.Offset);
  }
  if (Of.Row) {
    To.key("row");
    writeFormula(To, *Of.Row);
  }
  if (Of.When) {
    To.key("when");
    writeFormula(To, *Of.When);
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
  writeList(To, "wrapping", Site.Wrapping, [](JsonWriter &To, unsigned One) { To.value(One); });
  writeList(To, "objects", Site.Objects, writeObject);
  writeList(To, "globals", Site.Globals, [](JsonWriter &To, const auto &One) {
    To.beginObject();
    To.member("symbol", One.first);
    To.key("value");
    writeFormula(To, One.second);
    To.endObject();
  });
  writePlace(To, Site.At);
  if (Site.Shape) {
    To.key("shape");
    writeShape(To, *Site.Shape);
  }
  writeList(To, "pointers", Site.Pointers, writePointer);
  writeList(To, "made", Site.Origins, [](JsonWriter &To, const MadeBy &One) {
    To.beginObject();
    To.member("arg", One.Number);
    To.member("by", One.Callee);
    To.key("args");
    writeArguments(To, One.Arguments);
    To.endObject();
  });
  if (Site.Order)
    To.member("order", Site.Order);
  if (!Site.Result.empty())
    To.member("result", Site.Result);
  To.endObject();
}

/// `{"slots": 3, "add f64 256": 1}`
static void writeMix(JsonWriter &To, const InstructionMix &Of) {
  To.beginObject();
  if (Of.Slots != 0)
    To.member("slots", Of.Slots);
  for (const auto &[Kind, Times] : Of.Counts)
    To.member(Kind.text(), Times);
  To.endObject();
}

static void writeMachineLoop(JsonWriter &To, const MachineLoop &Of) {
  To.beginObject();
  To.member("step", Of.Step);
  if (Of.Iteration) {
    To.key("instructions");
    writeMix(To, *Of.Iteration);
  }
  writeList(To, "chains", Of.Chains, writeMix);
  if (!Of.Entry.empty()) {
    To.key("entry");
    writeMix(To, Of.Entry);
  }
  To.endObject();
}

static void writeStart(JsonWriter &To, const UnknownStart &Of) {
  To.beginObject();
  To.member("start", Of.Number);
  if (Of.Loops)
    To.member("loops", Of.Loops);
  if (!Of.Further.isZero()) {
    To.key("further");
    writeFormula(To, Of.Further);
  }
  if (Of.GoesOn)
    To.member("goes_on", true);
  To.endObject();
}

static void writeCounts(JsonWriter &To, const Counts &Of) {
  To.beginObject();
  for (const auto &[Class, Amount] : Of) {
    To.key(name(Class));
    writeFormula(To, Amount);
  }
  To.endObject();
}

static void writeHint(JsonWriter &To, const Hint &Of) {
  To.beginObject();
  To.member("what", Of.What);
  writePlace(To, Of.At);
  if (!Of.Detail.empty())
    To.member("detail", Of.Detail);
  if (!Of.Saves.empty()) {
    To.key("saves");
    writeCounts(To, Of.Saves);
  }
  if (Of.NeededIn)
    To.member("needed_in", Of.NeededIn);
  writeList(To, "if_only_read", Of.IfOnlyRead, [](JsonWriter &To, const KernelArgument &One) {
    To.beginObject();
    To.member("kernel", One.Kernel);
    To.member("argument", One.Argument);
    To.endObject();
  });
  To.endObject();
}

static void writeAccess(JsonWriter &To, const Access &One) {
  To.beginObject();
  To.member("op", name(One.What));
  To.member("space", name(One.Where));
  To.member("bytes", One.Bytes);
  if (!One.Base.empty())
    To.member("base", One.Base);
  if (One.Offset) {
    To.key("offset");
    writeFormula(To, *One.Offset);
  }
  if (One.Line)
    To.member("line", One.Line);
  if (One.Column)
    To.member("column", One.Column);
  if (!One.File.empty())
    To.member("file", One.File);
  if (One.Order)
    To.member("order", One.Order);
  if (One.Length) {
    To.key("length");
    writeFormula(To, *One.Length);
  }
  if (One.Row) {
    To.key("row");
    writeFormula(To, *One.Row);
  }
  if (One.NonTemporal)
    To.member("non_temporal", true);
  if (One.From) {
    To.key("from");
    writeStart(To, *One.From);
  }
  To.endObject();
}

static void writePointed(JsonWriter &To, const PointedPlace &Of) {
  To.beginObject();
  if (!Of.Object.empty())
    To.member("object", Of.Object);
  if (Of.Offset) {
    To.key("offset");
    writeFormula(To, *Of.Offset);
  }
  To.endObject();
}

static void writePointerStore(JsonWriter &To, const PointerStore &Of) {
  To.beginObject();
  To.member("object", Of.Object);
  To.key("offset");
  writeFormula(To, Of.Offset);
  To.key("value");
  writePointed(To, Of.Value);
  if (Of.Order)
    To.member("order", Of.Order);
  To.endObject();
}

static void writeKnownObject(JsonWriter &To, const SizedObject &Of) {
  To.beginObject();
  To.member("name", Of.Name);
  To.member("space", name(Of.Where));
  To.member("bytes", Of.Bytes);
  if (!Of.Symbol.empty())
    To.member("symbol", Of.Symbol);
  if (Of.IsAllocated)
    To.member("allocated", true);
  if (Of.Via) {
    To.key("through");
    To.beginObject();
    To.member("object", Of.Via->Object);
    if (Of.Via->Offset)
      To.member("offset", *Of.Via->Offset);
    if (Of.Via->AtEntry)
      To.member("at_entry", true);
    To.endObject();
  }
  To.endObject();
}

static void writeBlock(JsonWriter &To, const Block &Each) {
  To.beginObject();
  To.key("runs");
  writeFormula(To, Each.Runs);
  if (Each.How != Known::Exact)
    To.member("known", name(Each.How));
  if (!Each.PerRun.empty()) {
    To.key("counts");
    writeCounts(To, Each.PerRun);
  }
  writeList(To, "accesses", Each.Accesses, writeAccess);
  writeList(To, "pointer_loads", Each.PointerLoads, [](JsonWriter &To, const PointerLoad &One) {
    To.beginObject();
    To.member("object", One.Object);
    To.member("order", One.Order);
    To.endObject();
  });
  writeList(To, "pointer_stores", Each.PointerStores, writePointerStore);
  writeList(To, "calls", Each.Calls, writeCall);
  if (!Each.Instructions.empty()) {
    To.key("instructions");
    writeMix(To, Each.Instructions);
  }
  writeList(To, "hints", Each.Hints, writeHint);
  writeList(To, "lines", Each.Lines, [](JsonWriter &To, const LineCost &One) {
    To.beginObject();
    To.member("line", One.Line);
    if (!One.File.empty())
      To.member("file", One.File);
    To.key("counts");
    writeCounts(To, One.PerRun);
    To.endObject();
  });
  To.endObject();
}

static void writeLoop(JsonWriter &To, const Loop &Each) {
  To.beginObject();
  To.member("var", Each.Variable);
  writePlace(To, Each.At);
  To.key("entries");
  writeFormula(To, Each.Entries);
  To.key("last");
  writeFormula(To, Each.Last);
  if (Each.TripsKnown != Known::Exact)
    To.member("known", name(Each.TripsKnown));
  for (const auto &[Key, Field] : ShapeKeys)
    if (Each.Shape.*Field != 0)
      To.member(Key, Each.Shape.*Field);
  writeList(To, "made", Each.Made, writeMachineLoop);
  if (Each.Order)
    To.member("order", Each.Order);
  To.key("blocks");
  To.beginArray();
  for (const Block &One : Each.Blocks)
    writeBlock(To, One);
  To.endArray();
  writeList(To, "loops", Each.Loops, writeLoop);
  To.endObject();
}

static void writeUnknown(JsonWriter &To, const Unknown &One) {
  To.beginObject();
  To.member("symbol", One.Symbol);
  To.member("why", One.Why);
  writePlace(To, One.At);
  if (One.Measured)
    To.member("measured", toText(Expr(*One.Measured)));
  if (One.Most)
    To.member("most", One.Most);
  To.endObject();
}

static void writeFunction(JsonWriter &To, const Function &Each) {
  To.beginObject();
  // The names come first: RecordFile finds them there.
  To.member("name", Each.Name);
  To.member("demangled", Each.Demangled);
  To.member("snapshot", Each.Snapshot);
  To.member("local", Each.IsLocal);
  if (Each.IsWeak)
    To.member("weak", true);
  writeList(To, "aliases", Each.Aliases, [](JsonWriter &To, const Alias &One) {
    To.beginObject();
    To.member("name", One.Name);
    if (One.IsLocal)
      To.member("local", true);
    if (One.IsWeak)
      To.member("weak", true);
    To.endObject();
  });
  if (Each.IsKernel)
    To.member("kernel", true);
  writePlace(To, Each.At);
  To.key("params");
  To.beginArray();
  for (const Parameter &One : Each.Parameters) {
    To.beginObject();
    To.member("name", One.Name);
    To.member("type", One.Type);
    if (One.IsSigned)
      To.member("signed", *One.IsSigned);
    To.endObject();
  }
  To.endArray();
  writeList(To, "cells", Each.Cells, writeCell);
  writeList(To, "declared", Each.Declared, writeDeclaredMember);
  writeList(To, "objects", Each.Objects, writeKnownObject);
  if (Each.Returns) {
    To.key("returns");
    writePointed(To, *Each.Returns);
  }
  writeList(To, "unknowns", Each.Unknowns, writeUnknown);
  writeList(To, "assumptions", Each.Assumptions, [](JsonWriter &To, const Assumption &One) {
    To.beginObject();
    To.member("what", One.What);
    writePlace(To, One.At);
    To.endObject();
  });
  writeList(To, "wraps", Each.WrapChecks, [](JsonWriter &To, const WrapCheck &One) {
    To.beginObject();
    To.key("if");
    writeFormula(To, One.Wraps);
    writePlace(To, One.At);
    To.endObject();
  });
  writeList(To, "annotations", Each.Annotations,
            [](JsonWriter &To, const std::string &One) { To.value(One); });
  To.key("body");
  writeLoop(To, Each.Body);
  To.endObject();
}

/// The first line without its line break.
static std::string headerOf(const Unit &Of, std::size_t Functions) {
  Json Header = {{"schema", RecordSchema},     {"source", Of.Source}, {"object", Of.Object},
                 {"directory", Of.Directory},  {"target", Of.Target}, {"compiler", Of.Compiler},
                 {"function_count", Functions}};
  for (const SourceFile &Each : Of.Files)
    Header["files"].push_back({{"path", Each.Path}, {"md5", Each.Md5}});
  std::string Result = dumpValid(Header);
  Result.back() = ',';
  if (!Of.Types.empty()) {
    JsonWriter To(Result);
    writeList(To, "types", Of.Types, writeObjectType);
    Result += ',';
  }
  return Result + "\"functions\":[";
}

std::string writeRecord(const Unit &Of, const std::vector<Function> &Functions) {
  std::string Result = headerOf(Of, Functions.size());
  for (std::size_t I = 0; I != Functions.size(); ++I) {
    Result += I ? ",\n" : "\n";
    JsonWriter To(Result);
    writeFunction(To, Functions[I]);
  }
  Result += "\n]}\n";
  return Result;
}

std::string movedRecord(const RecordFile &Of, const Unit &To) {
  std::string Result = headerOf(To, Of.functions().size());
  for (std::size_t I = 0; I != Of.functions().size(); ++I) {
    Result += I ? ",\n" : "\n";
    Result += Of.functions()[I].Line;
  }
  return Result + "\n]}\n";
}

} // namespace ergon
