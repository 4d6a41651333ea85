"""Decompression of event rows by the native library or, without it, by the Python module."""

import ctypes
import threading

import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from outcomes.record.codec import items
from outcomes.record.codec.items import LARGEST, Decompressor

COMMON = zstd.ZstdDict(b'"tool_name":"read_file","tool_args":{"path":"/srv"}', is_raw=True)
TEXT = b'{"tool_name":"read_file","tool_args":{"path":"/srv/a"}}'
READ = Decompressor(COMMON)


def packed(text):
    return zstd.compress(text, 1, zstd_dict=COMMON)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=6))
def test_compressed_texts_are_decompressed_one_after_the_other(texts):
    assert [READ(packed(text)) for text in texts] == texts


@pytest.mark.parametrize("length", [LARGEST - 1, LARGEST, LARGEST + 1, 5 * LARGEST])
def test_a_frame_of_any_size_is_read_completely(length):
    text = (TEXT * (length // len(TEXT) + 1))[:length]
    assert READ(packed(text)) == text
    assert READ(packed(TEXT)) == TEXT


@pytest.mark.parametrize("broken", [b"", b"no frame", packed(TEXT)[:-3], packed(TEXT)[:5]])
def test_a_corrupt_frame_raises_and_the_next_frame_is_read(broken):
    with pytest.raises(zstd.ZstdError):
        READ(broken)
    assert READ(packed(TEXT)) == TEXT


def test_the_native_library_is_available():
    """Without it the Python module reads all frames, correctly but several times slower."""
    assert items._library() is not None


def test_without_the_native_library_frames_are_read_by_the_module(monkeypatch):
    monkeypatch.setattr(items, "_library", lambda: None)
    assert Decompressor(COMMON)(packed(TEXT)) == TEXT


def test_a_missing_native_library_is_not_an_error(monkeypatch, tmp_path):
    for path in (None, str(tmp_path / "none.so"), ctypes.__file__):
        monkeypatch.setattr("backports.zstd._zstd.__file__", path)
        assert items._library() is None
        assert Decompressor(COMMON)(packed(TEXT)) == TEXT


def test_threads_with_their_own_decompressors_read_concurrently():
    wrong: list[bytes] = []

    def read(number):
        reading, text = Decompressor(COMMON), TEXT * (number + 1)
        wrong.extend(text for _ in range(200) if reading(packed(text)) != text)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
