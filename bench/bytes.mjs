// Sends signed deliveries of the demo provider with bodies of a given size, as an event of a payment
// provider looks: mostly the same names, ids and times that differ. Prints how many were accepted.
//   node bench/bytes.mjs URL EVENTS BODY_BYTES CONNECTIONS SECRET
//   node bench/bytes.mjs subscriber PORT      takes every message that comes
import { createHmac, randomBytes } from 'node:crypto';
import http from 'node:http';

const [url, events, bytes, connections, secret] = process.argv.slice(2);
if (url === 'subscriber') {
    http.createServer((request, response) => {
        request.resume();
        request.on('end', () => response.writeHead(204).end());
    }).listen(Number(events), '127.0.0.1');
    await new Promise(() => {});
}
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
const agent = new http.Agent({ keepAlive: true, maxSockets: Number(connections) });
const run = randomBytes(4).toString('hex');

function body(n) {
    const id = `${(1767225600 + n).toString(16)}${run}${randomBytes(8).toString('hex')}`;
    const event = {
        id: `evt_${id}`, type: 'payment.captured', payment_id: `pi_${id}`, account: `user:${n % 1000}`,
        amount: 100 + (n * 7919) % 100000, currency: 'USD', sequence: 1767225600000 + n,
        object: 'event', api_version: '2025-03-31', livemode: true, created: 1767225600 + n,
        data: { object: {
            id: `pi_${id}`, object: 'payment_intent', amount_capturable: 0, amount_received: 100,
            automatic_payment_methods: null, canceled_at: null, cancellation_reason: null,
            capture_method: 'automatic', client_secret: `pi_${id}_secret_${randomBytes(9).toString('base64url')}`,
            confirmation_method: 'automatic', customer: `cus_${randomBytes(7).toString('base64url')}`,
            description: null, latest_charge: `ch_${id}`, metadata: { order: `order-${n}` },
            payment_method: `pm_${randomBytes(9).toString('base64url')}`,
            payment_method_types: ['card'], status: 'succeeded' } },
        request: { id: `req_${randomBytes(8).toString('hex')}`, idempotency_key: null }, padding: '' };
    const short = JSON.stringify(event).length;
    const words = 'transfer_group statement_descriptor receipt_email shipping next_action ';
    event.padding = words.repeat(40).slice(0, Math.max(0, Number(bytes) - short));
    return { id: event.id, text: JSON.stringify(event) };
}

function post({ id, text }) {
    const at = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', key).update(`${id}.${at}.${text}`).digest('base64');
    const headers = {
        'content-type': 'application/json', 'user-agent': 'provider/1.0 (+https://example.com/webhooks)',
        accept: '*/*', 'accept-encoding': 'gzip', 'cache-control': 'no-cache',
        'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}`,
        'content-length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
        const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
            response.resume();
            response.on('end', () => resolve(response.statusCode));
        });
        request.on('error', reject);
        request.end(text);
    });
}

let next = 0;
let accepted = 0;
async function work() {
    while (next < Number(events)) {
        const delivery = body(next++);
        while ((await post(delivery)) !== 200);
        accepted++;
    }
}
await Promise.all(Array.from({ length: Number(connections) }, work));
agent.destroy();
console.log(accepted);
