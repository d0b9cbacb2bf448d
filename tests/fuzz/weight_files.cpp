// Weight files of Hugging Face: safetensors, PyTorch's pickles, and the pickle of its zips.
#include "fuzz.h"
#include "interchange/pickle.h"
#include "interchange/pytorch_file.h"
#include "interchange/safetensors_bytes.h"
#include "interchange/small_peers.h"

namespace heed::fuzz {

std::vector<std::string> seeds() {
  using namespace interchange;
  const SmallMarian model({.encoder_layers = 1, .decoder_layers = 1, .d_model = 4, .heads = 1, .d_ff = 3});
  std::vector<std::string> all;
  for (const SmallForm form : {SmallForm::f32, SmallForm::f16, SmallForm::bf16}) {
    const std::vector<SmallStored> tensors = hugging_face_tensors(model, form);
    all.push_back(make_safetensors(tensors));
    all.push_back(make_pytorch_pickles(tensors));
    all.push_back(make_pickle(tensors));
  }
  all.push_back(std::string("\x80\x02]q\0h\0a.", 9));
  all.push_back(
      "\x80\x02"
      "cos\nsystem\n(X\x04\x00\x00\x00true"
      "tR.");
  return all;
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  using namespace heed::interchange;
  const std::string_view input = text_of(data, size);
  attempt([&] {
    PytorchFile file;
    if (is_pytorch_pickle(input)) {
      file = read_pytorch(input, "input");
    } else if (input.starts_with('\x80')) {
      PickleReader(input, "input").read();
    } else {
      file.tensors = read_safetensors(input, "input");
    }
    for (const auto& [name, tensor] : file.tensors) {
      require(tensor.rows() * tensor.cols() == tensor.size(), "a shape does not fit its numbers");
      float sum = 0.0f;
      for (Index i = 0; i < tensor.size(); ++i) sum += tensor.number(i);
      static_cast<void>(sum);
    }
  });
  return 0;
}
