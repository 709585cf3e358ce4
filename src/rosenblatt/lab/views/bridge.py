"""What passes between the browser and the page without being seen: keys, files, the address."""

from collections.abc import Callable

from bokeh.document import Document
from bokeh.events import ClientReconnected, ConnectionLost
from bokeh.models import Button, Column, CustomJS, TextInput

from rosenblatt.lab.files import LIMIT, TOO_LARGE
from rosenblatt.lab.views.binding import on_change
from rosenblatt.lab.views.controls import WIDTH

UPLOAD = """
const input = document.createElement("input");
input.type = "file";
input.onchange = async () => {
  const file = input.files[0];
  if (file.size > limit) { told.value = "!" + too_large; return; }
  const headers = {"X-Name": encodeURIComponent(file.name)};
  const answer = await fetch(place, {method: "POST", body: file, headers});
  told.value = (answer.ok ? "" : "!") + await answer.text();
};
input.click();
"""
KEEP_ADDRESS = 'history.replaceState(null, "", cb_obj.value ? "?" + cb_obj.value : ".")'
SHOW_END = 'document.getElementById("ended").hidden = {0}'
MARK = "!"  # what comes after it is a sentence, not a key


class Bridge:
    """Hidden models: `pressed` hears keys, `uploaded` the key of a file or why there is none."""

    def __init__(
        self,
        upload_place: str,
        pressed: Callable[[str], None],
        uploaded: Callable[[str, str], None],
    ) -> None:
        keys = TextInput(name="keys")
        on_change(keys, "value", lambda new: pressed(new.split("|")[0]))
        told = TextInput(name="told")

        def arrived(new: str) -> None:
            if new.startswith(MARK):
                uploaded("", new.removeprefix(MARK))
            else:
                uploaded(new, "")

        on_change(told, "value", arrived)
        self._address = TextInput(name="address")
        self._address.js_on_change("value", CustomJS(code=KEEP_ADDRESS))
        self.upload = Button(label="Open a file…", width=WIDTH, css_classes=["lab-upload"])
        args = {"told": told, "place": upload_place, "limit": LIMIT, "too_large": TOO_LARGE}
        self.upload.js_on_click(CustomJS(args=args, code=UPLOAD))
        self.view = Column(name="bridge", children=[keys, told, self._address])

    def tell_the_end(self, doc: Document) -> None:
        """Let the page say when nobody answers any more, in its own words."""
        doc.config.notify_connection_status = False
        for event, hidden in ((ConnectionLost, "false"), (ClientReconnected, "true")):
            doc.js_on_event(event, CustomJS(code=SHOW_END.format(hidden)))

    def keep(self, query: str) -> None:
        """Let the address hold a set-up."""
        self._address.value = query
