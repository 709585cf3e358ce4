"""Write the examples of each lecture as a Jupyter notebook, and execute it.

    python examples/notebooks.py [FOLDER]

Needs `pip install '.[notebooks]'`. A notebook has a cell of text and one of code for each
script: its docstring, and its code, which shows the figure or prints the table.
"""

import ast
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def cells_of(script: Path) -> list[Any]:
    """The text and the code of a script as cells."""
    source = script.read_text(encoding="utf-8")
    tree = ast.parse(source)
    title = script.stem.replace("_", " ").capitalize()
    body = [node for node in tree.body[1:] if not isinstance(node, ast.If)]
    code = "\n".join(_source(source, node) for node in body)
    return [
        nbformat.v4.new_markdown_cell(f"## {title}\n\n{ast.get_docstring(tree)}"),
        nbformat.v4.new_code_cell(f"{code}\n\nshow(run)"),
    ]


def _source(source: str, node: ast.stmt) -> str:
    text = ast.get_source_segment(source, node) or ""
    gap = "\n\n" if isinstance(node, ast.FunctionDef) else ""
    return gap + textwrap.dedent(text)


SHOW = '''
from pathlib import Path
from tempfile import TemporaryDirectory

from IPython.display import Image, display


def show(run):
    """Show the figure or the table that an example writes."""
    with TemporaryDirectory() as folder:
        written = run(Path(folder))
        if written.suffix == ".png":
            display(Image(written.read_bytes()))
        else:
            print(written.read_text())
'''.strip()


def notebook_of(folder: Path) -> Any:
    """The notebook of one lecture."""
    number = re.sub(r"\D", "", folder.name)
    scripts = sorted(folder.glob("*.py"))
    start = [
        nbformat.v4.new_markdown_cell(f"# Lecture {number}"),
        nbformat.v4.new_code_cell(SHOW),
    ]
    book = nbformat.v4.new_notebook(
        cells=[*start, *(cell for script in scripts for cell in cells_of(script))]
    )
    for k, cell in enumerate(book.cells):
        cell["id"] = f"cell-{k}"  # the same file every time
    return book


def main(target: Path) -> None:
    """Write and execute the notebooks of all lectures."""
    target.mkdir(parents=True, exist_ok=True)
    for folder in sorted(HERE.glob("lecture_*")):
        book = notebook_of(folder)
        NotebookClient(book, timeout=600, kernel_name="python3").execute()
        nbformat.write(book, target / f"{folder.name}.ipynb")
        print(target / f"{folder.name}.ipynb")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
