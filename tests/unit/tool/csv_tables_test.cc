#include "sim/tool/csv_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "sim/tool/csv_row.h"
#include "tests/unit/tool/sample_run.h"

namespace spillway {
namespace {

using Table = std::vector<std::vector<std::string>>;

// Reads CSV back as RFC 4180 says.
Table Parsed(const std::string& text) {
  Table table;
  std::vector<std::string> row;
  std::string field;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"') {
      field += '"';
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      row.push_back(std::move(field));
      field.clear();
      if (c == '\n') table.push_back(std::move(row));
      if (c == '\n') row.clear();
    } else {
      field += c;
    }
  }
  return table;
}

Table TableOf(void (*put)(std::ostream&, const KernelRun&), const KernelRun& run) {
  std::ostringstream out;
  put(out, run);
  Table table = Parsed(out.str());
  for (const auto& row : table) EXPECT_EQ(row.size(), table.front().size());
  return table;
}

std::string Cell(const Table& table, std::size_t row, const std::string& column) {
  const auto& header = table.at(0);
  const auto found = std::find(header.begin(), header.end(), column);
  if (found == header.end()) return "no column " + column;
  return table.at(row + 1)[static_cast<std::size_t>(found - header.begin())];
}

std::vector<std::string> Row(const Table& table, std::size_t row,
                             const std::vector<std::string>& columns) {
  std::vector<std::string> cells;
  for (const std::string& column : columns) cells.push_back(Cell(table, row, column));
  return cells;
}

using Cells = std::vector<std::string>;

TEST(CsvTables, OnlyFieldsThatNeedQuotesGetThem) {
  EXPECT_EQ(CsvField("q_sb.3"), "q_sb.3");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(CsvField("a\nb"), "\"a\nb\"");
  EXPECT_EQ(CsvField(""), "");
}

TEST(CsvTables, HostileNamesComeBackAsTheyWere) {
  const std::string evil = "a,\"b\"\r\n<script>;'";
  const KernelRun run = SampleRun({evil, evil, evil});
  EXPECT_EQ(Cell(TableOf(PutSbufAllocation, run), 0, "tensor_name"), evil);
  EXPECT_EQ(Cell(TableOf(PutDma, run), 0, "dst_tensor"), evil);
  EXPECT_EQ(Cell(TableOf(PutInstructions, run), 0, "src"), evil);
  EXPECT_EQ(Cell(TableOf(PutSummary, run), 0, "kernel"), evil);
}

TEST(CsvTables, AnAllocationLastsFromTheFirstAccessToTheLast) {
  const Table table = TableOf(PutSbufAllocation, SampleRun());
  ASSERT_EQ(table.size(), 4u);
  const Cells columns{"tensor_name", "start_ts",  "end_ts",     "start_address",
                      "end_address", "partition", "partitions", "kind"};
  EXPECT_EQ(Row(table, 0, columns), (Cells{"a", "0", "4000", "0", "511", "0", "128", "ordinary"}));
  EXPECT_EQ(Row(table, 1, columns),
            (Cells{"low", "1000", "7000", "1024", "1279", "32", "32", "fixed"}));
  EXPECT_EQ(Row(table, 2, columns),
            (Cells{"copy", "2000", "6000", "512", "1023", "0", "128", "working-copy"}));
}

TEST(CsvTables, AnAllocationNamesWhatFirstWritesIt) {
  const Table table = TableOf(PutSbufAllocation, SampleRun());
  const Cells columns{"op_source_type", "opcode", "queue_name"};
  EXPECT_EQ(Row(table, 0, columns), (Cells{"dma", "dma_copy", "q0"}));
  EXPECT_EQ(Row(table, 1, columns), (Cells{"compute", "tensor_copy", ""}));
  EXPECT_EQ(Row(table, 2, columns), (Cells{"spill-reload", "dma_copy", "q2"}));
}

TEST(CsvTables, BlocksOfATensorLiveOnTheirOwn) {
  KernelRun run = SampleRun();
  KernelBuilder b("blocks", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {128, 16}, {.blocks = {2}});
  for (const int block : {0, 1, 1})
    b.Instruction("memset").Out("dst", b.Whole(t).Block({AffineExpr(block)}));
  run.allocation->kernel = b.Build();
  run.allocation->placement.addresses = {};
  run.allocation->placement.addresses.push_back(
      {{Partition(0), ByteOffset(0)}, {Partition(0), ByteOffset(64)}});
  run.simulation->lowered.sequence.instances.resize(3);
  const Table table = TableOf(PutSbufAllocation, run);
  const Cells columns{"tensor_name", "block", "start_ts", "end_ts", "start_address"};
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(Row(table, 0, columns), (Cells{"t", "0", "0", "1000", "0"}));
  EXPECT_EQ(Row(table, 1, columns), (Cells{"t", "1", "1000", "3000", "64"}));
}

