"""Notes on heads and MLPs are sentences of the program, with what is named in them."""

import capax as cx


def notes_of(text: str) -> dict[str, str]:
    """The notes of the circuit of a program over two letters."""
    program = cx.Program.from_text(text)
    compiled = cx.compile(program, alphabet="ab", max_length=4, keep_all=True, target="plain")
    return {node.name: node.note for node in compiled.circuit().nodes}


def test_a_code_is_told_with_what_it_is_the_code_of() -> None:
    """The expression stands in the note, since no other note has it."""
    notes = notes_of('before = shift(tokens, 1, ""); picked = before if tokens == "a" else tokens;')
    assert notes["a0.h0"].startswith("averages before = aggregate(")
    codes = [note for note in notes.values() if "code of picked" in note]
    assert codes
    assert codes[0].endswith('where picked = before if (tokens == "a") else tokens')


def test_a_number_for_a_boolean_is_told_with_the_boolean() -> None:
    """With the selector in it, too; the head that reads it has a note of its own, which is not repeated."""
    text = 'again = tokens == "a" and has_focus(select(tokens, "a", ==) and select(indices, indices, <));'
    notes = notes_of(text + " first = aggregate(select(again, True, ==), indices, -1);")
    flag = next(note for note in notes.values() if "again not == True" in note)
    assert 'where again = (tokens == "a") and (selector_width(' in flag
    assert '= (select(tokens, "a", ==) and select(indices, indices, <))' in flag
    assert "first = " not in flag
