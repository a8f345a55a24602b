// Tables of a run as CSV, in the column names of AWS's profiler where it has them.
//
// Comma-separated, a header line, lines end in a line feed, fields quoted as RFC 4180 says. All
// times (`start_ts`, `end_ts`, `issue_ts`, `timestamp`, `*_time`) are nanoseconds of simulated time
// since the start of the run: begins rounded down, ends up. Fields that a run doesn't know (no
// simulation, an instance that never ran) are empty. Shares are percent.
//
// SbufAllocation.csv: a row per SBUF block, by tensor and block.
//   start_ts, end_ts: first access instance's start, last one's end; start_address, end_address:
//   bytes of the partition, the end inclusive; partition: the first (0, 32, 64 or 96);
//   op_source_type: what first writes it: compute, dma, spill-save or spill-reload; opcode and
//   queue_name (empty for compute engines) of that; tensor_name. Beyond the profiler's: block
//   (row-major), partitions (how many), kind (ordinary, working-copy, fixed), start_point and
//   end_point (points of the allocated function, the end exclusive).
// SbufUsage.csv: up to 1,000 samples of equal distance: timestamp; quadrant_0 to quadrant_3: byte
//   offsets that a live block holds in the quadrant, in percent of the capacity; avg of the four.
// PsumUsage.csv: the same for bank_0, bank_1, …
// Dma.csv: a row per transfer, in program order: queue_name, role (data, save, reload), bytes,
//   descriptors, issue_ts, start_ts, end_ts, opcode, src_space, src_tensor, dst_space, dst_tensor
//   (the first operand of each side), src (source position), instance.
// Instructions.csv: a row per instance, in program order: start_ts, end_ts, duration, engine,
//   queue_name, opcode, spill (save, reload or empty), src, instance, instruction.
// Summary.csv: one row: kernel, target, allocator, verdict, is_simulation, total_time,
//   total_cycles, instruction_count, tensor_count, spill_tensor_count, spill_save_count,
//   spill_save_bytes, spill_reload_count, spill_reload_bytes, spill_predicted_cycles,
//   spill_measured_cycles, dma_active_time, dma_active_time_percent, dma_transfer_count,
//   dma_transfer_average_bytes, hbm_read_bytes, hbm_write_bytes, tensor_engine_active_time,
//   scalar_…, gpsimd_…, vector_…, sync_engine_active_time, sbuf_high_water_bytes,
//   psum_peak_banks.
//
// Source: isa_costs §5.
#pragma once

#include <ostream>
#include <string>

#include "model/hw/error.h"
#include "sim/tool/pipeline.h"

namespace spillway {

void PutSbufAllocation(std::ostream& out, const KernelRun& run);
void PutSbufUsage(std::ostream& out, const KernelRun& run);
void PutPsumUsage(std::ostream& out, const KernelRun& run);
void PutDma(std::ostream& out, const KernelRun& run);
void PutInstructions(std::ostream& out, const KernelRun& run);
void PutSummary(std::ostream& out, const KernelRun& run);

/// Writes all six into `directory`, which is made if it isn't there.
/// Errors: kFile ("cannot-write").
Result<void> WriteTables(const KernelRun& run, const std::string& directory);

}  // namespace spillway
