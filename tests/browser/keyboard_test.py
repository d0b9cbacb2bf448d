"""Everything of the explorer can be reached and changed with the keyboard alone."""
from selenium.webdriver.common.keys import Keys

from explorer import TABS, ExplorerCase, weights


class Keyboard(ExplorerCase):
    def focus(self, name):
        self.browser.run('document.querySelector(`[data-focus="${arguments[0]}"]`).focus()', name)

    def test_arrows_go_round_the_tabs(self):
        self.open_look()
        self.focus('tab:translation')
        for name in (*TABS[1:], TABS[0]):
            self.browser.press(Keys.ARROW_RIGHT)
            self.assertEqual(self.address()[0][0], name)
            self.assertEqual(self.browser.focused(), f'tab:{name}')
        self.browser.press(Keys.ARROW_LEFT)
        self.assertEqual(self.address()[0][0], 'steps')

    def test_tab_key_reaches_every_control(self):
        self.open_look('attention')
        self.open_options()
        self.focus('tab:attention')
        reached = set()
        for _ in range(14):
            self.browser.press(Keys.TAB)
            reached.add(self.browser.focused().split(':')[0])
        self.assertLessEqual({'part', 'layer', 'head', 'unit', 'scale', 'trim', 'style', 'chip'}, reached)

    def test_arrows_change_part_layer_and_head(self):
        self.open_look('attention')
        self.focus('part:cross')
        self.browser.press(Keys.ARROW_LEFT)
        self.assertEqual(self.chosen('part'), 'decoder')
        self.assertEqual(self.browser.focused(), 'part:decoder')
        self.browser.press(Keys.ARROW_RIGHT)
        self.focus('layer:mean')
        self.browser.press(Keys.ARROW_LEFT)
        self.assertEqual(self.chosen('layer'), '1')
        self.focus('head:mean')
        self.browser.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        self.assertEqual(self.chosen('head'), '2')
        self.assert_close(self.number_table(), weights(self.sentence, 'cross', 1, 2), 1e-6)

    def test_letters_change_part_layer_and_head(self):
        self.open_look('attention')
        self.focus('part:cross')
        for keys, place in (('l', ('cross', '1', 'mean')), ('h', ('cross', '1', '1')), ('lh', ('cross', '2', '2')),
                            ('L', ('cross', '1', '2')), ('H', ('cross', '1', '1')), ('e', ('encoder', '1', '1')),
                            ('d', ('decoder', '1', '1')), ('c', ('cross', '1', '1')), ('m', ('cross', 'mean', 'mean'))):
            self.browser.press(keys)
            self.assertEqual(self.address()[0][1:], place, keys)
            layer, head = (int(each) - 1 if each != 'mean' else each for each in place[1:])
            self.assert_close(self.number_table(), weights(self.sentence, place[0], layer, head), 1e-6, keys)

    def test_arrows_go_along_the_words_and_to_the_other_sentence(self):
        self.open_look('attention')
        self.focus('chip:query:0')
        self.browser.press(Keys.ENTER)
        self.assertEqual(self.address()[1]['q'], '0')
        self.browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.address()[1]['q'], '2')
        self.assertEqual(self.browser.focused(), 'chip:query:2')
        self.assertIn('looks at', self.browser.text('#announcement'))
        self.assert_close(self.number_table(), [[weight] for weight in weights(self.sentence, 'cross')[2]], 1e-6)
        self.focus('chip:query:2')
        self.browser.press(Keys.ARROW_UP)
        self.assertTrue(self.browser.focused().startswith('chip:key:'))
        self.browser.press(Keys.ESCAPE)
        self.assertNotIn('q', self.address()[1])

    def test_arrows_move_the_cell_of_the_matrix(self):
        self.open_look('attention')
        self.choose('style', 'matrix')
        self.focus('matrix')
        self.browser.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        self.assertEqual(self.address()[1], {'style': 'matrix', 'q': '1', 'k': '0'})
        weight = weights(self.sentence, 'cross')[1][0]
        self.assertIn(f'{weight:.6f}'[:7], self.browser.one('[data-focus="matrix"]').get_attribute('aria-label'))

    def test_arrows_go_along_the_translation(self):
        self.open_look()
        self.choose('piece', 1)
        self.browser.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.focused(), 'piece:2')
        self.assertEqual(self.address()[1]['q'], '2')

    def test_slash_goes_to_the_sentence(self):
        self.open_look('attention')
        self.focus('tab:attention')
        self.browser.press('/')
        self.assertEqual(self.browser.focused(), 'chooser')
