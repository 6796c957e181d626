"""Names of images, releases and commits: which mean the same, and which certainly do not."""

from __future__ import annotations

import pytest

from reciplint.domain.components import differ, is_alias, respelled, same_image

TAG = "vllm/vllm-openai:v1"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("docker://vllm/vllm-openai:v1", True),
        ("docker.io/vllm/vllm-openai:v1", True),
        ("docker://docker.io#vllm/vllm-openai:v1", True),
        ("vllm/vllm-openai:v1@sha256:aa", True),
        ("vllm/vllm-openai:v2", False),
        ("vllm/vllm-openai:v1-cu130", False),
        ("nvcr.io/vllm/vllm-openai:v1", False),
    ],
)
def test_spellings_of_an_image(other: str, same: bool) -> None:
    assert same_image(TAG, other) is same
    assert same_image(other, TAG) is same


def test_two_digests_tell_images_apart() -> None:
    assert not same_image(f"{TAG}@sha256:aa", f"{TAG}@sha256:bb")
    assert same_image(f"{TAG}@sha256:aa", f"docker.io#{TAG}@sha256:aa")


def test_an_alias_has_no_slash() -> None:
    assert [is_alias(name) for name in ("dynamo-sglang", "", "docker://alias", "nvcr.io#a/b:c", TAG)] == [
        *(True, True, True),
        *(False, False),
    ]


@pytest.mark.parametrize(
    ("image", "like", "expected"),
    [
        ("nvcr.io/a/b:2", "nvcr.io#a/b:1", "nvcr.io#a/b:2"),
        ("nvcr.io#a/b:2", "nvcr.io/a/b:1", "nvcr.io/a/b:2"),
        ("a/b:2", "nvcr.io#a/b:1", "a/b:2"),
        ("docker.io/a/b:2", "docker://a/b:1", "docker://a/b:2"),
        ("a/b:2", "a/b:1", "a/b:2"),
    ],
)
def test_an_image_is_written_as_the_one_it_replaces(image: str, like: str, expected: str) -> None:
    assert respelled(image, like) == expected


COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("one", "other", "certain"),
    [
        ("1.2.0", "1.3.0", True),
        ("1.3.0.dev1", "1.3.0", True),
        ("0.8.1.post1", "0.8.1.post2", True),
        ("1.3.0rc1", "1.3.0rc2", True),
        ("1.3.0", "1.3.0", False),
        ("v1.3.0-dev.1", "1.3.0.dev1", False),
        ("1.3.0-RC.1", "1.3.0rc1", False),
        ("1.3", "1.3.0", False),
        ("1.0.0.dev1", "1.dev1", False),
        (COMMIT, f"f{COMMIT[1:]}", True),
        (COMMIT, COMMIT[:9], False),
        # A commit, a branch or a wheel beside a release says nothing.
        ("1.3.0", COMMIT, False),
        ("1.3.0", "v1.3.0-some-branch-dev.1", False),
        ("1.3.0", "https://wheels.example/dynamo-1.2.0.whl", False),
        ("1.3.0+cu13", "1.3.0", False),
        ("", "1.3.0", False),
        ("20260101", "20260102", True),
    ],
)
def test_what_certainly_differs(one: str, other: str, certain: bool) -> None:
    assert differ(one, other) is certain
    assert differ(other, one) is certain
