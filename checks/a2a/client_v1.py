"""The client of a2a-sdk 1.3, over JSON-RPC and over HTTP+JSON; and every payload once more, strictly."""

import asyncio
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import a2a_pb2 as pb
from google.protobuf import json_format

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


async def strictly(url, http):
    """Every answer of 1.0, read with the official types, which refuse an unknown field."""

    async def call(method, params, kind):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = (await http.post(url, json=body, headers={"A2A-Version": "1.0"})).json()
        json_format.ParseDict(answer["result"], kind())
        return answer["result"]

    message = {"messageId": uuid.uuid4().hex, "role": "ROLE_USER", "parts": [{"text": "What is 10 % of $250.00?"}]}
    sent = await call("SendMessage", {"message": message}, pb.SendMessageResponse)
    task = sent["task"]["id"]
    await call("GetTask", {"id": task}, pb.Task)
    await call("ListTasks", {"includeArtifacts": True}, pb.ListTasksResponse)
    await call("GetExtendedAgentCard", {}, pb.AgentCard)
    config = {"taskId": task, "url": "http://127.0.0.1:1/", "id": "x"}
    await call("CreateTaskPushNotificationConfig", config, pb.TaskPushNotificationConfig)
    await call("ListTaskPushNotificationConfigs", {"taskId": task}, pb.ListTaskPushNotificationConfigsResponse)
    card = (await http.get(url + ".well-known/agent-card.json", headers={"A2A-Version": "1.0"})).json()
    json_format.ParseDict(card, pb.AgentCard())
    done("every payload has the official form, and no field beside")


async def main(url):
    receiver = Receiver()
    async with httpx.AsyncClient(timeout=60) as http:
        card = await A2ACardResolver(httpx_client=http, base_url=url.rstrip("/")).get_agent_card()
        assert card.capabilities.streaming and card.capabilities.push_notifications, card
        done("card")
        for binding in ["HTTP+JSON", "JSONRPC"]:
            await drive(binding, url, http, card, receiver)
        await strictly(url, http)


asyncio.run(main(sys.argv[1]))
