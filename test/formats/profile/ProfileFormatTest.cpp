//===- ProfileFormatTest.cpp - machine profiles as JSON -------------------===//
//
// The loader on test/profiles (test/profiles/schema_test.py holds the schema to
// the same files), and the figures the papers print on the shipped profiles.
// Wants the source folder in the macro ERGON_SOURCE_DIR.
//
//===----------------------------------------------------------------------===//

#include "formats/profile/ProfileFormat.h"
#include "model/energy/Roofline.h"
#include "test/support/Cases.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>

using namespace ergon;
namespace fs = std::filesystem;

static const fs::path SourceDir = ERGON_SOURCE_DIR;

static std::vector<fs::path> jsonFiles(const fs::path &Folder) {
  std::vector<fs::path> Files;
  for (const auto &Entry : fs::directory_iterator(Folder))
    if (Entry.path().extension() == ".json")
      Files.push_back(Entry.path());
  std::ranges::sort(Files);
  return Files;
}

static Machine shipped(const std::string &Name) {
  auto M = parseProfile(readTestFile(SourceDir / "machine-profiles" / (Name + ".json")));
  EXPECT_TRUE(M) << M.error().line();
  return M.value_or(Machine());
}

static std::string printed(double Value, int Digits) {
  char Text[64];
  std::snprintf(Text, sizeof(Text), "%.*f", Digits, Value);
  return Text;
}

//===----------------------------------------------------------------------===//
// Good and bad files
//===----------------------------------------------------------------------===//

TEST(ProfileFormat, AcceptsEveryGoodFile) {
  const std::vector<fs::path> Files = jsonFiles(SourceDir / "test/profiles/good");
  EXPECT_FALSE(Files.empty());
  for (const fs::path &File : Files) {
    const auto M = parseProfile(readTestFile(File));
    EXPECT_TRUE(M) << File << ": " << M.error().line();
  }
}

TEST(ProfileFormat, RefusesEveryBadFileWithItsOneLine) {
  for (const Case &Bad : readCases(SourceDir / "test/profiles", "bad")) {
    const auto M = parseProfile(Bad.Text);
    ASSERT_FALSE(M) << Bad.Name;
    EXPECT_EQ(M.error().line() + "\n", Bad.Expected) << Bad.Name;
  }
}

/// A truncated profile is refused wherever the cut is; none crashes the loader.
TEST(ProfileFormat, RefusesEveryTruncation) {
  const std::string Text = readTestFile(SourceDir / "test/profiles/good/dvfs.json");
  const std::size_t End = Text.rfind('}');
  for (std::size_t Length = 0; Length <= End; ++Length)
    EXPECT_FALSE(parseProfile(std::string_view(Text).substr(0, Length))) << Length;
  EXPECT_TRUE(parseProfile(std::string_view(Text).substr(0, End + 1)));
}

TEST(ProfileFormat, ReadsWhatIsWritten) {
  const auto M = parseProfile(readTestFile(SourceDir / "test/profiles/good/dvfs.json"));
  ASSERT_TRUE(M);
  EXPECT_EQ(M->Name, "m");
  EXPECT_EQ(M->Default, 0u);
  ASSERT_EQ(M->Settings.size(), 2u);
  EXPECT_EQ(M->Settings[1].CoreMhz, 500);
  EXPECT_EQ(M->Settings[1].CoreMv, 800);
  EXPECT_EQ(M->Settings[1].Source, "s");
  EXPECT_EQ(M->Timing.Throughputs.at("flops_f64").Clock, Domain::Core);
  EXPECT_EQ(M->Timing.Throughputs.at("flops_f64").AtMhz, 1000);
  EXPECT_EQ(M->Power.Energies.at("bytes_dram").Rail, Domain::Mem);
  EXPECT_EQ(M->Power.Energies.at("bytes_dram").Coefficient.Value, 4e-10);
  EXPECT_EQ(M->Power.Constant.CoreWPerV->Value, 2);
  EXPECT_EQ(M->Sources.at("s").Kind, SourceKind::Published);
  EXPECT_EQ(std::get<std::string>(M->Sources.at("s").Uncertainty), "none");
  const auto Other = parseProfile(readTestFile(SourceDir / "test/profiles/good/any-class.json"));
  ASSERT_TRUE(Other);
  EXPECT_EQ(std::get<double>(Other->Sources.at("s").Uncertainty), 0.05);
  EXPECT_EQ(Other->Sources.at("s").Derivation, "By hand.");
  EXPECT_EQ(Other->Power.Energies.at("_inst_executed_Global").Coefficient.Value, 0);
}

