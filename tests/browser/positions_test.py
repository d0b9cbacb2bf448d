"""The Positions tab computes the encoding of the paper."""
import math
import re

from selenium.webdriver.common.keys import Keys

import colors
from explorer import ExplorerCase, number

MAP = '#panel-positions canvas'
READING = re.compile(r'PE\((\d+), (\d+)\) = .* = ([−-]?[\d.]+)$')


def encoding(position, dimension, size=512, layout='interleaved'):
    """Section 3.5: sin and cos of position / 10000^(2i / d_model), i counting pairs of dimensions."""
    half = size // 2
    pair, sine = dimension % half, dimension < half
    if layout == 'interleaved':
        pair, sine = dimension // 2, dimension % 2 == 0
    exponent = pair / (half - 1) if layout == 'tensor2tensor' else 2 * pair / size
    angle = position / 10000 ** exponent
    return math.sin(angle) if sine else math.cos(angle)


class Positions(ExplorerCase):
    def reading(self):
        """(position, dimension, value) that is read out."""
        found = [READING.match(text) for text in self.browser.texts('#panel-positions .formula')]
        position, dimension, value = next(match for match in found if match).groups()
        return int(position), int(dimension), number(value)

    def assert_reads(self, position, dimension, **kind):
        self.assertEqual(self.reading()[:2], (position, dimension))
        self.assertAlmostEqual(self.reading()[2], encoding(position, dimension, **kind), delta=5.1e-5)

    def walk(self):
        """Reads values around (3, 10) with the arrow keys."""
        self.browser.run('document.querySelector(arguments[0]).focus()', MAP)
        self.assert_reads(3, 10)
        for key, place in ((Keys.ARROW_RIGHT, (3, 11)), (Keys.ARROW_DOWN, (4, 11)), (Keys.ARROW_LEFT, (4, 10)),
                           (Keys.ARROW_UP, (3, 10))):
            self.browser.press(key)
            self.assert_reads(*place)

    def test_values_are_those_of_the_paper(self):
        self.open_look('positions')
        self.walk()

    def test_the_page_without_a_model_has_this_tab_alone(self):
        self.open_look(page=self.material.positions_page)
        self.assertEqual([tab.get_attribute('id') for tab in self.browser.all('[role="tab"]')], ['tab-positions'])
        self.walk()

    def test_every_point_of_the_map_has_its_shade(self):
        self.open_look(page=self.material.positions_page)
        palette = self.palette()
        width, height, data = self.browser.run('''const canvas = document.querySelector(arguments[0]);
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            return [canvas.width, canvas.height, Array.from(data)];''', MAP)
        self.assertEqual((width, height), (512, 120), 'one point for each value')
        ramp = [palette[f'signed-{name}'] for name in ('low', 'zero', 'high')]
        for position in range(0, 120, 7):
            for dimension in range(0, 512, 5):
                at = 4 * (position * width + dimension)
                wanted = colors.between(ramp, (encoding(position, dimension) + 1) / 2)
                self.assert_same_color(data[at:at + 3], wanted, f'{position}, {dimension}')

    def test_pointing_reads_a_value_and_a_click_draws_its_curve(self):
        self.open_look('positions')
        self.browser.run('document.querySelector(arguments[0]).scrollIntoView({block: "center"})', MAP)
        before = self.browser.texts('#panel-positions li')
        self.browser.click_at(MAP, 200, 100)
        position, dimension, _ = self.reading()
        self.assert_reads(position, dimension)
        after = self.browser.texts('#panel-positions li')
        self.assertNotEqual(before, after)
        self.assertTrue(any(text.startswith(f'{dimension}:') for text in after), after)

    def test_layouts_have_their_own_formulas(self):
        self.open_look('positions')
        for layout in ('halves', 'tensor2tensor', 'interleaved'):
            self.choose('layout', layout)
            self.assert_reads(3, 10, layout=layout)
            self.browser.run('document.querySelector(arguments[0]).focus()', MAP)
            self.browser.press(*[Keys.ARROW_RIGHT] * 3, Keys.ARROW_DOWN)
            self.assert_reads(4, 13, layout=layout)
            self.browser.press(*[Keys.ARROW_LEFT] * 3, Keys.ARROW_UP)

    def test_the_width_can_be_changed(self):
        self.open_look('positions')
        self.browser.set_slider('#panel-positions input[type="range"]', 64)
        self.assert_reads(3, 10, size=64)
        self.assertEqual(self.browser.run('return document.querySelector(arguments[0]).width', MAP), 64)

    def test_two_positions_are_compared(self):
        self.open_look('positions')
        first, second = self.browser.all('#panel-positions input[type="number"]')
        for p, q in ((3, 4), (7, 90)):
            for field, value in ((first, p), (second, q)):
                field.clear()
                field.send_keys(str(value))
            dot = sum(encoding(p, d) * encoding(q, d) for d in range(512))
            shown = self.browser.texts('#panel-positions dd')
            self.assertAlmostEqual(number(shown[0]), dot, delta=5.1e-4)
            self.assertAlmostEqual(number(shown[1].split('=')[1]), dot / 256, delta=5.1e-5)
