//===- RecordTypesWrite.cpp - what lies where, in records: writing --------===//

#include "formats/record/RecordTypes.h"

namespace ergon {

void writePath(JsonWriter &To, const std::vector<std::int64_t> &Path) {
  To.key("path");
  To.beginArray();
  for (std::int64_t Value : Path)
    To.value(Value);
  To.endArray();
}

void writeCell(JsonWriter &To, const Cell &C) {
  To.beginObject();
  To.member("symbol", C.Symbol);
  To.member("param", C.Parameter);
  writePath(To, C.Path);
  To.member("bytes", C.Bytes);
  if (C.Behind != 0)
    To.member("behind", C.Behind);
  if (C.IsSigned)
    To.member("signed", *C.IsSigned);
  To.endObject();
}

void writeDeclaredMember(JsonWriter &To, const DeclaredMember &Member) {
  To.beginObject();
  To.member("symbol", Member.Symbol);
  To.member("object", Member.Object);
  To.member("class", Member.Class);
  writePath(To, Member.Path);
  To.member("bytes", Member.Bytes);
  To.endObject();
}

void writeObjectType(JsonWriter &To, const ObjectType &Type) {
  To.beginObject();
  To.member("class", Type.Class);
  To.key("members");
  To.beginArray();
  for (const ObjectType::Member &M : Type.Members) {
    To.beginObject();
    To.member("name", M.Name);
    To.member("offset", M.Offset);
    To.member("bytes", M.Bytes);
    if (M.IsSigned)
      To.member("signed", *M.IsSigned);
    if (!M.To.empty())
      To.member("to", M.To);
    To.endObject();
  }
  To.endArray();
  To.endObject();
}

} // namespace ergon
