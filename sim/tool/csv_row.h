// Rows of CSV.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "model/hw/interval.h"
#include "model/hw/units.h"

namespace spillway {

/// `text` as one field: quoted where it holds a comma, a quote or a line break, quotes doubled.
/// Source: RFC 4180 §2.
std::string CsvField(std::string_view text);

/// One line of fields, each quoted where it must be.
void PutCsvRow(std::ostream& out, const std::vector<std::string>& fields);

/// Nanoseconds of a time, rounded down (for a begin) or up (for an end); empty below 0.
std::string BeginNanoseconds(Picoseconds time);
std::string EndNanoseconds(Picoseconds time);

/// "12.345": a percentage with three digits.
std::string CsvPercent(double percent);

}  // namespace spillway