TEST(ProfileFormat, CostsFollowTheActualClockAndSettingsKeepTheirNames) {
  const auto M = parseProfile(readTestFile(SourceDir / "test/profiles/good/actual-clock.json"));
  ASSERT_TRUE(M);
  const Setting *Slow = M->findSetting(1200.5, std::nullopt);
  ASSERT_TRUE(Slow);
  EXPECT_EQ(Slow->ActualCoreMhz, 1150);
  EXPECT_DOUBLE_EQ(*M->timePerUnit("flops_f64", *Slow), 2e-9); // half of 2300 MHz
  EXPECT_DOUBLE_EQ(*M->timePerUnit("flops_f64", M->defaultSetting()), 1e-9);
}

/// What is written is read back the same: its text, and every number in it.
TEST(ProfileFormat, WritesWhatItReads) {
  std::vector<fs::path> Files = jsonFiles(SourceDir / "machine-profiles");
  std::erase_if(Files, [](const fs::path &File) { return File.stem() == "schema"; });
  std::ranges::copy(jsonFiles(SourceDir / "test/profiles/good"), std::back_inserter(Files));
  for (const fs::path &File : Files) {
    const auto M = parseProfile(readTestFile(File));
    ASSERT_TRUE(M) << File;
    const std::string Text = writeProfile(*M);
    const auto Again = parseProfile(Text);
    ASSERT_TRUE(Again) << File << ": " << Again.error().line();
    EXPECT_EQ(writeProfile(*Again), Text) << File;
    // Nothing is lost: the same members with the same values, in any order.
    EXPECT_EQ(nlohmann::json::parse(Text), nlohmann::json::parse(readTestFile(File))) << File;
  }
}

TEST(ProfileFormat, ReadsTheQualityOfAFit) {
  const auto M = parseProfile(readTestFile(SourceDir / "test/profiles/good/fit.json"));
  ASSERT_TRUE(M);
  EXPECT_EQ(M->Kind, MachineKind::Gpu);
  EXPECT_EQ(M->Timing.Switching->TimeS.Value, 0.01);
  EXPECT_EQ(M->Timing.Switching->EnergyJ.Value, 0);
  EXPECT_EQ(M->Fit.Quality->EnergyError->Value, 0.06);
  EXPECT_EQ(M->Fit.Quality->EnergyChoiceError->Value, 0.02);
  EXPECT_EQ(M->Fit.Quality->TimeError->Value, 0.1);
  EXPECT_EQ(M->Fit.Quality->TimeChoiceError->Value, 0.03);
  EXPECT_EQ(M->Fit.Quality->Change->Time->Mem, 0.19);
  EXPECT_EQ(M->Fit.Quality->Change->Time->Correlation, -0.8);
  EXPECT_EQ(M->Fit.Quality->Change->Power->Core, 0.07);
  EXPECT_EQ(M->Fit.Quality->JointCovariance->Coefficients[1], "constant_power.misc_w");
  EXPECT_EQ(M->Fit.Quality->JointCovariance->Relative[0][1], -0.004);
}

