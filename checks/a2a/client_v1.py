"""The client of a2a-sdk 1.3, over JSON-RPC and over HTTP+JSON; and every payload once more, strictly."""

import asyncio
import json
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import a2a_pb2 as pb
from google.protobuf import empty_pb2, json_format
from google.rpc import error_details_pb2

from receiver import ORDER, YES, Receiver, done


def request(text, context="", **more):
    part = pb.Part(text=text)
    message = pb.Message(message_id=uuid.uuid4().hex, role=pb.ROLE_USER, context_id=context, parts=[part])
    return pb.SendMessageRequest(message=message, **more)


async def last(events):
    """The task that the last event speaks of, its state, and how many events there were."""
    task = state = None
    count = 0
    async for event in events:
        count += 1
        response = event[0] if isinstance(event, tuple) else event
        kind = response.WhichOneof("payload")
        if kind == "task":
            task, state = response.task, response.task.status.state
        elif kind == "status_update":
            state = response.status_update.status.state
    return task, state, count


async def drive(binding, url, http, card, receiver):
    config = lambda streaming: ClientConfig(
        httpx_client=http, streaming=streaming, supported_protocol_bindings=[binding]
    )
    calls = ClientFactory(config(False)).create(card)
    streams = ClientFactory(config(True)).create(card)
    paused, state, count = await last(streams.send_message(request(ORDER)))
    assert state == pb.TASK_STATE_INPUT_REQUIRED and count > 1, paused
    done(f"{binding}: stream, {count} events")
    wanted = pb.TaskPushNotificationConfig(
        task_id=paused.id,
        id="mine",
        url=receiver.url,
        token="knock",
        authentication=pb.AuthenticationInfo(scheme="Bearer", credentials="secret"),
    )
    kept = await calls.create_task_push_notification_config(wanted)
    assert (kept.id, kept.url) == ("mine", receiver.url), kept
    got = await calls.get_task_push_notification_config(
        pb.GetTaskPushNotificationConfigRequest(task_id=paused.id, id="mine")
    )
    assert got == kept, got
    all_of_it = await calls.list_task_push_notification_configs(
        pb.ListTaskPushNotificationConfigsRequest(task_id=paused.id)
    )
    assert list(all_of_it.configs) == [kept], all_of_it
    follower = asyncio.create_task(last(streams.subscribe(pb.SubscribeToTaskRequest(id=paused.id))))
    await asyncio.sleep(0.3)
    assert not follower.done(), "a paused task can be followed"
    canceled = await calls.cancel_task(pb.CancelTaskRequest(id=paused.id))
    assert canceled.status.state == pb.TASK_STATE_CANCELED, canceled
    _, state, _ = await asyncio.wait_for(follower, 20)
    assert state == pb.TASK_STATE_CANCELED
    done(f"{binding}: subscribe, cancel")
    is_end = lambda body: body["task"]["id"] == paused.id and body["task"]["status"]["state"] == "TASK_STATE_CANCELED"
    headers, body = receiver.wait(is_end)
    assert headers["x-a2a-notification-token"] == "knock" and headers["authorization"] == "Bearer secret", headers
    json_format.ParseDict(body, pb.StreamResponse())
    await calls.delete_task_push_notification_config(
        pb.DeleteTaskPushNotificationConfigRequest(task_id=paused.id, id="mine")
    )
    done(f"{binding}: push, push configs")
    asked, state, _ = await last(calls.send_message(request(ORDER)))
    assert state == pb.TASK_STATE_INPUT_REQUIRED, asked
    data = json_format.MessageToDict(asked.status.message.parts[1].data)
    assert {"approvalId", "planHash", "operations", "expiresAt", "options"} <= data.keys(), data
    if binding == "JSONRPC":
        answered, state, _ = await last(calls.send_message(request(YES, asked.context_id)))
        assert state == pb.TASK_STATE_COMPLETED and answered.id == asked.id, answered
    else:
        # The same order is not changed twice: here it is declined.
        declined, state, _ = await last(calls.send_message(request("reject: changed my mind", asked.context_id)))
        assert state == pb.TASK_STATE_COMPLETED, declined
    got = await calls.get_task(pb.GetTaskRequest(id=asked.id))
    assert got.status.state == pb.TASK_STATE_COMPLETED, got
    listed = await calls.list_tasks(pb.ListTasksRequest(context_id=asked.context_id))
    assert [task.id for task in listed.tasks] == [asked.id], listed
    done(f"{binding}: send, two turns, get, list")

    extended = await calls.get_extended_agent_card(pb.GetExtendedAgentCardRequest())
    assert extended.name == card.name, extended
    done(f"{binding}: extended card")


def fault(answer, code, reason):
    """An error of 1.0: a code, a message, and one detail of the official form."""
    error = answer["error"]
    assert answer.keys() == {"jsonrpc", "id", "error"} and error.keys() == {"code", "message", "data"}, answer
    detail = dict(error["data"][0])
    assert detail.pop("@type") == "type.googleapis.com/google.rpc.ErrorInfo", answer
    told = json_format.ParseDict(detail, error_details_pb2.ErrorInfo())
    assert (error["code"], told.reason, told.domain) == (code, reason, "a2a-protocol.org"), answer


def plain_fault(response, status, reason):
    """An error of HTTP+JSON: the same, in the form of google.rpc.Status."""
    body = response.json()
    error = body["error"]
    assert body.keys() == {"error"} and error.keys() == {"code", "status", "message", "details"}, body
    assert (response.status_code, error["code"]) == (status, status), body
    detail = dict(error["details"][0])
    detail.pop("@type")
    assert json_format.ParseDict(detail, error_details_pb2.ErrorInfo()).reason == reason, body


