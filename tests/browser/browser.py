"""One headless Chromium for all tests. It cannot reach any other machine, and it keeps what a page did wrong."""
import base64
import json

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

ARGUMENTS = (
    '--headless=new',
    '--no-sandbox',  # which root cannot use; the pages are our own
    '--disable-gpu',
    '--disable-extensions',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--no-first-run',
    '--hide-scrollbars',
    '--lang=en-US',
    '--window-size=1280,900',
    '--host-resolver-rules=MAP * ~NOTFOUND',
)


class Browser:
    def __init__(self, downloads):
        options = webdriver.ChromeOptions()
        options.binary_location = '/usr/bin/chromium'
        for argument in ARGUMENTS:
            options.add_argument(argument)
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
        options.add_experimental_option('perfLoggingPrefs', {'enableNetwork': True, 'enablePage': False})
        self.driver = webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=options)
        self.driver.set_script_timeout(30)
        self.command('Browser.setDownloadBehavior', behavior='allow', downloadPath=str(downloads))
        self.opened = ''

    def close(self):
        self.driver.quit()

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    # --- Pages

    def open(self, path, hash=''):
        """Opens a file as for the first time: nothing that an earlier page remembered is left."""
        if self.driver.current_url.startswith('file:'):
            self.run('localStorage.clear()')
        self.driver.get('about:blank')
        self.opened = path.resolve().as_uri()
        self.prefer_dark(False)
        self.resize(1280)
        self.driver.get(self.opened + hash)

    def faults(self):
        """Errors in the console and requests for anything but the opened file, since the last call."""
        errors = [entry['message'] for entry in self.driver.get_log('browser') if entry['level'] == 'SEVERE']
        for entry in self.driver.get_log('performance'):
            message = json.loads(entry['message'])['message']
            if message['method'] != 'Network.requestWillBeSent':
                continue
            url = message['params']['request']['url']
            if not url.startswith(('data:', 'blob:', 'about:')) and url.split('#')[0] != self.opened:
                errors.append(f'request for {url}')
        return errors

    def resize(self, width, height=900):
        size = {'width': width, 'height': height}
        self.command('Emulation.setDeviceMetricsOverride', **size, deviceScaleFactor=1, mobile=False)

    def prefer_dark(self, dark):
        value = 'dark' if dark else 'light'
        self.command('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': value}])

    def settle(self):
        """Waits until what a change set off has been drawn and no colour is on its way to another."""
        self.driver.execute_async_script('''const done = arguments[0];
            const ended = () => Promise.allSettled(document.getAnimations().map(each => each.finished));
            requestAnimationFrame(() => requestAnimationFrame(() => ended().then(() => done())));''')

    def save_picture(self, path):
        """The whole page, in a window as high as it is: a bar at the edge of the window must not hide its middle."""
        width, height, full = self.run(
            'return [innerWidth, innerHeight, Math.max(innerHeight, document.documentElement.scrollHeight)]')
        self.resize(width, min(full, 8000))
        picture = self.command('Page.captureScreenshot', optimizeForSpeed=True)
        self.resize(width, height)
        self.settle()
        path.write_bytes(base64.b64decode(picture['data']))

    # --- Elements

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        """The only visible element that fits."""
        found = self.run('''return Array.from(document.querySelectorAll(arguments[0])).filter(
            each => each.checkVisibility({visibilityProperty: true}))''', selector)
        if len(found) != 1:
            raise AssertionError(f"{len(found)} visible elements fit '{selector}', not 1")
        return found[0]

    def click(self, selector):
        """A page may make its elements again just before the click, when a size has changed; then it is tried again."""
        for attempt in range(3):
            try:
                return self.one(selector).click()
            except StaleElementReferenceException:
                if attempt == 2:
                    raise

    def pick(self, selector, index):
        """Chooses an entry of a list."""
        Select(self.one(selector)).select_by_index(index)

    def click_at(self, selector, x, y):
        """Clicks a place of an element, counted from its upper left corner. It is brought into view: a picture may be
        higher than the window."""
        x, y = self.run('''const [element, x, y] = arguments;
            scrollBy(0, element.getBoundingClientRect().top + y - innerHeight / 2);
            const box = element.getBoundingClientRect();
            return [box.left + x, box.top + y]''', self.one(selector), x, y)
        actions = ActionChains(self.driver)
        actions.w3c_actions.pointer_action.move_to_location(int(x), int(y))
        actions.click()
        # Away again, to the corner of the window: what was clicked must not stay under the pointer.
        actions.w3c_actions.pointer_action.move_to_location(1, 1)
        actions.perform()

    def press(self, *keys):
        """Keys for whatever has the focus."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def focused(self):
        """The data-focus name of the element with the focus."""
        return self.run('return document.activeElement.dataset.focus ?? ""')

    def text(self, selector):
        """All text of the first element that fits, also where it is hidden."""
        return self.run('return document.querySelector(arguments[0]).textContent', selector)

    def texts(self, selector):
        script = 'return Array.from(document.querySelectorAll(arguments[0]), each => each.textContent)'
        return self.run(script, selector)

    def set_slider(self, selector, value):
        """Moves a slider as a hand would: the value changes and the page is told."""
        self.run('''const [selector, value] = arguments;
                    const slider = document.querySelector(selector);
                    slider.value = value;
                    slider.dispatchEvent(new Event('input', {bubbles: true}));''', selector, value)
