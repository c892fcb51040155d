// The other side of `make bench-jobs`: graphile-worker and pg-boss with the same no-op jobs.
//   node rivals.mjs graphile|pgboss setup
//   node rivals.mjs graphile|pgboss add COUNT BATCH
//   node rivals.mjs graphile|pgboss feed RATE SECONDS
//   node rivals.mjs graphile|pgboss work default|batched COUNT SECONDS
// The words mean what they mean in jobs_load.cpp. The database is PAWL_DATABASE_URL.
import { PgBoss } from 'pg-boss';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';

const [who, what, ...rest] = process.argv.slice(2);
const connectionString = process.env.PAWL_DATABASE_URL;
const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message);
});

const graphile = {
  async open() {
    this.utils = await makeWorkerUtils({ connectionString, logger });
  },
  async setup() { await this.utils.migrate(); },
  async add(count) {
    if (count === 1) return this.utils.addJob('noop', { n: 1 });
    return this.utils.addJobs(Array.from({ length: count },
      () => ({ identifier: 'noop', payload: { n: 1 } })));
  },
  async close() { await this.utils.release(); },
  async work(mode, done) {
    // The settings that its documentation recommends for throughput: a local queue, and completing
    // in batches.
    const batched = {
      concurrentJobs: 24, maxPoolSize: 10, completeJobBatchDelay: 0, failJobBatchDelay: 0,
      localQueue: { size: 500, refetchDelay: { durationMs: 10 } },
    };
    const runner = await run({
      preset: { worker: { connectionString, ...(mode === 'batched' ? batched : {}) } },
      logger, noHandleSignals: true,
      taskList: { noop: async () => { done(1); } },
    });
    return () => runner.stop();
  },
};

const pgboss = {
  async open() {
    this.boss = new PgBoss({ connectionString, supervise: what === 'work' });
    this.boss.on('error', (error) => console.error(error.message));
    await this.boss.start();
  },
  async setup() { await this.boss.createQueue('noop'); },
  async add(count) {
    if (count === 1) return this.boss.send('noop', { n: 1 });
    return this.boss.insert('noop', Array.from({ length: count }, () => ({ data: { n: 1 } })));
  },
  async close() { await this.boss.stop({ graceful: true, timeout: 30000 }); },
  async work(mode, done) {
    const batched = {
      batchSize: 500, pollingIntervalSeconds: 0.5, localConcurrency: 2, burstWhenBatchFull: true,
    };
    await this.boss.work('noop', mode === 'batched' ? batched : {},
      async (jobs) => { done(jobs.length); });
    return async () => this.boss.offWork('noop', { wait: true });
  },
};

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const rival = { graphile, pgboss }[who];

async function add(count, batch) {
  for (let left = count; left > 0; left -= batch) await rival.add(Math.min(left, batch));
}

async function feed(rate, seconds) {
  let next = performance.now();
  for (let tenth = 0; tenth < seconds * 10; tenth += 1) {
    await rival.add(rate / 10);
    next += 100;
    await sleep(Math.max(0, next - performance.now()));
  }
}

async function work(mode, count, seconds) {
  let done = 0;
  const began = performance.now();
  const stop = await rival.work(mode, (more) => { done += more; });
  while (done < count && performance.now() - began < seconds * 1000) await sleep(5);
  await stop();
  console.log(`${done} ${((performance.now() - began) / 1000).toFixed(3)}`);
}

await rival.open();
if (what === 'setup') await rival.setup();
if (what === 'add') await add(Number(rest[0]), Number(rest[1]));
if (what === 'feed') await feed(Number(rest[0]), Number(rest[1]));
if (what === 'work') await work(rest[0], Number(rest[1]), Number(rest[2]));
await rival.close();
process.exit(0);