TEST(ProfileFormat, ReadsWhatIsSaidOfTheHardware) {
  const auto M = parseProfile(readTestFile(SourceDir / "test/profiles/good/hardware.json"));
  ASSERT_TRUE(M);
  EXPECT_EQ(M->Power.BytesPaid, ByteEnergy::AtEachLevel);
  EXPECT_EQ(M->Power.BytesPaidSource, "s");
  ASSERT_EQ(M->Power.DomainPowers.size(), 1u);
  const DomainPower &P = M->Power.DomainPowers[0];
  EXPECT_EQ(P.CoreMhz, 2000);
  EXPECT_EQ(P.FlopsClass, "flops_f64");
  EXPECT_EQ(P.CoresConstantW.Value, 10);
  EXPECT_EQ(P.CoresFlopsW.Value, 20);
  EXPECT_EQ(P.CoresBytesW.at("bytes_l1").Value, 8);
  EXPECT_EQ(P.UncoreConstantW->Value, 4);
  EXPECT_EQ(P.UncoreDramW->Value, 3);
  EXPECT_EQ(M->Hardware.Peaks.at("bytes_dram").perS(), 25.6e9);
  EXPECT_EQ(M->Hardware.Ranges.at("core_mhz").Min, 800);
  EXPECT_EQ(M->Hardware.Ranges.at("core_mhz").Max, 2000);
  EXPECT_FALSE(M->Power.Constant.MiscW);
}

//===----------------------------------------------------------------------===//
// The JSON helper, where the files above do not reach
//===----------------------------------------------------------------------===//

TEST(Json, AnErrorIsOneLineWhateverItQuotes) {
  const auto R = readJson("{\"schema\": \"a/1\", \"x\\ny\": 1}", "a/1", [](JsonCursor Root) {
    Root.keys({"schema"});
    return 0;
  });
  ASSERT_FALSE(R);
  EXPECT_EQ(R.error().line(), "key \"x\\ny\" is unknown; the keys here are: schema");
  EXPECT_EQ((Error{"what", "/where", "mend", "two\nlines"}).line(),
            "two lines: /where: what; mend");
}

TEST(Json, PointersAreEscaped) {
  const auto R = readJson("{\"schema\": \"a/1\", \"a/b~\": [0, {\"c\": true}]}", "a/1",
                          [](JsonCursor Root) { return Root["a/b~"].elements()[1]["c"].number(); });
  ASSERT_FALSE(R);
  EXPECT_EQ(R.error().Where, "/a~1b~0/1/c");
}

TEST(Json, OnlyTheFirstErrorIsKept) {
  const auto R = readJson("{\"schema\": \"a/1\", \"x\": []}", "a/1", [](JsonCursor Root) {
    Root["x"].text();
    Root["x"].number();
    EXPECT_TRUE(Root.failed());
    EXPECT_FALSE(Root["x"]);
    EXPECT_TRUE(Root.members().empty());
    return 0;
  });
  ASSERT_FALSE(R);
  EXPECT_EQ(R.error().What, "found array where a string is wanted");
}

TEST(Json, DefaultsAndTypes) {
  const auto R = readJson("{\"schema\": \"a/1\", \"i\": -3, \"b\": true, \"e\": \"\"}", "a/1",
                          [](JsonCursor Root) {
                            EXPECT_EQ(Root["i"].integer(), -3);
                            EXPECT_EQ(Root["none"].integer(7), 7);
                            EXPECT_TRUE(Root["b"].boolean());
                            EXPECT_TRUE(Root["none"].boolean(true));
                            EXPECT_EQ(Root["e"].text("d"), "");
                            EXPECT_EQ(Root["none"].text("d"), "d");
                            return 0;
                          });
  EXPECT_TRUE(R);
  const auto TooBig = readJson("{\"schema\": \"a/1\", \"i\": 9223372036854775808}", "a/1",
                               [](JsonCursor Root) { return Root["i"].integer(); });
  ASSERT_FALSE(TooBig);
  EXPECT_EQ(TooBig.error().Where, "/i");
}

