"""What the page asks of capax."""

import json
from typing import Any

import pytest

from capax.app.site import page_jobs
from capax.app.web.gallery import GALLERY
from capax.app.web.jobs.registry import JOBS


def asked(job: str, /, **request: Any) -> Any:
    """The answer of a job."""
    return json.loads(page_jobs.ask(job, json.dumps(request)))


def test_jobs_are_those_of_the_server() -> None:
    assert set(page_jobs.JOBS) < set(JOBS)
    for name, job in page_jobs.JOBS.items():
        assert JOBS[name].run is job


def test_an_example_gives_its_answer() -> None:
    reply = asked("evaluate", text=GALLERY[0].text, word="hello")["result"]
    assert reply["run"]["values"] == list("olleh")
    assert reply["flow"]["layers"][-1]["heads"][0]["cells"]["rows"][0] == "....#"


def test_a_mistake_is_an_answer() -> None:
    assert not asked("evaluate", text="x = nothing(;", word="hello")["result"]["check"]["ok"]
    assert asked("evaluate", text="x = tokens + 1;", word="hello")["result"]["error"]["text"]
    assert asked("mark", text="x = 1;", puzzle="nothing")["error"]["code"] == "bad-option"


@pytest.mark.parametrize("name", page_jobs.LIMITS)
def test_limits_are_computed(name: str) -> None:
    assert asked("limit", name=name, given={})["result"]["limit"]["verdict"]["text"]
