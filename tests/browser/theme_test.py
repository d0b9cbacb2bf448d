"""Both themes: the switch works, text can be read, and colours differ for everyone."""
import itertools

import colors
from explorer import ExplorerCase

LEAST_CONTRAST = 4.5
LEAST_DISTANCE = 20  # of two series, in OKLab times 100


class Theme(ExplorerCase):
    def in_both_themes(self):
        self.open_look()
        for theme in ('light', 'dark'):
            self.choose('theme', theme)
            yield theme, self.palette()

    def test_the_switch_changes_the_page_and_is_remembered(self):
        self.open_look()
        shown = {}
        for theme in ('dark', 'light', 'auto'):
            self.choose('theme', theme)
            self.browser.settle()
            shown[theme] = self.browser.run('return getComputedStyle(document.body).backgroundColor')
        self.assertGreater(colors.luminance(colors.parse(shown['light'])), 0.8)
        self.assertLess(colors.luminance(colors.parse(shown['dark'])), 0.1)
        self.assertEqual(shown['auto'], shown['light'])
        self.browser.prefer_dark(True)
        self.browser.settle()
        self.assertEqual(self.browser.run('return getComputedStyle(document.body).backgroundColor'), shown['dark'])
        self.choose('theme', 'light')
        self.browser.driver.refresh()
        self.assertEqual(self.browser.run('return getComputedStyle(document.body).backgroundColor'), shown['light'])

    def test_text_can_be_read(self):
        for theme, palette in self.in_both_themes():
            least = 21
            for ink, ground in itertools.product(('ink', 'quiet', 'accent'), ('page', 'panel')):
                ratio = colors.contrast(palette[ink], palette[ground])
                self.assertGreaterEqual(ratio, LEAST_CONTRAST, f'{theme}: {ink} on {ground}')
                least = min(least, ratio)
            print(f'{theme}: contrast from {least:.2f} … ', end='')

    def test_text_on_every_shade_of_weight_can_be_read(self):
        for theme, palette in self.in_both_themes():
            shades = self.browser.run('''return Array.from({length: 101}, (unused, i) => {
                const {background, ink} = look.weightColor(i / 100);
                return [background, ink];
            })''')
            ratios = []
            for i, (background, ink) in enumerate(shades):
                self.assert_same_color(colors.parse(background), self.shade(i / 100, palette, 'linear'), f'{theme} {i}')
                ratios.append(colors.contrast(colors.parse(background), colors.parse(ink)))
            print(f'{theme}: contrast on shades from {min(ratios):.2f} … ', end='')
            self.assertGreaterEqual(min(ratios), LEAST_CONTRAST, theme)

    def test_four_series_can_be_told_apart_by_everyone(self):
        for theme, palette in self.in_both_themes():
            series = [palette[f'series-{i}'] for i in range(1, 5)]
            for vision in colors.VISIONS:
                least = min(colors.distance(a, b, vision) for a, b in itertools.combinations(series, 2))
                print(f'{theme}, {vision}: {least:.1f} … ', end='')
                self.assertGreaterEqual(least, LEAST_DISTANCE, f'{theme}, {vision}')


class Maths(ExplorerCase):
    """The colour arithmetic of these tests, at known points."""

    def test_known_values(self):
        self.assertAlmostEqual(colors.contrast([0, 0, 0], [255, 255, 255]), 21, places=6)
        self.assertAlmostEqual(colors.distance([0, 0, 0], [255, 255, 255]), 100, places=3)
        for part, wanted in zip(colors.oklab(colors.linear([255, 0, 0])), (0.62796, 0.22486, 0.12585)):
            self.assertAlmostEqual(part, wanted, places=4)
        for vision in colors.VISIONS:
            self.assertAlmostEqual(colors.distance([90, 90, 90], [90, 90, 90], vision), 0)
        red_green = [colors.distance([200, 80, 0], [90, 130, 0], vision) for vision in ('normal', 'deuteranopia')]
        self.assertLess(red_green[1], red_green[0] / 2)
