//===- RecordTypes.h - what lies where, in records --------------*- C++ -*-===//
//
// Parts of records: integers in memory, and the classes whose members they are.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_FORMATS_RECORD_RECORDTYPES_H
#define ERGON_FORMATS_RECORD_RECORDTYPES_H

#include "formats/json/Json.h"
#include "formats/json/JsonWriter.h"
#include "model/program/Function.h"

namespace ergon {

/// A whole number that fits; 0 where there is none.
unsigned readUnsigned(JsonCursor Json);
/// Each reads the value of one part of a record; a wrong one is an error of the cursor's document.
std::vector<std::int64_t> readPath(JsonCursor Json);
std::optional<bool> readSign(JsonCursor Json);
Cell readCell(JsonCursor Json);
DeclaredMember readDeclaredMember(JsonCursor Json);
ObjectType readObjectType(JsonCursor Json);

/// Write what the function of the same name reads, as one value.
void writePath(JsonWriter &To, const std::vector<std::int64_t> &Path);
void writeCell(JsonWriter &To, const Cell &C);
void writeDeclaredMember(JsonWriter &To, const DeclaredMember &Member);
void writeObjectType(JsonWriter &To, const ObjectType &Type);

} // namespace ergon

#endif
