"""Signs and checks with Ed25519, and locks a private key with a passphrase."""

from __future__ import annotations

import base64
import json
import secrets
from typing import Any

COST = {"n": 2**15, "r": 8, "p": 1}
"""What one guess of a passphrase costs (scrypt, RFC 7914): 32 MB of memory and a tenth of a second."""
KDF = "scrypt"
CIPHER = "chacha20-poly1305"


class WrongPassphrase(ValueError):
    """The passphrase does not open the key, or the file is no locked key."""


def new_private() -> bytes:
    """A fresh private key: 32 bytes."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.generate().private_bytes_raw()


def public_half(private: bytes) -> str:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return text(Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw())


def signature(private: bytes, message: bytes) -> str:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return text(Ed25519PrivateKey.from_private_bytes(private).sign(message))


def holds(public: str, message: bytes, signed: str) -> bool:
    """Was the message signed with the private half of this key?"""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(base64.b64decode(public)).verify(base64.b64decode(signed), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def locked(private: bytes, passphrase: str) -> bytes:
    """A private key as a file has it: encrypted, of no use without the passphrase."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    salt, nonce = secrets.token_bytes(16), secrets.token_bytes(12)
    head = {"kdf": KDF, **COST, "salt": text(salt), "cipher": CIPHER, "nonce": text(nonce)}
    sealed = ChaCha20Poly1305(_derived(passphrase, salt, COST)).encrypt(nonce, private, None)
    return json.dumps({**head, "key": text(sealed)}, indent=1).encode() + b"\n"


def unlocked(file: bytes, passphrase: str) -> bytes:
    """The private key in a file; WrongPassphrase where it cannot be opened."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    try:
        held = json.loads(file)
        if (held["kdf"], held["cipher"], {name: held[name] for name in COST}) != (KDF, CIPHER, COST):
            raise WrongPassphrase
        key = _derived(passphrase, base64.b64decode(held["salt"]), COST)
        return ChaCha20Poly1305(key).decrypt(
            base64.b64decode(held["nonce"]), base64.b64decode(held["key"]), None
        )
    except (InvalidTag, ValueError, KeyError, TypeError):
        raise WrongPassphrase from None


def is_locked(file: bytes) -> bool:
    """Has a file the shape of a locked key? Which key it is only its passphrase can tell."""
    try:
        held = json.loads(file)
        sizes = [len(base64.b64decode(held[name], validate=True)) for name in ("salt", "nonce", "key")]
        return (held["kdf"], held["cipher"], {name: held[name] for name in COST}, sizes) == (
            KDF,
            CIPHER,
            COST,
            [16, 12, 48],
        )
    except (ValueError, KeyError, TypeError):
        return False


def text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _derived(passphrase: str, salt: bytes, cost: dict[str, Any]) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=32, **cost).derive(passphrase.encode())
