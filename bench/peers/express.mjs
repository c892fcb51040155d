// The receiver that most teams write themselves: Express, the provider's package, pg. One transaction for each webhook,
// as short as it can be: one prepared statement claims the event, posts the journal row and moves the balance, so that
// the whole transaction is one round trip.
//   node express.mjs PORT WORKERS CONNECTIONS      CONNECTIONS: to the database, by all workers together
import cluster from 'node:cluster';
import pg from 'pg';
import { payment, receiver } from './webhook.mjs';

const [port, workers, connections] = process.argv.slice(2).map(Number);

const credit = {
  name: 'credit',
  text: `WITH claimed AS (
             INSERT INTO events (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id),
         posted AS (
             INSERT INTO journal (effect_key, event_id, account, currency, minor)
             SELECT $2, id, $3, $4, $5 FROM claimed),
         moved AS (
             INSERT INTO balances (account, currency, minor) SELECT $3, $4, $5 FROM claimed
             ON CONFLICT (account, currency) DO UPDATE SET minor = balances.minor + excluded.minor)
         SELECT count(*)::int AS fresh FROM claimed`,
};

// The same for all events of a delivery; accounts in order, so that two of them never wait for each other in a circle.
const creditAll = {
  name: 'credit_all',
  text: `WITH claimed AS (
             INSERT INTO events (id) SELECT unnest($1::text[]) ORDER BY 1
             ON CONFLICT DO NOTHING RETURNING id),
         fresh AS (
             SELECT e.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
                 AS e (id, effect_key, account, currency, minor) JOIN claimed USING (id)),
         posted AS (
             INSERT INTO journal (effect_key, event_id, account, currency, minor)
             SELECT effect_key, id, account, currency, minor FROM fresh),
         moved AS (
             INSERT INTO balances (account, currency, minor)
             SELECT account, currency, sum(minor) FROM fresh GROUP BY account, currency ORDER BY 1, 2
             ON CONFLICT (account, currency) DO UPDATE SET minor = balances.minor + excluded.minor)
         SELECT count(*)::int AS fresh FROM claimed`,
};

function serve() {
  const pool = new pg.Pool({ max: Math.max(1, Math.floor(connections / workers)), idleTimeoutMillis: 0 });
  const one = async (event) => {
    const { id, effect, account, currency, minor } = payment(event);
    const { rows } = await pool.query({ ...credit, values: [id, effect, account, currency, minor] });
    return { event_id: id, duplicate: rows[0].fresh === 0 };
  };
  const many = async ({ events }) => {
    const all = events.map(payment);
    const column = (name) => all.map((each) => each[name]);
    const { rows } = await pool.query({
      ...creditAll,
      values: [column('id'), column('effect'), column('account'), column('currency'), column('minor')],
    });
    return { events: all.length, fresh: rows[0].fresh };
  };
  receiver({ '/webhooks/stripe': one, '/webhooks/batch': many })
    .listen({ port, host: '127.0.0.1', backlog: 8192 });
}

if (workers > 1 && cluster.isPrimary) {
  for (let i = 0; i < workers; i += 1) cluster.fork();
  cluster.on('exit', () => process.exit(1));
  process.on('SIGTERM', () => process.exit(0)); // its workers end with it
} else {
  serve();
}
