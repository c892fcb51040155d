// DBOS Transact: one workflow of two steps for each webhook, under the event's id, and Express before it. The first step
// claims the event, the second posts the journal row and moves the balance in one statement; both may run again after a
// crash, and change nothing then. It answers when the workflow is done.
//   node dbos.mjs PORT WORKERS CONNECTIONS      CONNECTIONS: to the database, by all workers together
import cluster from 'node:cluster';
import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { payment, receiver } from './webhook.mjs';

const [port, workers, connections] = process.argv.slice(2).map(Number);

const claim = { name: 'claim', text: 'INSERT INTO events (id) VALUES ($1) ON CONFLICT DO NOTHING' };
const post = {
  name: 'post',
  text: `WITH posted AS (
             INSERT INTO journal (effect_key, event_id, account, currency, minor)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (effect_key) DO NOTHING
             RETURNING account, currency, minor)
         INSERT INTO balances (account, currency, minor) SELECT account, currency, minor FROM posted
         ON CONFLICT (account, currency) DO UPDATE SET minor = balances.minor + excluded.minor`,
};

async function serve() {
  // Half for what the steps write, half for what DBOS writes about them.
  const max = Math.max(1, Math.floor(connections / workers / 2));
  const pool = new pg.Pool({ max, idleTimeoutMillis: 0 });
  const credit = DBOS.registerWorkflow(async ({ id, effect, account, currency, minor }) => {
    await DBOS.runStep(async () => { await pool.query({ ...claim, values: [id] }); }, { name: 'claim' });
    await DBOS.runStep(async () => {
      await pool.query({ ...post, values: [effect, id, account, currency, minor] });
    }, { name: 'post' });
  }, { name: 'credit' });
  DBOS.setConfig({
    name: 'receiver', systemDatabasePool: new pg.Pool({ max: Math.max(2, max), idleTimeoutMillis: 0 }), logLevel: 'error',
    executorID: `worker-${cluster.worker?.id ?? 0}`, applicationVersion: '1',
  });
  await DBOS.launch();
  const one = async (event) => {
    const paid = payment(event);
    const handle = await DBOS.startWorkflow(credit, { workflowID: paid.id })(paid);
    await handle.getResult();
    return { event_id: paid.id };
  };
  receiver({ '/webhooks/stripe': one }).listen({ port, host: '127.0.0.1', backlog: 8192 });
}

if (workers > 1 && cluster.isPrimary) {
  // One after the other: the first makes DBOS's tables.
  cluster.fork().once('listening', () => { for (let i = 1; i < workers; i += 1) cluster.fork(); });
  cluster.on('exit', () => process.exit(1));
  process.on('SIGTERM', () => process.exit(0)); // its workers end with it
} else {
  await serve();
}
