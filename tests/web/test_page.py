"""test_page.py FOLDER MSD [TEST...]: the page in headless Chromium, driven by mouse and touch events."""

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
                 "enable-unsafe-swiftshader", "hide-scrollbars", "window-size=640,600", "touch-events=enabled",
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
        """The page with a scene, which draws when frames() asks for it: as fast as the machine can, and the same each
        time."""
        self.driver.get(f"{self.address}/page/index.html?manual&scene={scene}{'&paused' if paused else ''}")
        self.wait(lambda: self.js("return !!(window.msd && msd.ready)"), f"{scene} is not shown")
        # What the browser delivers comes when it likes: press() and lift() wait for it.
        self.js("for (const kind of ['pointerdown', 'pointermove', 'pointerup']) window.addEventListener(kind,"
                " (e) => { window.latest = [e.type, e.pointerType, Math.round(e.clientX), Math.round(e.clientY)]; });")
        self.frames(1)

    def frames(self, count):
        """So many frames of a display of 60 Hz."""
        self.js("for (let n = 0; n < arguments[0]; n++) msd.frame(1 / 60)", count)

    def state(self):
        return self.js("return msd.state()")

    def find(self, particle):
        """A particle: where it is on the page in CSS pixels, and in m."""
        found = self.js(
            "const f = msd.find(arguments[0]), v = document.getElementById('view'), b = v.getBoundingClientRect();"
            "return [b.left + f.pixel[0] * b.width / v.width, b.top + f.pixel[1] * b.height / v.height, f.position,"
            " f.pinned]", particle)
        return found[0], found[1], found[2], found[3]

    def act(self, kind, type, *places):
        """One event of the mouse, or of as many fingers as there are places; what is lifted is where it was."""
        places = self.places = [(round(x), round(y)) for x, y in places] or self.places
        if kind == "touch":
            points = [] if type == "up" else [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(places)]
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {
                "type": {"down": "touchStart", "move": "touchMove", "up": "touchEnd"}[type], "touchPoints": points})
        else:
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": {"down": "mousePressed", "move": "mouseMoved", "up": "mouseReleased"}[type],
                "x": places[0][0], "y": places[0][1], "button": "left", "buttons": int(type != "up"),
                "clickCount": int(type != "move")})
        # Events of several fingers come in any order.
        ends = [["pointer" + type, kind, *place] for place in places]
        self.wait(lambda: self.js("return window.latest") in ends, f"the browser delivers none of {ends}")

    def press(self, kind, places):
        """A finger or the mouse comes down at the first place and goes to the others."""
        self.act(kind, "down", places[0])
        for place in places[1:]:
            self.act(kind, "move", place)

    def lift(self, kind):
        self.act(kind, "up")

    def picture(self):
        """The canvas as the browser shows it: colors of a grid of places."""
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

    def test_scenes_have_the_hashes_of_the_native_command(self):
        for scene in ("curtain", "skirt"):
            self.show(scene)
            frames, substeps = 10, self.js("return msd.controls().substeps")
            frame_time = self.js("return msd.controls().frame_time")
            self.assertTrue(self.js("return msd.step(arguments[0])", frames))
            options = [MSD, "run", scene, "--json", "--substeps", str(substeps or "auto"), "--duration", str(frames * frame_time)]
            run = subprocess.run(options, check=True, capture_output=True, text=True,
                                  env=dict(os.environ, MSD_SCENES=FOLDER + "/page/scenes"))
            self.assertEqual(self.js("return msd.hash()"), json.loads(run.stdout)["hash"], scene)

    def test_a_page_draws_and_steps_by_itself(self):
        self.driver.get(f"{self.address}/page/index.html?scene=curtain")
        self.wait(lambda: self.js("return !!(window.msd && msd.ready)"), "curtain is not shown")
        self.wait(lambda: self.state()["total_substeps"] > 2, "nothing moves")
        self.wait(lambda: len(set(self.picture())) > 50, "the picture is blank")

    def test_buttons_pause_step_and_reset(self):
        self.show("curtain", paused=False)
        self.frames(4)
        self.assertGreater(self.state()["total_substeps"], 0)
        self.click("#pause")
        self.frames(1)
        steps = self.state()["total_substeps"]
        self.frames(3)
        self.assertTrue(self.state()["paused"])
        self.assertEqual(self.state()["total_substeps"], steps)
        self.click("#step")
        self.frames(2)
        self.assertEqual(self.state()["total_substeps"], steps + 1)
        self.click("#reset")
        self.frames(2)
        self.assertEqual(self.state()["total_substeps"], 0)

    def drags(self, kind):
        self.show("curtain", paused=False)
        last = self.last()
        x, y, _, _ = self.find(last)
        self.press(kind, [(x, y), (x, y - 20), (x + 10, y - 60)])
        self.frames(40)
        self.assertEqual(self.state()["dragged"], last)
        self.assertLess(self.find(last)[1], y - 30, "the particle does not follow")
        self.driver.save_screenshot(f"{FOLDER}/dragged_by_{kind}.png")
        self.lift(kind)
        self.frames(1)
        self.assertEqual(self.state()["dragged"], -1)

    def test_the_mouse_drags_a_particle(self):
        self.drags("mouse")

    def test_a_finger_drags_a_particle(self):
        self.drags("touch")

    def test_two_fingers_zoom(self):
        self.show("curtain")

        def apart():
            return abs(self.find(0)[0] - self.find(self.last())[0])

        before = apart()
        self.act("touch", "down", (220, 200))
        self.act("touch", "down", (220, 200), (280, 200))
        self.act("touch", "move", (150, 200), (350, 200))
        self.act("touch", "up")
        self.frames(1)
        self.wait(lambda: apart() > 1.3 * before, "two fingers that part do not zoom")

    def test_a_stroke_cuts_springs(self):
        self.show("curtain")
        self.click('[data-tool="1"]')
        first, last = self.find(0), self.find(self.last())
        y = (first[1] + last[1]) / 2
        left, right = min(first[0], last[0]) - 10, max(first[0], last[0]) + 10
        self.press("mouse", [(left, y), ((left + right) / 2, y + 3), (right, y)])
        self.lift("mouse")
        self.frames(2)
        self.assertGreater(self.state()["broken"], 10)

    def test_a_click_pins_and_unpins(self):
        self.show("curtain")
        self.click('[data-tool="2"]')
        last = self.last()
        for wanted in (True, False):
            self.press("mouse", [self.find(last)[:2]])
            self.lift("mouse")
            self.frames(2)
            self.assertEqual(self.find(last)[3], wanted)

    def test_a_slider_changes_the_stable_substep(self):
        self.show("hanging_cloth")
        self.click("#panel")
        self.assertIn("Proven stable", self.text("verdict"))
        self.assertIn("stable substep of symplectic Euler", self.text("report"))
        before, report = self.js("return msd.report().stable_substep"), self.text("report")
        self.js("const s = document.querySelector('#groups input'); s.value = 1; s.oninput(); s.onchange()")
        self.frames(3)
        self.assertLess(self.js("return msd.report().stable_substep"), before / 2)
        self.assertNotEqual(self.text("report"), report)

    def test_a_file_of_ones_own_is_shown_and_a_bad_one_named(self):
        self.show("curtain")
        files = {"own.json": {"msd": 1, "title": "Mine", "bodies": [
                     {"type": "rope", "from": [0, 0, 0], "to": [1, 0, 0], "particles": 8, "mass": 1,
                      "pinned": ["first"], "stretch": {"stiffness": 100, "damping": 1}}]},
                 "bad.json": {"msd": 1, "bodies": [{"type": "rop"}]}}
        with tempfile.TemporaryDirectory() as folder:
            for name, scene in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    json.dump(scene, file)
                self.driver.find_element(By.ID, "files").send_keys(file.name)
                self.wait(lambda: self.state()["title"] == "Mine", f"{name}: {self.text('notice')}")
                self.assertEqual(self.state()["particles"], 8)
            self.wait(lambda: "rope" in self.text("notice"), "the error is not shown")
            self.assertEqual(self.state()["title"], "Mine")

    def text(self, element):
        return self.js("return document.getElementById(arguments[0]).textContent", element)

    def click(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def test_every_shipped_scene_opens(self):
        self.show("curtain")
        with open(FOLDER + "/page/scenes/index.json", encoding="utf-8") as file:
            scenes = [scene["file"] for scene in json.load(file)]
        self.assertGreater(len(scenes), 20)
        for scene in scenes:
            shown, stepped = self.driver.execute_async_script(
                "const d = arguments[1];"
                "msd.show(arguments[0], true).then((shown) => d([shown, shown && msd.step(1)]))", scene)
            self.assertTrue(shown and stepped, f"{scene}: {self.text('notice')}")
        # The last one is drawn, too.
        self.frames(1)
        self.assertEqual(self.text("notice"), "")
        bad = [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]
        self.assertEqual(bad, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
