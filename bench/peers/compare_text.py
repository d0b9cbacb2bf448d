"""Checks heed's translations against CTranslate2's with the same weights: compare_text.py MODEL_DIR SOURCE

Both translate in 32-bit floats, greedily and with a beam at α 0. Where the texts differ, CTranslate2 judges both: it
scores each text and, at the first piece that differs, that piece. Differences within the rounding of 32-bit sums are
ties.
"""

import argparse
import collections
import dataclasses
import itertools
import pathlib
import subprocess
import tempfile

import ctranslate2

import contest
import ctranslate2_convert

EXTRA_LENGTH = 50  # heed's translations have at most this many pieces more than the source
TIE = 1e-3
BATCH = 32


@dataclasses.dataclass
class Verdict:
    """Two translations of one line and the judge's scores; differences are heed's minus CTranslate2's."""

    line: int
    heed: list[str]
    peer: list[str]
    heed_score: float
    peer_score: float
    place: int  # index of the first piece that differs
    step: float  # the difference there
    limit: int  # most pieces of this line's translation

    def outcome(self) -> str:
        difference = self.heed_score - self.peer_score
        higher = "tie" if abs(difference) <= TIE else "heed's higher" if difference > 0 else "CTranslate2's higher"
        # At the limit heed still counts </s> and CTranslate2 does not, so they may choose differently.
        return f"{higher}, at the length limit" if self.limit in (len(self.heed), len(self.peer)) else higher


def heed(arguments: argparse.Namespace, *command: str) -> list[str]:
    run = subprocess.run([str(arguments.heed), *command, "-m", str(arguments.model), "-i", str(arguments.source)],
                         capture_output=True)
    if run.returncode != 0:
        raise SystemExit(run.stderr.decode().strip())
    return run.stdout.decode().removesuffix("\n").split("\n")


def heed_translations(arguments: argparse.Namespace, beam: int) -> tuple[list[list[str]], list[float]]:
    """Pieces and log-probabilities, from lines such as 'pieces ||| F0= -3.2 ||| -3.2'."""
    lines = heed(arguments, "translate", f"--beam={beam}", "--alpha=0", "--pieces", "--scores",
                 f"--threads={arguments.threads}")
    fields = [line.rsplit(" ||| ", 2) for line in lines]
    return [field[0].split() for field in fields], [float(field[1].split()[1]) for field in fields]


def peer_translations(translator: ctranslate2.Translator, sources: list[list[str]], beam: int) -> list[list[str]]:
    """Batches sources of equal length, since heed limits a translation's length by that of its source."""
    found: list[list[str]] = [[] for _ in sources]
    numbers = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    for length, group in itertools.groupby(numbers, key=lambda i: len(sources[i])):
        chosen = list(group)
        results = translator.translate_batch([sources[i] for i in chosen], beam_size=beam, length_penalty=0,
                                             max_batch_size=BATCH, max_decoding_length=length + EXTRA_LENGTH)
        for i, result in zip(chosen, results):
            found[i] = result.hypotheses[0]
    return found


def judge(translator: ctranslate2.Translator, sources: list[list[str]], texts: list[list[str]]) -> list[list[float]]:
    """The log-probability of every piece and of </s>."""
    return [result.log_probs for result in translator.score_batch(sources, texts, max_batch_size=BATCH)]


def verdicts(sources: list[list[str]], ours: list[list[str]], theirs: list[list[str]], our_scores: list[list[float]],
             translator: ctranslate2.Translator) -> list[Verdict]:
    differing = [i for i in range(len(sources)) if ours[i] != theirs[i]]
    their_scores = judge(translator, [sources[i] for i in differing], [theirs[i] for i in differing])
    found = []
    for i, peer_scores in zip(differing, their_scores):
        pairs = zip([*ours[i], "</s>"], [*theirs[i], "</s>"])
        place = next(at for at, (our, their) in enumerate(pairs) if our != their)
        found.append(Verdict(i + 1, ours[i], theirs[i], sum(our_scores[i]), sum(peer_scores), place,
                             our_scores[i][place] - peer_scores[place], len(sources[i]) + EXTRA_LENGTH))
    return found


def show(verdict: Verdict) -> None:
    print(f"  line {verdict.line}, {verdict.outcome()}: heed {verdict.heed_score:.4f}, CTranslate2 "
          f"{verdict.peer_score:.4f}; at piece {verdict.place + 1} they differ by {verdict.step:.5f}")
    print(f"    heed         {' '.join(verdict.heed)}")
    print(f"    CTranslate2  {' '.join(verdict.peer)}")


def compare(arguments: argparse.Namespace, translator: ctranslate2.Translator, beam: int) -> None:
    sources = [line.split() for line in heed(arguments, "tokenizer", "encode")]
    ours, scores = heed_translations(arguments, beam)
    if len(ours) != len(sources):
        raise SystemExit(f"heed wrote {len(ours)} translations for {len(sources)} lines")
    kept = [i for i, source in enumerate(sources) if source]
    sources, ours, scores = ([values[i] for i in kept] for values in (sources, ours, scores))
    theirs = peer_translations(translator, sources, beam)
    our_scores = judge(translator, sources, ours)
    found = verdicts(sources, ours, theirs, our_scores, translator)
    worst = max((abs(score - sum(judged)) for score, judged in zip(scores, our_scores)), default=0.0)
    same = len(sources) - len(found)
    print(f"{'greedy' if beam == 1 else f'beam {beam}'}: {same} of {len(sources)} lines identical "
          f"({100 * same / max(len(sources), 1):.1f} %); "
          f"heed's log-probabilities are within {worst:.4f} of the judge's")
    for outcome, count in collections.Counter(verdict.outcome() for verdict in found).items():
        print(f"  {outcome}: {count}")
    for verdict in found:
        show(verdict)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, metavar="MODEL_DIR", help="heed's model folder, in f32")
    parser.add_argument("source", type=pathlib.Path, metavar="SOURCE", help="input lines, as for heed translate")
    parser.add_argument("--beams", type=contest.numbers, default=[1, 4], metavar="N,…", help="1: greedy [1,4]")
    parser.add_argument("--threads", type=int, default=2, help="threads of each program [2]")
    contest.add_heed_argument(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ctranslate2_convert.convert(arguments.model, pathlib.Path(folder))
        translator = ctranslate2.Translator(folder, compute_type="float32", inter_threads=arguments.threads,
                                            intra_threads=1)
        for beam in arguments.beams:
            compare(arguments, translator, beam)


if __name__ == "__main__":
    main()
