"""The client of a2a-sdk 0.3: send, stream, two turns, cancel, resubscribe, push, extended card."""

import asyncio
import json
import sys
import uuid

import httpx
from a2a import types
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    Part,
    PushNotificationConfig,
    Role,
    Task,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TaskState,
    TextPart,
)

from receiver import ORDER, YES, Receiver, done


def message(text, context=None):
    return Message(
        kind="message",
        message_id=uuid.uuid4().hex,
        role=Role.user,
        context_id=context,
        parts=[Part(root=TextPart(kind="text", text=text))],
    )


async def last(events):
    """The last task of a call, and how many events there were."""
    task, count = None, 0
    async for event in events:
        count += 1
        task = event if isinstance(event, Message) else event[0]
    return task, count


def bare(value):
    """JSON without what is null."""
    if isinstance(value, dict):
        return {name: bare(one) for name, one in value.items() if one is not None}
    return [bare(one) for one in value] if isinstance(value, list) else value


def read(kind, payload):
    """A payload, read with the official type, which must say all of it and nothing else."""
    told = kind.model_validate(payload).model_dump(mode="json", by_alias=True, exclude_none=True)
    assert bare(told) == bare(payload), (kind.__name__, payload, told)
    return payload


async def strictly(url, http, receiver):
    """Every answer of 0.3, read with the official types."""
    body = lambda method, params: {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    async def call(method, params, kind):
        return read(kind, (await http.post(url, json=body(method, params))).json()).get("result")

    def send(text, **more):
        part = {"kind": "text", "text": text}
        return {"message": {"kind": "message", "messageId": uuid.uuid4().hex, "role": "user", "parts": [part], **more}}

    sum_of = "What is 10 % of $250.00?"
    sent = await call("message/send", send(sum_of), types.SendMessageResponse)
    await call("tasks/get", {"id": sent["id"]}, types.GetTaskResponse)
    await call("message/send", {**send(sum_of), "configuration": {"blocking": False}}, types.SendMessageResponse)
    kinds, paused = set(), None
    for text in [sum_of, ORDER]:
        async with http.stream("POST", url, json=body("message/stream", send(text))) as stream:
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    event = read(types.SendStreamingMessageResponse, json.loads(line[5:]))["result"]
                    kinds.add(event["kind"])
                    paused = event.get("taskId", event.get("id"))
    assert kinds == {"task", "status-update", "artifact-update"}, kinds
    config = {"id": "x", "url": receiver.url, "token": "knock"}
    params = {"taskId": paused, "pushNotificationConfig": config}
    await call("tasks/pushNotificationConfig/set", params, types.SetTaskPushNotificationConfigResponse)
    one = {"id": paused, "pushNotificationConfigId": "x"}
    await call("tasks/pushNotificationConfig/get", one, types.GetTaskPushNotificationConfigResponse)
    await call("tasks/pushNotificationConfig/list", {"id": paused}, types.ListTaskPushNotificationConfigResponse)
    canceled = await call("tasks/cancel", {"id": paused}, types.CancelTaskResponse)
    assert canceled["status"]["state"] == "canceled", canceled
    _, told = receiver.wait(lambda body: body["id"] == paused and body["status"]["state"] == "canceled")
    read(Task, told)
    await call("tasks/pushNotificationConfig/delete", one, types.DeleteTaskPushNotificationConfigResponse)
    for method, params, code in [
        ("tasks/get", {"id": "none"}, -32001),
        ("tasks/cancel", {"id": paused}, -32002),
        ("tasks/resubscribe", {"id": paused}, -32004),
        ("message/send", {}, -32602),
        ("no/such", {}, -32601),
    ]:
        answer = read(types.JSONRPCErrorResponse, (await http.post(url, json=body(method, params))).json())
        assert answer["error"]["code"] == code, answer
    done("every payload has the official form, and no field beside")


async def main(url):
    receiver = Receiver()
    async with httpx.AsyncClient(timeout=60) as http:
        card = await A2ACardResolver(httpx_client=http, base_url=url.rstrip("/")).get_agent_card()
        assert card.url == url and card.capabilities.streaming and card.capabilities.push_notifications, card
        done("card")
        calls = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)
        streams = ClientFactory(ClientConfig(httpx_client=http, streaming=True)).create(card)

        # A stream ends at the question; a follower of the paused task sees it canceled.
        paused, count = await last(streams.send_message(message(ORDER)))
        assert paused.status.state == TaskState.input_required and count > 1, paused
        done(f"stream, {count} events")
        set_up = TaskPushNotificationConfig(
            task_id=paused.id, push_notification_config=PushNotificationConfig(url=receiver.url, token="knock")
        )
        kept = await calls.set_task_callback(set_up)
        assert kept.push_notification_config.url == receiver.url, kept
        again = await calls.get_task_callback(GetTaskPushNotificationConfigParams(id=paused.id))
        assert again.push_notification_config.token == "knock", again
        follower = asyncio.create_task(last(streams.resubscribe(TaskIdParams(id=paused.id))))
        await asyncio.sleep(0.3)
        assert not follower.done(), "a paused task can be followed"
        canceled = await calls.cancel_task(TaskIdParams(id=paused.id))
        assert canceled.status.state == TaskState.canceled, canceled
        followed, _ = await asyncio.wait_for(follower, 20)
        assert followed.status.state == TaskState.canceled, followed
        done("resubscribe, cancel")
        headers, body = receiver.wait(lambda body: body["status"]["state"] == "canceled")
        assert headers["x-a2a-notification-token"] == "knock", headers
        Task.model_validate(body)
        done("push")

        await strictly(url, http, receiver)

        # Two turns, each one call.
        asked, _ = await last(calls.send_message(message(ORDER)))
        assert asked.status.state == TaskState.input_required, asked
        data = asked.status.message.parts[1].root.data
        assert {"approvalId", "planHash", "operations", "expiresAt", "options"} <= data.keys(), data
        answered, _ = await last(calls.send_message(message(YES, asked.context_id)))
        assert answered.status.state == TaskState.completed and answered.id == asked.id, answered
        text = [part.root.text for artifact in answered.artifacts for part in artifact.parts if hasattr(part.root, "text")]
        assert len(text) == 1 and "ORD-5592" in text[0], answered
        got = await calls.get_task(TaskQueryParams(id=asked.id))
        assert isinstance(got, Task) and got.status.state == TaskState.completed
        done("send, two turns, get")

        extended = await calls.get_card()
        assert extended.name == card.name, extended
        done("extended card")


asyncio.run(main(sys.argv[1]))
