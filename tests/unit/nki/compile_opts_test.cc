#include "model/alloc/nki/compile_opts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace spillway::nki {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::map<std::string, AttrValue> Changes(const CompileOpts& from, const CompileOpts& to) {
  std::map<std::string, AttrValue> changes;
  const std::vector<Attr> before = FieldsOf(from);
  const std::vector<Attr> after = FieldsOf(to);
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(before[i].name, after[i].name);
    if (!(before[i].value == after[i].value)) changes[after[i].name] = after[i].value;
  }
  return changes;
}

TEST(CompileOpts, HasTheFieldsOfTheSurfaceAndNoOthers) {
  // Source: nki_surface.md "CompileOpts fields".
  std::vector<std::string_view> names;
  for (const CompileOptsField& field : CompileOptsFields()) names.push_back(field.name);
  EXPECT_THAT(names, ::testing::ElementsAre("allocator_type", "allocator_class", "skip_allocators",
                                            "skip_middle_end", "opt_level", "platform_target",
                                            "force_auto_alloc"));
  std::vector<std::string_view> valued;
  const std::vector<Attr> values = FieldsOf({});
  for (const Attr& value : values) valued.push_back(value.name);
  EXPECT_EQ(valued, names);
}

TEST(CompileOpts, StartsWithNothingChosenAndNothingSkipped) {
  const CompileOpts opts;
  EXPECT_EQ(opts.allocator_type(), std::nullopt);
  EXPECT_EQ(opts.allocator_class(), std::nullopt);
  EXPECT_FALSE(opts.skip_allocators());
  EXPECT_FALSE(opts.skip_middle_end());
  EXPECT_EQ(opts.opt_level(), OptLevel::kDefault);
  EXPECT_EQ(opts.platform_target(), std::nullopt);
  EXPECT_FALSE(opts.force_auto_alloc());
}

struct Written {
  Attr field;
  std::map<std::string, AttrValue> changes;  ///< of fresh options
};

TEST(Replace, ChangesTheNamedFieldAndWhatIsDerivedFromIt) {
  const std::vector<Written> table = {
      {{"allocator_type", "stack"}, {{"allocator_type", "stack"}, {"allocator_class", "stack"}}},
      {{"allocator_type", "linear_scan"},
       {{"allocator_type", "linear_scan"}, {"allocator_class", "linear_scan"}}},
      {{"allocator_type", AttrValue()}, {}},
      {{"skip_allocators", true}, {{"skip_allocators", true}}},
      {{"skip_allocators", false}, {}},
      {{"skip_middle_end", true}, {{"skip_middle_end", true}, {"opt_level", "skip_middle_end"}}},
      {{"skip_middle_end", false}, {}},
      {{"opt_level", "skip_middle_end"},
       {{"skip_middle_end", true}, {"opt_level", "skip_middle_end"}}},
      {{"opt_level", "default"}, {}},
      {{"platform_target", "inf2"}, {{"platform_target", "inf2"}}},
      {{"platform_target", AttrValue()}, {}},
      {{"force_auto_alloc", true}, {{"force_auto_alloc", true}}},
      {{"force_auto_alloc", false}, {}},
  };
  for (const Written& row : table) {
    const Result<CompileOpts> opts = Replace({}, {row.field});
    ASSERT_TRUE(opts.has_value()) << row.field.name << ": " << opts.error().ToString();
    EXPECT_EQ(Changes({}, *opts), row.changes) << row.field.name;
  }
}

TEST(Replace, TakesEveryFieldBackToWhereItStarted) {
  const CompileOpts all = Replace({}, {{"allocator_type", "stack"},
                                       {"skip_allocators", true},
                                       {"skip_middle_end", true},
                                       {"platform_target", "trn1"},
                                       {"force_auto_alloc", true}})
                              .value();
  EXPECT_EQ(Changes({}, all).size(), 7u);
  EXPECT_EQ(Replace(all, {{"allocator_type", AttrValue()},
                          {"skip_allocators", false},
                          {"opt_level", "default"},
                          {"platform_target", AttrValue()},
                          {"force_auto_alloc", false}}),
            CompileOpts());
}

