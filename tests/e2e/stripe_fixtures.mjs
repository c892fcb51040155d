// Holds the events of a folder against the types of Stripe's package, signs each with it, and
// delivers them in order.
//   node stripe_fixtures.mjs FOLDER URL SECRET
// Prints "<file> <answer>" a line, and exits 1 if an event is not of Stripe's shape.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Stripe from 'stripe';

const [folder, url, secret] = process.argv.slice(2);
const types = join(dirname(createRequire(import.meta.url).resolve('stripe')), '..', 'esm');
const stripe = new Stripe('sk_test_of_a_fixture');
let wrong = 0;

function fail(text) {
  wrong += 1;
  console.error(text);
}

// The members of an exported interface: name, whether it may be left out, and its type as written.
function membersOf(file, name) {
  const text = readFileSync(join(types, 'resources', `${file}.d.ts`), 'utf8').replace(/\/\*.*?\*\//gs, '');
  const begin = text.indexOf(`export interface ${name} {`);
  if (begin < 0) throw new Error(`${file}.d.ts has no interface ${name}`);
  const members = new Map();
  for (const line of text.slice(text.indexOf('{', begin) + 1).split('\n').map((one) => one.trim())) {
    if (line === '}') break;
    const member = /^(\w+)(\?)?: (.*);$/.exec(line);
    if (member) members.set(member[1], { optional: member[2] === '?', type: member[3] });
  }
  return members;
}

function fits(value, type) {
  const alternatives = type.split(' | ');
  if (value === null) return alternatives.includes('null');
  return alternatives.some((one) => {
    if (one === 'null') return false;
    if (['string', 'number', 'boolean'].includes(one)) return typeof value === one;
    if (one.startsWith("'")) return value === one.slice(1, -1);
    if (one.startsWith('Array<')) return Array.isArray(value);
    return typeof value === 'object' || typeof value === 'string';  // another interface, or a set of words
  });
}

function check(place, value, members) {
  for (const [name, { optional, type }] of members) {
    if (!(name in value)) {
      if (!optional) fail(`${place}: ${name} is missing`);
    } else if (!fits(value[name], type)) {
      fail(`${place}: ${name} is ${JSON.stringify(value[name])}, and ${type} in Stripe's types`);
    }
  }
  for (const name of Object.keys(value)) if (!members.has(name)) fail(`${place}: ${name} is unknown`);
}

// A 503 asks for a redelivery, as Stripe would make it.
async function deliver(payload, header) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': header },
      body: payload,
    });
    if (answer.status !== 503 || attempt === 20) return answer;
    await new Promise((resolve) => { setTimeout(resolve, 500); });
  }
}

const objects = {
  payment_intent: membersOf('PaymentIntents', 'PaymentIntent'),
  refund: membersOf('Refunds', 'Refund'),
  dispute: membersOf('Disputes', 'Dispute'),
};
const transaction = membersOf('BalanceTransactions', 'BalanceTransaction');
const envelope = membersOf('Events', 'EventBase');
const known = readFileSync(join(types, 'resources', 'Events.d.ts'), 'utf8');

for (const file of readdirSync(folder).filter((one) => one.endsWith('.json')).sort()) {
  const payload = readFileSync(join(folder, file), 'utf8');
  const event = JSON.parse(payload);
  check(file, event, envelope);
  if (!known.includes(`'${event.type}'`)) fail(`${file}: ${event.type} is no type of Stripe's`);
  check(file, event.data.object, objects[event.data.object.object]);
  for (const one of event.data.object.balance_transactions ?? []) check(file, one, transaction);
  const header = stripe.webhooks.generateTestHeaderString({ payload, secret });
  stripe.webhooks.constructEvent(payload, header, secret);
  const answer = await deliver(payload, header);
  const said = await answer.json();
  console.log(`${file} ${answer.status} ${said.outcome}${said.note ? ` ${said.note}` : ''}`);
}
process.exitCode = wrong === 0 ? 0 : 1;
