"""test_page.py FOLDER MSD: the page in headless Chromium, through its driver, as a person uses it: with mouse and fingers."""

import functools
import http.server
import json
import os
import socketserver
import subprocess
import sys
import tempfile
import threading
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

FOLDER, MSD = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
# s: long enough for a machine that has much else to do; a test that passes never waits for it.
PATIENCE = 60


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def serve(folder):
    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def browser():
    options = Options()
    for word in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "use-gl=angle", "use-angle=swiftshader",
                 "enable-unsafe-swiftshader", "hide-scrollbars", "window-size=1000,760", "touch-events=enabled",
                 "user-data-dir=" + tempfile.mkdtemp(prefix="msd-web-")):
        options.add_argument("--" + word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = "/usr/bin/chromium"
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.address = serve(FOLDER)
        cls.driver = browser()
        cls.driver.set_script_timeout(PATIENCE)

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def js(self, text, *values):
        return self.driver.execute_script(text, *values)

    def wait(self, condition, words):
        WebDriverWait(self.driver, PATIENCE, 0.05).until(lambda _: condition(), words)

    def show(self, scene, paused=True):
        self.driver.get(f"{self.address}/page/index.html?scene={scene}{'&paused' if paused else ''}")
        self.wait(lambda: self.js("return !!(window.msd && msd.ready)"), f"{scene} is not shown")
        self.wait_frames(3)

    def wait_frames(self, count):
        self.driver.execute_async_script(
            "const done = arguments[1]; let n = arguments[0];"
            "requestAnimationFrame(function f() { n-- > 0 ? requestAnimationFrame(f) : done(); });", count)

    def state(self):
        return self.js("return msd.state()")

    def find(self, particle):
        """A particle: where it is on the page in CSS pixels, and in m."""
        found = self.js(
            "const f = msd.find(arguments[0]), v = document.getElementById('view'), b = v.getBoundingClientRect();"
            "return [b.left + f.pixel[0] * b.width / v.width, b.top + f.pixel[1] * b.height / v.height, f.position,"
            " f.pinned]", particle)
        return found[0], found[1], found[2], found[3]

    def pointer(self, kind, steps, name="one"):
        """Presses at the first place, goes to the others, and lets go."""
        builder = ActionBuilder(self.driver, mouse=PointerInput(kind, name))
        action = builder.pointer_action
        action.move_to_location(round(steps[0][0]), round(steps[0][1]))
        action.pointer_down()
        for x, y in steps[1:]:
            action.move_to_location(round(x), round(y))
        action.pointer_up()
        builder.perform()

    def hold(self, kind, steps):
        """The same without letting go."""
        builder = ActionBuilder(self.driver, mouse=PointerInput(kind, "one"))
        action = builder.pointer_action
        action.move_to_location(round(steps[0][0]), round(steps[0][1]))
        action.pointer_down()
        for x, y in steps[1:]:
            action.move_to_location(round(x), round(y))
        builder.perform()

    def picture(self):
        """The canvas as the browser shows it: colours of a grid of places."""
        png = self.driver.find_element(By.ID, "view").screenshot_as_base64
        return self.driver.execute_async_script(
            "const done = arguments[1], i = new Image(); i.onload = () => { const c = document.createElement('canvas');"
            "c.width = i.width; c.height = i.height; const g = c.getContext('2d'); g.drawImage(i, 0, 0); const all = [];"
            "for (let y = 5; y < c.height; y += 10) for (let x = 5; x < c.width; x += 10)"
            " all.push([...g.getImageData(x, y, 1, 1).data].slice(0, 3).join()); done(all); };"
            "i.src = 'data:image/png;base64,' + arguments[0];", png)

    def last(self):
        return self.state()["particles"] - 1

    def test_golden_hashes_are_those_of_the_native_library(self):
        self.driver.get(f"{self.address}/page/index.html?paused")
        wrong = self.driver.execute_async_script(
            "const done = arguments[0]; (async () => { const m = await import('/build/web/check.mjs');"
            "const bytes = await (await fetch('/build/web/check.wasm')).arrayBuffer(); const lines = [];"
            "const c = await m.default({ wasmBinary: bytes, print: (l) => lines.push(l) });"
            "done([c._check_golden(), lines]); })().catch((e) => done([String(e), []]));")
        self.assertEqual(wrong[0], 0, "\n".join(wrong[1]))
        self.assertEqual(len(wrong[1]), 12)

    def test_scenes_have_the_bits_of_the_native_command(self):
        for scene in ("curtain", "layers", "skirt"):
            self.show(scene)
            frames, substeps = 20, self.js("return msd.controls().substeps")
            step = self.js("return msd.controls().time_step")
            self.assertTrue(self.js("return msd.step(arguments[0])", frames))
            options = [MSD, "run", scene, "--json", "--substeps", str(substeps) if substeps else "auto", "--time", str(frames * step)]
            told = subprocess.run(options, check=True, capture_output=True, text=True,
                                  env=dict(os.environ, MSD_SCENES=FOLDER + "/page/scenes"))
            self.assertEqual(self.js("return msd.hash()"), json.loads(told.stdout)["hash"], scene)

    def test_a_scene_is_drawn_and_moves(self):
        self.show("curtain", paused=False)
        colors = self.picture()
        self.assertGreater(len(set(colors)), 50, "the picture is blank")
        steps = self.state()["steps"]
        self.wait(lambda: self.state()["steps"] > steps + 5, "nothing moves")
        self.js("document.getElementById('pause').click()")
        self.wait_frames(2)
        self.assertTrue(self.state()["paused"])
        steps = self.state()["steps"]
        self.js("document.getElementById('step').click()")
        self.wait(lambda: self.state()["steps"] == steps + 1, "a step is not taken")
        self.js("document.getElementById('reset').click()")
        self.wait(lambda: self.state()["steps"] == 0, "it does not begin again")

    def drags(self, kind):
        self.show("curtain", paused=False)
        x, y, before, _ = self.find(self.last())
        self.hold(kind, [(x - 6, y - 6), (x, y - 40), (x + 30, y - 120)])
        self.wait(lambda: self.state()["held"] >= 0, "nothing is held")
        self.wait(lambda: self.find(self.state()["held"])[1] < y - 60, "what is held does not follow")
        builder = ActionBuilder(self.driver, mouse=PointerInput(kind, "one"))
        builder.pointer_action.pointer_up()
        builder.perform()
        self.wait(lambda: self.state()["held"] < 0, "it is not let go")

    def test_the_mouse_drags_a_particle(self):
        self.drags(interaction.POINTER_MOUSE)

    def test_a_finger_drags_a_particle(self):
        self.drags(interaction.POINTER_TOUCH)

    def test_two_fingers_zoom(self):
        self.show("curtain")
        apart = lambda: abs(self.find(0)[0] - self.find(self.last())[0])
        before = apart()
        builder = ActionBuilder(self.driver, mouse=PointerInput(interaction.POINTER_TOUCH, "one"))
        other = builder.add_pointer_input(interaction.POINTER_TOUCH, "two")
        first = builder.pointer_action
        for action, x in ((first, 450), (first, 380)):
            action.move_to_location(x, 400)
            if x == 450:
                action.pointer_down()
        first.pointer_up()
        for x in (550, 620):
            other.create_pointer_move(duration=50, x=x, y=400, origin="viewport")
            if x == 550:
                other.create_pointer_down(button=0)
        other.create_pointer_up(button=0)
        builder.perform()
        self.wait(lambda: apart() > 1.3 * before, "two fingers that part do not zoom")

    def test_a_stroke_cuts_springs(self):
        self.show("curtain")
        self.js("document.querySelector('[data-tool=\"1\"]').click()")
        xs = sorted((self.find(0)[0], self.find(self.last())[0]))
        y = (self.find(0)[1] + self.find(self.last())[1]) / 2
        self.pointer(interaction.POINTER_MOUSE, [(xs[0] - 20, y), ((xs[0] + xs[1]) / 2, y + 3), (xs[1] + 20, y)])
        self.wait(lambda: self.state()["broken"] > 10, "no spring is cut")

    def test_a_click_pins_and_unpins(self):
        self.show("curtain")
        self.js("document.querySelector('[data-tool=\"2\"]').click()")
        last = self.last()
        for wanted in (True, False):
            x, y, _, _ = self.find(last)
            self.pointer(interaction.POINTER_MOUSE, [(x, y)])
            self.wait(lambda: self.find(last)[3] == wanted, "a click does not change the pin")

    def test_a_slider_changes_what_is_certified(self):
        self.show("hanging_cloth")
        self.js("document.getElementById('panel').click()")
        verdict = self.js("return document.getElementById('verdict').textContent")
        self.assertIn("Certified", verdict)
        self.assertIn("stable time step of symplectic Euler", self.js("return document.getElementById('report').textContent"))
        before = self.js("return msd.report().stable_time_step")
        self.js("const s = document.querySelector('#groups input'); s.value = 1; s.oninput(); s.onchange()")
        self.wait(lambda: self.js("return msd.report().stable_time_step") < before / 2, "the certified step does not shrink")

    def test_a_file_of_ones_own_is_shown_and_a_bad_one_named(self):
        self.show("curtain")
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("own.json", '{"msd": 1, "title": "Mine", "bodies": [{"kind": "rope", "from": [0, 0, 0],'
                                            ' "to": [1, 0, 0], "segments": 7, "mass": 1, "pinned": ["first"],'
                                            ' "stretch": {"stiffness": 100, "damping": 1}}]}'),
                               ("bad.json", '{"msd": 1, "bodies": [{"kind": "rop"}]}')):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.driver.find_element(By.ID, "files").send_keys(os.path.join(folder, "own.json"))
            self.wait(lambda: self.state()["title"] == "Mine", "the file is not shown: " + self.notice())
            self.assertEqual(self.state()["particles"], 8)
            self.driver.find_element(By.ID, "files").send_keys(os.path.join(folder, "bad.json"))
            self.wait(lambda: "rope" in self.notice(), "the error is not told")
            self.assertEqual(self.state()["title"], "Mine")

    def notice(self):
        return self.js("return document.getElementById('notice').textContent")

    def test_every_shipped_scene_opens(self):
        self.show("curtain")
        for scene in json.load(open(FOLDER + "/page/scenes/index.json", encoding="utf-8")):
            done = self.driver.execute_async_script("const d = arguments[1]; msd.show(arguments[0], true).then(d)", scene["file"])
            self.assertTrue(done, scene["file"] + ": " + self.notice())
            self.wait_frames(2)
            self.assertEqual(self.notice(), "", scene["file"])
        bad = [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]
        self.assertEqual(bad, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
