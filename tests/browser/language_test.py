"""Every word of the explorer is there in English and in Korean."""
import re

from explorer import PARTS, TABS, ExplorerCase

# Korean texts that are a symbol or a name of the field in every language.
WITHOUT_HANGUL = {'beam_log_p', 'positions_size'}
# Latin letters that stay the same in both languages.
SAME = re.compile(r'heed|English|pos|log|lp|sin|cos|max|rad|PE|CSV|EN|Enter|Esc|d_model|d_k|d_v|Tensor2Tensor|Marian|'
                  r'</?s>|^model\b')


def flat(texts):
    found = {}
    for key, text in texts.items():
        found.update({f'{key}_{name}': each for name, each in text.items()} if isinstance(text, dict) else {key: text})
    return found


class Language(ExplorerCase):
    def strings(self):
        """The texts of each language by their keys; of a group of texts, group_name."""
        return {language: flat(texts) for language, texts in self.browser.run('return lookStrings').items()}

    def note_missing(self):
        """From here on the page keeps the keys that a language lacks."""
        keys = {language: list(texts) for language, texts in self.strings().items()}
        self.browser.run('''window.missingKeys = [];
            const keys = arguments[0];
            const {t} = look;
            look.t = function (key, ...rest) {
              if (!keys[this.language].includes(key)) missingKeys.push(`${this.language}: ${key}`);
              const text = t.call(this, key, ...rest);
              if (/\\{\\w+\\}/.test(text)) missingKeys.push(`${key}: ${text}`);
              return text;
            };''', keys)

    def visit(self, look):
        """Calls look() in every view and representation."""
        for tab in TABS:
            self.open_tab(tab)
            look()
        self.open_tab('steps')
        self.browser.click('[data-focus="steps-tell"]')
        for n in range(1, 6):
            look()
            self.browser.click('[data-focus="steps-tell-next"]')
        look()
        self.open_tab('attention')
        for style in ('matrix', 'lines', 'heads', 'reading'):
            self.choose('style', style)
            for part in PARTS:
                self.choose('part', part)
                look()
        self.choose('unit', 'words')
        self.choose('chip', 'query:1')
        self.choose('layer', 0)
        self.choose('head', 0)
        look()
        self.choose('layer', 'rollout')
        look()
        self.browser.click('[data-focus="help"]')
        look()
        self.browser.click('#help button')

    def shown(self):
        """All texts to be seen or read out."""
        return set(self.browser.run('''
            const texts = [];
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
              const parent = walker.currentNode.parentElement;
              const isData = parent.closest('[lang]:not(html), bdi, option, #announcement');
              if (!isData && parent.checkVisibility()) texts.push(walker.currentNode.textContent.trim());
            }
            for (const node of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
              const isData = node.closest('[lang]:not(html), .name') || node.querySelector('bdi');
              if (isData || !node.checkVisibility()) continue;
              for (const name of ['aria-label', 'title', 'placeholder']) texts.push(node.getAttribute(name) ?? '');
            }
            return texts.filter(text => /[A-Za-z]{2}/.test(text));'''))

    def test_both_languages_have_the_same_keys_and_places(self):
        self.open_look()
        strings = self.strings()
        self.assertEqual(sorted(strings), ['en', 'ko'])
        self.assertEqual(sorted(strings['en']), sorted(strings['ko']))
        for key, english in strings['en'].items():
            korean = strings['ko'][key]
            self.assertNotEqual(korean.strip(), '', key)
            places = [set(re.findall(r'\{\w+\}', text)) for text in (english, korean)]
            self.assertEqual(*places, key)

    def test_korean_is_written_in_hangul_and_english_is_not(self):
        self.open_look()
        strings = self.strings()
        latin = {key for key, text in strings['ko'].items() if not re.search('[가-힣]', text)}
        self.assertLessEqual(latin, WITHOUT_HANGUL)
        self.assertEqual([key for key, text in strings['en'].items() if re.search('[가-힣]', text)], [])

    def test_every_key_in_the_scripts_has_its_text(self):
        self.open_look()
        strings = self.strings()['en']
        used = set(re.findall(r"\bt\('(\w+)'", self.material.look_page.read_text()))
        self.assertGreater(len(used), 50)
        self.assertEqual(used - set(strings), set())

    def test_nothing_english_stays_in_korean(self):
        seen = {}
        self.open_look()
        for language in ('en', 'ko'):
            self.choose('language', language)
            self.assertEqual(self.browser.run('return document.documentElement.lang'), language)
            self.note_missing()
            seen[language] = set()
            self.visit(lambda: seen[language].update(self.shown()))
            self.assertEqual(self.browser.run('return missingKeys'), [])
        self.assertGreater(len(seen['en']), 100)
        same = {text for text in seen['en'] & seen['ko'] if re.search('[A-Za-z]{2}', SAME.sub('', text))}
        self.assertEqual(same, set())

    def test_the_choice_is_remembered(self):
        self.open_look()
        self.choose('language', 'ko')
        self.browser.driver.refresh()
        self.assertEqual(self.chosen('language'), 'ko')
        self.assertRegex(self.browser.text('#tab-attention'), '[가-힣]')
