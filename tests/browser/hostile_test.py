"""Whatever a sentence holds is shown as text."""
from explorer import TABS, ExplorerCase

MARKUP = '</script><script>document.title = "taken"</script><img src=x onerror=alert(1)>'
HOSTILE = f'{MARKUP} "\'`${{1}} --> <!-- &lt; \u202eright to left\u202c \u2067أبجد\u2069 \\u003c'


class Hostile(ExplorerCase):
    def open_hostile(self):
        path = self.material.page('hostile', '-m', self.material.model, '--no-silence', '--target', MARKUP, HOSTILE)
        self.browser.open(path)

    def test_markup_is_shown_as_text(self):
        self.open_hostile()
        source, target = self.browser.texts('#pair .text')
        self.assertEqual(source, HOSTILE)
        self.assertIn('<script>document.title', target)
        for tab in TABS:
            self.open_tab(tab)
            self.assertEqual(self.browser.all('img'), [])
            self.assertTrue(self.browser.run('return document.title').startswith('heed look'))
            self.assert_fits(1280, tab)
        self.open_tab('attention')
        for style in ('matrix', 'lines', 'heads', 'reading'):
            self.choose('style', style)
            self.assertEqual(self.browser.all('img'), [])
        for width in (1280, 390):
            self.browser.resize(width)
            self.browser.settle()
            for tab in TABS:
                self.browser.run('document.getElementById(`tab-${arguments[0]}`).click()', tab)
                self.browser.settle()
                self.assert_fits(width, f'{tab}, hostile')

    def test_one_word_without_end_is_refused_in_one_line(self):
        said = self.material.refuse('look', '-m', self.material.model, '-o', 'endless.html', 'a' * 10_000)
        self.assertEqual(said.count('\n'), 1, said)
        self.assertIn('too long', said)
        self.assertFalse((self.material.folder / 'endless.html').exists())

    def test_one_long_word_within_the_limit_fits(self):
        path = self.material.page('long', '-m', self.material.model, '--no-silence', 'a' * 120)
        self.browser.open(path)
        for width in (1280, 390):
            self.browser.resize(width)
            for tab in TABS:
                self.browser.run('document.getElementById(`tab-${arguments[0]}`).click()', tab)
                self.browser.settle()
                self.assert_fits(width, f'{tab}, one long word')
