// What a kernel owes TMEM: each row of a table breaks a clean schedule in one way.
#include "model/alloc/check_task/check_tmem_duties.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>

namespace spillway::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using enum TmemEventKind;

TmemEvent Event(TmemEventKind kind, const std::string& name = "", std::int64_t columns = 0,
                std::int64_t warp = 4) {
  return {kind, name, Columns(columns), warp, 0, std::nullopt};
}

/// Allocate, permit, barrier, use, barrier, deallocate.
TmemDuties Clean() {
  TmemDuties duties;
  duties.layout_columns = Columns(100);
  duties.events = {
      Event(kAllocate, "base", 128), Event(kGiveUpPermit), Event(kBarrier),
      Event(kUse, "base"),           Event(kBarrier),      Event(kDeallocate, "base", 128)};
  return duties;
}

/// The same in both CTAs of a pair.
TmemDuties CleanPair() {
  TmemDuties duties = Clean();
  for (TmemEvent event : Clean().events) {
    event.cta = 1;
    duties.events.push_back(event);
  }
  duties.is_pair = true;
  return duties;
}

std::vector<std::string> CodesOf(const TmemDuties& duties) {
  std::vector<std::string> codes;
  for (const TmemFinding& finding : CheckTmemDuties(duties))
    codes.emplace_back(CodeName(finding.code));
  return codes;
}

TEST(CheckTmemDutiesTest, WhatTheDocumentationAsksForIsClean) {
  EXPECT_THAT(CodesOf(Clean()), IsEmpty());
  EXPECT_THAT(CodesOf(CleanPair()), IsEmpty());
  EXPECT_THAT(CodesOf({}), IsEmpty()) << "who allocates nothing owes nothing";
}

TEST(CheckTmemDutiesTest, SeveralAllocationsAndUsesInARowAreClean) {
  TmemDuties duties;
  duties.events = {Event(kAllocate, "a", 256),
                   Event(kAllocate, "b", 256),
                   Event(kBarrier),
                   Event(kUse, "a"),
                   Event(kUse, "b"),
                   Event(kBarrier),
                   Event(kDeallocate, "a", 256),
                   Event(kAllocate, "a", 32),
                   Event(kGiveUpPermit),
                   Event(kBarrier),
                   Event(kUse, "a"),
                   Event(kBarrier),
                   Event(kDeallocate, "b", 256),
                   Event(kDeallocate, "a", 32)};
  EXPECT_THAT(CodesOf(duties), IsEmpty());
}

struct BrokenDuties {
  const char* what;
  std::function<void(std::vector<TmemEvent>&)> change;
  std::string code;
  std::string text;  ///< part of the message
};

void Erase(std::vector<TmemEvent>& events, std::size_t at) {
  events.erase(events.begin() + static_cast<std::ptrdiff_t>(at));
}

