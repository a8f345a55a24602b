// The rings of a placed kernel as a section of the page of task pipelines.
#pragma once

#include <string>

#include "sim/tool/pipeline_html.h"
#include "sim/tool/rings_report.h"

namespace spillway {

/// The rings with the stages that they have and need, the findings of the two systems that the
/// kernel becomes, and their maps, roles and resources, as far as the kernel went. Equal reports
/// give equal bytes.
PipelineSection MakeRingsSection(const RingsReport& report);

/// What would make the ring's stages what its kernel's order needs; "nothing" where they are.
/// Empty for a tensor with one place, and where the depth isn't known.
std::string RingAdvice(const RingRow& row);

}  // namespace spillway
