"""Counts what is left of the demo company after its worker was killed; see `checks/demo-kill`."""

import re
import shutil
import subprocess
import sys
from collections import Counter

# What each case does to the company when it is done; case 1 waits for its approval.
WANTED = {
    "case-2-order": ["modify_order_items", "send_order_confirmation"],
    "case-3-overtime": [],
    "case-4-sla": ["apply_account_credit", "send_sla_breach_notification"],
    "case-5-offboarding": [
        "update_employee_status",
        "create_offboarding_checklist",
        "schedule_equipment_return",
        "notify_it_team",
        "schedule_exit_survey",
    ],
}


def once(program):
    """One demo: status of each case, effects, operations in doubt and offered again with whether they take keys, kills."""
    out = subprocess.run(
        [program, "demo", "--kill", "--yes"], capture_output=True, text=True, timeout=1200, check=False
    )
    text = out.stdout + out.stderr
    folder = re.search(r"the demo lives in (\S+)", text).group(1)
    keyed = set(re.findall(r"^\[tools\.company\.(\w+)\]", open(f"{folder}/purple.toml").read(), re.M))
    status = dict((run, word) for word, run in re.findall(r"^(in doubt|\w+) +(case-\d-\w+) ", text, re.M))
    effects = Counter(re.findall(r"^ +\d+\. (\w+) ", text.split("by its own ledger:")[1], re.M))
    trace = lambda run: subprocess.run(
        [program, "trace", run], cwd=folder, capture_output=True, text=True, check=False
    ).stdout
    doubts = []
    for run in [run for run, word in status.items() if word == "in doubt"]:
        entries = trace(run)
        headline = re.findall(r"write\.intent +(.+)", entries)[-1]
        named = [tool for tool in [*WANTED[run], *keyed] if headline.lower().startswith(tool.replace("_", " "))]
        tool = named[0] if named else headline.split(",")[0]
        doubts.append((run, tool, tool in keyed))
    offered = []
    for run in [run for run, word in status.items() if word == "waiting" and run in WANTED]:
        shown = subprocess.run([program, "show", run], cwd=folder, capture_output=True, text=True, check=False).stdout
        if "was begun at" in shown and "left no trace" in shown:
            step = re.search(r"^ +step +\S+ · \w+ · (\w+)", shown, re.M)
            offered.append((run, step.group(1), step.group(1) in keyed))
    killed = int(re.search(r"was killed (\d+) times", text).group(1))
    verified = "audit: OK" in text
    shutil.rmtree(folder)
    return status, effects, doubts, offered, killed, verified


def faults_of(status, effects, doubts, offered, verified):
    faults = [] if verified else ["the audit chain does not verify"]
    # Each of the five systems of the employee is one revocation.
    most = Counter({"revoke_access": 5})
    faults += [f"{tool} has {times} effects" for tool, times in effects.items() if times > (most[tool] or 1)]
    for run, tools in WANTED.items():
        word = status.get(run, "gone")
        if word == "done":
            faults += [f"{run} is done without {tool}" for tool in tools if effects[tool] != 1]
        elif word == "in doubt":
            faults += [f"{tool} of {run} takes keys and is in doubt" for at, tool, key in doubts if at == run and key]
        elif word == "waiting" and run in [at for at, _, _ in offered]:
            faults += [f"{tool} of {run} takes keys and is offered again" for at, tool, key in offered if at == run and key]
        else:
            faults.append(f"{run} is {word}")
    if status.get("case-1-invoice") != "waiting":
        faults.append(f"case-1-invoice is {status.get('case-1-invoice', 'gone')}")
    return faults


def main():
    runs, program = int(sys.argv[1]), sys.argv[2]
    kills, effects, doubted, again, failed = 0, 0, Counter(), Counter(), 0
    for number in range(1, runs + 1):
        status, done, doubts, offered, killed, verified = once(program)
        faults = faults_of(status, done, doubts, offered, verified)
        kills, effects, failed = kills + killed, effects + sum(done.values()), failed + bool(faults)
        doubted.update(tool for _, tool, _ in doubts)
        again.update(tool for _, tool, _ in offered)
        told = ", ".join(faults) or "nothing wrong"
        print(f"{number}: {killed} kills, in doubt: {[tool for _, tool, _ in doubts] or 'nothing'}; {told}", flush=True)
    print(f"{runs} demos, {kills} kills, {effects} effects; in doubt: {dict(doubted) or 'nothing'}; "
          f"offered again: {dict(again) or 'nothing'}; {failed} with faults")
    sys.exit(1 if failed else 0)


main()