const BrokenDuties kBroken[] = {
    {"TheBaseIsMadeVisible", [](auto& e) { Erase(e, 2); }, "tmem.not-visible",
     "use base: expected a barrier of the CTA between the allocation and the first use"},
    {"ABarrierEndsTheUse", [](auto& e) { Erase(e, 4); }, "tmem.in-use", "behind the last use"},
    {"WhatIsAllocatedIsDeallocated", [](auto& e) { e.pop_back(); }, "tmem.not-deallocated",
     "CTA 0: base: expected a deallocation of 128 columns"},
    {"TheSameColumnsAreDeallocated", [](auto& e) { e.back().columns = Columns(64); },
     "tmem.columns", "expected the 128 columns of its allocation, found 64"},
    {"OneWarpAllocatesAndDeallocates", [](auto& e) { e.back().warp = 5; }, "tmem.warp",
     "expected warp 4, which issued the first one, found warp 5"},
    {"ThePermitIsTheSameWarps", [](auto& e) { e[1].warp = 0; }, "tmem.warp", "found warp 0"},
    {"TheWholeWarpIssues", [](auto& e) { e[0].active_threads = 1; }, "tmem.partial-warp",
     "expected all 32 threads of the warp active, found 1"},
    {"ThePermitIsGivenUp", [](auto& e) { Erase(e, 1); }, "tmem.permit-kept", "CTA 0"},
    {"NoAllocationFollowsThePermit", [](auto& e) { std::swap(e[0], e[1]); }, "tmem.after-permit",
     "allocate base"},
    {"WhatIsUsedIsAllocated", [](auto& e) { e[3].name = "other"; }, "tmem.not-allocated",
     "use other"},
    {"WhatIsDeallocatedIsAllocated", [](auto& e) { e.push_back(Event(kDeallocate, "base", 128)); },
     "tmem.not-allocated", "deallocate base"},
    {"NothingIsUsedBehindItsDeallocation", [](auto& e) { e.push_back(Event(kUse, "base")); },
     "tmem.not-allocated", "use base"},
    {"ANameIsAllocatedOnceAtATime",
     [](auto& e) { e.insert(e.begin(), Event(kAllocate, "base", 128)); }, "tmem.allocated-twice",
     "expected a deallocation of its 128 columns first"},
    {"ARequestIsAPowerOfTwo", [](auto& e) { e.front().columns = e.back().columns = Columns(144); },
     "tmem.request", "expected a power of two from 32 to 512 columns, found 144"},
    {"ARequestHoldsTheLayout", [](auto& e) { e.front().columns = e.back().columns = Columns(64); },
     "tmem.request-too-small", "expected at least 100 allocated columns"},
    {"RequestsTogetherFit",
     [](auto& e) {
       e.insert(e.begin(), Event(kAllocate, "large", 512));
       e.push_back(Event(kDeallocate, "large", 512));
     },
     "capacity", "expected at most 512 columns at a time, found 640"},
};

class BrokenDutiesTest : public ::testing::TestWithParam<BrokenDuties> {};

TEST_P(BrokenDutiesTest, HasItsCodeAndNoOther) {
  TmemDuties duties = Clean();
  GetParam().change(duties.events);
  const std::vector<TmemFinding> findings = CheckTmemDuties(duties);
  EXPECT_THAT(CodesOf(duties), ElementsAre(GetParam().code));
  for (const TmemFinding& finding : findings) EXPECT_THAT(finding.text, HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Rows, BrokenDutiesTest, ::testing::ValuesIn(kBroken),
                         [](const auto& test) { return std::string(test.param.what); });

TEST(CheckTmemDutiesTest, BothCtasOfAPairMakeTheSameRequestsFromWarpsOfTheSameNumber) {
  TmemDuties missing = CleanPair();
  Erase(missing.events, 7);  // the other CTA's permit
  EXPECT_THAT(CodesOf(missing), ElementsAre("tmem.permit-kept", "tmem.pair"));
  TmemDuties other_warp = CleanPair();
  for (TmemEvent& event : other_warp.events) event.warp += event.cta;
  EXPECT_THAT(CodesOf(other_warp), ElementsAre("tmem.pair"));
  EXPECT_THAT(CheckTmemDuties(other_warp)[0].text,
              HasSubstr("instruction 1 of the pair: expected the same one from warps of the same "
                        "number in both CTAs, found CTA 0, warp 4: allocate base of 128 columns "
                        "and CTA 1, warp 5: allocate base of 128 columns"));
  other_warp.is_pair = false;
  EXPECT_THAT(CodesOf(other_warp), IsEmpty()) << "two kernels on their own";
}

TEST(CheckTmemDutiesTest, EveryCodeOfTheDutiesHasARow) {
  std::set<std::string> covered = {"tmem.pair"};
  for (const BrokenDuties& row : kBroken) covered.insert(row.code);
  for (const CodeRow& row : AllCodes()) {
    if (!row.name.starts_with("tmem.")) continue;
    EXPECT_TRUE(covered.contains(std::string(row.name))) << row.name;
  }
}

}  // namespace
}  // namespace spillway::task
