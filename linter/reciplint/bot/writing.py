"""Write once: what went wrong with a request, and when it may be sent again.

GitHub may have stored what it answered 502 to, so nothing is repeated before a look at what is there. A limit is
waited for as GitHub tells, once; what is still refused then is given up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from reciplint.report.escape import shown

LONGEST_WAIT = 180.0
"""Seconds; a run of Actions that waits longer costs more than a comment is worth."""

_PATIENCE = 60.0
_BREATH = 2.0
_LIMIT_WORDS = ("abuse", "secondary rate", "rate limit", "too quickly")


class Trouble(Exception):
    """A request that did not do what it should; the text is for people and holds no secret."""


class Limited(Trouble):
    """GitHub asks to wait: nothing was done."""

    def __init__(self, text: str, wait: float) -> None:
        super().__init__(text)
        self.wait = wait


class Unsure(Trouble):
    """No answer, or a server's fault: it may have been done."""


class Unprocessable(Trouble):
    """GitHub understood and will not (422)."""


class ReadOnly(Trouble):
    """The token may not write."""


class Absent(Trouble):
    """There is no such thing, or the token may not know of it (404)."""


class GaveUp(Trouble):
    """It was tried as often as it should be."""


@contextmanager
def translated(now: Callable[[], float] = time.time) -> Iterator[None]:
    """PyGithub's exceptions, and those of what it is built on, as `Trouble`."""
    import requests
    from github import GithubException

    try:
        yield
    except GithubException as error:
        raise _trouble(error.status, error.data, error.headers or {}, now()) from None
    except requests.RequestException as error:
        raise Unsure(f"no answer ({type(error).__name__})") from None


def _trouble(status: int, data: object, headers: Mapping[str, object], now: float) -> Trouble:
    message = str(data.get("message") or "") if isinstance(data, dict) else ""
    told = f"GitHub answered {status}" + (f": {shown(message, 200)}" if message else "")
    if status >= 500:
        return Unsure(told)
    lowered = message.lower()
    is_limit = any(words in lowered for words in _LIMIT_WORDS) or "retry-after" in headers
    if status == 429 or (status in (403, 422) and is_limit):
        return Limited(told, _wait(headers, now))
    if status == 422:
        return Unprocessable(told)
    if status in (401, 403):
        return ReadOnly(told)
    return Absent(told) if status == 404 else Trouble(told)


def _wait(headers: Mapping[str, object], now: float) -> float:
    """Seconds to wait: as told, until the limit is reset, or a minute, as GitHub's documentation asks."""
    told = str(headers.get("retry-after", ""))
    if told.isdigit():
        return float(told)
    reset = str(headers.get("x-ratelimit-reset", ""))
    if str(headers.get("x-ratelimit-remaining", "")) == "0" and reset.isdigit():
        return max(float(reset) - now, 0.0) + 1
    return _PATIENCE


def once(send: Callable[[], None], is_done: Callable[[], bool], sleep: Callable[[float], None]) -> None:
    """Send; after a limit or an unclear answer look whether it was done, and send once more if not."""
    try:
        return send()
    except Limited as limit:
        wait_for(limit, sleep)
    except Unsure:
        sleep(_BREATH)
    if is_done():
        return None
    try:
        return send()
    except (Limited, Unsure) as again:
        raise GaveUp(str(again)) from None


def wait_for(limit: Limited, sleep: Callable[[float], None]) -> None:
    """Wait as told. Raises `GaveUp` where that is too long."""
    if limit.wait > LONGEST_WAIT:
        raise GaveUp(f"{limit}, to be repeated in {limit.wait:.0f} s")
    sleep(limit.wait)