TEST(Replace, LeavesItsArgumentAsItIs) {
  const CompileOpts before = Replace({}, {{"platform_target", "trn1"}}).value();
  const CompileOpts copy = before;
  const CompileOpts after =
      Replace(before, {{"skip_middle_end", true}, {"platform_target", "trn3"}}).value();
  EXPECT_EQ(before, copy);
  EXPECT_NE(after, before);
  EXPECT_EQ(before.platform_target(), "trn1");
}

TEST(Replace, WithoutFieldsGivesTheSameOptions) {
  const CompileOpts opts = Replace({}, {{"force_auto_alloc", true}}).value();
  EXPECT_EQ(Replace(opts, {}), opts);
}

TEST(Replace, TakesTheFlagAndTheLevelTogetherOnlyWhereTheyAgree) {
  for (const bool flag : {false, true}) {
    for (const std::string level : {"default", "skip_middle_end"}) {
      const Attr a{"skip_middle_end", flag};
      const Attr b{"opt_level", level};
      for (const std::vector<Attr>& fields : {std::vector{a, b}, std::vector{b, a}}) {
        const Result<CompileOpts> opts = Replace({}, fields);
        EXPECT_EQ(opts.has_value(), flag == (level == "skip_middle_end")) << flag << level;
        if (opts) {
          EXPECT_EQ(opts->skip_middle_end(), flag);
        } else {
          EXPECT_EQ(opts.error().code, "nki-opt-level-disagrees");
          EXPECT_THAT(opts.error().message, AllOf(HasSubstr(flag ? "skip_middle_end is true"
                                                                 : "skip_middle_end is false"),
                                                  HasSubstr("found \"" + level + "\"")));
        }
      }
    }
  }
}

struct Refused {
  std::vector<Attr> fields;
  const char* code;
  Kind kind;
  const char* name;
  const char* expected;
  const char* found;
};

