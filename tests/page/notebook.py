"""notebook.py FOLDER: a notebook whose outputs answer, run from its first cell to its last and exported as a reader would:
FOLDER/notebook.html, and notebook.md for places where no script runs. Scripts that the exporter takes from elsewhere (MathJax) are left out."""
import re
import sys
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter, MarkdownExporter
from nbconvert.preprocessors import ExecutePreprocessor

CELLS = [
    "import longhand\nm = longhand.open('ex1')\nm",
    "m.explain('P[1][0]')",
    "m.plot('heat P')",
    "t = longhand.open('ex2').set('rate', 1)\nt.step(3)\nt.show('WO', 'probs', 'dWO', 'WO:=')",
    "w = longhand.open('ex1')\nw['WQ[0][1]'] = 2\nw.run()\nw.show('WQ', 'Q', 'P')",
    "longhand.open('ex4').show('L', 'P')",
    "m.plot('vectors E')",
    "longhand.open('ex4').freeze('WQ').show('P')         # a page cannot do this",
    "from IPython.display import HTML\nHTML('<table id=\"theirs\"><tr><td>1</td></tr></table><p id=\"word\"><button>theirs</button></p>')",
]


def main(folder: Path) -> None:
    folder.mkdir()
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(book, {"metadata": {"path": str(folder)}})
    for exporter, name in ((HTMLExporter(), "notebook.html"), (MarkdownExporter(), "notebook.md")):
        text = re.sub(r"<script src=.*?</script>", "", exporter.from_notebook_node(book)[0], flags=re.S)
        (folder / name).write_text(text, encoding="utf-8")


main(Path(sys.argv[1]))
