"""Lets the built program work with six real MCP servers: list, classify, read, and write through the gate.

Usage: peers.py PURPLE PY2 PY1 NODE_BIN WORK, as `checks/peers` calls it. What was written is looked at without the
program: by git, the file system, openpyxl and sqlite3.
"""

import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import time

PURPLE, PY2, PY1, NODE, WORK = (pathlib.Path(argument) for argument in sys.argv[1:6])
FIGURES = []

PROCESS = """\
process: peer_{name}
title: {title}
owner: keeper
keywords: [{keyword}]
inputs:
  ticket: {{type: id, pattern: 'T-[0-9]+'}}
read:
  before: {read}
decide:
  - {{rule: P-1, if: '{given}', outcome: write, ask: keeper, because: "a person looks at it first"}}
outcomes:
  write:
    do:
      - call: '{do}'
        check: {check}
"""


def process(name, title, keyword, read, do, check="none", given='exists(before)'):
    text = PROCESS.format(name=name, title=title, keyword=keyword, read=read, do=do, check=check, given=given)
    (WORK / "processes" / f"{name}.yaml").write_text(text)


def purple(*arguments, codes=(0,)):
    done = subprocess.run([PURPLE, *arguments], cwd=WORK, capture_output=True, text=True, timeout=300)
    assert done.returncode in codes, f"purple {arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def set_up():
    for folder in ("files", "repo", "sheets", "processes"):
        (WORK / folder).mkdir(parents=True)
    git = lambda *arguments: subprocess.run(["git", *arguments], cwd=WORK / "repo", check=True, capture_output=True)
    git("init", "-q", "-b", "main", ".")
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "first")
    (WORK / "files" / "note.txt").write_text("old\n")
    entity = {"type": "entity", "name": "Acme", "entityType": "vendor", "observations": ["pays late"]}
    (WORK / "memory.jsonl").write_text(json.dumps(entity) + "\n")
    for name in ("one", "two"):
        with sqlite3.connect(WORK / f"{name}.db") as database:
            database.execute("CREATE TABLE bills (id TEXT PRIMARY KEY, total TEXT, status TEXT)")
            database.execute("INSERT INTO bills VALUES ('B-1', '10.00', 'open')")
    make = "import openpyxl, sys; b = openpyxl.Workbook(); b.active.title = 'Bills'; b.save(sys.argv[1])"
    subprocess.run([PY2 / "python", "-c", make, WORK / "sheets" / "bills.xlsx"], check=True)
    (WORK / "purple.toml").write_text(f"""\
[data]
dir = "data"
[processes]
dirs = ["processes"]
[limits]
tool_timeout_s = 60
[servers.git]      # annotated: the operator trusts its hints
command = "{PY2}/mcp-server-git"
args = ["--repository", "{WORK}/repo"]
trusted = true
era = "2026"
[servers.excel]
command = "{PY2}/excel-mcp-server"
args = ["stdio", "--allow-dir", "{WORK}/sheets"]
era = "2026"
[servers.files]
command = "{NODE}/mcp-server-filesystem"
args = ["{WORK}/files"]
era = "2025"
[servers.memory]
command = "{NODE}/mcp-server-memory"
env = {{ MEMORY_FILE_PATH = "{WORK}/memory.jsonl" }}
era = "2025"
[servers.sqlite]   # without any hints, and with the same names as the next one
command = "{PY1}/mcp-server-sqlite"
args = ["--db-path", "{WORK}/one.db"]
era = "2025"
[servers.lite]
command = "{NODE}/mcp-server-sqlite-npx"
args = ["{WORK}/two.db"]
era = "2025"
""")


def processes():
    process("files", "Rewrite a note", "note", f'list_directory(path="{WORK}/files")',
            f'write_file(path="{WORK}/files/note.txt", content="new text")',
            f'\'read_text_file(path="{WORK}/files/note.txt").content == "new text"\'')
    process("git", "Open a branch", "branch", f'git_status(repo_path="{WORK}/repo")',
            f'git_create_branch(repo_path="{WORK}/repo", branch_name="release")')
    process("excel", "Enter a bill in the sheet", "sheet", 'describe_workbook(path="bills.xlsx")',
            'write_range(path="bills.xlsx", sheet="Bills", at="A1", rows=[["B-7", "12.50"]])',
            '\'read_range(path="bills.xlsx", sheet="Bills", range="A1:B1").values == [["B-7", "12.50"]]\'')
    process("memory", "Forget a vendor", "vendor", "read_graph()",
            'delete_entities(entityNames=["Acme"])')
    for server, keyword in (("sqlite", "ledger"), ("lite", "journal")):
        process(server, "Pay a bill", keyword,
                f'{server}__read_query(query="SELECT status FROM bills WHERE id = \'\'B-1\'\'")'.replace("''", "'"),
                f"{server}__write_query(query=\"UPDATE bills SET status = ''paid'' WHERE id = ''B-1''\")")
    process("smuggler", "Read a bill away", "smuggle",
            f'sqlite__read_query(query="DELETE FROM bills")', f'write_file(path="{WORK}/files/never.txt", content="x")')


