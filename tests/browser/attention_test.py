"""The Attention tab draws the model's weights: its numbers and shades equal those of heed look --json."""
import time

import colors
from explorer import PARTS, ExplorerCase, by_words, key_pieces, numbers_in, side_words, weights

MINOR = ('</s>', '<s>', '.', '▁.', '▁', ',', '?', '!')


class Numbers(ExplorerCase):
    def assert_rows_sum_to_one(self, table, what):
        for i, row in enumerate(table):
            self.assertAlmostEqual(sum(row), 1, delta=1e-6 * len(row), msg=f'{what}: row {i}')

    def test_every_layer_and_head_equals_the_json(self):
        self.open_look('attention')
        tables = []
        for part in PARTS:
            self.choose('part', part)
            for layer in (0, 1):
                self.choose('layer', layer)
                for head in range(4):
                    self.choose('head', head)
                    self.assertEqual(self.address()[0], ('attention', part, str(layer + 1), str(head + 1)))
                    table = self.number_table()
                    what = f'{part} {layer} {head}'
                    self.assert_close(table, weights(self.sentence, part, layer, head), 1e-6, what)
                    self.assert_rows_sum_to_one(table, what)
                    self.assertNotIn(table, tables, 'another head has other weights')
                    tables.append(table)

    def test_means_equal_the_json(self):
        self.open_look('attention')
        for part in PARTS:
            self.choose('part', part)
            for layer, head in ((0, 'mean'), ('mean', 1), ('mean', 'mean')):
                self.choose('layer', layer)
                self.choose('head', head)
                self.assert_close(self.number_table(), weights(self.sentence, part, layer, head), 1e-6)

    def test_words_keep_the_sum_of_their_pieces(self):
        self.open_look('attention')
        self.choose('unit', 'words')
        self.choose('head', 2)
        for part in PARTS:
            self.choose('part', part)
            for layer in (0, 1):
                self.choose('layer', layer)
                self.choose('head', 2)
                table = self.number_table()
                pieces = weights(self.sentence, part, layer, 2)
                queries, keys = side_words(self.sentence, part)
                # Both sides are rounded to six places: the word's sum once here, each of its pieces in the JSON.
                within = 0.51e-6 * (1 + max(keys.count(word) for word in keys))
                self.assert_close(table, by_words(pieces, queries, keys), within, part)
                self.assert_rows_sum_to_one(table, part)

    def test_without_punctuation_rows_sum_to_one_again(self):
        self.open_look('attention')
        self.open_options()
        self.browser.click('[data-focus="trim"]')
        table = self.number_table()
        keys = key_pieces(self.sentence, 'cross')
        kept = [j for j, piece in enumerate(keys) if piece not in MINOR]
        self.assertLess(len(kept), len(keys))
        for row, full in zip(table, weights(self.sentence, 'cross')):
            total = sum(full[j] for j in kept)
            self.assert_close(row, [full[j] / total if j in kept else 0 for j in range(len(keys))], 1e-6)

    def test_rollout_equals_the_json(self):
        self.open_look('attention')
        self.choose('layer', 'rollout')
        inputs = len(self.sentence['target']['pieces'])
        self.assert_close(self.number_table(), [row[inputs:] for row in self.sentence['rollout']], 1e-6)
        self.choose('part', 'decoder')
        self.assert_close(self.number_table(), [row[:inputs] for row in self.sentence['rollout']], 1e-6)

    def test_a_chosen_word_has_its_own_row_column_and_figures(self):
        self.open_look('attention')
        self.choose('layer', 1)
        self.choose('head', 3)
        table = weights(self.sentence, 'cross', 1, 3)
        self.choose('chip', 'query:4')
        self.assert_close(self.number_table(), [[weight] for weight in table[4]], 1e-6)
        listed = [numbers_in(text)[-1] for text in self.browser.texts('#panel-attention aside ol li .figure')]
        self.assert_close(listed, sorted(table[4], reverse=True)[:len(listed)], 1e-6)
        self.choose('chip', 'query:4')
        self.choose('chip', 'key:2')
        self.assert_close(self.number_table(), [[row[2]] for row in table], 1e-6)

    def test_csv_holds_the_weights_in_full(self):
        self.open_look('attention')
        self.choose('layer', 0)
        self.choose('head', 0)
        self.number_table()
        self.browser.click('#panel-attention details p button')
        path = self.material.folder / 'attention-cross-1-1.csv'
        for _ in range(100):
            if path.exists():
                break
            time.sleep(0.05)
        rows = [line.split(',')[1:] for line in path.read_text('utf-8-sig').splitlines()[1:]]
        wanted = weights(self.sentence, 'cross', 0, 0)
        self.assert_close([[float(cell) for cell in row] for row in rows], wanted, 1e-7)


