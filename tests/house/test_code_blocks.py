"""Every code block in the README and the docs runs, and prints what the page says."""

from pathlib import Path

import pytest

from tests.house.run_blocks import run_page
from tests.house.tree import ROOT

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page's blocks run in order in an empty folder; the README has some."""
    monkeypatch.chdir(tmp_path)
    count = run_page(page, tmp_path)
    assert count > 0 or page != README


def page_with(tmp_path: Path, text: str) -> Path:
    """A page of that text, away from the folder that its blocks run in."""
    page = tmp_path / "page.md"
    page.write_text(text)
    (tmp_path / "run").mkdir()
    return page


def test_good_blocks_pass(tmp_path: Path) -> None:
    """Blocks share a namespace, values match the comments beside them, and files with a title can be read."""
    text = """\
```python
x = [1, 2]
```
~~~~text
anything ``` at all
~~~~
- in a list:
  ```python
  x + [3]  # [1, 2, 3]
  len(x)  # prose is left alone
  ```
```toml title="a.toml"
key = 1
```
```console
$ cat \\
> a.toml
key = 1
$ printf 'a \\nb\\nc\\n\\n'
a
...
c
$ echo 1
```
```sh
make test
```
"""
    page = page_with(tmp_path, text)
    assert run_page(page, tmp_path / "run") == 5


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ("```python\n1 + 1  # 3\n```", "is 2, and the page says 3"),
        ("```python\nbool(1)  # 1\n```", "is True, and the page says 1"),
        ("```python\nx = 1\n\nundefined\n```", "NameError"),
        ("```python\nx =\n```", "SyntaxError"),
        ("```\nno language\n```", "cannot be run"),
        ("```json\n{\n```", "JSONDecodeError"),
        ("```toml\nx =\n```", "TOMLDecodeError"),
        ("```console\n$ echo 1\n2\n```", "differs"),
        ("```console\n$ printf '1\\n2\\n'\n1\n```", "differs"),
        ("```console\n$ printf '1\\n2\\n'\n...\n1\n```", "differs"),
        ("```console\n$ cat missing\n```", "exit code 1, not 0"),
        ("```console\n$ cat missing | cat\n```", "exit code 1, not 0"),
        ("```console exit=1\n$ echo 1\n```", "exit code 0, not 1"),
        ("```console\n$ capax no-such-command\n```", "exit code 2, not 0"),
        ("```console\n$ unheard-of\n```", "neither run"),
        ("```console\noutput\n$ echo 1\n```", "output before"),
        ("```sh\n```", "no command"),
        ("```sh\nmake nonsense\n```", "no 'nonsense'"),
        ("```rasp\nx = ;\n```", "CapaxError"),
    ],
)
def test_a_breach_is_seen(tmp_path: Path, block: str, problem: str) -> None:
    """A block that fails, or that does not do what the page says, is found, with its place."""
    page = page_with(tmp_path, block)
    with pytest.raises(AssertionError, match=rf"page\.md:2: (.|\n)*{problem}"):
        run_page(page, tmp_path / "run")


def test_an_unclosed_block_is_seen(tmp_path: Path) -> None:
    """A block without an end is an error, not a block that is passed over."""
    page = page_with(tmp_path, "```python\nx = 1\n")
    with pytest.raises(ValueError, match="not closed"):
        run_page(page, tmp_path / "run")
