"""Runs the shipped invoice process on `mcp-sqlite`, mapped by `[systems.books]`. What was written is looked at by sqlite3.

Usage: binding.py PURPLE SERVER WORK, as `checks/binding` calls it.
"""

import json
import pathlib
import sqlite3
import subprocess
import sys

PURPLE, SERVER, WORK = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])

BILLS = [
    ("RE100447", "B8821", 77, "ext-447", 5_234_000, "OPEN"),
    ("RE100448", "B8822", 77, "ext-448", 5_120_000, "OPEN"),
    ("RE100449", "B8823", 78, "ext-449", 5_120_000, "RELEASED"),
    ("RE100450", "B8824", 78, "ext-450", 10, "OPEN"),
]

SETTINGS = """\
[servers.books]
command = "{server}"
args = ["{database}"]

[model]
provider = "offline"
[data]
dir = "data"

[systems.books.inputs]
invoice_id = 'RE[0-9]{{6}}'

[systems.books.records.invoice]
tool = "books/read_records"
constants = {{ table = "bills" }}
arguments = {{ invoice_id = "conditions.bill_no" }}
at = "0"
fields = {{ po_id = "order_no", vendor_id = "creditor", number = "ext_ref", total = "cents", status = "state" }}
values = {{ status = {{ received = "OPEN", approved = "RELEASED", rejected = "REFUSED" }} }}
currency = {{ total = "USD" }}
minor = ["total"]

[systems.books.records.purchase_order]
tool = "books/read_records"
constants = {{ table = "orders" }}
arguments = {{ po_id = "conditions.order_no" }}
at = "0"
fields = {{ total = "cents" }}
currency = {{ total = "USD" }}
minor = ["total"]
"""

ACTION = """
[systems.books.actions.{action}]
tool = "books/update_records"
constants = {{ table = "bills", "data.state" = "{state}" }}
arguments = {{ invoice_id = "conditions.bill_no"{more} }}
"""


def purple(*arguments, codes=(0,)):
    done = subprocess.run([PURPLE, *arguments], cwd=WORK, capture_output=True, text=True, timeout=300)
    assert done.returncode in codes, f"purple {arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def states():
    with sqlite3.connect(WORK / "books.db") as database:
        return dict(database.execute("SELECT bill_no, state FROM bills ORDER BY bill_no"))


def set_up():
    with sqlite3.connect(WORK / "books.db") as database:
        database.execute(
            "CREATE TABLE bills (bill_no TEXT PRIMARY KEY, order_no TEXT, creditor INTEGER, ext_ref TEXT,"
            " cents INTEGER, state TEXT, note TEXT)"
        )
        database.execute("CREATE TABLE orders (order_no TEXT PRIMARY KEY, cents INTEGER)")
        database.executemany("INSERT INTO bills VALUES (?, ?, ?, ?, ?, ?, NULL)", BILLS)
        orders = [(order, 5_120_000) for _, order, *_ in BILLS[:3]]
        database.executemany("INSERT INTO orders VALUES (?, ?)", orders)
    settings = SETTINGS.format(server=SERVER, database=WORK / "books.db")
    for action, state, more in [
        ("approve_invoice", "RELEASED", ""),
        ("reject_invoice", "REFUSED", ', reason = "data.note"'),
        ("reopen_invoice", "OPEN", ""),
    ]:
        settings += ACTION.format(action=action, state=state, more=more)
    (WORK / "purple.toml").write_text(settings)


set_up()
bind = ("process", "bind", "invoice_reconciliation")
shown = json.loads(purple(*bind, "--json"))["processes"][0]
print("calls:", {call["call"]: call["state"] for call in shown["calls"]})
# The server's tools take free-form records: without a confirmed binding they count as writes, and nothing runs.
refused = purple("run", "Approve or reject invoice RE100448 per policy.", codes=(1,))
assert states()["RE100448"] == "OPEN", refused
purple(*bind, "--accept")
shown = json.loads(purple(*bind, "--json"))["processes"][0]
assert shown["complete"] and {call["state"] for call in shown["calls"]} == {"confirmed"}, shown

purple("run", "Approve or reject invoice RE100448 per policy.")
assert states()["RE100448"] == "RELEASED"
waits = purple("run", "Approve or reject invoice RE100447 per policy.", "--session", "one", codes=(3,))
assert states()["RE100447"] == "OPEN" and "5234000" not in waits.split("\n")[0], waits
purple("approve", "one", "--yes")
with sqlite3.connect(WORK / "books.db") as database:
    assert database.execute("SELECT state, note FROM bills WHERE bill_no = 'RE100447'").fetchone() == ("REFUSED", "AP-3")
handled = purple("run", "Approve or reject invoice RE100449 per policy.", codes=(5,))
assert "approved, not received" in handled, handled
absent = purple("run", "Approve or reject invoice RE100999 per policy.", codes=(0, 1, 3, 5, 9))
assert "was not found" in absent, absent
assert states() == {"RE100447": "REFUSED", "RE100448": "RELEASED", "RE100449": "RELEASED", "RE100450": "OPEN"}
purple("audit", "verify")
print("5 tasks, 2 writes, each read back: as it should be")
