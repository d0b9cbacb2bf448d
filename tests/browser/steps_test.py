"""The Step by step tab: from queries and keys to the model's own weights."""
import math

from selenium.webdriver.common.keys import Keys

from explorer import ExplorerCase, number, weights

SLIDER = '[data-focus="steps-divisor"]'


def entropy(row):
    return -sum(weight * math.log2(weight) for weight in row if weight > 0)


class Steps(ExplorerCase):
    def pick(self, part, layer, head):
        index = next(i for i, each in enumerate(self.sentence['steps'])
                     if (each['part'], each['layer'], each['head']) == (part, layer, head))
        self.browser.pick('[data-focus="steps-head"]', index)
        return self.sentence['steps'][index]

    def softmax(self):
        """The weights of the table."""
        return [number(text) for text in self.browser.texts('#step-5 tbody td:last-child')]

    def facts(self):
        """Spread of the scores, entropy, largest weight."""
        return [number(text) for text in self.browser.texts('#step-3 dd')]

    def scores(self, numbers, query, divisor):
        q = numbers['query'][query]
        last = query if numbers['part'] == 'decoder' else len(numbers['key'])
        return [sum(a * b for a, b in zip(q, k)) / divisor if j <= last else -math.inf
                for j, k in enumerate(numbers['key'])]

    def expected(self, numbers, query, divisor):
        scores = self.scores(numbers, query, divisor)
        powers = [math.exp(score - max(scores)) for score in scores]
        return [power / sum(powers) for power in powers]

    def test_the_row_equals_the_models(self):
        self.open_look('steps')
        places = (('cross', 1, 2, 4), ('encoder', 0, 1, 7), ('decoder', 1, 3, 5), ('decoder', 0, 0, 0))
        for part, layer, head, query in places:
            numbers = self.pick(part, layer, head)
            self.choose('steps-query', query)
            row = weights(self.sentence, part, layer, head)[query]
            self.assert_close(self.softmax(), row, 1e-6, part)
            self.assertIn('✓', self.browser.text('#step-5 .verdict'))
            dots = [number(text) for text in self.browser.texts('#step-2 button .number')]
            wanted = [sum(a * b for a, b in zip(numbers['query'][query], k)) for k in numbers['key']]
            self.assert_close(dots, wanted, 1e-3, part)
            masked = self.browser.texts('#step-4 li .number').count('−∞')
            self.assertEqual(masked, len(row) - 1 - query if part == 'decoder' else 0)
            z = [sum(weight * v[d] for weight, v in zip(row, numbers['value'])) for d in range(8)]
            told = self.browser.all('#step-6 [role="img"]')[-1].get_attribute('aria-label')
            shown = [number(text) for text in told.split(': ')[1].rstrip(' …').split(', ')]
            self.assert_close(shown, z, 5.1e-3, part)

    def test_the_divisor_changes_entropy_and_weights(self):
        self.open_look('steps')
        numbers = self.pick('cross', 1, 1)
        self.choose('steps-query', 3)
        root = math.sqrt(len(numbers['query'][0]))
        seen = []
        for divisor in (1.0, 3.0, 2 * root - 0.1):
            divisor = round(divisor, 1)
            self.browser.set_slider(SLIDER, divisor)
            row = self.expected(numbers, 3, divisor)
            self.assert_close(self.softmax(), row, 2e-6)
            self.assertAlmostEqual(self.facts()[1], entropy(row), delta=6e-4)
            self.assertAlmostEqual(self.facts()[2], max(row), delta=6e-5)
            self.assertNotIn('✓', self.browser.text('#step-5 .verdict'))
            seen.append(self.facts()[1])
        self.assertEqual(seen, sorted(seen), 'the larger the divisor, the more even the weights')
        self.assertLess(seen[0], seen[-1])
        self.browser.click('#step-3 > button')
        self.assertIn('✓', self.browser.text('#step-5 .verdict'))

    def test_arrow_keys_move_query_and_key(self):
        self.open_look('steps')
        self.choose('steps-query', 2)
        self.browser.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.focused(), 'steps-query:3')
        self.choose('steps-key', 0)
        self.browser.press(Keys.ARROW_DOWN)
        self.assertEqual(self.browser.focused(), 'steps-key:1')
        self.assertEqual(self.address()[1], {'q': '3', 'k': '1'})

    def test_letters_change_the_head(self):
        self.open_look('steps')
        self.choose('steps-query', 2)
        for key, place in (('l', ('cross', 1, 0)), ('h', ('cross', 1, 1)), ('e', ('encoder', 1, 1)),
                           ('L', ('encoder', 0, 1)), ('d', ('decoder', 0, 1))):
            self.browser.press(key)
            chosen = self.browser.run('return document.querySelector("[data-focus=steps-head]").selectedIndex')
            entry = self.sentence['steps'][chosen]
            self.assertEqual((entry['part'], entry['layer'], entry['head']), place, key)

    def test_the_walk_tells_each_of_six_cards(self):
        self.open_look('steps')
        self.browser.click('[data-focus="steps-tell"]')
        told = []
        for n in range(1, 7):
            told.append(self.browser.text(f'#step-{n} .teller p'))
            if n < 6:
                self.browser.press(Keys.ENTER)
        self.assertEqual(len(set(told)), 6)
        self.browser.press(Keys.ESCAPE)
        self.assertEqual(self.browser.all('.teller'), [])
