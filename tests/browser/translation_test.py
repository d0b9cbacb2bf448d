"""The Translation tab shows the probabilities of heed look --json."""
import math

from explorer import ExplorerCase, numbers_in


def percent(probability):
    return '< 0.1 %' if 0 < probability < 0.001 else f'{100 * probability:.1f} %'


class Translation(ExplorerCase):
    def test_pieces_carry_their_probabilities(self):
        self.open_look()
        for i, log in enumerate(self.sentence['piece_log_probabilities']):
            label = self.browser.one(f'[data-focus="piece:{i}"]').get_attribute('aria-label')
            self.assertTrue(label.endswith(percent(math.exp(log))), f'{label}: {math.exp(log)}')

    def test_a_picked_piece_shows_what_else_was_possible(self):
        self.open_look()
        for place in (0, 3):
            self.choose('piece', place)
            shown = self.browser.texts('#panel-translation aside ol li')
            for text, choice in zip(shown, self.sentence['choices'][place]):
                self.assertIn(choice['piece'].lstrip('▁'), text)
                self.assertIn(percent(choice['probability']), text)

    def test_the_best_translations_are_ranked_by_score(self):
        self.open_look()
        lines = self.browser.texts('#panel-translation .hypotheses > li')
        self.assertEqual(len(lines), len(self.sentence['n_best']))
        for text, hypothesis in zip(lines, self.sentence['n_best']):
            self.assertIn(hypothesis['text'], text)
            log, penalty, score = (hypothesis[name] for name in ('log_probability', 'penalty', 'score'))
            self.assertAlmostEqual(log / penalty, score, delta=1e-5)
            shown = numbers_in(text[text.index('log P / lp'):])[:3]
            self.assert_close(shown, [log, penalty, score], 5.1e-4)
