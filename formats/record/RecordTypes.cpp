//===- RecordTypes.cpp - what lies where, in records: reading -------------===//

#include "formats/record/RecordTypes.h"

#include <limits>

namespace ergon {

unsigned readUnsigned(JsonCursor At) {
  std::int64_t Value = At.integer(0);
  if (Value >= 0 && Value <= std::numeric_limits<unsigned>::max())
    return unsigned(Value);
  At.fail("not a number from 0 to 4294967295", "record the program again");
  return 0;
}

std::vector<std::int64_t> readPath(JsonCursor At) {
  std::vector<std::int64_t> Result;
  for (JsonCursor Step : At.elements())
    Result.push_back(std::int64_t(Step.integer()));
  if (Result.empty() && !At.failed())
    At.fail("a path has at least one offset", "record the program again");
  return Result;
}

std::optional<bool> readSign(JsonCursor At) {
  return At ? std::optional(At.boolean()) : std::nullopt;
}

Cell readCell(JsonCursor At) {
  At.keys({"symbol", "param", "path", "bytes"}, {"behind", "signed"});
  return {At["symbol"].text(),
          readUnsigned(At["param"]),
          readPath(At["path"]),
          readUnsigned(At["bytes"]),
          At["behind"] ? std::int64_t(At["behind"].integer()) : 0,
          readSign(At["signed"])};
}

DeclaredMember readDeclaredMember(JsonCursor At) {
  At.keys({"symbol", "object", "class", "path", "bytes"});
  return {At["symbol"].text(), At["object"].text(), At["class"].text(), readPath(At["path"]),
          readUnsigned(At["bytes"])};
}

ObjectType readObjectType(JsonCursor At) {
  At.keys({"class", "members"});
  ObjectType Result{At["class"].text(), {}};
  for (JsonCursor One : At["members"].elements()) {
    One.keys({"name", "offset", "bytes"}, {"signed", "to"});
    Result.Members.push_back({One["name"].text(), One["offset"].integer(),
                              readUnsigned(One["bytes"]), readSign(One["signed"]),
                              One["to"].text("")});
  }
  return Result;
}

} // namespace ergon
