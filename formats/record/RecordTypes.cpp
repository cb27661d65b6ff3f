//===- RecordTypes.cpp - what lies where, in records: reading -------------===//

#include "formats/record/RecordTypes.h"

#include <limits>

namespace ergon {

unsigned readUnsigned(JsonCursor Json) {
  std::int64_t Value = Json.integer(0);
  if (Value >= 0 && Value <= std::numeric_limits<unsigned>::max())
    return unsigned(Value);
  Json.fail("not a number from 0 to 4294967295", "record the program again");
  return 0;
}

std::vector<std::int64_t> readPath(JsonCursor Json) {
  std::vector<std::int64_t> Result;
  for (JsonCursor Step : Json.elements())
    Result.push_back(std::int64_t(Step.integer()));
  if (Result.empty() && !Json.failed())
    Json.fail("a path has at least one offset", "record the program again");
  return Result;
}

std::optional<bool> readSign(JsonCursor Json) {
  return Json ? std::optional(Json.boolean()) : std::nullopt;
}

Cell readCell(JsonCursor Json) {
  Json.keys({"symbol", "param", "path", "bytes"}, {"behind", "signed"});
  return {Json["symbol"].text(),
          readUnsigned(Json["param"]),
          readPath(Json["path"]),
          readUnsigned(Json["bytes"]),
          Json["behind"] ? std::int64_t(Json["behind"].integer()) : 0,
          readSign(Json["signed"])};
}

DeclaredMember readDeclaredMember(JsonCursor Json) {
  Json.keys({"symbol", "object", "class", "path", "bytes"});
  return {Json["symbol"].text(), Json["object"].text(), Json["class"].text(),
          readPath(Json["path"]), readUnsigned(Json["bytes"])};
}

ObjectType readObjectType(JsonCursor Json) {
  Json.keys({"class", "members"});
  ObjectType Result{Json["class"].text(), {}};
  for (JsonCursor Entry : Json["members"].elements()) {
    Entry.keys({"name", "offset", "bytes"}, {"signed", "to"});
    Result.Members.push_back({Entry["name"].text(), Entry["offset"].integer(),
                              readUnsigned(Entry["bytes"]), readSign(Entry["signed"]),
                              Entry["to"].text("")});
  }
  return Result;
}

} // namespace ergon
