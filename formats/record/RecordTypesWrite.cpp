//===- RecordTypesWrite.cpp - what lies where, in records: writing --------===//

#include "formats/record/RecordTypes.h"

namespace ergon {

void writePath(JsonWriter &To, const std::vector<std::int64_t> &Path) {
  To.key("path");
  To.beginArray();
  for (std::int64_t Each : Path)
    To.value(Each);
  To.endArray();
}

void writeCell(JsonWriter &To, const Cell &One) {
  To.beginObject();
  To.member("symbol", One.Symbol);
  To.member("param", One.Parameter);
  writePath(To, One.Path);
  To.member("bytes", One.Bytes);
  if (One.Behind != 0)
    To.member("behind", One.Behind);
  if (One.IsSigned)
    To.member("signed", *One.IsSigned);
  To.endObject();
}

void writeDeclaredMember(JsonWriter &To, const DeclaredMember &One) {
  To.beginObject();
  To.member("symbol", One.Symbol);
  To.member("object", One.Object);
  To.member("class", One.Class);
  writePath(To, One.Path);
  To.member("bytes", One.Bytes);
  To.endObject();
}

void writeObjectType(JsonWriter &To, const ObjectType &One) {
  To.beginObject();
  To.member("class", One.Class);
  To.key("members");
  To.beginArray();
  for (const ObjectType::Member &Each : One.Members) {
    To.beginObject();
    To.member("name", Each.Name);
    To.member("offset", Each.Offset);
    To.member("bytes", Each.Bytes);
    if (Each.IsSigned)
      To.member("signed", *Each.IsSigned);
    if (!Each.To.empty())
      To.member("to", Each.To);
    To.endObject();
  }
  To.endArray();
  To.endObject();
}

} // namespace ergon
