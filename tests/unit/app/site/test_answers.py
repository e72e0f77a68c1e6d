"""Answers that a site brings along are those of the jobs."""

from capax.app.site import answers


def test_a_key_is_what_the_page_makes_of_a_request() -> None:
    """In order, and without what is empty."""
    found = answers.key("limit", {"name": "match3", "given": {}, "model": "", "a": 1})
    assert found == 'limit {"a":1,"name":"match3"}'


def test_requests_have_different_keys_and_known_jobs() -> None:
    keys = [answers.key(*one) for one in answers.requests()]
    assert len(set(keys)) == len(keys) > 60
    assert {one.split()[0] for one in keys} == {
        *("audit", "break", "evaluate", "limit", "recognise", "theorem", "turing")
    }


def test_answers_are_kept_by_their_requests(monkeypatch: object) -> None:
    """A theorem and a program, as the jobs answer them."""
    few = [one for one in answers.requests() if "majority" in str(one) and one[0] == "theorem"]
    few += [one for one in answers.requests() if one[0] == "evaluate"][:1]
    monkeypatch.setattr(answers, "requests", lambda: iter(few))  # type: ignore[attr-defined]
    answers.answers.cache_clear()
    found = answers.answers()
    answers.answers.cache_clear()
    assert len(found) == 2
    assert found[answers.key("theorem", {"name": "majority"})]["theorem"]["holds"]
    assert next(value for name, value in found.items() if name.startswith("evaluate"))["run"]["values"] == list("olleh")
