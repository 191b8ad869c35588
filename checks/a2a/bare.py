"""Requests as benchmark orchestrators and older clients send them: bare, and not always by the book."""

import sys

import httpx

from receiver import ORDER, YES, done


def main(url):
    with httpx.Client(timeout=60) as http:
        # Neither an id nor the kind of a part.
        def send(text):
            message = {"role": "user", "parts": [{"text": text}]}
            metadata = {"policy_doc": "Be careful with orders.", "session_id": "s-1", "difficulty": "none"}
            params = {"id": "s-1", "message": message, "metadata": metadata}
            return http.post(url, json={"jsonrpc": "2.0", "method": "tasks/send", "params": params}).json()

        asked = send(ORDER)
        assert asked["result"]["status"]["state"] == "input-required", asked
        assert "ORD-5592" in asked["result"]["artifacts"][0]["parts"][0]["text"], asked
        answered = send(YES)
        assert answered["result"]["status"]["state"] == "completed", answered
        assert send(YES)["result"]["artifacts"] == answered["result"]["artifacts"]
        done("tasks/send without an id, two turns, a repetition")

        body = {"task_id": "t-1", "task": "What is 10 % of $250.00?", "policy_doc": {"rules": []}}
        older = http.post(url + "api/a2a/purple-agent", json=body).json()
        assert older["task_id"] == "t-1" and older["metadata"]["policy_compliant"] is True, older
        done("the older endpoint")
        for path in [".well-known/agent.json", "health", "livez", "readyz", "metrics", "rl/status"]:
            assert http.get(url + path).status_code == 200, path
        done("older card, health, figures")


main(sys.argv[1])
