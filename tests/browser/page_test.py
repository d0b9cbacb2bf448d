"""The explorer as a file: it opens without a network, has five tabs, and is not too large."""
import re

from explorer import TABS, ExplorerCase

LARGEST_PAGE = 6 * 1024 * 1024
LARGEST_PROGRAM = 200_000  # bytes of scripts and styles


def program_size(page):
    """Bytes of the scripts and style sheets, without the figures."""
    text = page.read_text()
    parts = re.findall(r'<script>(.*?)</script>|<style>(.*?)</style>', text, re.DOTALL)
    return sum(len((script or style).encode()) for script, style in parts)


class Page(ExplorerCase):
    def test_five_tabs_open(self):
        self.open_look()
        tabs = self.browser.all('[role="tab"]')
        self.assertEqual([tab.get_attribute('id') for tab in tabs], [f'tab-{name}' for name in TABS])
        seen = set()
        for name in TABS:
            self.open_tab(name)
            self.assertEqual(self.browser.one('[role="tab"][aria-selected="true"]').get_attribute('id'), f'tab-{name}')
            self.assertEqual(self.browser.one('[role="tabpanel"]').get_attribute('id'), f'panel-{name}')
            seen.add(self.browser.one('[role="tabpanel"]').text)
        self.assertEqual(len(seen), 5)

    def test_header_names_model_languages_and_size(self):
        self.open_look()
        model = self.material.look_json['model']
        shown = self.browser.text('#model')
        for part in (model['name'], 'English', 'Korean', f"{model['parameters']:,}"):
            self.assertIn(part, shown)

    def test_sentences_can_be_changed(self):
        self.open_look()
        for i, sentence in enumerate(self.material.look_json['sentences']):
            self.browser.pick('#chooser', i)
            self.assertEqual(self.browser.texts('#pair .text'), [sentence['text'], sentence['translation']])

    def test_an_address_opens_what_it_names(self):
        self.browser.open(self.material.look_page, '#attention/cross/2/3?q=1&style=matrix')
        self.assertEqual([self.chosen(group) for group in ('part', 'layer', 'head', 'style')],
                         ['cross', '1', '2', 'matrix'])

    def test_an_address_of_nonsense_opens_the_page(self):
        self.browser.open(self.material.look_page, '#attention/<b>/99/-1?q=1e9&style=x&__proto__=1&s=7&constructor=1')
        self.assertEqual(self.browser.one('[role="tabpanel"]').get_attribute('id'), 'panel-attention')

    def test_pages_are_not_too_large(self):
        for page in (self.material.look_page, self.material.base_page, self.material.positions_page):
            size, program = page.stat().st_size, program_size(page)
            print(f'{page.name}: {size:,} bytes, of which scripts and styles {program:,} … ', end='')
            self.assertLessEqual(size, LARGEST_PAGE, page.name)
            self.assertGreater(program, 10_000)
            self.assertLessEqual(program, LARGEST_PROGRAM)

    def test_help_lists_the_keys(self):
        self.open_look()
        self.browser.click('[data-focus="help"]')
        self.assertTrue(self.browser.run('return document.getElementById("help").open'))
        self.assertGreaterEqual(len(self.browser.all('#help kbd')), 8)
        self.browser.click('#help button')
        self.assertFalse(self.browser.run('return document.getElementById("help").open'))
        self.browser.run('document.querySelector("[role=tab]").focus()')
        self.browser.press('?')
        self.assertTrue(self.browser.run('return document.getElementById("help").open'))


class NoAttention(ExplorerCase):
    """A decoder of SSRU layers has no self-attention to show."""

    def test_the_page_says_so_and_shows_the_rest(self):
        self.open_look('attention', self.material.ssru_page)
        for part in ('encoder', 'cross'):
            self.choose('part', part)
            for row in self.number_table():
                self.assertAlmostEqual(sum(row), 1, delta=1e-4)
        self.choose('part', 'decoder')
        self.choose('layer', 0)
        self.assertIn('ssru', self.browser.one('#panel-attention').text.lower())
        self.assertEqual(self.browser.all('#panel-attention [data-focus^="chip:"]'), [])
        for style in ('matrix', 'lines', 'heads', 'reading'):
            self.choose('style', style)
        for tab in ('beam', 'steps', 'positions', 'translation'):
            self.open_tab(tab)
            self.assertNotEqual(self.browser.one('[role="tabpanel"]').text, '')
        self.open_tab('steps')
        options = self.browser.texts('[data-focus="steps-head"] option')
        self.assertFalse([option for option in options if option.startswith('Decoder')])
