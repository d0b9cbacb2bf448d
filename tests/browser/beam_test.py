"""The Beam tab: every step of the search, with scores that follow from the sums shown."""
import re

from selenium.webdriver.common.keys import Keys

from explorer import ExplorerCase, number

SLIDER = '#panel-beam input[type="range"]'
ARITHMETIC = re.compile(r'([−-]?[\d.]+) / ([\d.]+) = ([−-]?[\d.]+)')


class Beam(ExplorerCase):
    @property
    def steps(self):
        return self.sentence['beam']['steps']

    def penalty(self, length):
        search = self.material.look_json['search']
        self.assertEqual(search['length_penalty'], 'paper')
        return ((5 + length) / 6) ** search['alpha']

    def detail(self):
        """(sum, lp, score) of the selected node, as written."""
        return [number(part) for part in ARITHMETIC.search(self.browser.text('#panel-beam [aria-live]')).groups()]

    def candidates(self):
        return self.browser.run('''return Array.from(document.querySelectorAll('#panel-beam tbody tr'),
            row => Array.from(row.cells, cell => cell.textContent))''')

    def assert_node(self, node, step):
        total, penalty, score = self.detail()
        self.assertAlmostEqual(total, node['sum'], delta=5.1e-4)
        self.assertAlmostEqual(penalty, self.penalty(step + 1), delta=5.1e-4)
        self.assertAlmostEqual(score, node['score'], delta=5.1e-4)
        self.assertAlmostEqual(total / penalty, score, delta=1e-3 + abs(score) * 1e-3)

    def test_the_slider_shows_the_candidates_of_each_step(self):
        self.open_look('beam')
        self.assertEqual(int(self.browser.one(SLIDER).get_attribute('max')), len(self.steps))
        for step, nodes in enumerate(self.steps[:-1]):
            self.browser.set_slider(SLIDER, step + 1)
            rows = self.candidates()
            self.assertEqual(len(rows), len(nodes))
            for row, node in zip(rows, nodes):
                self.assertTrue(row[0].endswith(node['piece'].lstrip('▁')), f"{row[0]}: {node['piece']}")
                shown = [number(text) for text in row[1:4]]
                self.assert_close(shown, [node['log_probability'], node['sum'], node['score']], 5.1e-4)

    def test_a_selected_node_tells_its_score(self):
        self.open_look('beam')
        for step in (0, 1, len(self.steps) - 2):
            self.browser.set_slider(SLIDER, step + 1)
            for i, node in enumerate(self.steps[step][:5]):
                self.browser.click(f'#panel-beam tbody tr:nth-child({i + 1}) button')
                self.assert_node(node, step)

    def test_sums_add_up_from_parent_to_child(self):
        for before, nodes in zip(self.steps, self.steps[1:]):
            for node in nodes:
                parent = before[node['parent']]
                self.assertAlmostEqual(node['sum'], parent['sum'] + node['log_probability'], delta=1e-4)

    def test_arrow_keys_move_the_slider_and_walk_the_tree(self):
        self.open_look('beam')
        self.browser.run('document.querySelector(arguments[0]).focus()', SLIDER)
        self.browser.press(Keys.HOME)
        self.assertEqual(self.browser.one(SLIDER).get_attribute('value'), '1')
        self.browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.one(SLIDER).get_attribute('value'), '3')
        start = '#panel-beam [role="group"] button[tabindex="0"]'
        self.browser.run('document.querySelector(arguments[0]).focus()', start)
        told = {self.browser.text('#panel-beam [aria-live]')}
        for key in (Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_LEFT):
            self.browser.press(key)
            told.add(self.browser.text('#panel-beam [aria-live]'))
        self.assertGreaterEqual(len(told), 3)

    def test_every_node_of_the_tree_can_be_picked(self):
        self.open_look('beam')
        for value in ('true', 'false'):
            self.choose('beam-tree', value)
            chips, told = self.browser.run('''
                const chips = Array.from(document.querySelectorAll('#panel-beam [role="group"] button'));
                return [chips.length, chips.map(chip => {
                  chip.click();
                  return document.querySelector('#panel-beam [aria-live]').textContent;
                })];''')
            self.assertGreater(chips, 4)
            self.assertGreater(len(set(told)), chips // 2)

    def test_finished_translations_are_in_order(self):
        self.open_look('beam')
        shown = [[number(part) for part in ARITHMETIC.search(text).groups()]
                 for text in self.browser.texts('#panel-beam ol li')]
        scores = [node['score'] for nodes in self.steps for node in nodes if node['state'] == 'ended']
        ended = sorted(scores, reverse=True)
        self.assert_close([score for _, _, score in shown], ended, 5.1e-4)
        step, index = self.sentence['beam']['best']
        self.assertAlmostEqual(ended[0], self.steps[step][index]['score'], delta=1e-9)

    def test_it_plays(self):
        self.open_look('beam')
        self.browser.run('document.querySelector("#panel-beam .view-controls button").click()')
        self.assertEqual(self.browser.one(SLIDER).get_attribute('value'), '1')
        self.browser.run('document.querySelector("#panel-beam .view-controls button").click()')
