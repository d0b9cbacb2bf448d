"""Models and pages for the tests, each made once, with the program under test."""
import functools
import json
import pathlib
import subprocess

SENTENCE = 'The brave farmers read an interesting book in the garden.'
SECOND = 'I want to eat three apples.'
LETTERS = 'abcdefgh'
PARSED = ('the cat saw a <b>bold</b> &amp; (round) lamp .', '', 'she slept .', ' '.join(['every roof'] * 30))


class Material:
    def __init__(self, heed, make_model, folder):
        self.heed = str(pathlib.Path(heed).resolve())
        self.make_model = str(pathlib.Path(make_model).resolve())
        self.folder = pathlib.Path(folder)

    def run(self, *arguments):
        result = subprocess.run([self.heed, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        if result.returncode != 0:
            raise AssertionError(f'heed {arguments[0]}: {result.stderr}')
        return result.stdout

    def refuse(self, *arguments):
        """What the program says on standard error when it refuses."""
        result = subprocess.run([self.heed, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        if result.returncode == 0:
            raise AssertionError(f'heed {arguments[0]} did not refuse')
        return result.stderr

    @functools.cached_property
    def corpus(self):
        """The flags of heed train for a small synthetic corpus."""
        self.run('corpus', 'make', 'en-ko', '-o', 'data', '--lines', 4000)
        for side in ('en', 'ko'):
            lines = (self.folder / f'data/dev.{side}').read_text().splitlines(keepends=True)
            (self.folder / f'valid.{side}').write_text(''.join(lines[:40]))
        return ('--source', 'data/train.en', '--target', 'data/train.ko',
                '--valid-source', 'valid.en', '--valid-target', 'valid.ko',
                '--preset', 'tiny', '--encoder-layers', 2, '--decoder-layers', 2, '--vocab-size', 800,
                '--batch-tokens', 1500, '--accumulate', 1, '--threads', 1)

    @functools.cached_property
    def model(self):
        """A model that has begun to learn, with its report."""
        self.run('train', *self.corpus, '--model', 'model', '--norm', 'before', '--learning-rate', 0.004,
                 '--warmup', 60, '--updates', 120, '--valid-every', 30, '--log-every', 5)
        return self.folder / 'model'

    @functools.cached_property
    def ssru_model(self):
        """A model whose decoder has no self-attention."""
        self.run('train', *self.corpus, '--model', 'ssru', '--decoder-mixer', 'ssru', '--updates', 2)
        return self.folder / 'ssru'

    @functools.cached_property
    def base_model(self):
        """The paper's base shape with random weights; its words are the letters a to h."""
        subprocess.run([self.make_model, 'base', '1', 'i', 'base'], cwd=self.folder, check=True)
        return self.folder / 'base'

    def page(self, name, *arguments):
        path = self.folder / f'{name}.html'
        self.run('look', '-o', path, *arguments)
        return path

    @functools.cached_property
    def look_page(self):
        return self.page('look', '-m', self.model, SENTENCE, SECOND)

    @functools.cached_property
    def look_json(self):
        return json.loads(self.run('look', '-m', self.model, '--json', SENTENCE, SECOND))

    @functools.cached_property
    def positions_page(self):
        return self.page('positions', '--positions')

    @functools.cached_property
    def ssru_page(self):
        return self.page('ssru', '-m', self.ssru_model, SECOND)

    @functools.cached_property
    def base_page(self):
        """60 source and 60 target pieces, </s> included."""
        words = ' '.join(LETTERS[i % 8] for i in range(59))
        back = ' '.join(LETTERS[(3 * i + 1) % 8] for i in range(59))
        return self.page('base', '-m', self.base_model, '--no-silence', '--target', back, words)

    @functools.cached_property
    def trees_page(self):
        """Trees of a parser that has hardly learned anything."""
        self.run('corpus', 'make', 'trees', '-o', 'trees', '--lines', 300, '--dev', 1, '--test', 1)
        self.run('train', '--task', 'parse', '--trees', 'trees/train.mrg', '--model', 'parser', '--preset', 'tiny',
                 '--vocab-size', 400, '--batch-tokens', 500, '--accumulate', 1, '--threads', 1, '--updates', 5)
        (self.folder / 'sentences').write_text('\n'.join(PARSED) + '\n')
        self.run('parse', '-m', 'parser', '-i', 'sentences', '--beam', 1, '--html', 'trees.html')
        return self.folder / 'trees.html'

    @functools.cached_property
    def report(self):
        return self.model / 'report.html'
