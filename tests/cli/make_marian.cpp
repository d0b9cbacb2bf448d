// Writes small Marian models with random weights for tests of the program.
// Usage: make_marian FOLDER: FOLDER/model.npz with vocab.yml and model.npz.decoder.yml, FOLDER/enpt as Firefox's
// packages are, FOLDER/opus.zip as OPUS-MT's are; the same model for Hugging Face (FOLDER/huggingface) and CTranslate2
// (FOLDER/ctranslate2, FOLDER/argos.argosmodel)
#include "base/files.h"
#include "interchange/small_packages.h"
#include "interchange/small_peers.h"

int main(int argc, char** argv) {
  using namespace heed;
  using namespace heed::interchange;
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  make_folder(folder / "enpt");
  write_file(folder / "model.npz", SmallMarian({}).npz());
  write_file(folder / "vocab.yml", small_vocabulary(11));
  write_file(folder / "model.npz.decoder.yml", "vocabs:\n  - vocab.yml\n  - vocab.yml\nbeam-size: 3\nnormalize: 0.5\n");
  for (const ArchiveFile& file : firefox_package()) {
    write_file(folder / "enpt" / std::filesystem::path(file.name).filename(), file.bytes);
  }
  write_file(folder / "opus.zip", make_archive(opus_package(), Packing::zip));
  const auto write_files = [&](const char* name, const std::vector<ArchiveFile>& files) {
    make_folder(folder / name);
    for (const ArchiveFile& file : files) write_file(folder / name / file.name, file.bytes);
  };
  write_files("huggingface", hugging_face_folder(SmallMarian({}), SmallForm::f16, SmallContainer::zip));
  const std::vector<ArchiveFile> ctranslate2 = ctranslate2_folder(SmallMarian({}), {.numbers = SmallNumbers::int8});
  write_files("ctranslate2", ctranslate2);
  std::vector<ArchiveFile> argos = ctranslate2;
  argos.push_back({"metadata.json", R"({"from_code": "en", "to_code": "pt", "package_version": "1.9"})"});
  write_file(folder / "argos.argosmodel", make_archive(argos, Packing::zip));
  return 0;
}
