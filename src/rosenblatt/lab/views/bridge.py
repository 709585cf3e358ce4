"""Invisible models that connect browser and page: keys, uploads, the address."""

from collections.abc import Callable

from bokeh.document import Document
from bokeh.events import ClientReconnected, ConnectionLost
from bokeh.models import Button, Column, CustomJS, TextInput

from rosenblatt.lab.dataset import MAX_UPLOAD_BYTES, TOO_LARGE
from rosenblatt.lab.views.bindings import on_change
from rosenblatt.lab.views.controls import WIDTH

UPLOAD = """
const input = document.createElement("input");
input.type = "file";
input.onchange = async () => {
  const file = input.files[0];
  if (file.size > limit) { result.value = "!" + too_large; return; }
  const headers = {"X-Name": encodeURIComponent(file.name)};
  const answer = await fetch(url, {method: "POST", body: file, headers});
  result.value = (answer.ok ? "" : "!") + await answer.text();
};
input.click();
"""
KEEP_ADDRESS = 'history.replaceState(null, "", cb_obj.value ? "?" + cb_obj.value : ".")'
SHOW_ENDED = 'document.getElementById("ended").hidden = {0}'
ERROR_PREFIX = "!"  # of an error message instead of a key


class Bridge:
    """Hidden models; `pressed` gets keys, `uploaded` the key of a file or an error."""

    def __init__(
        self,
        upload_url: str,
        pressed: Callable[[str], None],
        uploaded: Callable[[str, str], None],
    ) -> None:
        keys = TextInput(name="keys")
        on_change(keys, "value", lambda new: pressed(new.split("|")[0]))
        result = TextInput(name="upload_result")

        def arrived(new: str) -> None:
            if new.startswith(ERROR_PREFIX):
                uploaded("", new.removeprefix(ERROR_PREFIX))
            else:
                uploaded(new, "")

        on_change(result, "value", arrived)
        self._address = TextInput(name="address")
        self._address.js_on_change("value", CustomJS(code=KEEP_ADDRESS))
        self.upload = Button(label="Open a file…", width=WIDTH, css_classes=["lab-upload"])
        args = {
            "result": result,
            "url": upload_url,
            "limit": MAX_UPLOAD_BYTES,
            "too_large": TOO_LARGE,
        }
        self.upload.js_on_click(CustomJS(args=args, code=UPLOAD))
        self.view = Column(name="bridge", children=[keys, result, self._address])

    def show_lost_connection(self, doc: Document) -> None:
        """Show the page's own message when the connection to the server is lost."""
        doc.config.notify_connection_status = False
        for event, hidden in ((ConnectionLost, "false"), (ClientReconnected, "true")):
            doc.js_on_event(event, CustomJS(code=SHOW_ENDED.format(hidden)))

    def keep(self, query: str) -> None:
        """Write a query to the address."""
        self._address.value = query