class Shading(ExplorerCase):
    def chips(self, side):
        """[background, ink] of each word of a side."""
        found = self.browser.run('''return Array.from(
            document.querySelectorAll(`[data-focus^="chip:${arguments[0]}:"]`),
            chip => [getComputedStyle(chip).backgroundColor, getComputedStyle(chip).color])''', side)
        return [[colors.parse(color) for color in pair] for pair in found]

    def test_a_chosen_word_shades_the_other_sentence(self):
        for theme in ('light', 'dark'):
            self.open_look('attention')
            self.choose('theme', theme)
            palette = self.palette()
            self.choose('layer', 1)
            for head, query, scale in ((0, 3, 'sqrt'), (0, 5, 'sqrt'), (2, 5, 'linear')):
                self.choose('head', head)
                self.choose('scale', scale)
                if self.address()[1].get('q') != str(query):
                    self.choose('chip', f'query:{query}')
                self.browser.settle()
                row = weights(self.sentence, 'cross', 1, head)[query]
                chips = self.chips('key')
                self.assertEqual(len(chips), len(row))
                for weight, (background, ink) in zip(row, chips):
                    self.assert_same_color(background, self.shade(weight, palette, scale), f'{theme}, {weight}')
                    self.assertGreaterEqual(colors.contrast(background, ink), 4.5, f'{theme}, {weight}')

    def test_what_comes_later_is_not_shaded_in_the_decoder(self):
        self.open_look('attention')
        self.choose('part', 'decoder')
        self.choose('chip', 'query:3')
        labels = self.browser.run('''return Array.from(document.querySelectorAll('[data-focus^="chip:key:"]'),
                                     chip => chip.getAttribute('aria-label'))''')
        masked = [label.endswith('not yet known') for label in labels]
        self.assertEqual(masked, [j > 3 for j in range(len(labels))])

    def test_every_head_has_its_picture(self):
        self.open_look('attention')
        self.choose('style', 'heads')
        palette = self.palette()
        for part in PARTS:
            self.choose('part', part)
            pictures = self.browser.run('''
                return Array.from(document.querySelectorAll('[data-focus^="tile:"]'), tile => {
                const canvas = tile.querySelector('canvas');
                const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                return [tile.dataset.focus, canvas.width, canvas.height, Array.from(data)];
            })''')
            self.assertEqual(len(pictures), 8)
            for name, width, height, data in pictures:
                layer, head = map(int, name.split(':')[1:])
                table = weights(self.sentence, part, layer, head)
                self.assertEqual((width, height), (len(table[0]), len(table)))
                for i, row in enumerate(table):
                    for j, weight in enumerate(row):
                        if part == 'decoder' and j > i:
                            continue
                        at = 4 * (i * width + j)
                        self.assert_same_color(data[at:at + 3], self.shade(weight, palette), f'{part} {name} {i} {j}')

    def test_a_cell_of_the_matrix_has_the_shade_of_its_weight(self):
        self.open_look('attention')
        self.choose('style', 'matrix')
        self.choose('layer', 0)
        self.choose('head', 1)
        palette = self.palette()
        table = weights(self.sentence, 'cross', 0, 1)
        seen = set()
        for right, down in ((0.4, 0.5), (0.55, 0.7), (0.7, 0.9), (0.5, 0.35)):
            x, y, color = self.browser.run('''
                const canvas = document.querySelector('[data-focus="matrix"] canvas');
                canvas.scrollIntoView({block: 'center'});
                let x = Math.floor(arguments[0] * canvas.clientWidth);
                let y = Math.floor(arguments[1] * canvas.clientHeight);
                const around = () => new Uint32Array(
                    canvas.getContext('2d').getImageData(x - 3, y - 3, 7, 7).data.buffer);
                // Away from the edge of the cell.
                while (new Set(around()).size > 1) [x, y] = [x + 1, y + (x % 3 === 0 ? 1 : 0)];
                return [x, y, Array.from(canvas.getContext('2d').getImageData(x, y, 1, 1).data)];''', right, down)
            self.browser.click_at('[data-focus="matrix"] canvas', x, y)
            chosen = self.address()[1]
            query, key = int(chosen['q']), int(chosen['k'])
            seen.add((query, key))
            self.assert_same_color(color[:3], self.shade(table[query][key], palette), f'{query}, {key}')
            shown = numbers_in(self.browser.text('#panel-attention .pair-figure b'))[0]
            self.assertAlmostEqual(shown, table[query][key], delta=1e-6)
            self.browser.press('\ue00c')  # Escape: no cross is drawn over the next cell
        self.assertEqual(len(seen), 4)

    def test_lines_follow_head_and_word(self):
        self.open_look('attention')
        self.choose('style', 'lines')
        self.choose('layer', 0)
        drawn = []
        for step in ('head:0', 'head:1', 'line-word:query:2'):
            self.choose(*step.split(':', 1))
            drawn.append(self.browser.run('''return Array.from(document.querySelectorAll('#panel-attention svg path'),
                path => [path.getAttribute('d'), path.getAttribute('stroke-width')].join())'''))
        self.assertTrue(all(drawn))
        self.assertEqual(len({tuple(lines) for lines in drawn}), 3)
        row = weights(self.sentence, 'cross', 0, 1)[2]
        self.assertEqual(len(drawn[2]), sum(weight >= 0.002 for weight in row))


class Silence(ExplorerCase):
    def test_text_and_log_probability_without_a_head_equal_the_json(self):
        self.open_look('attention')
        other = 0
        for entry in self.sentence['silenced']:
            self.choose('part', entry['part'])
            self.choose('layer', entry['layer'])
            self.choose('head', entry['head'])
            shown = self.browser.text('#panel-attention .figures-box')
            for value in (self.sentence['log_probability'], entry['of_translation']):
                self.assertIn(f'{value:.3f}'.replace('-', '−'), shown)
            if entry['text'] == self.sentence['translation']:
                self.assertIn('stays the same', shown)
            else:
                other += 1
                self.assertIn(entry['text'], shown)
                self.assertIn(f"{entry['log_probability']:.3f}".replace('-', '−'), shown)
        print(f"{other} of {len(self.sentence['silenced'])} heads change the translation … ", end='')
        self.assertGreater(other, 0)
