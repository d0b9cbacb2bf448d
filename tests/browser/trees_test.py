"""The page of heed parse --html: every tree is drawn, a phrase can be chosen, it fits, in both themes and languages."""
import json

from case import BrowserCase, pictures
from material import PARSED


def words_of(tree):
    return [tree[1]] if len(tree) == 2 and isinstance(tree[1], str) else [w for child in tree[1:] for w in words_of(child)]


def phrases_of(tree):
    return 0 if len(tree) == 2 and isinstance(tree[1], str) else 1 + sum(map(phrases_of, tree[1:]))


class Trees(BrowserCase):
    def open_trees(self):
        self.browser.open(self.material.trees_page)
        self.browser.settle()
        self.data = json.loads(self.browser.text('#data'))['sentences']

    def drawn(self, index, name):
        """The texts of a kind in a picture, which is drawn when it comes near the screen."""
        self.browser.run('document.querySelectorAll(".sentence")[arguments[0]].scrollIntoView()', index)
        self.browser.settle()
        return self.browser.run('''return Array.from(document.querySelectorAll(".sentence")[arguments[0]]
            .querySelectorAll(`svg .${arguments[1]}`), each => each.textContent)''', index, name)

    def test_every_word_and_phrase_is_drawn(self):
        self.open_trees()
        self.assertEqual(len(self.data), len(PARSED))
        for index, entry in enumerate(self.data):
            words = words_of(entry['tree']) if entry['tree'] else []
            self.assertEqual(words, PARSED[index].replace('(round)', '-LRB-round-RRB-').split())
            self.assertEqual(self.drawn(index, 'word'), words)
            self.assertEqual(len(self.drawn(index, 'phrase')), phrases_of(entry['tree']) if words else 0)

    def test_a_chosen_phrase_marks_its_words(self):
        self.open_trees()
        marked = '''return document.querySelectorAll('.sentence')[0].querySelectorAll('.chosen .word').length'''
        press = '''document.querySelectorAll('.sentence')[0].querySelectorAll('svg .phrase')[arguments[0]]
            .dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))'''
        self.browser.run(press, 0)
        self.assertEqual(self.browser.run(marked), len(words_of(self.data[0]['tree'])))
        self.browser.run(press, 0)
        self.assertEqual(self.browser.run(marked), 0)

    def test_it_fits_the_screen_in_both_themes(self):
        self.open_trees()
        for width in (1280, 390):
            for dark in (False, True):
                self.browser.resize(width)
                self.browser.prefer_dark(dark)
                self.browser.settle()
                self.assert_fits(width, 'trees')
                self.browser.save_picture(pictures() / f'trees-{width}-{"dark" if dark else "light"}.png')
