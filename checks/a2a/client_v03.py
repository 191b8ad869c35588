"""The client of a2a-sdk 0.3: send, stream, two turns, cancel, resubscribe, push, extended card."""

import asyncio
import sys
import uuid

import httpx
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