TEST(Replace, RefusesWithTheFieldWhatWasExpectedWhatWasFoundAndTheLegalNames) {
  const AttrValue list = AttrValue::List{1, 2};
  const std::string long_text(1000, 'x');
  const std::vector<Refused> table = {
      {{{"opt_levels", 1}},
       "nki-unknown-field",
       Kind::kUnknownName,
       "\"opt_levels\"",
       "a field of CompileOpts",
       "none of that name"},
      {{{"", true}}, "nki-unknown-field", Kind::kUnknownName, "\"\"", "a field", "none"},
      {{{"Skip_allocators", true}},
       "nki-unknown-field",
       Kind::kUnknownName,
       "\"Skip_allocators\"",
       "a field",
       "none"},
      {{{"allocator_class", "stack"}},
       "nki-read-only-field",
       Kind::kSyntax,
       "allocator_class",
       "follows allocator_type",
       "\"stack\""},
      {{{"allocator_class", AttrValue()}},
       "nki-read-only-field",
       Kind::kSyntax,
       "allocator_class",
       "follows allocator_type",
       "null"},
      {{{"allocator_type", "heap"}},
       "nki-unknown-allocator",
       Kind::kUnknownName,
       "allocator_type",
       "\"stack\", \"linear_scan\" or null",
       "\"heap\""},
      {{{"allocator_type", ""}},
       "nki-unknown-allocator",
       Kind::kUnknownName,
       "allocator_type",
       "\"stack\"",
       "\"\""},
      {{{"allocator_type", 1}},
       "nki-wrong-type",
       Kind::kSyntax,
       "allocator_type",
       "\"stack\"",
       "1"},
      {{{"allocator_type", true}},
       "nki-wrong-type",
       Kind::kSyntax,
       "allocator_type",
       "null",
       "true"},
      {{{"skip_allocators", 1}},
       "nki-wrong-type",
       Kind::kSyntax,
       "skip_allocators",
       "true or false",
       "1"},
      {{{"skip_allocators", "skip_allocators"}},
       "nki-wrong-type",
       Kind::kSyntax,
       "skip_allocators",
       "true or false",
       "\"skip_allocators\""},
      {{{"skip_allocators", AttrValue()}},
       "nki-wrong-type",
       Kind::kSyntax,
       "skip_allocators",
       "true or false",
       "null"},
      {{{"skip_middle_end", 1.5}},
       "nki-wrong-type",
       Kind::kSyntax,
       "skip_middle_end",
       "true or false",
       "1.5"},
      {{{"opt_level", "skip_allocators"}},
       "nki-unknown-opt-level",
       Kind::kUnknownName,
       "opt_level",
       "\"default\" or \"skip_middle_end\"",
       "\"skip_allocators\""},
      {{{"opt_level", 2}}, "nki-wrong-type", Kind::kSyntax, "opt_level", "\"default\"", "2"},
      {{{"opt_level", AttrValue()}},
       "nki-wrong-type",
       Kind::kSyntax,
       "opt_level",
       "\"default\"",
       "null"},
      {{{"platform_target", ""}},
       "nki-empty-target",
       Kind::kSyntax,
       "platform_target",
       "the name of a target",
       "\"\""},
      {{{"platform_target", "trn\xff"}},
       "nki-target-not-utf8",
       Kind::kSyntax,
       "platform_target",
       "the name of a target",
       "4 bytes that aren't UTF-8"},
      {{{"platform_target", list}},
       "nki-wrong-type",
       Kind::kSyntax,
       "platform_target",
       "the name of a target or null",
       "a list of 2"},
      {{{"force_auto_alloc", long_text}},
       "nki-wrong-type",
       Kind::kSyntax,
       "force_auto_alloc",
       "true or false",
       "xxx\"…"},
      {{{"force_auto_alloc", true}, {"force_auto_alloc", true}},
       "nki-duplicate-field",
       Kind::kDuplicateName,
       "force_auto_alloc",
       "once",
       "twice"},
  };
  for (const Refused& row : table) {
    const Result<CompileOpts> opts = Replace({}, row.fields);
    ASSERT_FALSE(opts.has_value()) << row.code << " " << row.name;
    EXPECT_EQ(opts.error().code, row.code) << opts.error().message;
    EXPECT_EQ(opts.error().kind, row.kind) << row.code;
    EXPECT_THAT(opts.error().message,
                AllOf(HasSubstr(std::string("field ") + row.name + ": "),
                      HasSubstr(std::string("expected ")), HasSubstr(row.expected),
                      HasSubstr(std::string("found ")), HasSubstr(row.found),
                      HasSubstr("the fields that may be set are allocator_type, skip_allocators, "
                                "skip_middle_end, opt_level, platform_target, force_auto_alloc")));
    EXPECT_LT(opts.error().message.size(), 400u);
  }
}

TEST(Replace, StopsAtTheFirstFieldThatIsWrong) {
  EXPECT_EQ(Replace({}, {{"force_auto_alloc", 1}, {"nothing", 1}}).error().code, "nki-wrong-type");
  EXPECT_EQ(Replace({}, {{"nothing", 1}, {"force_auto_alloc", 1}}).error().code,
            "nki-unknown-field");
}

TEST(Replace, ShowsUnprintableNamesOnOneLine) {
  const Error error = Replace({}, {{std::string("a\n\0b", 4), 1}}).error();
  EXPECT_THAT(error.message, AllOf(HasSubstr("a\\n\\u0000b"), Not(HasSubstr("\n"))));
}

TEST(Replace, PutsTheWayToTheFieldsBeforeTheirNames) {
  EXPECT_THAT(Replace({}, {{"opt_level", 2}}, "opts.").error().message,
              HasSubstr("field opts.opt_level: "));
  EXPECT_THAT(WrongFieldType("opt_level", "an object", "opts.").message,
              AllOf(HasSubstr("field opts.opt_level: "), HasSubstr("found an object")));
  EXPECT_EQ(WrongFieldType("nothing", "an object", "").code, "nki-unknown-field");
}

}  // namespace
}  // namespace spillway::nki
