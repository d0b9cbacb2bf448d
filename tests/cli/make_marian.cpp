// Writes small Marian models with random weights for tests of the program.
// Usage: make_marian FOLDER: FOLDER/model.npz with vocab.yml and model.npz.decoder.yml, FOLDER/enpt as Firefox's
// packages are, FOLDER/opus.zip as OPUS-MT's are
#include "base/files.h"
#include "interchange/small_packages.h"

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
  return 0;
}
