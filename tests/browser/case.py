"""What the tests have in common: the browser, the material, and no faults at the end of any of them."""
import os
import pathlib
import unittest


class BrowserCase(unittest.TestCase):
    browser = None   # set by run
    material = None

    def tearDown(self):
        self.assertEqual(self.browser.faults(), [], 'errors in the console, or requests')

    def assert_fits(self, width, where):
        """Nothing is wider than the screen."""
        wide = self.browser.run('return document.documentElement.scrollWidth')
        self.assertLessEqual(wide, width, f'{where}: {wide} pixels on a screen of {width}')


def pictures():
    """The folder for screenshots: HEED_SCREENSHOTS, or screenshots beside the folder of the program."""
    beside = pathlib.Path(BrowserCase.material.heed).parent.parent / 'screenshots'
    folder = pathlib.Path(os.environ.get('HEED_SCREENSHOTS') or beside)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
