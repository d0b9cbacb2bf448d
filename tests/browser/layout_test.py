"""Nothing is wider than the screen, in any view, size, theme or language; each is kept as a screenshot."""
from case import pictures
from explorer import PARTS, TABS, ExplorerCase

WIDTHS = {1280: 900, 390: 844}


class Layout(ExplorerCase):
    def test_every_view_fits_the_screen(self):
        self.open_look()
        folder = pictures()
        for language in ('en', 'ko'):
            self.choose('language', language)
            for theme in ('light', 'dark'):
                self.choose('theme', theme)
                for width, height in WIDTHS.items():
                    self.browser.resize(width, height)
                    for tab in TABS:
                        self.open_tab(tab)
                        self.browser.settle()
                        name = f'{tab}-{width}-{theme}-{language}'
                        self.browser.save_picture(folder / f'{name}.png')
                        self.assert_fits(width, name)

    def test_every_representation_fits_the_screen(self):
        self.open_look('attention')
        for width, height in WIDTHS.items():
            self.browser.resize(width, height)
            for style in ('matrix', 'lines', 'heads', 'reading'):
                self.choose('style', style)
                for part in PARTS:
                    self.choose('part', part)
                    self.browser.settle()
                    self.assert_fits(width, f'{style} {part}')
                self.browser.save_picture(pictures() / f'attention-{style}-{width}.png')

    def test_long_sentences_fit_the_screen(self):
        self.open_look(page=self.material.base_page)
        for width, height in WIDTHS.items():
            self.browser.resize(width, height)
            for tab in TABS:
                self.open_tab(tab)
                self.browser.settle()
                self.assert_fits(width, f'{tab}, 60 and 60 pieces')
                self.browser.save_picture(pictures() / f'long-{tab}-{width}.png')
            self.open_tab('attention')
            for style in ('matrix', 'lines', 'heads', 'reading'):
                self.choose('style', style)
                self.browser.settle()
                self.assert_fits(width, f'{style}, 60 and 60 pieces')
                self.browser.save_picture(pictures() / f'long-attention-{style}-{width}.png')

    def test_help_fits_the_screen(self):
        self.open_look()
        self.browser.resize(390, 844)
        self.browser.click('[data-focus="help"]')
        self.assert_fits(390, 'help')
        box = self.browser.one('#help').rect
        self.assertGreaterEqual(box['x'], 0)
        self.assertLessEqual(box['x'] + box['width'], 390)

    def test_the_page_without_a_model_fits_the_screen(self):
        self.open_look(page=self.material.positions_page)
        for width in (*WIDTHS, 320, 2000):
            self.browser.resize(width)
            self.browser.settle()
            self.assert_fits(width, 'positions')
