//===- RecordFormatWrite.cpp - cost records: writing ----------------------===//

#include "formats/json/JsonWriter.h"
#include "formats/record/PackedText.h"
#include "formats/record/RecordFields.h"
#include "formats/record/RecordFormat.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

namespace ergon {

using Json = nlohmann::ordered_json;

/// What a record leaves out: nothing, an empty list or text, 0, false.
template <typename T> static bool isAbsent(const T &Value) {
  if constexpr (requires { Value.empty(); })
    return Value.empty();
  else if constexpr (requires { Value.has_value(); })
    return !Value.has_value();
  else if constexpr (requires { Value.isValid(); })
    return !Value.isValid();
  else if constexpr (requires { Value == T(); })
    return Value == T();
  else
    return false; // a struct that is always there
}

namespace {
/// Writes each part of a record as one value.
class RecordWriter {
public:
  explicit RecordWriter(std::string &Out) : To(Out) {}

  template <typename T> void member(std::string_view Key, const T &Value) {
    To.key(Key);
    write(Value);
  }
  /// Without details.
  template <HasFields T> void write(const T &Value) {
    To.beginObject();
    std::apply([&](const auto &...Field) { (writeInPlace(Field, Value), ...); }, FieldsOf<T>);
    To.endObject();
  }
  void writeDetails(const Function &F);

  /// The function of which \p Packed is the object.
  void writePacked(const Function &F, std::string_view Packed) {
    To.beginObject();
    std::apply([&](const auto &...Field) { (writeName(Field, F), ...); }, FieldsOf<Function>);
    To.member(PackedKey, Packed);
    To.endObject();
  }
  void writePackedDetails(std::string_view Packed) {
    To.beginObject();
    To.member(PackedKey, Packed);
    To.endObject();
  }

private:
  JsonWriter To;

  template <typename M> void writeName(const RecordField<M> &Field, const Function &F) {
    if (std::ranges::find(FunctionNames, Field.Key) != std::end(FunctionNames))
      writeField(Field, F);
  }
  template <typename M, typename T> void writeField(const RecordField<M> &Field, const T &Of) {
    const auto &Value = std::invoke(Field.Which, Of);
    if (Field.isAlways() || !isAbsent(Value))
      member(Field.Key, Value);
  }
  template <typename M, typename T> void writeInPlace(const RecordField<M> &Field, const T &Of) {
    if (!isDetail(Field, Of))
      writeField(Field, Of);
  }
  /// Members of the object that has begun.
  template <typename T> void addDetails(const T &Of) {
    auto Add = [&](const auto &Field) {
      if (isDetail(Field, Of))
        writeField(Field, Of);
    };
    std::apply([&](const auto &...Field) { (Add(Field), ...); }, DetailsOf<T>);
  }
  template <typename T> void writeDetails(std::string_view Key, const std::vector<const T *> &Of);
  template <typename List> void writeList(const List &Values) {
    To.beginArray();
    for (const auto &Value : Values)
      write(Value);
    To.endArray();
  }

