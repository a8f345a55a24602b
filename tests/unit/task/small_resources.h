// Regions and resources in one line each.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/alloc/task/task_resource.h"

namespace spillway::task {

inline Region<Smem> SmemRegion(const std::string& name, std::int64_t bytes,
                               std::int64_t alignment = 128) {
  ByteRegionOptions options;
  options.name = name;
  options.size = Bytes(bytes);
  options.alignment = alignment;
  return std::move(Region<Smem>::Create(std::move(options)).value());
}

inline Region<Tmem> TmemRegion(const std::string& name, std::int64_t columns) {
  return std::move(Region<Tmem>::Create({name, Columns(columns)}).value());
}

inline PipelinePointer MakePipeline(const std::string& name, std::int64_t stages,
                                    std::int64_t producer_arrivals = 1,
                                    std::int64_t consumer_arrivals = 1) {
  PipelineOptions options;
  options.name = name;
  options.stages = stages;
  options.producer_arrivals = producer_arrivals;
  options.consumer_arrivals = consumer_arrivals;
  return StagedPipeline::Create(std::move(options)).value();
}

/// A resource with at most one region a space.
class SmallResource : public TaskResource {
 public:
  explicit SmallResource(std::string name, PipelinePointer pipeline = nullptr)
      : name_(std::move(name)), pipeline_(std::move(pipeline)) {}

  SmallResource& WithSmem(std::int64_t bytes, std::int64_t alignment = 128) {
    smem_.push_back(SmemRegion(name_ + "_data", bytes, alignment));
    return *this;
  }
  SmallResource& WithTmem(std::int64_t columns) {
    tmem_.push_back(TmemRegion(name_ + "_columns", columns));
    return *this;
  }

  const std::string& name() const override { return name_; }
  std::vector<RegionHandle<Smem>> SmemRequirements() const override {
    return {smem_.begin(), smem_.end()};
  }
  std::vector<RegionHandle<Tmem>> TmemRequirements() const override {
    return {tmem_.begin(), tmem_.end()};
  }
  PipelinePointer pipeline() const override { return pipeline_; }

 private:
  std::string name_;
  PipelinePointer pipeline_;
  std::vector<Region<Smem>> smem_;
  std::vector<Region<Tmem>> tmem_;
};

/// The code of a refusal; empty where nothing was refused.
template <class T>
std::string CodeOf(const Result<T>& result) {
  return result ? std::string() : result.error().code;
}

}  // namespace spillway::task
