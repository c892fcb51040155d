// Stands in for Stripe's command line program in tests, as far as README.md uses it, and signs with
// Stripe's own package.
//   node stripe_cli.mjs listen --print-secret
//   node stripe_cli.mjs listen --forward-to HOST:PORT/PATH
//   node stripe_cli.mjs trigger payment_intent.succeeded [--add payment_intent:PATH.TO.FIELD=VALUE]
// The listener leaves its port in the file STRIPE_STAND_IN_PORT, where a trigger finds it.
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import Stripe from 'stripe';

const secret = 'whsec_5f2e1c7a9b3d4e6f8091a2b3c4d5e6f70819';
const portFile = process.env.STRIPE_STAND_IN_PORT;
const [command, ...rest] = process.argv.slice(2);

function option(name) {
  const at = rest.indexOf(name);
  return at < 0 ? undefined : rest[at + 1];
}

async function forward(url, payload) {
  const stripe = new Stripe('sk_test_of_a_stand_in');
  const header = stripe.webhooks.generateTestHeaderString({ payload, secret });
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': header },
    body: payload,
  });
  return `${answer.status} ${await answer.text()}`;
}

function listen(target) {
  const url = target.includes('://') ? target : `http://${target}`;
  const server = createServer((request, response) => {
    let payload = '';
    request.on('data', (part) => { payload += part; });
    request.on('end', async () => {
      const said = await forward(url, payload).catch((error) => `no answer: ${error.message}`);
      console.log(said);
      response.end(said);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    writeFileSync(`${portFile}.part`, `${server.address().port}`);
    renameSync(`${portFile}.part`, portFile);
    console.log(`Ready! Your webhook signing secret is ${secret}`);
  });
}

function eventOf(type) {
  const id = randomBytes(12).toString('hex');
  const intent = {
    id: `pi_${id}`, object: 'payment_intent', amount: 2000, amount_received: 2000, currency: 'usd',
    livemode: false, metadata: {}, status: 'succeeded',
  };
  const added = option('--add');
  if (added) {
    const [query, value] = added.split(/=(.*)/s);
    const path = query.replace('payment_intent:', '').split('.');
    const field = path.pop();
    path.reduce((object, name) => object[name], intent)[field] = value;
  }
  return JSON.stringify({
    id: `evt_${id}`, object: 'event', api_version: '2025-09-30.clover', livemode: false,
    created: Math.floor(Date.now() / 1000), pending_webhooks: 1, type, data: { object: intent },
  });
}

async function trigger(type) {
  const port = readFileSync(portFile, 'utf8');
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: eventOf(type) });
  const said = await answer.text();
  console.log(said.startsWith('200 ') ? `Trigger succeeded! ${said}` : `Trigger failed: ${said}`);
  process.exitCode = said.startsWith('200 ') ? 0 : 1;
}

if (command === 'listen' && rest.includes('--print-secret')) console.log(secret);
else if (command === 'listen') listen(option('--forward-to'));
else if (command === 'trigger') await trigger(rest[0]);
else throw new Error(`the stand-in knows no ${command}`);
