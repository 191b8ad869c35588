"""Asks both opinions about generated cases, prints a table, and fails on any difference."""

import argparse
import json
import subprocess
import sys
import tempfile
import time

from generate import Maker
from oracle import FUNCTIONS, answer

parser = argparse.ArgumentParser()
parser.add_argument("--cases", type=int, default=4000, help="cases a function")
parser.add_argument("--seed", type=int, default=20260131)
parser.add_argument("--only", help="one function by name")
parser.add_argument("program", nargs="+", help="the command that reads cases and writes answers, line by line")
options = parser.parse_args()

names = [function.__name__ for function in FUNCTIONS if options.only in (None, function.__name__)]
started = time.monotonic()
cases, expected = [], []
for name in names:
    maker = Maker(f"{options.seed}/{name}")
    for _ in range(options.cases):
        arguments = getattr(maker, name)()
        cases.append({"function": name, "arguments": arguments})
        expected.append(answer(name, arguments))

with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
    for case in cases:
        file.write(json.dumps(case, ensure_ascii=False) + "\n")
    file.flush()
    file.seek(0)
    ran = subprocess.run(options.program, stdin=file, stdout=subprocess.PIPE, check=True, encoding="utf-8")
answers = [json.loads(line) for line in ran.stdout.splitlines()]
assert len(answers) == len(cases), f"{len(cases)} cases and {len(answers)} answers"

table, shown = {name: [0, 0, 0] for name in names}, 0
for case, want, got in zip(cases, expected, answers):
    row = table[case["function"]]
    row[0] += 1
    row[1] += want is None
    if got.get("values") != want:
        row[2] += 1
        if shown < 20:
            shown += 1
            print(f"DIFFERENCE {json.dumps(case, ensure_ascii=False)}\n  python: {want}\n  rust:   {got}", file=sys.stderr)

print(f"seed {options.seed}")
print(f"{'function':30} {'cases':>8} {'refused':>8} {'differences':>12}")
for name, (count, refused, different) in table.items():
    print(f"{name:30} {count:8} {refused:8} {different:12}")
totals = [sum(row[column] for row in table.values()) for column in range(3)]
print(f"{'total':30} {totals[0]:8} {totals[1]:8} {totals[2]:12}")
print(f"{time.monotonic() - started:.0f} s")
sys.exit(1 if totals[2] else 0)