TEST(Json, NumbersAreDoublesOrOf64Bits) {
  const auto R = readJson(R"({"schema": "a/1", "x": [18446744073709551615, -0.1, 1e-400, 1e22]})",
                          "a/1", [](JsonCursor Root) {
                            std::vector<double> Result;
                            for (JsonCursor Entry : Root["x"].elements())
                              Result.push_back(Entry.number());
                            return Result;
                          });
  ASSERT_TRUE(R) << R.error().line();
  EXPECT_EQ(*R, (std::vector<double>{18446744073709551615.0, -0.1, 0, 1e22}));
  const auto Long = parseJson("{\"x\": 18446744073709551616}");
  ASSERT_FALSE(Long);
  EXPECT_EQ(Long.error().line(), "a whole number needs more than 64 bits: 18446744073709551616; "
                                 "correct the JSON text there");
  EXPECT_FALSE(parseJson("1e400"));
}

TEST(Json, TextIsUtf8) {
  const auto R = readJson(R"({"schema": "a/1", "x": "caf\u00e9 \ud83d\ude00"})", "a/1",
                          [](JsonCursor Root) { return Root["x"].text(); });
  ASSERT_TRUE(R) << R.error().line();
  EXPECT_EQ(*R, "caf\xc3\xa9 \xf0\x9f\x98\x80");
  for (const char *Bad :
       {"\"caf\xe9\"", "\"\xed\xa0\x80\"", "\"\\ud83d\"", "\"\\ude00\"", "\"\t\""}) {
    const auto Parsed = parseJson(Bad);
    ASSERT_FALSE(Parsed) << Bad;
    EXPECT_TRUE(Parsed.error().Where.starts_with("line 1, column ")) << Bad;
  }
}

TEST(Json, NestingIsBounded) {
  EXPECT_FALSE(parseJson(std::string(100000, '[')));
  EXPECT_TRUE(parseJson(std::string(200, '[') + std::string(200, ']')));
  EXPECT_FALSE(parseJson(std::string(201, '[') + std::string(201, ']')));
}

TEST(Json, UnreadableFiles) {
  const auto Absent = readTextFile("/no/such/file.json");
  ASSERT_FALSE(Absent);
  EXPECT_EQ(Absent.error().line(), "/no/such/file.json: cannot be read: No such file or "
                                   "directory; give the path of a readable file");
  EXPECT_FALSE(readTextFile("/"));
}

//===----------------------------------------------------------------------===//
// The shipped profiles against what the papers print
//===----------------------------------------------------------------------===//

TEST(ShippedProfiles, AllAreValidAndNamedAfterTheirFile) {
  std::set<std::string> Names;
  for (const fs::path &File : jsonFiles(SourceDir / "machine-profiles"))
    if (File.stem() != "schema") {
      EXPECT_EQ(shipped(File.stem()).Name, File.stem());
      Names.insert(File.stem());
    }
  EXPECT_TRUE(std::ranges::includes(
      Names, std::set<std::string>{"fermi", "gtx580", "i7-950", "jetson-tk1"}));
}

/// Balances as the 2013 paper and issue 1 print them; digits as printed.
struct PrintedBalance {
  const char *Machine, *Class;
  const char *Time, *Energy;
  int TimeDigits, EnergyDigits;
};

TEST(ShippedProfiles, PrintedBalances) {
  const PrintedBalance Rows[] = {
      {"fermi", "flops_f64", "3.6", "14.4", 1, 1},   {"gtx580", "flops_f64", "1.03", "2.42", 2, 2},
      {"gtx580", "flops_f32", "8.2", "5.1", 1, 1},   {"i7-950", "flops_f64", "2.08", "1.19", 2, 2},
      {"i7-950", "flops_f32", "4.16", "2.14", 2, 2},
  };
  for (const PrintedBalance &Row : Rows) {
    const Machine M = shipped(Row.Machine);
    const auto R = rooflineParameters(M, M.defaultSetting(), Row.Class);
    ASSERT_TRUE(R) << Row.Machine;
    EXPECT_EQ(printed(R->timeBalance(), Row.TimeDigits), Row.Time) << Row.Machine << Row.Class;
    EXPECT_EQ(printed(R->energyBalance(), Row.EnergyDigits), Row.Energy)
        << Row.Machine << Row.Class;
  }
}

