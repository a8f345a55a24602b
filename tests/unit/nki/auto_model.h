// What an automatic allocator must do, said the slow way: every start is tried from the lowest up,
// against everything that open scopes hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway::nki {

enum class AutoOp {
  kEnter,
  kExit,
  kDeclare,
  kAssign,
  kAllocate,
  kTouch,
  kInScope,
  kAll,
  kIdentity,
  kBias
};

struct AutoStep {
  AutoOp op = AutoOp::kEnter;
  Tensor tensor;                   ///< kDeclare; kAssign; kIdentity and kBias: what must be made
  std::vector<std::string> names;  ///< kAllocate: one; kTouch
  double bias = 0.0;
};

struct AutoMachine {
  std::int64_t sbuf_bytes = 0;
  std::int64_t granule = 1;
  std::int64_t psum_banks = 0;
  std::int64_t bank_bytes = 1;
  std::int64_t partitions = 0;
  std::int64_t psum_partitions = 0;
};

class AutoModel {
 public:
  struct Answer {
    std::string code;  ///< of the refusal; "contract" for a broken one; "" where there is none
    std::vector<Address> at;                   ///< of the tensor that was asked for
    std::optional<Space> full = std::nullopt;  ///< the memory without room
  };
  struct Entry {
    Tensor tensor;  ///< without places while it waits
    int scope = 0;
    bool is_fixed = false;
    bool on_demand = false;
  };
  /// What one block keeps from others.
  struct Area {
    std::int64_t row = 0;
    std::int64_t row_end = 0;
    std::int64_t byte = 0;
    std::int64_t byte_end = 0;
  };

  explicit AutoModel(const AutoMachine& machine) : machine_(machine) {}

  Answer Do(const AutoStep& step) {
    switch (step.op) {
      case AutoOp::kEnter: return Enter();
      case AutoOp::kExit: return Exit();
      case AutoOp::kDeclare: return Declare(step.tensor);
      case AutoOp::kAssign: return Assign(step.tensor);
      case AutoOp::kAllocate: return Touch(step.names);
      case AutoOp::kTouch: {
        Answer answer = Touch(step.names);
        answer.at.clear();
        return answer;
      }
      case AutoOp::kInScope:
      case AutoOp::kAll: return PlaceWaiting();
      case AutoOp::kIdentity:
      case AutoOp::kBias: return Make(step.tensor);
    }
    return {};
  }

  const AutoMachine& machine() const { return machine_; }
  std::size_t depth() const { return open_.size(); }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Of entries that have a place or had one, in the order in which they got it.
  const std::vector<std::size_t>& placed() const { return placed_; }
  std::int64_t sbuf_peak() const { return sbuf_peak_; }
  std::int64_t psum_peak() const { return psum_peak_; }

  bool IsOpen(const Entry& entry) const {
    return std::find(open_.begin(), open_.end(), entry.scope) != open_.end();
  }
  bool IsHeld(const Entry& entry) const { return !entry.tensor.at.empty() && IsOpen(entry); }
  static bool Waits(const Entry& entry) { return entry.tensor.at.empty(); }

  const Entry* Find(const std::string& name) const {
    for (const Entry& entry : entries_) {
      if (entry.tensor.name == name) return &entry;
    }
    return nullptr;
  }

  static std::int64_t BytesOf(const Tensor& tensor) {
    const std::int64_t element = tensor.dtype == DType::kFloat32    ? 4
                                 : tensor.dtype == DType::kBfloat16 ? 2
                                                                    : 1;
    return tensor.shape[1] * element;
  }
  static std::int64_t BlocksOf(const Tensor& tensor) {
    std::int64_t blocks = 1;
    for (const std::int64_t count : tensor.blocks) blocks *= count;
    return blocks;
  }

  Area AreaOf(const Tensor& tensor, const Address& at) const {
    Area area{at.partition.value, at.partition.value + tensor.shape[0], at.byte.value,
              at.byte.value + BytesOf(tensor)};
    if (tensor.space == Space::kPsum) {
      // A bank that accumulates for one tile takes no other, nor the rest of a wide one.
      area.byte -= area.byte % machine_.bank_bytes;
      const std::int64_t rest = area.byte_end % machine_.bank_bytes;
      area.byte_end += rest == 0 ? 0 : machine_.bank_bytes - rest;
    }
    return area;
  }
  std::vector<Area> AreasOf(const Tensor& tensor) const {
    std::vector<Area> areas;
    for (const Address& at : tensor.at) areas.push_back(AreaOf(tensor, at));
    return areas;
  }
  static bool Meet(const Area& a, const Area& b) {
    return a.row < b.row_end && b.row < a.row_end && a.byte < b.byte_end && b.byte < a.byte_end;
  }
  bool Meet(const Tensor& a, const Tensor& b) const {
    if (a.space != b.space) return false;
    for (const Area& area : AreasOf(a)) {
      for (const Area& other : AreasOf(b)) {
        if (Meet(area, other)) return true;
      }
    }
    return false;
  }

  static std::vector<std::int64_t> Starts(std::int64_t rows) {
    if (rows < 1 || rows > 128) return {};
    if (rows > 64) return {0};
    if (rows > 32) return {0, 64};
    return {0, 32, 64, 96};
  }

