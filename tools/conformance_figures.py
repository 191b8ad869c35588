"""Reads the summary of the MCP conformance kit: scored scenarios with and without OAuth, and the others.

Exits 1 if a scored scenario failed, or if there is no summary.
"""

import re
import sys

LINE = re.compile(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", re.MULTILINE)
UNSCORED = re.compile(r"^  [✓✗] (\S+) \(", re.MULTILINE)


def main(log, version):
    text = open(log, encoding="utf-8").read().split("=== SUITE SUMMARY ===")[-1]
    unscored = set(UNSCORED.findall(text))
    kinds = {"scored, without OAuth": [], "scored, with OAuth": [], "not scored": []}
    for name, passed, failed in LINE.findall(text):
        kind = "not scored" if name in unscored else f"scored, with{'' if name.startswith('auth/') else 'out'} OAuth"
        kinds[kind].append((name, int(passed), int(failed)))
    print(f"== {version}")
    for kind, found in kinds.items():
        good = [name for name, _, failed in found if failed == 0]
        checks = sum(passed for _, passed, _ in found), sum(failed for _, _, failed in found)
        print(f"   {kind}: {len(good)} of {len(found)} scenarios, {checks[0]} checks passed, {checks[1]} failed")
        for name, _, failed in found:
            if failed:
                print(f"      failed: {name}")
    scored = [kinds["scored, without OAuth"], kinds["scored, with OAuth"]]
    return 0 if all(scored) and all(failed == 0 for found in scored for _, _, failed in found) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