TEST(ShippedProfiles, PowerCaps) {
  EXPECT_EQ(shipped("gtx580").Power.Cap->Value, 244); // 2013, section V-B
  for (const char *Name : {"fermi", "i7-950", "jetson-tk1"})
    EXPECT_FALSE(shipped(Name).Power.Cap) << Name;
}

/// A row of Table I of Choi & Vuduc 2016: clocks in MHz, voltages in mV, energies
/// in pJ and constant power in W, with the digits printed there.
struct JetsonRow {
  double CoreMhz, CoreMv, MemMhz, MemMv;
  const char *Sp, *Dp, *Int, *Sm, *L2, *Mem, *ConstantW;
};

static const JetsonRow Table1[] = {
    {852, 1030, 924, 1010, "29.0", "139.1", "60.0", "35.4", "90.2", "377.0", "6.8"},
    {396, 770, 924, 1010, "16.2", "77.7", "33.5", "19.8", "50.4", "377.0", "6.1"},
    {852, 1030, 528, 880, "29.0", "139.1", "60.0", "35.4", "90.2", "286.2", "6.3"},
    {648, 890, 528, 880, "21.7", "103.8", "44.8", "26.4", "67.3", "286.2", "5.9"},
    {396, 770, 528, 880, "16.2", "77.7", "33.5", "19.8", "50.4", "286.2", "5.6"},
    {852, 1030, 204, 800, "29.0", "139.1", "60.0", "35.4", "90.2", "236.5", "6.0"},
    {648, 890, 204, 800, "21.7", "103.8", "44.8", "26.4", "67.3", "236.5", "5.6"},
    {396, 770, 204, 800, "16.2", "77.7", "33.5", "19.8", "50.4", "236.5", "5.2"},
    {756, 950, 924, 1010, "24.7", "118.3", "51.0", "30.1", "76.7", "377.0", "6.6"},
    {180, 760, 528, 880, "15.8", "75.7", "32.7", "19.3", "49.1", "286.2", "5.5"},
    {540, 840, 528, 880, "19.3", "92.5", "39.9", "23.5", "59.9", "286.2", "5.8"},
    {540, 840, 204, 800, "19.3", "92.5", "39.9", "23.5", "59.9", "236.5", "5.4"},
    {756, 950, 204, 800, "24.7", "118.3", "51.0", "30.1", "76.7", "236.5", "5.8"},
    {72, 760, 68, 800, "15.8", "75.7", "32.7", "19.3", "49.1", "236.5", "5.2"},
    {756, 950, 68, 800, "24.7", "118.3", "51.0", "30.1", "76.7", "236.5", "5.8"},
    {180, 760, 924, 1010, "15.8", "75.7", "32.7", "19.3", "49.1", "377.0", "6.0"},
};

TEST(ShippedProfiles, JetsonGivesTableOneToThePrintedDigits) {
  const Machine M = shipped("jetson-tk1");
  EXPECT_EQ(M.Settings.size(), std::size(Table1));
  for (const JetsonRow &Row : Table1) {
    const Setting *Clocks = M.findSetting(Row.CoreMhz, Row.MemMhz);
    ASSERT_TRUE(Clocks) << Row.CoreMhz << ", " << Row.MemMhz;
    EXPECT_EQ(printed(*Clocks->CoreMv, 0), printed(Row.CoreMv, 0));
    EXPECT_EQ(printed(*Clocks->MemMv, 0), printed(Row.MemMv, 0));
    const std::pair<const char *, const char *> Energies[] = {
        {"flops_f32", Row.Sp},    {"flops_f64", Row.Dp}, {"int_ops", Row.Int},
        {"bytes_shared", Row.Sm}, {"bytes_l2", Row.L2},  {"bytes_dram", Row.Mem}};
    for (const auto &[Class, Energy] : Energies)
      EXPECT_EQ(printed(M.energyPerUnit(Class, *Clocks).value() * 1e12, 1), Energy)
          << Class << " at " << Row.CoreMhz << ", " << Row.MemMhz;
    EXPECT_EQ(printed(M.constantPower(*Clocks).value(), 1), Row.ConstantW)
        << Row.CoreMhz << ", " << Row.MemMhz;
  }
}

