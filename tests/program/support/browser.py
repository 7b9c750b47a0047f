# SPDX-License-Identifier: MIT
"""A headless Chromium, driven through chromedriver with nothing but Python's own library."""
import atexit
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


class Browser:
    def __init__(self, width=1280, height=900):
        self._profile = tempfile.mkdtemp(prefix="polhode-chromium-")
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        port = None
        for line in self._driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                port = found[1]
                break
        if not port:
            raise RuntimeError("chromedriver did not start")
        self._at = f"http://127.0.0.1:{port}"
        options = {
            "args": [
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                f"--user-data-dir={self._profile}",
                f"--window-size={width},{height}",
            ],
            "binary": shutil.which("chromium"),
        }
        patience = {"script": 600000, "pageLoad": 600000}
        wanted = {"browserName": "chrome", "timeouts": patience, "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self._at += "/session/" + self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def _call(self, method, path, body=None):
        request = urllib.request.Request(
            self._at + path,
            method=method,
            headers={"Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode(),
        )
        try:
            with urllib.request.urlopen(request, timeout=1200) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error

    def open(self, path):
        self._call("POST", "/url", {"url": "file://" + path})

    def rest(self):
        """Shows nothing: a page that is left open goes on to take processor time."""
        self._call("POST", "/url", {"url": "about:blank"})

    def run(self, script, *arguments):
        """The value of a script with `return`."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds=600):
        """Until it returns something true. No test waits for the clock: this ends tests that hang, on the slowest machine."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.run(script)
            if found:
                return found
            time.sleep(0.05)
        raise TimeoutError(script)

    def complaints(self):
        """What the page's console has had, of errors."""
        return [
            entry["message"]
            for entry in self._call("POST", "/se/log", {"type": "browser"})
            if entry["level"] == "SEVERE"
        ]

    def runs_foreign_scripts(self):
        """Would the page run a script that is none of its own? Leaves no complaint of it."""
        ran = self.run(
            """const script = document.createElement('script');
            script.textContent = 'window.foreign = true';
            document.head.append(script);
            script.remove();
            return window.foreign === true;"""
        )
        self.complaints()
        return ran

    def look_like(self, width, height=844, touch=True):
        """A telephone, say: pages that are opened from now on have this size, and fingers instead of a mouse. None: as it was."""
        about = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch}
        self._develop("Emulation.setTouchEmulationEnabled", enabled=bool(width and touch), maxTouchPoints=2)
        if width:
            self._develop("Emulation.setDeviceMetricsOverride", **about)
        else:
            self._develop("Emulation.clearDeviceMetricsOverride")

    def swipe(self, selector, dx, dy):
        """With a finger, from the middle of an element that is brought into sight."""
        x, y = self._middle(selector)
        way = [{"type": "pointerMove", "duration": 16, "x": int(x + dx * k / 10), "y": int(y + dy * k / 10)} for k in range(11)]
        rest = {"type": "pause", "duration": 50}
        self._act("touch", [way[0], {"type": "pointerDown", "button": 0}, *way[1:], rest, {"type": "pointerUp", "button": 0}])

    def _act(self, kind, acts):
        pointer = {"type": "pointer", "id": kind, "actions": acts, "parameters": {"pointerType": kind}}
        self._call("POST", "/actions", {"actions": [pointer]})

    def _develop(self, command, **parameters):
        """Of Chromium's tools for developers"""
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def _middle(self, selector):
        return self.run(
            "const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'});"
            "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2];",
            selector,
        )

    def click(self, selector):
        element = self._call("POST", "/element", {"using": "css selector", "value": selector})
        self._call("POST", f"/element/{next(iter(element.values()))}/click", {})

    def drag(self, selector, dx, dy):
        """From the middle of an element, with the mouse."""
        x, y = self._middle(selector)
        move = {"type": "pointerMove", "duration": 50}
        acts = [
            {**move, "x": int(x), "y": int(y)},
            {"type": "pointerDown", "button": 0},
            {**move, "x": int(x + dx), "y": int(y + dy)},
            {"type": "pointerUp", "button": 0},
        ]
        self._act("mouse", acts)

    def close(self):
        try:
            self._call("DELETE", "")
        finally:
            self._driver.terminate()
            self._driver.wait()
            self._driver.stdout.close()
            shutil.rmtree(self._profile, ignore_errors=True)


_shared = None


def shared_browser():
    """One for all tests of a process, which ends with it. A page is as large as in a new one."""
    global _shared
    if _shared is None:
        _shared = Browser()
        atexit.register(_shared.close)
    else:
        _shared.look_like(None)
    return _shared