  template <typename T>
    requires(!HasFields<T>)
  void write(const T &Value) {
    To.value(Value);
  }
  template <typename T> void write(const std::vector<T> &Values) { writeList(Values); }
  template <typename T> void write(const std::optional<T> &Value) {
    if (Value)
      write(*Value);
    else
      To.null();
  }
  void write(const std::array<Expr, 3> &Values) { writeList(Values); }
  void write(const std::map<std::string, Expr> &Globals) { writeList(Globals); }
  void write(const std::pair<const std::string, Expr> &Global) {
    To.beginObject();
    member("symbol", Global.first);
    member("value", Global.second);
    To.endObject();
  }
  void write(Space Where) { To.value(name(Where)); }
  void write(Known How) { To.value(name(How)); }
  void write(ScalarKind What) { To.value(name(What)); }
  void write(Access::Kind What) { To.value(name(What)); }
  void write(const SourceLocation &Location) { To.value(Location.text()); }
  void write(const LazyText &Text) { To.value(Text.text()); }
  void write(const Rational &Number) { To.value(toText(Expr(Number))); }
  /// Small whole numbers as numbers, all else as text.
  void write(const Expr &Value) {
    static constexpr std::int64_t MaxExact = std::int64_t(1) << 53; // of a double
    const auto Number = Value.constant();
    const auto Word = Number ? Number->asWord() : std::nullopt;
    if (Word && std::abs(*Word) < MaxExact)
      To.value(*Word);
    else
      To.value(toText(Value));
  }
  void write(const Counts &C) {
    To.beginObject();
    for (const auto &[Class, Amount] : C)
      member(name(Class), Amount);
    To.endObject();
  }
  /// `{"slots": 3, "add f64 256": 1}`
  void write(const InstructionMix &Mix) {
    To.beginObject();
    if (Mix.Slots != 0)
      member("slots", Mix.Slots);
    for (const auto &[Kind, Times] : Mix.Counts)
      member(Kind.text(), Times);
    To.endObject();
  }
};
} // namespace

template <typename T> static bool hasDetails(const T &Of) {
  auto Has = [&](const auto &Field) {
    return isDetail(Field, Of) && !isAbsent(std::invoke(Field.Which, Of));
  };
  return std::apply([&](const auto &...Field) { return (Has(Field) || ...); }, DetailsOf<T>);
}

/// An object for each, up to the last one that has details.
template <typename T>
void RecordWriter::writeDetails(std::string_view Key, const std::vector<const T *> &Of) {
  const auto End = std::ranges::find_if(Of.rbegin(), Of.rend(), [](const T *Each) {
                     return hasDetails(*Each);
                   }).base();
  if (End == Of.begin())
    return;
  To.key(Key);
  To.beginArray();
  std::for_each(Of.begin(), End, [&](const T *Each) {
    To.beginObject();
    addDetails(*Each);
    To.endObject();
  });
  To.endArray();
}

void RecordWriter::writeDetails(const Function &F) {
  std::vector<const Loop *> Loops;
  std::vector<const Block *> Blocks;
  forEachLoopAndBlock(F.Body, [&](const auto &Each) {
    if constexpr (std::is_same_v<decltype(Each), const Loop &>)
      Loops.push_back(&Each);
    else
      Blocks.push_back(&Each);
  });
  To.beginObject();
  addDetails(F);
  writeDetails(DetailedLoops, Loops);
  writeDetails(DetailedBlocks, Blocks);
  To.endObject();
}

/// The first line without its line break.
static std::string headerOf(const Unit &U, std::size_t Functions) {
  Json Header = {{"schema", RecordSchema},     {"source", U.Source}, {"object", U.Object},
                 {"directory", U.Directory},   {"target", U.Target}, {"compiler", U.Compiler},
                 {"function_count", Functions}};
  if (!U.Checksum.empty())
    Header["checksum"] = U.Checksum;
  for (const SourceFile &File : U.Files)
    Header["files"].push_back({{"path", File.Path}, {"md5", File.Md5}});
  std::string Result = dumpValid(Header);
  Result.back() = ',';
  if (!U.Types.empty()) {
    RecordWriter(Result).member("types", U.Types);
    Result += ',';
  }
  return Result + "\"functions\":[";
}

/// A function whose text is longer than this is packed, in characters.
static constexpr std::size_t MaxText = 12'000;

static void addFunction(const Function &F, std::string &To) {
  std::string Costs, Details;
  RecordWriter(Costs).write(F);
  RecordWriter(Details).writeDetails(F);
  if (Costs.size() + Details.size() > MaxText) {
    const std::string PackedCosts = packText(Costs), PackedDetails = packText(Details);
    Costs.clear();
    RecordWriter(Costs).writePacked(F, PackedCosts);
    if (Details.size() > 2) {
      Details.clear();
      RecordWriter(Details).writePackedDetails(PackedDetails);
    }
  }
  To += Costs;
  if (Details.size() > 2) { // more than brackets
    To.back() = DetailsStart.front();
    To += DetailsStart.substr(1);
    To += Details;
    To += '}';
  }
}

std::string writeRecord(const Unit &U, const std::vector<Function> &Functions) {
  std::string Result = headerOf(U, Functions.size());
  for (std::size_t I = 0; I != Functions.size(); ++I) {
    Result += I ? ",\n" : "\n";
    addFunction(Functions[I], Result);
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
