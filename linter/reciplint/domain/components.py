"""How images, releases and commits are named, and when two names certainly mean different things."""

from __future__ import annotations

import re
from functools import lru_cache

_RELEASE = re.compile(r"\d+(\.\d+)*(\.(a|b|rc|post|dev)\d*)*\Z")
_MARK = re.compile(r"[-_.]?(rc|post|dev|(?<=\d)a|(?<=\d)b)[-_.]?(?=\d|\Z)")
_NOUGHTS = re.compile(r"(\.0)+(?=\.[a-z]|\Z)")
_COMMIT = re.compile(r"[0-9a-f]{7,40}\Z")


def image_name(text: str) -> str:
    """An image reference in one spelling."""
    return text.removeprefix("docker://").replace("#", "/").removeprefix("docker.io/")


def is_alias(container: str) -> bool:
    """Whether a container is a name that the cluster's settings give to an image, and no image itself."""
    return "/" not in image_name(container)


def same_image(one: str, other: str) -> bool:
    """Whether two references may mean one image; a digest that only one of them has tells nothing."""
    if one == other:
        return True
    names = [image_name(text).partition("@") for text in (one, other)]
    digests = {digest for _, _, digest in names if digest}
    return names[0][0] == names[1][0] and len(digests) < 2


def respelled(image: str, like: str) -> str:
    """An image written as another one is: with `#` behind the registry, with `docker://`, or plainly."""
    name = image_name(image)
    if "#" in like and "." in name.partition("/")[0]:
        name = name.replace("/", "#", 1)
    return f"docker://{name}" if like.startswith("docker://") else name


def differ(one: str, other: str) -> bool:
    """Whether two versions certainly differ: both are releases, or both commits. A commit beside a release, a branch
    or the address of a wheel says nothing."""
    if one == other:
        return False
    left, right = (_release(text) for text in (one, other))
    if left and right:
        return left != right
    if _COMMIT.match(one) and _COMMIT.match(other) and not left and not right:
        return not (one.startswith(other) or other.startswith(one))
    return False


@lru_cache(maxsize=4096)
def _release(text: str) -> str:
    """A release in one spelling (`v1.3.0-dev.1` is `1.3.dev1`); "" for anything else."""
    plain = _MARK.sub(r".\1", text.strip().lower().removeprefix("v"))
    return _NOUGHTS.sub("", plain) if _RELEASE.match(plain) and "." in plain else ""
