// The client of @a2a-js/sdk: send, stream, two turns, cancel, resubscribe, push.
import assert from 'node:assert/strict';
import http from 'node:http';
import { randomUUID } from 'node:crypto';
import { ClientFactory } from '@a2a-js/sdk/client';
import * as sdk from '@a2a-js/sdk';

const url = process.argv[2];
const ORDER =
  'Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.';
const YES = 'Confirmed, proceed';
const done = (what) => console.log(`   ok  ${what}`);

const told = [];
const receiver = http.createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => (body += piece));
  request.on('end', () => {
    told.push({ headers: request.headers, body: JSON.parse(body) });
    response.end();
  });
});
await new Promise((ready) => receiver.listen(0, '127.0.0.1', ready));
const hook = `http://127.0.0.1:${receiver.address().port}/hook`;

const { Role, TaskState } = sdk;
const request = (text, contextId = '') => ({
  tenant: '',
  message: {
    messageId: randomUUID(),
    contextId,
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: undefined,
  metadata: undefined,
});
const until = async (what, look) => {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = look();
    if (found) return found;
    await new Promise((later) => setTimeout(later, 50));
  }
  throw new Error(`it did not come to pass: ${what}`);
};
// A task, or the payload of an event, whatever the version of the SDK calls it.
const taskOf = (result) => result?.payload?.value ?? result?.task ?? result;
const stateOf = (event) => {
  const value = event?.payload?.value ?? event?.task ?? event?.statusUpdate ?? event;
  return value?.status?.state;
};

const client = await new ClientFactory().createFromUrl(url.replace(/\/$/, ''));
done('card');

let paused;
let count = 0;
let state;
for await (const event of client.sendMessageStream(request(ORDER))) {
  count += 1;
  state = stateOf(event) ?? state;
  paused ??= taskOf(event);
}
assert.equal(state, TaskState.TASK_STATE_INPUT_REQUIRED);
assert.ok(count > 1);
done(`stream, ${count} events`);

await client.createTaskPushNotificationConfig({
  tenant: '', id: 'mine', taskId: paused.id, url: hook, token: 'knock', authentication: undefined,
});
let followed;
const follower = (async () => {
  for await (const event of client.resubscribeTask({ tenant: '', id: paused.id })) followed = stateOf(event) ?? followed;
})();
await until('the follower sees the paused task', () => followed === TaskState.TASK_STATE_INPUT_REQUIRED);
const canceled = await client.cancelTask({ tenant: '', id: paused.id, metadata: undefined });
assert.equal(canceled.status.state, TaskState.TASK_STATE_CANCELED);
await follower;
assert.equal(followed, TaskState.TASK_STATE_CANCELED);
done('resubscribe, cancel');
const end = await until('the end is told', () => told.find((one) => one.body.task?.status.state === 'TASK_STATE_CANCELED'));
assert.equal(end.headers['x-a2a-notification-token'], 'knock');
done('push');

const asked = taskOf(await client.sendMessage(request(ORDER)));
assert.equal(asked.status.state, TaskState.TASK_STATE_INPUT_REQUIRED, JSON.stringify(asked));
const answered = taskOf(await client.sendMessage(request(YES, asked.contextId)));
assert.equal(answered.status.state, TaskState.TASK_STATE_COMPLETED, JSON.stringify(answered));
assert.equal(answered.id, asked.id);
const got = await client.getTask({ tenant: '', id: asked.id, historyLength: undefined });
assert.equal(got.status.state, TaskState.TASK_STATE_COMPLETED);
done('send, two turns, get');
receiver.close();