TEST(ShippedProfiles, JetsonRates) {
  const Machine M = shipped("jetson-tk1");
  const Setting &Fast = *M.findSetting(852, 924), &Slow = *M.findSetting(72, 68);
  EXPECT_EQ(&Fast, &M.defaultSetting());
  // 192 cores · 2 flops · 852 MHz, a 24th of it, and 16 bytes · 924 MHz.
  EXPECT_NEAR(1 / M.timePerUnit("flops_f32", Fast).value(), 192 * 2 * 852e6, 1);
  EXPECT_NEAR(1 / M.timePerUnit("flops_f64", Fast).value(), 192 * 2 * 852e6 / 24, 1);
  EXPECT_NEAR(1 / M.timePerUnit("bytes_dram", Fast).value(), 16 * 924e6, 1);
  EXPECT_NEAR(1 / M.timePerUnit("flops_f32", Slow).value(), 192 * 2 * 72e6, 1);
  EXPECT_NEAR(1 / M.timePerUnit("bytes_dram", Slow).value(), 16 * 68e6, 1);
  EXPECT_FALSE(M.timePerUnit("bytes_l2", Fast));
}

/// NVIDIA, H100 Tensor Core GPU datasheet (2023), SXM5, dense rates: what was measured is near, and
/// not above. Its warp matrix functions reach two thirds of what whole warp groups do.
TEST(ProfileFormat, MeasuredH100) {
  const Machine M = shipped("h100");
  const struct {
    const char *Class;
    double Datasheet, Least;
  } Rates[] = {{"flops_f32", 67e12, 0.9},          {"flops_f64", 34e12, 0.8},
               {"flops_matrix_f16", 989e12, 0.6},  {"flops_matrix_bf16", 989e12, 0.6},
               {"flops_matrix_i8", 1979e12, 0.45}, {"flops_matrix_tf32", 494e12, 0.45},
               {"bytes_dram", 3.35e12, 0.8}}; // of a copy
  for (const auto &Rate : Rates) {
    const double Share = 1 / M.timePerUnit(Rate.Class, {}).value() / Rate.Datasheet;
    EXPECT_LT(Share, 1) << Rate.Class;
    EXPECT_GT(Share, Rate.Least) << Rate.Class;
  }
  EXPECT_EQ(M.Topology.Gpu->Multiprocessors.Value, 132);
  EXPECT_EQ(M.Topology.Gpu->Capability, (ComputeCapability{9, 0}));
}

/// 2020, Table I and section V-B: the two boards of the paper.
TEST(ProfileFormat, BoardsOfBlockRounds) {
  const Machine M2075 = shipped("m2075"), K20Xm = shipped("k20xm");
  EXPECT_EQ(M2075.constantPower({}), 29.4);
  EXPECT_EQ(K20Xm.constantPower({}), 19.18);
  EXPECT_EQ(M2075.Power.Cap->Value, 225);
  EXPECT_EQ(K20Xm.Power.Cap->Value, 235);
  ASSERT_TRUE(M2075.Topology.Gpu && K20Xm.Topology.Gpu);
  for (const Machine *M : {&M2075, &K20Xm}) {
    EXPECT_EQ(M->Topology.Gpu->Multiprocessors.Value, 14);
    // What the paper prints is what NVIDIA says of the compute capability.
    const MultiprocessorLimits Limits = limitsOf(M->Topology.Gpu->Capability).value();
    EXPECT_EQ(M->Topology.Gpu->Stated.at("threads").Value, Limits.Threads);
    EXPECT_EQ(M->Topology.Gpu->Stated.at("threads_per_block").Value, Limits.ThreadsPerBlock);
    EXPECT_EQ(M->Topology.Gpu->Stated.at("registers_per_block").Value, Limits.RegistersPerBlock);
  }
  EXPECT_EQ(M2075.Topology.Gpu->Capability, (ComputeCapability{2, 0}));
  EXPECT_EQ(K20Xm.Topology.Gpu->Capability, (ComputeCapability{3, 5}));
}