TEST(CsvTables, SbufUsageCountsBytesPerQuadrant) {
  const Table table = TableOf(PutSbufUsage, SampleRun());
  ASSERT_EQ(table.size(), 1001u);
  const Cells columns{"timestamp", "quadrant_0", "quadrant_1", "quadrant_3", "avg"};
  EXPECT_EQ(Row(table, 0, columns), (Cells{"3", "25.000", "25.000", "25.000", "25.000"}));
  // At 3.5 µs a and copy are live everywhere, low in quadrant 1 alone.
  EXPECT_EQ(Row(table, 500, columns), (Cells{"3503", "50.000", "62.500", "50.000", "53.125"}));
  EXPECT_EQ(Row(table, 999, columns), (Cells{"6996", "0.000", "12.500", "0.000", "3.125"}));
}

TEST(CsvTables, SharedBytesCountOnce) {
  KernelRun run = SampleRun();
  run.allocation->placement.addresses[TensorId(5)] = {{Partition(0), ByteOffset(256)}};
  EXPECT_EQ(Cell(TableOf(PutSbufUsage, run), 500, "quadrant_0"), "37.500");
}

TEST(CsvTables, PsumUsageCountsBytesPerBank) {
  const Table table = TableOf(PutPsumUsage, SampleRun());
  EXPECT_EQ(Row(table, 500, {"bank_0", "bank_1", "bank_7", "avg"}),
            (Cells{"0.000", "25.000", "0.000", "3.125"}));
  EXPECT_EQ(Cell(table, 0, "bank_1"), "0.000");
}

TEST(CsvTables, EveryTransferIsARow) {
  const Table table = TableOf(PutDma, SampleRun());
  ASSERT_EQ(table.size(), 5u);
  const Cells columns{"queue_name", "role",       "bytes",     "start_ts",  "end_ts",
                      "src_space",  "src_tensor", "dst_space", "dst_tensor"};
  EXPECT_EQ(Row(table, 1, columns),
            (Cells{"q2", "reload", "65536", "2000", "3000", "dram", "home", "sbuf", "copy"}));
  EXPECT_EQ(Row(table, 3, columns),
            (Cells{"q1", "data", "8192", "6000", "7000", "sbuf", "low", "dram", "y"}));
}

TEST(CsvTables, InstancesThatNeverRanHaveNoTimes) {
  KernelRun run = SampleRun();
  run.simulation->run.times[3].finish = Picoseconds(-1);
  run.simulation->run.times[4] = {};
  const Table table = TableOf(PutInstructions, run);
  ASSERT_EQ(table.size(), 8u);
  const Cells columns{"start_ts", "end_ts", "duration", "engine", "opcode"};
  EXPECT_EQ(Row(table, 1, columns), (Cells{"1000", "2000", "1000", "dve", "tensor_copy"}));
  EXPECT_EQ(Row(table, 3, columns), (Cells{"3000", "", "", "pe", "nc_matmul"}));
  EXPECT_EQ(Row(table, 4, columns), (Cells{"", "", "", "dve", "tensor_copy"}));
}

TEST(CsvTables, BeginsRoundDownAndEndsUp) {
  EXPECT_EQ(BeginNanoseconds(Picoseconds(1999)), "1");
  EXPECT_EQ(EndNanoseconds(Picoseconds(1001)), "2");
  EXPECT_EQ(EndNanoseconds(Picoseconds(2000)), "2");
}

TEST(CsvTables, TheSummaryAddsUpWhatMoved) {
  const Table table = TableOf(PutSummary, SampleRun());
  EXPECT_EQ(Row(table, 0,
                {"spill_save_bytes", "spill_reload_bytes", "dma_transfer_count",
                 "dma_transfer_average_bytes", "hbm_read_bytes", "hbm_write_bytes"}),
            (Cells{"65536", "65536", "4", "51200", "131072", "73728"}));
  EXPECT_EQ(Row(table, 0,
                {"total_time", "dma_active_time", "tensor_engine_active_time",
                 "vector_engine_active_time", "sync_engine_active_time"}),
            (Cells{"7000", "4000", "1000", "2000", "0"}));
}

TEST(CsvTables, WithoutASimulationTimesAreEmpty) {
  KernelRun run = SampleRun();
  run.simulation.reset();
  EXPECT_EQ(Row(TableOf(PutSbufAllocation, run), 0,
                {"start_ts", "end_ts", "opcode", "start_point", "end_point"}),
            (Cells{"", "", "", "0", "4"}));
  EXPECT_EQ(TableOf(PutSbufUsage, run).size(), 1u);
  EXPECT_EQ(TableOf(PutInstructions, run).size(), 1u);
  EXPECT_EQ(Cell(TableOf(PutSummary, run), 0, "spill_save_bytes"), "");
  EXPECT_EQ(TableOf(PutSummary, KernelRun{}).size(), 2u);
  EXPECT_EQ(TableOf(PutSbufAllocation, KernelRun{}).size(), 1u);
}

}  // namespace
}  // namespace spillway
