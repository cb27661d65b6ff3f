//===- SlotsTest.cpp - memory of interpreted code, across pages -----------===//

#include "model/code/Memory.h"

#include <gtest/gtest.h>

using namespace ergon::code;

TEST(Slots, AreFoundAcrossPages) {
  Slots S;
  S.set(508, {8, Value::integer(1)}); // its last bytes are in the next page
  S.set(-1, {1, Value::integer(2)});
  S.set(100'000, {4, Value::integer(3)});
  EXPECT_EQ(S.lastUpTo(515)->first, 508);
  EXPECT_EQ(S.lastUpTo(507)->first, -1);
  EXPECT_EQ(S.firstFrom(509)->first, 100'000);
  EXPECT_FALSE(S.lastUpTo(-2));
  S.erase(508);
  EXPECT_EQ(S.lastUpTo(515)->first, -1);
}

TEST(Slots, CopiesChangeAlone) {
  Slots First;
  for (std::int64_t Offset = 0; Offset != 2048; Offset += 8)
    First.set(Offset, {8, Value::integer(7)});
  Slots Second = First;
  Second.set(1024, {8, Value::integer(8)});
  EXPECT_EQ(First.find(1024)->What, Value::integer(7));
  unsigned Compared = 0; // those of one page
  Second.forEachNotSharedWith(First, [&](std::int64_t, const Slots::Slot &) { ++Compared; });
  EXPECT_EQ(Compared, 64U);
}

TEST(Memory, PartsOfASlotAreCopied) {
  Object From, To;
  From.store(508, 8, Value::integer(0x0807060504030201));
  To.copy(0, From, 510, 4);
  EXPECT_EQ(To.load(0, 4, false), Value::integer(0x06050403));
  From.copy(509, From, 508, 7); // onto itself
  EXPECT_EQ(From.load(508, 8, false), Value::integer(0x0706050403020101));
}

TEST(Memory, KnownBytesBesidePaddingAreCopied) {
  Object From, To; // a short and a char
  From.store(0, 2, Value::integer(0x1234));
  From.store(2, 1, Value::integer(5));
  const Value Whole = From.load(0, 4, false);
  EXPECT_FALSE(Whole.isKnown());
  To.store(8, 4, Whole);
  EXPECT_EQ(To.load(8, 2, false), Value::integer(0x1234));
  EXPECT_EQ(To.load(10, 1, false), Value::integer(5));
  EXPECT_EQ(To.load(11, 1, false), Value::unknown());
}

TEST(Memory, WhatIsExposedIsForgottenInEachCopy) {
  Memory First;
  std::uint32_t Last = 0;
  for (int I = 0; I != 200; ++I) {
    Last = First.add(Object(Object::Rest::Zero));
    First.store(Value::pointer(Last, 0), 4, Value::integer(5));
  }
  First.expose(Value::pointer(Last, 0));
  Memory Second = First;
  Second.forgetExposed();
  EXPECT_FALSE(Second.load(Value::pointer(Last, 0), 4).isKnown());
  EXPECT_EQ(Second.load(Value::pointer(Last - 1, 0), 4), Value::integer(5));
  EXPECT_EQ(First.load(Value::pointer(Last, 0), 4), Value::integer(5));
  Second.store(Value::pointer(Last, 0), 4, Value::integer(6)); // and again what was stored since
  Second.forgetExposed();
  EXPECT_FALSE(Second.load(Value::pointer(Last, 0), 4).isKnown());
  EXPECT_TRUE(First.merge(Second));
  EXPECT_FALSE(First.load(Value::pointer(Last, 0), 4).isKnown());
  EXPECT_EQ(First.load(Value::pointer(3, 0), 4), Value::integer(5));
}
