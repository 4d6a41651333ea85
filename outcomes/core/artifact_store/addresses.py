"""Addresses of artifact stores: `s3://bucket/prefix`, `gs://…`, `az://…`, `file:///…`."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from outcomes.core.artifact_store.folder import Folder
from outcomes.core.artifact_store.places import Place

if TYPE_CHECKING:
    from obstore.store import ObjectStore

OPTIONS: Final = {"file": (), "s3": ("endpoint", "region"), "gs": (), "az": ("endpoint",)}


class AddressInvalid(ValueError):
    """Address of no usable artifact store. The message says why."""


@dataclass(frozen=True, slots=True)
class Address:
    scheme: str
    bucket: str  # empty for a folder
    path: str  # of the folder, or name prefix in a bucket
    options: dict[str, str]

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.bucket}{self.path}"

    @property
    def name(self) -> str:
        endpoint = self.options.get("endpoint")
        return f"{self.url} at {endpoint}" if endpoint else self.url


def parsed(text: str) -> Address:
    parts = urlsplit(text)
    if parts.scheme not in OPTIONS:
        known = ", ".join(f"{each}://" for each in OPTIONS)
        raise AddressInvalid(f"must begin with one of {known}")
    if parts.username or parts.password:
        raise AddressInvalid("must not contain credentials: set them as variables")
    if parts.scheme == "file":
        if parts.netloc or not parts.path.startswith("/"):
            raise AddressInvalid("must name an absolute folder, such as file:///srv/artifacts")
        return Address("file", "", parts.path, {})
    if not parts.netloc:
        raise AddressInvalid(f"must name a bucket, such as {parts.scheme}://bucket/prefix")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if unknown := sorted(options.keys() - set(OPTIONS[parts.scheme])):
        known = " and ".join(OPTIONS[parts.scheme]) or "none"
        raise AddressInvalid(f"has the unknown option {unknown[0]!r}; known: {known}")
    if find_spec("obstore") is None:
        raise AddressInvalid("needs the package obstore: install edictum-site[store]")
    return Address(parts.scheme, parts.netloc, parts.path.rstrip("/"), options)


def place_at(text: str, *, spool: Path, secrets: Mapping[str, str]) -> Place:
    """Store at an address. `secrets` are the variables whose values were given as files."""
    address = parsed(text)
    if address.scheme == "file":
        return Folder(Path(address.path))
    return _bucket(address, spool, secrets)


def _bucket(address: Address, spool: Path, secrets: Mapping[str, str]) -> Place:
    from outcomes.core.artifact_store.bucket import QUICK, Bucket  # noqa: PLC0415 - as below

    objects = objects_at(address, secrets)
    quick = objects_at(address, secrets, client=QUICK, retries={"max_retries": 0})
    return Bucket(address.name, objects, quick, spool=spool)


def objects_at(
    address: Address,
    secrets: Mapping[str, str],
    client: Mapping[str, Any] | None = None,
    retries: Mapping[str, Any] | None = None,
) -> "ObjectStore":
    """The client library's store for a bucket."""
    from obstore import store  # noqa: PLC0415 - only installs with a bucket need it
    from obstore.exceptions import BaseError  # noqa: PLC0415

    from outcomes.core.artifact_store.bucket import CLIENT, RETRIES  # noqa: PLC0415

    kinds: dict[str, Any] = {"s3": store.S3Store, "gs": store.GCSStore, "az": store.AzureStore}
    config: dict[str, Any] = {name.lower(): value for name, value in secrets.items()}
    config |= address.options
    if address.scheme == "s3":
        config["disable_bulk_delete"] = True  # not every server supports bulk deletion
    is_plain = address.options.get("endpoint", "").startswith("http://")
    options = {**(client or CLIENT), **({"allow_http": True} if is_plain else {})}
    open_store = kinds[address.scheme].from_url
    try:
        objects: ObjectStore = open_store(
            address.url, config=config, client_options=options, retry_config=retries or RETRIES
        )
    except (BaseError, ValueError) as error:
        raise AddressInvalid(f"cannot be used: {str(error).partition(chr(10))[0]}") from None
    return objects
