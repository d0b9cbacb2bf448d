#include "look/look_data.h"

#include <gtest/gtest.h>

#include "decoding/translator_case.h"
#include "look/look_page.h"
#include "look/map_svg.h"

namespace heed::look {
namespace {

struct Looked {
  Looked() {
    Config config = small_config();
    config.decoder_layers = 2;
    config.decoder_mixer = {MixerKind::attention, MixerKind::ssru};
    const TranslatorCase c(config);
    c.write(c.folder.path());
    const Inspector inspector(c.folder.path(), {.threads = 1});
    seen = inspector.inspect("a b c", {.silence = true, .all_numbers = true});
    model = inspector.model();
  }
  LookData data(Arrays arrays) const {
    LookData all(arrays);
    all.set_model("small", model, {});
    all.add(seen);
    return all;
  }

  Inspection seen;
  Inspector::Model model;
};

// The numbers of a block or of nested arrays, in their order.
void flatten(const Json& json, const std::vector<float>& numbers, std::vector<float>& out) {
  if (json.is_object()) {
    std::size_t count = 1;
    for (const Json& size : json["shape"]) count *= size.get<std::size_t>();
    const auto first = numbers.begin() + json["at"].get<std::ptrdiff_t>();
    out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(count));
  } else if (json.is_array()) {
    for (const Json& part : json) flatten(part, numbers, out);
  } else {
    out.push_back(json.get<float>());
  }
}

TEST(LookData, BlocksAndArraysHoldTheModelsNumbers) {
  const Looked looked;
  for (const Arrays arrays : {Arrays::blocks, Arrays::nested}) {
    const LookData data = looked.data(arrays);
    const Json& sentence = data.head()["sentences"][0];
    const auto numbers = [&](const Json& json) {
      std::vector<float> out;
      flatten(json, data.numbers(), out);
      return out;
    };
    EXPECT_EQ(numbers(sentence["maps"]["encoder"][0]), looked.seen.maps.encoder[0].weights);
    EXPECT_EQ(numbers(sentence["maps"]["decoder"][0]), looked.seen.maps.decoder[0].weights);
    EXPECT_TRUE(sentence["maps"]["decoder"][1].is_null()) << "a layer without attention";
    EXPECT_EQ(numbers(sentence["maps"]["cross"][1]), looked.seen.maps.cross[1].weights);
    EXPECT_EQ(numbers(sentence["steps"][0]["value"]), looked.seen.numbers[0].value);
    EXPECT_EQ(sentence["silenced"].size(), looked.seen.silenced.size());
    EXPECT_EQ(numbers(sentence["piece_log_probabilities"]), looked.seen.piece_log_probabilities);
    EXPECT_EQ(data.numbers().empty(), arrays == Arrays::nested);
    EXPECT_EQ(data.head()["layers"]["decoder"][1]["heads"], 0);
  }
}

TEST(LookData, TheBestPathEndsInTheFirstResult) {
  const Looked looked;
  const LookData data = looked.data(Arrays::blocks);
  const Json& beam = data.head()["sentences"][0]["beam"];
  const Json& node = beam["steps"][beam["best"][0].get<std::size_t>()][beam["best"][1].get<std::size_t>()];
  EXPECT_EQ(node["piece"], "</s>");
  EXPECT_EQ(node["state"], "ended");
  EXPECT_DOUBLE_EQ(node["score"].get<double>(), looked.seen.n_best[0].score);
}

TEST(LookPage, HoldsItsDataAndNothingFromOutside) {
  Looked looked;
  looked.seen.text = "</script><script>alert(1)</script> /*NUMBERS*/";
  const std::string page = render_page(looked.data(Arrays::blocks));
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("/*HEAD*/"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>\\u003cscript>alert(1)"), std::string::npos);
  for (const char* outside : {"src=\"http", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  EXPECT_LE(render_page(LookData(Arrays::blocks)).size(), 200'000u) << "scripts and styles";
}

TEST(MapSvg, ShowsHostileTextAsText) {
  const std::string svg =
      render_svg({"<b>&", {"</svg>", "\x01\xff"}, {"\"", std::string(10'000, 'x')}, {0, 0.5f, 1, 0.25f}});
  EXPECT_NE(svg.find("&lt;b&gt;&amp;"), std::string::npos);
  EXPECT_NE(svg.find("&lt;/svg&gt;"), std::string::npos);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_LT(svg.size(), 5'000u);
}

}  // namespace
}  // namespace heed::look
