#include "sim/tool/csv_row.h"

#include <fmt/format.h>

namespace spillway {

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void PutCsvRow(std::ostream& out, const std::vector<std::string>& fields) {
  for (std::size_t f = 0; f < fields.size(); ++f) out << (f == 0 ? "" : ",") << CsvField(fields[f]);
  out << '\n';
}

std::string BeginNanoseconds(Picoseconds time) {
  return time.value < 0 ? std::string() : std::to_string(time.value / 1000);
}

std::string EndNanoseconds(Picoseconds time) {
  return time.value < 0 ? std::string()
                        : std::to_string(time.value / 1000 + (time.value % 1000 > 0 ? 1 : 0));
}

std::string CsvPercent(double percent) { return fmt::format("{:.3f}", percent); }

}  // namespace spillway
