#!/usr/bin/env python3
"""Verifies an exported audit journal. Plain Python, no packages, and no code of the product.

usage: verify_audit.py BUNDLE [--anchor FILE] [--key ed25519:HEX]

Format (docs/spec/audit-journal.md): every line is one JSON object in canonical form with the `hash` of the rest of it;
first a manifest, then the records of each session in order, each naming the hash of the one before it, then a seal.
Exit code 0: it holds. 1: it does not, and the first line that does not is named. 2: usage.
"""
import hashlib, json, sys

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
P, Q = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, I = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)


class Number(str):
    """A number as it was written: no digit of it is lost."""


class Bad(Exception):
    pass


def need(holds, what):
    if not holds:
        raise Bad(what)


def canonical(value):
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(ESCAPES.get(c) or ("\\u%04x" % ord(c) if c < " " else c) for c in value) + '"'
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def read(line):
    """The object of a line that is canonical and has the hash that it says."""
    try:
        need(line.endswith(b"\n"), "the line is cut off")
        text = line[:-1].decode("utf-8")
        found = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=lambda name: need(False, name))
        need(isinstance(found, dict) and canonical(found) == text, "it is not in canonical form")
        rest = canonical({key: value for key, value in found.items() if key not in ("hash", "signature")})
    except (ValueError, RecursionError) as error:
        raise Bad("it is not in canonical form") from error
    need(found.get("hash") == digest(rest.encode("utf-8")), "it does not have the hash that it says")
    return found


def point(data):  # RFC 8032, 5.1.3
    y, sign = int.from_bytes(data, "little") & ((1 << 255) - 1), data[31] >> 7
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(x2, (P + 3) // 8, P)
    x = x if (x * x - x2) % P == 0 else x * I % P
    need(y < P and (x * x - x2) % P == 0, "the signature is no signature")
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def add(a, b):
    s, t, u, v = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0]), 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    e, f, g, h = t - s, v - u, v + u, t + s
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(n, a):
    r = (0, 1, 1, 0)
    while n:
        r, a, n = (add(r, a) if n & 1 else r), add(a, a), n >> 1
    return r


BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def signed(found, form, wanted):
    """Who signed the line; RFC 8032, 5.1.7."""
    mark = found.get("signature")
    need(isinstance(mark, dict) and sorted(mark) == ["key", "value"], "there is no signature")
    try:
        key, value = bytes.fromhex(mark["key"].removeprefix("ed25519:")), bytes.fromhex(mark["value"])
    except ValueError as error:
        raise Bad("the signature is no signature") from error
    need(mark["key"] == "ed25519:" + key.hex() and mark["value"] == value.hex(), "the signature is no signature")
    need(len(key) == 32 and len(value) == 64, "the signature is no signature")
    s = int.from_bytes(value[32:], "little")
    h = hashlib.sha512(value[:32] + key + f"{form} {found['hash']}".encode()).digest()
    left, right = times(s, BASE), add(point(value[:32]), times(int.from_bytes(h, "little") % Q, point(key)))
    equal = (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0
    need(s < Q and equal, "the signature does not hold")
    need(wanted in (None, mark["key"]), f"it was signed by {mark['key']}")
    return mark["key"]


def heads_of(found, name, form):
    body = found.get(name)
    need(isinstance(body, dict) and body.get("format") == form, f"expected the {name}")
    return body["database"], [(head["session"], int(head["seq"]), head["hash"]) for head in body["heads"]]


def verify(lines, key=None, anchored=(), database=None):
    """Walks the lines. Returns (records, key) or raises Bad with the number of the first bad line in `.line`."""
    number, hashes, sealed = 0, {}, hashlib.sha256()
    lines = iter(lines)

    def take(what):
        nonlocal number
        number += 1
        line = next(lines, None)
        need(line is not None, f"expected {what}")
        return line, read(line)

    try:
        line, found = take("the manifest")
        need(sorted(found) == ["hash", "manifest"], "expected the manifest")
        sealed.update(line)
        here, heads = heads_of(found, "manifest", "purple-audit/1")
        need(database in (None, here), f"it is an export of the database {here}; {database} was anchored")
        for session, last, end in heads:
            prev = digest(session.encode())
            for seq in range(1, last + 1):
                line, found = take(f"record {seq} of session `{session}`")
                need(found.get("session") == session and found.get("seq") == Number(seq), f"expected record {seq} of session `{session}`")
                need(sorted(found) == ["entry", "hash", "prev", "seq", "session"], f"expected record {seq} of session `{session}`")
                need(found["prev"] == prev, "it does not follow from the record before it")
                prev = hashes[session, seq] = found["hash"]
                sealed.update(line)
            need(prev == end, "the chain does not end as the manifest says")
        line, found = take("the seal")
        expected = {"lines": Number(number - 1), "sha256": "sha256:" + sealed.hexdigest()}
        need(sorted(found) == ["hash", "seal", "signature"] and isinstance(found["seal"], dict), "expected the seal")
        need(found["seal"] == expected, "the lines before it are not those that were sealed")
        by = signed(found, "purple-audit/1", key)
        number += 1
        need(next(lines, None) is None, "expected nothing after the seal")
        for session, seq, end in anchored:
            need(hashes.get((session, seq)) == end, f"record {seq} of session `{session}` is not the one that was anchored")
    except (Bad, KeyError, TypeError, ValueError, AttributeError) as error:
        bad = error if isinstance(error, Bad) else Bad("it is not what has to stand here")
        bad.line = number
        raise bad from error
    return len(hashes), by


def main(arguments):
    options = dict(zip(arguments[1::2], arguments[2::2]))
    if len(arguments) % 2 == 0 or set(options) - {"--anchor", "--key"}:
        print(__doc__, file=sys.stderr)
        return 2
    key, anchored, database, where = options.get("--key"), (), None, "anchor"
    try:
        if "--anchor" in options:
            with open(options["--anchor"], "rb") as file:
                found = read(file.read())
            signed(found, "purple-anchor/1", key)
            database, anchored = heads_of(found, "anchor", "purple-anchor/1")
        where = arguments[0]
        with open(arguments[0], "rb") as file:
            records, by = verify(file, key, anchored, database)
    except Bad as bad:
        print(f"{where}, line {getattr(bad, 'line', 1)}: {bad}")
        return 1
    print(f"{records} records hold, signed by {by}" + (f", {len(anchored)} anchored heads found" if anchored else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
