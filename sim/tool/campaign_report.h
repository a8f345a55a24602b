// What a campaign has to say, as text and as JSON.
#pragma once

#include <string>

#include "properties/campaign.h"

namespace spillway {

std::string ToText(const CampaignOptions& options, const CampaignReport& report);
/// All of the text's figures; seconds are the only ones that differ between equal runs.
std::string ToJson(const CampaignOptions& options, const CampaignReport& report);

}  // namespace spillway
