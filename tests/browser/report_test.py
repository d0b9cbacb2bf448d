"""The training report: curves, switches, keyboard, samples and both themes."""
import json

from selenium.webdriver.common.keys import Keys

import colors
from case import BrowserCase, pictures

PLOT = '#charts [role="img"]'


class Report(BrowserCase):
    def open_report(self):
        self.browser.open(self.material.report)
        self.browser.settle()
        self.data = json.loads(self.browser.text('#run'))

    def paths(self):
        """The curves of every chart."""
        return self.browser.run('''return Array.from(document.querySelectorAll('#charts figure'),
            chart => Array.from(chart.querySelectorAll('svg path'), path => path.getAttribute('d')).join())''')

    def test_it_opens_with_figures_and_state(self):
        self.open_report()
        self.assertEqual(self.browser.text('#state'), 'Finished')
        self.assertIn('120', self.browser.text('#story'))
        best = max(value for _, value in self.data['curves']['valid']['bleu'])
        self.assertIn(f'{best:.2f}', self.browser.text('#scores'))
        self.assertEqual(self.browser.text('#model'), self.data['model'])

    def test_curves_are_drawn_from_the_data(self):
        self.open_report()
        titles = self.browser.texts('#charts figure h3')
        self.assertEqual(len(titles), 6)
        train, valid = self.data['curves']['train'], self.data['curves']['valid']
        points = [(train['cost'], valid['cost']), (train['perplexity'], valid['perplexity']),
                  (valid['bleu'], valid['chrf']), (train['learning_rate'],), (train['gradient_norm'],),
                  (train['tokens_per_second'],)]
        for title, curves, path in zip(titles, points, self.paths()):
            drawn = path.count('M') + path.count('L')
            self.assertEqual(drawn, sum(len(curve) for curve in curves), title)
            self.assertNotIn('NaN', path, title)

    def test_switches_change_axis_and_stretch(self):
        self.open_report()
        seen = [self.paths()]
        for selector in ('#axis [value="time"]', '#stretch [value="0.5"]', '#stretch [value="0.2"]'):
            self.browser.click(selector)
            self.assertEqual(self.browser.one(selector).get_attribute('aria-pressed'), 'true')
            self.assertNotIn(self.paths(), seen)
            seen.append(self.paths())
        self.browser.click('#stretch [value="1"]')
        self.browser.click('#axis [value="update"]')
        self.assertEqual(self.paths(), seen[0])

    def test_a_logarithmic_scale_bends_one_chart(self):
        self.open_report()
        before = self.paths()
        self.browser.click('#charts figure:first-child button')
        after = self.paths()
        self.assertNotEqual(before[0], after[0])
        self.assertEqual(before[1:], after[1:])

    def test_values_are_read_with_the_keyboard(self):
        self.open_report()
        costs = self.data['curves']['train']['cost']
        self.browser.run('document.querySelectorAll(arguments[0])[0].focus()', PLOT)
        self.browser.press(Keys.HOME)
        for update, value in costs[:3]:
            said = self.browser.text('#reading')
            self.assertTrue(said.startswith(f'Update {update:,}:'), said)
            self.assertIn(f'{value:.3f}'[:4], said)
            self.browser.press(Keys.ARROW_RIGHT)
        self.browser.press(Keys.END)
        self.assertTrue(self.browser.text('#reading').startswith(f'Update {costs[-1][0]:,}:'))
        self.browser.press(Keys.ESCAPE)

    def test_the_tab_key_reaches_charts_and_switches(self):
        self.open_report()
        self.browser.run('document.querySelector("#stretch button").focus()')
        plots = 0
        for _ in range(20):
            self.browser.press(Keys.TAB)
            plots += self.browser.run('return document.activeElement.matches(arguments[0])', PLOT)
        self.assertEqual(plots, 6)

    def test_samples_go_from_validation_to_validation(self):
        self.open_report()
        snapshots = self.data['snapshots']
        self.assertGreater(len(snapshots), 2)
        for back in range(1, len(snapshots)):
            self.browser.click('#previous')
            name = self.browser.text('#step-name')
            self.assertIn(f"{snapshots[-1 - back]['update']:,}", name)
        self.assertFalse(self.browser.one('#previous').is_enabled())
        self.browser.run('document.querySelector("#step").focus()')
        self.browser.press(Keys.ARROW_RIGHT)
        self.assertIn(f"{snapshots[1]['update']:,}", self.browser.text('#step-name'))

    def test_the_table_lists_every_validation(self):
        self.open_report()
        self.browser.click('#validations summary')
        rows = self.browser.texts('#validation-table tbody tr th')
        self.assertEqual(rows, [f'{update:,}' for update, _ in self.data['curves']['valid']['cost']])

    def test_it_fits_the_screen_in_both_themes(self):
        self.open_report()
        grounds = []
        for dark in (False, True):
            self.browser.prefer_dark(dark)
            for width, height in ((1280, 900), (390, 844)):
                self.browser.resize(width, height)
                self.browser.settle()
                self.assert_fits(width, 'report')
                self.assertTrue(all(self.paths()))
                name = f"report-{width}-{'dark' if dark else 'light'}"
                self.browser.save_picture(pictures() / f'{name}.png')
            grounds.append(self.browser.run('return getComputedStyle(document.body).backgroundColor'))
            ink, ground = (colors.parse(self.browser.run(f'return getComputedStyle(document.body).{name}'))
                           for name in ('color', 'backgroundColor'))
            self.assertGreaterEqual(colors.contrast(ink, ground), 4.5)
        self.assertNotEqual(*grounds)