async def strictly(url, http, receiver):
    """Every answer of 1.0, read with the official types, which refuse an unknown field."""
    header = {"A2A-Version": "1.0"}
    seen = set()

    async def ask(method, params):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return (await http.post(url, json=body, headers=header)).json()

    async def call(method, params, kind):
        answer = await ask(method, params)
        assert answer.keys() == {"jsonrpc", "id", "result"}, answer
        json_format.ParseDict(answer["result"], kind())
        return answer["result"]

    async def plain(verb, path, kind, **more):
        response = await http.request(verb, url + path, headers=header, **more)
        assert response.status_code == 200, response.text
        json_format.ParseDict(response.json(), kind())
        return response.json()

    async def follow(verb, path, body, unwrap):
        """Each event of a stream."""
        async with http.stream(verb, path, json=body, headers=header) as stream:
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    event = unwrap(json.loads(line[5:]))
                    seen.add(json_format.ParseDict(event, pb.StreamResponse()).WhichOneof("payload"))
                    yield event

    def message(text, **more):
        return {"message": {"messageId": uuid.uuid4().hex, "role": "ROLE_USER", "parts": [{"text": text}], **more}}

    sum_of = "What is 10 % of $250.00?"
    sent = await call("SendMessage", message(sum_of), pb.SendMessageResponse)
    task = sent["task"]["id"]
    soon = {**message(sum_of), "configuration": {"returnImmediately": True}}
    await call("SendMessage", soon, pb.SendMessageResponse)
    await call("GetTask", {"id": task}, pb.Task)
    rpc = lambda method, params: {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    paused = None
    async for event in follow("POST", url, rpc("SendStreamingMessage", message(ORDER)), lambda one: one["result"]):
        paused = event.get("task", {}).get("id", paused)
    async for _ in follow("POST", url + "message:stream", message(sum_of), lambda one: one):
        pass
    assert {"task", "status_update", "artifact_update"} <= seen, seen
    asked = await call("GetTask", {"id": paused}, pb.Task)
    config = {"taskId": paused, "url": receiver.url, "id": "x", "authentication": {"scheme": "Bearer", "credentials": "c"}}
    await call("CreateTaskPushNotificationConfig", config, pb.TaskPushNotificationConfig)
    await call("GetTaskPushNotificationConfig", {"taskId": paused, "id": "x"}, pb.TaskPushNotificationConfig)
    await call("ListTaskPushNotificationConfigs", {"taskId": paused}, pb.ListTaskPushNotificationConfigsResponse)
    await plain("GET", f"tasks/{paused}/pushNotificationConfigs/x", pb.TaskPushNotificationConfig)
    await plain("GET", f"tasks/{paused}/pushNotificationConfigs", pb.ListTaskPushNotificationConfigsResponse)
    answer = {"approvalId": asked["status"]["message"]["parts"][1]["data"]["approvalId"], "decision": "reject", "reason": "no"}
    decision = {"message": {"messageId": uuid.uuid4().hex, "role": "ROLE_USER", "taskId": paused, "parts": [{"data": answer}]}}
    declined = await call("SendMessage", decision, pb.SendMessageResponse)
    assert declined["task"]["history"][-1]["parts"][0]["data"] == answer, declined
    _, told = receiver.wait(lambda body: body["task"]["id"] == paused and body["task"]["status"]["state"] == "TASK_STATE_COMPLETED")
    json_format.ParseDict(told, pb.StreamResponse())
    assert await call("DeleteTaskPushNotificationConfig", {"taskId": paused, "id": "x"}, empty_pb2.Empty) == {}
    other = (await call("SendMessage", message(ORDER), pb.SendMessageResponse))["task"]["id"]
    await plain("POST", f"tasks/{other}:cancel", pb.Task)
    await call("ListTasks", {"includeArtifacts": True}, pb.ListTasksResponse)
    await plain("GET", "tasks?pageSize=1&includeArtifacts=true", pb.ListTasksResponse)
    await plain("GET", f"tasks/{task}", pb.Task)
    await plain("POST", "message:send", pb.SendMessageResponse, json=message(sum_of))
    await call("GetExtendedAgentCard", {}, pb.AgentCard)
    await plain("GET", "extendedAgentCard", pb.AgentCard)
    await plain("GET", ".well-known/agent-card.json", pb.AgentCard)
    fault(await ask("GetTask", {"id": "none"}), -32001, "TASK_NOT_FOUND")
    fault(await ask("CancelTask", {"id": other}), -32002, "TASK_NOT_CANCELABLE")
    fault(await ask("SubscribeToTask", {"id": other}), -32004, "UNSUPPORTED_OPERATION")
    fault(await ask("SendMessage", {"message": {}}), -32602, "INVALID_PARAMS")
    fault(await ask("NoSuch", {}), -32601, "METHOD_NOT_FOUND")
    plain_fault(await http.get(url + "tasks/none"), 404, "TASK_NOT_FOUND")
    plain_fault(await http.post(url + f"tasks/{other}:cancel"), 400, "TASK_NOT_CANCELABLE")
    plain_fault(await http.put(url + "tasks/none"), 405, "METHOD_NOT_ALLOWED")
    plain_fault(await http.post(url + "message:send", content="x"), 415, "CONTENT_TYPE_NOT_SUPPORTED")
    done("every payload has the official form, and no field beside")


async def main(url):
    receiver = Receiver()
    async with httpx.AsyncClient(timeout=60) as http:
        card = await A2ACardResolver(httpx_client=http, base_url=url.rstrip("/")).get_agent_card()
        assert card.capabilities.streaming and card.capabilities.push_notifications, card
        done("card")
        await strictly(url, http, receiver)
        for binding in ["HTTP+JSON", "JSONRPC"]:
            await drive(binding, url, http, card, receiver)


asyncio.run(main(sys.argv[1]))