def listed():
    began = time.monotonic()
    # Exit 0: nothing was left out.
    tools = json.loads(purple("tools", "list", "--json"))
    assert tools["left_out"] == [], tools["left_out"]
    effects = {}
    for tool in tools["tools"]:
        effects.setdefault(tool["server"], {}).setdefault(tool["effect"], []).append(tool["name"])
    for server, by_effect in sorted(effects.items()):
        FIGURES.append(f"{server}: " + ", ".join(f"{len(names)} {effect}" for effect, names in sorted(by_effect.items())))
    effect = {tool["name"]: tool["effect"] for tool in tools["tools"]}
    # What takes SQL is judged at each call.
    expected = {
        "read_text_file": "read", "write_file": "write", "git_status": "read", "git_log": "read", "git_commit": "write",
        "git_reset": "write", "read_range": "read", "write_range": "write", "read_graph": "read", "create_entities": "write",
        "sqlite__read_query": "unclear", "lite__read_query": "unclear", "sqlite__write_query": "write", "lite__write_query": "write",
        "sqlite__create_table": "write", "lite__list_tables": "read", "append_insight": "write",
    }
    wrong = {name: (effect.get(name), wanted) for name, wanted in expected.items() if effect.get(name) != wanted}
    assert not wrong, wrong
    FIGURES.append(f"{len(effect)} tools of {len(effects)} servers listed and classified in {time.monotonic() - began:.1f} s")


def worked(name, task, seen, written):
    """Runs a task to the gate, sees that nothing is written, approves, and sees that it is."""
    assert not written(), f"{name}: written before it began"
    purple("run", task, "--session", name, codes=(3,))
    assert not written(), f"{name}: written before the approval"
    purple("approve", name, "--yes", "--as", "kim")
    view = json.loads(purple("show", name, "--json"))
    mutations = view["answer"]["data"]["mutations"]
    assert view["summary"]["ending"] == "done" and written(), f"{name}: {json.dumps(view)[:3000]}"
    outcomes = [mutation["outcome"] for mutation in mutations]
    assert outcomes == [seen], f"{name}: {outcomes}"
    FIGURES.append(f"{name}: waited, was approved, {seen}")


def branch():
    names = subprocess.run(["git", "branch"], cwd=WORK / "repo", capture_output=True, text=True, check=True).stdout
    return "release" in names


def cell():
    look = "import openpyxl, sys; print([c.value for c in openpyxl.load_workbook(sys.argv[1])['Bills'][1]])"
    done = subprocess.run([PY2 / "python", "-c", look, WORK / "sheets" / "bills.xlsx"], capture_output=True, text=True)
    return "B-7" in done.stdout


def status(database):
    with sqlite3.connect(WORK / f"{database}.db") as opened:
        return opened.execute("SELECT status FROM bills WHERE id = 'B-1'").fetchone()[0]


def main():
    set_up()
    processes()
    listed()
    worked("files", "Rewrite the note, T-1", "verified", lambda: (WORK / "files/note.txt").read_text() == "new text")
    worked("git", "Open the branch, T-2", "unverifiable", branch)
    worked("excel", "Enter it in the sheet, T-3", "verified", cell)
    worked("memory", "Forget the vendor, T-4", "unverifiable", lambda: "Acme" not in (WORK / "memory.jsonl").read_text())
    worked("sqlite", "Put it into the ledger, T-5", "unverifiable", lambda: status("one") == "paid")
    worked("lite", "Put it into the journal, T-6", "unverifiable", lambda: status("two") == "paid")
    # SQL that writes is no read, whatever the name of the tool says.
    purple("run", "smuggle it away, T-7", "--session", "smuggler", codes=tuple(range(0, 20)))
    assert status("one") == "paid" and not (WORK / "files/never.txt").exists()
    journal = purple("trace", "smuggler", "--json")
    assert re.search(r"sqlite__read_query.*\(write\) is refused in ASSESS", journal), journal[-3000:]
    FIGURES.append("smuggler: `DELETE` in a read query is refused in ASSESS")
    purple("audit", "verify")
    print("\n".join(FIGURES))
    print(f"{len(FIGURES)} passed, 0 failed")


if __name__ == "__main__":
    main()
