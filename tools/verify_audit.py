#!/usr/bin/env python3
"""Verifies an exported audit journal by docs/spec/audit-journal.md. Plain Python, and no code of the product.

usage: verify_audit.py BUNDLE [--anchor FILE] [--key ed25519:HEX]
Exit code 0: it holds. 1: it does not, and the first bad line is named. 2: usage.
"""
import hashlib, json, sys

# Where records name blobs.
PLACES = """turn.began kept, task.received whole, brief.made brief, catalogue.pinned catalogue, process.chosen file,
    tool.read result.answered, plan.made kept, history.seen history, model.found result, definitions.known definition,
    process.synthesized definition, function.synthesized definition, approval.asked card, approval.channel result.answered,
    write.intent sent, write.intent before, write.outcome called.answered, write.verified seen, run.answered answer,
    run.ended answer, turn.ended kept"""
# The chain of the operators: tokens, halts, definitions, pins, configuration. It follows the chains of the runs.
OPERATORS = "operator journal"
P, Q = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)

class Bad(Exception):
    line = 1

def need(holds, what):
    if not holds:
        raise Bad(what)

def sha256(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

def read(line):
    """The object of a line. Its hash is that of its own text without `hash` and `signature`."""
    need(line.endswith(b"\n"), "the line is cut off")
    text = line[:-1].decode()
    found = json.loads(text)
    rest = text.rpartition(',"signature":')[0] + "}" if "signature" in found else text
    mark = f'"hash":"{found["hash"]}"'
    rest = rest.replace("," + mark, "", 1) if "," + mark in rest else rest.replace(mark + ",", "", 1)
    need(found["hash"] == sha256(rest), "it does not have the hash that it says")
    return found

def point(data):
    """Ed25519, RFC 8032 section 5.1: a point from its 32 bytes. Then the sum of two, and a multiple of one."""
    y, sign = int.from_bytes(data, "little") & ((1 << 255) - 1), data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * ROOT % P
    need(y < P and (x * x - square) % P == 0, "the signature does not hold")
    return P - x if x & 1 != sign else x, y

def add(a, b):
    k = D * a[0] * b[0] * a[1] * b[1]
    return (a[0] * b[1] + b[0] * a[1]) * pow(1 + k, -1, P) % P, (a[1] * b[1] + a[0] * b[0]) * pow(1 - k, -1, P) % P

def times(n, a):
    result = (0, 1)
    for bit in bin(n)[2:]:
        result = add(result, result)
        result = add(result, a) if bit == "1" else result
    return result

def signed(found, form, wanted):
    """Who signed the line."""
    mark = found["signature"]
    key, value = bytes.fromhex(mark["key"].removeprefix("ed25519:")), bytes.fromhex(mark["value"])
    need(mark == {"key": "ed25519:" + key.hex(), "value": value.hex()}, "the signature is no signature")
    s, base = int.from_bytes(value[32:], "little"), point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    h = hashlib.sha512(value[:32] + key + f"{form} {found['hash']}".encode()).digest()
    right = add(point(value[:32]), times(int.from_bytes(h, "little") % Q, point(key)))
    need(len(value) == 64 and s < Q and times(s, base) == right, "the signature does not hold")
    need(wanted in (None, mark["key"]), f"it was signed by {mark['key']}")
    return mark["key"]

def blobs(entry):
    """The names of the blobs that an entry names."""
    for kind, path in (place.split() for place in PLACES.split(",")):
        value = entry["data"] if kind == entry["kind"] else None
        for member in path.split("."):
            value = value.get(member) if isinstance(value, dict) else None
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, str) and name.startswith("sha256:") and len(name) == 71:
                yield name

def walk(lines, key, anchor, at):
    """Walks the lines, whose number is kept in `at[0]`: how many records and blobs there are, and who signed."""
    hashes, named, sealed = {}, set(), hashlib.sha256()

    def take(what, *members):
        at[0] += 1
        line = next(lines, None)
        need(line is not None, f"expected {what}")
        found = read(line)
        need(sorted(found) == sorted(["hash", *members]), f"expected {what}")
        sealed.update(line if "seal" not in members else b"")
        return found

    manifest = take("the manifest", "manifest")["manifest"]
    need(manifest["format"] == "purple-audit/2", "expected the manifest")
    need(anchor["database"] in (None, manifest["database"]), "another database was anchored")
    names = [head["session"] for head in manifest["heads"]]
    need(OPERATORS not in names[:-1], "the operator journal is not the last chain")
    for head in manifest["heads"]:
        session, prev = head["session"], sha256(head["session"])
        for seq in range(1, head["seq"] + 1):
            found = take(f"record {seq} of session `{session}`", "entry", "prev", "seq", "session")
            need((found["session"], found["seq"]) == (session, seq), f"expected record {seq} of session `{session}`")
            need(found["prev"] == prev, "it does not follow from the record before it")
            prev = hashes[session, seq] = found["hash"]
            named.update(blobs(found["entry"]))
        need(prev == head["hash"], "the chain does not end as the manifest says")
    for name in sorted(named):
        blob = take(f"blob {name}", "blob")["blob"]
        need(blob["hash"] == name, f"expected blob {name}")
        need(blob["state"] == "kept", f"blob {name} was {blob['state']} when this was exported")
    seal = take("the seal", "seal", "signature")
    before = {"lines": at[0] - 1, "sha256": "sha256:" + sealed.hexdigest()}
    need(seal["seal"] == before, "the lines before it are not those that were sealed")
    by = signed(seal, "purple-audit/2", key)
    at[0] += 1
    need(next(lines, None) is None, "expected nothing after the seal")
    for head in anchor["heads"]:
        place = (head["session"], head["seq"])
        need(hashes.get(place) == head["hash"], f"record {place[1]} of session `{place[0]}` is not the anchored one")
    return len(hashes), len(named), by

def verify(lines, key=None, anchor={"heads": (), "database": None}):
    """The same; whatever is wrong is `Bad`, with the number of the line."""
    at = [0]
    try:
        return walk(iter(lines), key, anchor, at)
    except (Bad, KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        bad = Bad(str(error) if isinstance(error, Bad) else "it is not what has to stand here")
        bad.line = at[0]
        raise bad from error

def main(arguments):
    options = dict(zip(arguments[1::2], arguments[2::2]))
    if len(arguments) % 2 == 0 or set(options) - {"--anchor", "--key"}:
        print(__doc__, file=sys.stderr)
        return 2
    key, anchor, where = options.get("--key"), {"heads": (), "database": None}, options.get("--anchor")
    try:
        if where:
            found = read(open(where, "rb").read())
            signed(found, "purple-anchor/1", key)
            anchor = found["anchor"]
        where = arguments[0]
        records, kept, by = verify(open(where, "rb"), key, anchor)
    except (Bad, KeyError, TypeError, ValueError, AttributeError) as error:
        print(f"{where}, line {getattr(error, 'line', 1)}: {error if isinstance(error, Bad) else 'it is damaged'}")
        return 1
    print(f"{records} records and {kept} blobs hold, signed by {by}, {len(anchor['heads'])} anchored heads found")
    return 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
