// Opens a connection to a running pawl, waits for the signal that pawl stops, delivers on that
// connection, and prints the answer. node receive_stopping.mjs URL SECRET SIGN
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';

const [url, secret, sign] = process.argv.slice(2);
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function send(method, path, headers = {}, body = '') {
  return new Promise((resolve, reject) => {
    headers = { ...headers, 'content-length': Buffer.byteLength(body) };
    const out = request(url + path, { method, headers, agent, timeout: 5000 }, (answer) => {
      let text = '';
      answer.on('data', (part) => { text += part; });
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    out.on('error', reject);
    out.end(body);
  });
}

await send('GET', '/healthz');
console.log('connected');
while (!existsSync(sign)) await new Promise((later) => setTimeout(later, 5));
const id = 'node_late';
const body = JSON.stringify({
  id, type: 'payment.captured', payment_id: 'p', account: 'a', amount: 1, currency: 'USD' });
const at = Math.floor(Date.now() / 1000);
const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
const answer = await send('POST', '/webhooks/demo', {
  'webhook-id': id, 'webhook-timestamp': `${at}`, 'webhook-signature': `v1,${signature}` }, body);
console.log(`${answer.status} ${JSON.parse(answer.text).code}`);
process.exitCode = answer.status === 503 && answer.headers['retry-after'] !== undefined ? 0 : 1;
agent.destroy();
