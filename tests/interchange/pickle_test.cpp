// The pickle reader knows what weight files need and refuses everything else.
#include "interchange/pickle.h"

#include <gtest/gtest.h>

#include "error_message.h"
#include "interchange/pytorch_file.h"
#include "interchange/small_peers.h"

namespace heed::interchange {
namespace {

std::string refusal(const std::string& pickle) {
  return error_message([&] { PickleReader(pickle, "file").read(); });
}

void expect_part(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

std::vector<SmallStored> two_tensors() {
  return {{"a", {2, 3}, SmallForm::f32, stored_bytes({1, 2, 3, 4, 5, 6}, SmallForm::f32)},
          {"b", {2}, SmallForm::f16, stored_bytes({0.5f, -3}, SmallForm::f16)}};
}

TEST(Pickle, NamesOutsideTheListAreRefused) {
  expect_part(refusal("\x80\x02"
                      "cos\nsystem\n(X\x04\x00\x00\x00true"
                      "tR."),
              "names 'os.system'");
  expect_part(refusal(std::string("\x80\x04\x8c\x08"
                                  "builtins\x8c\x04"
                                  "eval\x93.",
                                  20)),
              "names 'builtins.eval'");
  expect_part(refusal("\x80\x02"
                      "ccollections\nOrderedDict\n(K\x01tR."),
              "in a way that no weight file does");
}

TEST(Pickle, OpcodesThatRunCodeAreRefused) {
  for (const char* pickle : {"(S'x'\nios\nsystem\n.", "(cos\nsystem\no.", "\x80\x02\x81.", "\x80\x02\x82\x01."}) {
    EXPECT_FALSE(refusal(pickle).empty()) << pickle;
  }
  expect_part(refusal("\x80\x02\x81."), "opcode 0x81");
}

TEST(Pickle, DamagedOnesAreRefused) {
  for (const char* pickle : {"", ".", "\x80\x02", "\x80\x02}", "\x80\x02u.", "\x80\x02}K\x01s.", "\x80\x02q\x05.",
                             "\x80\x02h\x00.", "\x80\x02R.", "\x80\x02Q.", "\x80\x02(", "\x80\x02X\xff\xff\xff\x7f"}) {
    EXPECT_FALSE(refusal(pickle).empty());
  }
}

TEST(Pickle, AListThatHoldsItselfIsHarmless) {
  const std::string pickle("\x80\x02]q\0h\0a.", 9);
  PickleReader reader(pickle, "file");
  EXPECT_EQ(reader.read().items.size(), 1u);
}

TEST(Pickle, LongIntegers) {
  PickleReader reader("\x80\x02\x8a\x02\xff\xff.\x80\x02\x8a\x01\x7f.", "file");
  EXPECT_EQ(reader.read().integer, -1);
  EXPECT_EQ(reader.read().integer, 127);
}

TEST(PytorchFiles, BothFormsHoldTheSameTensors) {
  const std::string files[] = {make_pytorch_zip(two_tensors()), make_pytorch_pickles(two_tensors())};
  for (const std::string& bytes : files) {
    const PytorchFile file = read_pytorch(bytes, "file");
    ASSERT_EQ(file.tensors.size(), 2u);
    const StoredTensor& a = file.tensors.at("a");
    EXPECT_EQ(a.shape, (std::vector<Index>{2, 3}));
    EXPECT_EQ(a.number(5), 6.0f);
    EXPECT_EQ(file.tensors.at("b").form, StoredForm::f16);
    EXPECT_EQ(file.tensors.at("b").number(0), 0.5f);
    EXPECT_EQ(file.tensors.at("b").number(1), -3.0f);
  }
}

TEST(PytorchFiles, TensorsThatDoNotFitTheirNumbersAreRefused) {
  std::vector<SmallStored> tensors = two_tensors();
  tensors[0].shape = {3, 3};
  EXPECT_FALSE(error_message([&] { read_pytorch(make_pytorch_zip(tensors), "file"); }).empty());
  tensors = two_tensors();
  tensors[1].name = "a";
  expect_part(error_message([&] { read_pytorch(make_pytorch_zip(tensors), "file"); }), "in it twice");
  std::string cut = make_pytorch_pickles(two_tensors());
  cut.resize(cut.size() - 1);
  expect_part(error_message([&] { read_pytorch(cut, "file"); }), "the file ends within its numbers");
  expect_part(error_message([&] { read_pytorch("something", "file"); }), "not a weight file of PyTorch");
}

TEST(StoredTensors, HalvesAreExact) {
  const std::string bytes("\x00\x3c\x00\xc0\x01\x00\xff\x7b\x00\x7c\x01\x7c", 12);
  const StoredTensor tensor{StoredForm::f16, {6}, bytes, {}, {}};
  EXPECT_EQ(tensor.number(0), 1.0f);
  EXPECT_EQ(tensor.number(1), -2.0f);
  EXPECT_EQ(tensor.number(2), 0x1p-24f);
  EXPECT_EQ(tensor.number(3), 65504.0f);
  EXPECT_TRUE(std::isinf(tensor.number(4)));
  EXPECT_TRUE(std::isnan(tensor.number(5)));
}

}  // namespace
}  // namespace heed::interchange
