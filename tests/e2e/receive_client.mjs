// Delivers to a running pawl as a provider written in JavaScript would, and checks each answer.
//   node receive_client.mjs URL SECRET
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';

const [url, secret] = process.argv.slice(2);
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

function signed(id, body, at = Math.floor(Date.now() / 1000)) {
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': `${at}`, 'webhook-signature': `v1,${signature}` };
}

function event(id, more = {}) {
  return JSON.stringify({
    id, type: 'payment.captured', payment_id: `pay_${id}`, account: 'user:node', amount: 100,
    currency: 'USD', sequence: 1, ...more,
  });
}

function send(path, { method = 'POST', headers = {}, body = '', chunked = false } = {}) {
  return new Promise((resolve, reject) => {
    if (!chunked) headers = { ...headers, 'content-length': Buffer.byteLength(body) };
    const out = request(url + path, { method, headers, agent, timeout: 20000 }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => { text += part; });
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    out.on('error', reject);
    if (!chunked) return out.end(body);
    for (let at = 0; at < body.length; at += 7) out.write(body.slice(at, at + 7));
    out.end();
  });
}

let wrong = 0;
function expect(row, actual, expected) {
  if (actual === expected) return;
  wrong += 1;
  console.error(`${row}: ${actual} instead of ${expected}`);
}

const hook = '/webhooks/demo';
const answered = (id, duplicate) =>
  `{"provider":"demo","event_id":"${id}","status":"done","outcome":"applied","duplicate":${duplicate}}`;

const first = event('node1');
let answer = await send(hook, { headers: signed('node1', first), body: first });
expect('new', answer.status, 200);
expect('new', answer.text, answered('node1', false));
answer = await send(hook, { headers: signed('node1', first), body: first });
expect('again', answer.text, answered('node1', true));

const second = event('node2');
answer = await send(hook, { headers: signed('node2', second), body: second, chunked: true });
expect('chunked', answer.text, answered('node2', false));

answer = await send(hook, { headers: signed('node1', first), body: second });
expect('another body', answer.status, 401);
expect('another body', JSON.parse(answer.text).code, 'wrong_secret');
answer = await send(hook, { headers: signed('node1', first, 1000), body: first });
expect('too old', JSON.parse(answer.text).code, 'timestamp_too_old');
answer = await send(hook, { body: first });
expect('unsigned', JSON.parse(answer.text).code, 'header_missing');
expect('unsigned', answer.headers['content-type'], 'application/problem+json');

answer = await send('/webhooks/nobody', { headers: signed('node1', first), body: first });
expect('unknown provider', answer.status, 404);
answer = await send(hook, { method: 'GET' });
expect('GET', answer.status, 405);
expect('GET', answer.headers.allow, 'POST');

const noJson = 'no JSON';
answer = await send(hook, { headers: signed('node3', noJson), body: noJson });
expect('unreadable', JSON.parse(answer.text).status, 'quarantined');

// Text beyond ASCII, which a client that signs characters instead of bytes gets wrong.
const third = event('node4', { note: 'Zahlung f\u00fcr caf\u00e9 \ud83d\udcb6' });
const many = await Promise.all(
  Array.from({ length: 40 }, () => send(hook, { headers: signed('node4', third), body: third })));
expect('forty at once', many.filter((one) => one.status === 200).length, 40);
expect('forty at once', many.filter((one) => !JSON.parse(one.text).duplicate).length, 1);

agent.destroy();
if (wrong === 0) console.log('all rows as expected');
process.exitCode = wrong === 0 ? 0 : 1;
