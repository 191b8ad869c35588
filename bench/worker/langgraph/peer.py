"""The same eight states in LangGraph with its SQLite checkpointer, durability "sync".

peer.py run WORKLOAD CLIENTS TASKS FOLDER   runs tasks and prints what they cost
peer.py cold FOLDER                         says "accepted" when the first task stands at the gate
"""
import json
import os
import sqlite3
import sys
import threading
import time
from typing import TypedDict

import httpx
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

STATES = ["decompose", "assess", "compute", "policy_check", "approval_gate", "mutate", "schedule_notify", "complete"]


class Claim(TypedDict, total=False):
    text: str
    claim_id: str
    claim: dict
    budget: dict
    left: int
    verdict: str
    decision: str
    after: dict
    notice: dict
    answer: str


APPROVED = {}


def get_claim(claim_id):
    return {"claim_id": claim_id, "amount": 90000, "status": APPROVED.get(claim_id, "submitted"), "owner": "jo@example.com"}


def get_budget(claim_id):
    return {"left": 500000}


def approve_claim(claim_id):
    APPROVED[claim_id] = "approved"
    return get_claim(claim_id)


def send_claim_notice(claim_id, to):
    return {"sent": True}


TOOLS = {"get_claim": get_claim, "get_budget": get_budget, "approve_claim": approve_claim, "send_claim_notice": send_claim_notice}
OFFERED = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {"claim_id": {"type": "string"}}}}}
    for name in TOOLS
]
MODEL = httpx.Client(base_url=os.environ.get("BENCH_MODEL_URL", "http://127.0.0.1:1"))


def ask(node, claim_id):
    """One model call; the tools that it asks for are called. Gives the words and the results."""
    messages = [{"role": "user", "content": f"peer {node} {claim_id}"}]
    body = {"model": "script", "messages": messages, "tools": OFFERED}
    answer = MODEL.post("/chat/completions", json=body).raise_for_status().json()["choices"][0]["message"]
    calls = [call["function"] for call in answer.get("tool_calls", [])]
    return answer["content"], [TOOLS[call["name"]](**json.loads(call["arguments"])) for call in calls]


def llm_nodes():
    def decompose(state):
        words, _ = ask("decompose", next(word for word in state["text"].split() if word.startswith("EXP-")))
        return {"claim_id": words}

    def assess(state):
        _, (claim, budget) = ask("assess", state["claim_id"])
        return {"claim": claim, "budget": budget}

    def compute(state):
        ask("compute", state["claim_id"])
        return {"left": state["budget"]["left"] - state["claim"]["amount"]}

    def policy_check(state):
        return {"verdict": "ask" if state["left"] >= 0 else "stop"}

    def approval_gate(state):
        return {"decision": interrupt({"approve": state["claim_id"], "amount": state["claim"]["amount"]})}

    def mutate(state):
        _, (_, after) = ask("mutate", state["claim_id"])
        return {"after": after}

    def schedule_notify(state):
        _, (notice,) = ask("schedule_notify", state["claim_id"])
        return {"notice": notice}

    def complete(state):
        return {"answer": f"{state['claim_id']} is {state['after']['status']}"}

    return [decompose, assess, compute, policy_check, approval_gate, mutate, schedule_notify, complete]


def nodes(workload):
    if workload == "llm":
        return llm_nodes()
    tools = workload == "tools"

    def decompose(state):
        return {"claim_id": next(word for word in state["text"].split() if word.startswith("EXP-"))}

    def assess(state):
        if not tools:
            return {"claim": {"amount": 90000}, "budget": {"left": 500000}}
        return {"claim": get_claim(state["claim_id"]), "budget": get_budget(state["claim_id"])}

    def compute(state):
        return {"left": state["budget"]["left"] - state["claim"]["amount"]}

    def policy_check(state):
        return {"verdict": "ask" if state["left"] >= 0 else "stop"}

    def approval_gate(state):
        return {"decision": interrupt({"approve": state["claim_id"], "amount": state["claim"]["amount"]})}

    def mutate(state):
        if not tools:
            return {"after": {"status": "approved"}}
        approve_claim(state["claim_id"])
        return {"after": get_claim(state["claim_id"])}

    def schedule_notify(state):
        if not tools:
            return {"notice": {}}
        return {"notice": send_claim_notice(state["claim_id"], state["claim"]["owner"])}

    def complete(state):
        return {"answer": f"{state['claim_id']} is {state['after']['status']}"}

    return [decompose, assess, compute, policy_check, approval_gate, mutate, schedule_notify, complete]


def build(workload, folder):
    connection = sqlite3.connect(os.path.join(folder, "checkpoints.db"), check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    saver = SqliteSaver(connection)
    saver.setup()
    graph = StateGraph(Claim)
    for name, node in zip(STATES, nodes(workload)):
        graph.add_node(name, node)
    for before, after in zip([START, *STATES], [*STATES, END]):
        graph.add_edge(before, after)
    return graph.compile(checkpointer=saver), connection


def task(app, number):
    config = {"configurable": {"thread_id": f"t{number}"}}
    app.invoke({"text": f"Approve expense claim EXP-{number} of $900.00"}, config, durability="sync")
    done = app.invoke(Command(resume="approved"), config, durability="sync")
    assert done["answer"] == f"EXP-{number} is approved", done


def rss_kb():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def bytes_in(folder):
    return sum(entry.stat().st_size for entry in os.scandir(folder))


def run(workload, clients, tasks, folder):
    app, connection = build(workload, folder)
    idle, empty = rss_kb(), bytes_in(folder)
    numbers = iter(range(tasks))
    lock, times, failed = threading.Lock(), [], []

    def client():
        try:
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                began = time.perf_counter()
                task(app, number)
                times.append(time.perf_counter() - began)
        except Exception as error:
            failed.append(error)

    cpu, began = time.process_time(), time.perf_counter()
    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    if failed:
        raise failed[0]
    rss = rss_kb()
    connection.close()
    print(json.dumps({
        "tasks": tasks, "cpu_us": int(cpu * 1e6 / tasks), "wall_us": int(wall * 1e6),
        "p50_us": int(sorted(times)[len(times) // 2] * 1e6), "idle_kb": idle, "rss_kb": rss,
        "bytes": (bytes_in(folder) - empty) // tasks, "calls": 0 if workload == "null" else 5,
    }))


def cold(folder):
    app, connection = build("tools", folder)
    config = {"configurable": {"thread_id": f"cold-{os.getpid()}"}}
    app.invoke({"text": "Approve expense claim EXP-1 of $900.00"}, config, durability="sync")
    print("accepted", flush=True)
    connection.close()


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    else:
        cold(sys.argv[2])
