"""The explorer page as its tests use it, and the same weights from the numbers of heed look --json."""
import re
import urllib.parse

import colors
from case import BrowserCase

TABS = ('translation', 'attention', 'beam', 'positions', 'steps')
PARTS = ('encoder', 'decoder', 'cross')


class ExplorerCase(BrowserCase):
    def open_look(self, tab='translation', page=None):
        """Opens a view with the mean of all cross-attention and no word chosen."""
        self.browser.open(page or self.material.look_page, f'#{tab}/cross/mean/mean')

    @property
    def sentence(self):
        return self.material.look_json['sentences'][0]

    def open_tab(self, name):
        self.browser.click(f'#tab-{name}')

    def choose(self, group, value):
        """Clicks one of a row of choices."""
        if group in ('unit', 'scale'):
            self.open_options()
        self.browser.click(f'[data-focus="{group}:{value}"]')

    def open_options(self):
        """The options of the Attention tab may be folded away."""
        if not self.browser.run('return document.querySelector("[data-focus=options]").parentElement.open'):
            self.browser.click('[data-focus="options"]')

    def chosen(self, group):
        return self.browser.run('''return document.querySelector(
            `[data-focus^="${arguments[0]}:"][aria-checked="true"]`)?.dataset.focus.split(':')[1]''', group)

    def address(self):
        """(tab, part, layer, head) and the other settings of the page's address."""
        path, _, search = self.browser.run('return location.hash').lstrip('#').partition('?')
        tab, *place = path.split('/')
        return (tab, *(place or ('cross', 'mean', 'mean'))), dict(urllib.parse.parse_qsl(search))

    def palette(self):
        """The colours of the current theme by their names in the style sheet."""
        names = ['page', 'panel', 'ink', 'quiet', 'accent', *(f'weight-{i}' for i in range(5)),
                 'signed-low', 'signed-zero', 'signed-high', *(f'series-{i}' for i in range(1, 5))]
        values = self.browser.run('''const style = getComputedStyle(document.documentElement);
            return arguments[0].map(name => style.getPropertyValue(`--${name}`));''', names)
        return {name: colors.parse(value) for name, value in zip(names, values)}

    def shade(self, weight, palette, scale='sqrt'):
        """The colour of a weight."""
        ramp = [palette[f'weight-{i}'] for i in range(5)]
        return colors.between(ramp, weight if scale == 'linear' else max(0, weight) ** 0.5)

    def assert_same_color(self, shown, wanted, what):
        """Up to the rounding of 256 shades."""
        self.assertLess(max(abs(a - b) for a, b in zip(shown, wanted)), 2.5, f'{what}: {shown}, not {wanted}')

    def number_table(self):
        """The numbers of the Attention tab: one list for each row."""
        if not self.browser.run('return document.querySelector("#panel-attention details table") !== null'):
            self.browser.click('#panel-attention details.numbers > summary')
            self.browser.settle()
        rows = self.browser.run('''return Array.from(
            document.querySelectorAll('#panel-attention details table tbody tr'),
            row => Array.from(row.querySelectorAll('td'), cell => cell.textContent))''')
        return [[number(text) for text in row] for row in rows]

    def assert_close(self, shown, wanted, within, what=''):
        """Two tables of numbers, or two lists, are equal to within a difference."""
        self.assertEqual(len(shown), len(wanted), what)
        for i, (a, b) in enumerate(zip(shown, wanted)):
            if isinstance(a, (list, tuple)):
                self.assert_close(a, b, within, f'{what} row {i}')
            else:
                self.assertAlmostEqual(a, b, delta=within, msg=f'{what} at {i}')


def number(text):
    """'−1.25' → -1.25"""
    return float(text.replace('−', '-').replace('∞', 'inf'))


def numbers_in(text):
    return [number(each) for each in re.findall(r'[-−]?\d+(?:\.\d+)?', text)]


def weights(sentence, part, layer='mean', head='mean'):
    """(queries, keys) of one head, or the mean over heads and layers."""
    layers = [m for i, m in enumerate(sentence['maps'][part]) if m and layer in ('mean', i)]
    maps = [m for heads in layers for i, m in enumerate(heads) if head in ('mean', i)]
    return [[sum(m[i][j] for m in maps) / len(maps) for j in range(len(maps[0][0]))] for i in range(len(maps[0]))]


def side_words(sentence, part):
    """The word that each query and each key belongs to; the decoder's keys are its inputs, <s> being the first."""
    source, target = sentence['source']['word'], sentence['target']['word']
    inputs = [0, *(word + 1 for word in target[:-1])]
    return {'encoder': (source, source), 'decoder': (target, inputs), 'cross': (target, source)}[part]


def key_pieces(sentence, part):
    source, target = sentence['source']['pieces'], sentence['target']['pieces']
    return ['<s>', *target[:-1]] if part == 'decoder' else source


def by_words(table, query_words, key_words):
    """Rows of a word's pieces averaged, columns added."""
    result = []
    for query in sorted(set(query_words)):
        rows = [table[i] for i, word in enumerate(query_words) if word == query]
        result.append([sum(row[j] for row in rows for j, word in enumerate(key_words) if word == key) / len(rows)
                       for key in sorted(set(key_words))])
    return result