  /// Where all blocks go, each to the lowest place that it finds; nothing where one finds none.
  /// With `ever`, what closed scopes held is in the way too.
  std::optional<std::vector<Address>> PlacesFor(const Tensor& wanted, bool ever) const {
    std::vector<Area> taken;
    for (const Entry& entry : entries_) {
      if (entry.tensor.space != wanted.space || !(ever || IsHeld(entry))) continue;
      for (const Area& area : AreasOf(entry.tensor)) taken.push_back(area);
    }
    std::vector<Address> places;
    for (std::int64_t block = 0; block < BlocksOf(wanted); ++block) {
      const std::optional<Address> place = Lowest(wanted, taken);
      if (!place) return std::nullopt;
      places.push_back(*place);
      taken.push_back(AreaOf(wanted, *place));
    }
    return places;
  }

 private:
  std::optional<Address> Lowest(const Tensor& wanted, const std::vector<Area>& taken) const {
    const bool psum = wanted.space == Space::kPsum;
    const std::int64_t end = psum ? machine_.psum_banks * machine_.bank_bytes : machine_.sbuf_bytes;
    const std::int64_t step = psum ? machine_.bank_bytes : machine_.granule;
    const std::int64_t rows = psum ? machine_.psum_partitions : machine_.partitions;
    for (std::int64_t byte = 0; byte < end; byte += step) {
      for (const std::int64_t row : Starts(wanted.shape[0])) {
        const Address place{Partition(row), ByteOffset(byte)};
        const Area area = AreaOf(wanted, place);
        if (area.byte_end > end || area.row_end > rows) continue;
        if (std::none_of(taken.begin(), taken.end(),
                         [&](const Area& other) { return Meet(area, other); }))
          return place;
      }
    }
    return std::nullopt;
  }

  void Put(std::size_t entry, std::vector<Address> places) {
    entries_[entry].tensor.at = std::move(places);
    placed_.push_back(entry);
    std::set<std::int64_t> banks;
    for (const Entry& held : entries_) {
      if (!IsHeld(held)) continue;
      for (const Area& area : AreasOf(held.tensor)) {
        if (held.tensor.space == Space::kSbuf) sbuf_peak_ = std::max(sbuf_peak_, area.byte_end);
        if (held.tensor.space != Space::kPsum) continue;
        for (std::int64_t byte = area.byte; byte < area.byte_end; byte += machine_.bank_bytes)
          banks.insert(byte / machine_.bank_bytes);
      }
    }
    psum_peak_ = std::max(psum_peak_, static_cast<std::int64_t>(banks.size()));
  }

  Answer Place(std::size_t entry) {
    const Tensor& tensor = entries_[entry].tensor;
    auto places = PlacesFor(tensor, false);
    if (!places) return {"auto-capacity", {}, tensor.space};
    Put(entry, *places);
    return {"", *std::move(places)};
  }

  // The first without room ends it; what came before it stays.
  Answer PlaceWaiting() {
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      if (!Waits(entries_[e])) continue;
      if (Answer answer = Place(e); !answer.code.empty()) return answer;
    }
    return {};
  }

  Answer Enter() {
    if (Answer answer = PlaceWaiting(); !answer.code.empty()) return answer;
    open_.push_back(next_scope_++);
    return {};
  }

  Answer Exit() {
    if (open_.size() == 1) return {"auto-scope", {}};
    // Nothing waits outside: it was placed before the scope opened.
    if (Answer answer = PlaceWaiting(); !answer.code.empty()) return answer;
    open_.pop_back();
    return {};
  }

  std::string RefusalOf(const Tensor& tensor) const {
    if (tensor.space == Space::kDram) return "auto-dram-tensor";
    return Find(tensor.name) != nullptr ? "auto-duplicate-tensor" : "";
  }

  Answer Declare(Tensor tensor) {
    if (std::string code = RefusalOf(tensor); !code.empty()) return {std::move(code), {}};
    tensor.at.clear();
    tensor.alloc.reset();
    tensor.by_function = false;
    entries_.push_back({std::move(tensor), open_.back()});
    return {};
  }

  Answer Assign(Tensor tensor) {
    if (std::string code = RefusalOf(tensor); !code.empty()) return {std::move(code), {}};
    if (static_cast<std::int64_t>(tensor.at.size()) != BlocksOf(tensor)) return {"contract", {}};
    std::vector<Address> places = tensor.at;
    entries_.push_back({std::move(tensor), open_.back(), true});
    Put(entries_.size() - 1, std::move(places));
    return {};
  }

  Answer Touch(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const Entry* entry = Find(name);
      if (entry == nullptr) return {"auto-unknown-tensor", {}};
      if (!IsOpen(*entry)) return {"auto-closed-scope", {}};
    }
    Answer answer;
    for (const std::string& name : names) {
      const Entry* entry = Find(name);
      answer = Waits(*entry) ? Place(static_cast<std::size_t>(entry - entries_.data()))
                             : Answer{"", entry->tensor.at};
      if (!answer.code.empty()) return answer;
    }
    return answer;
  }

  Answer Make(const Tensor& tensor) {
    if (tensor.shape[0] < 1 || tensor.shape[0] > machine_.partitions) return {"contract", {}};
    if (const Entry* entry = Find(tensor.name); entry != nullptr) {
      if (!entry->on_demand) return {"auto-duplicate-tensor", {}};
      return {"", entry->tensor.at};
    }
    auto places = PlacesFor(tensor, true);
    if (!places) return {"auto-capacity", {}, tensor.space};
    entries_.push_back({tensor, open_.front(), false, true});
    Put(entries_.size() - 1, *places);
    return {"", *std::move(places)};
  }

  AutoMachine machine_;
  int next_scope_ = 1;
  std::vector<int> open_{0};
  std::vector<Entry> entries_;  // in the order of declaration
  std::vector<std::size_t> placed_;
  std::int64_t sbuf_peak_ = 0;
  std::int64_t psum_peak_ = 0;
};

}  // namespace spillway::nki
