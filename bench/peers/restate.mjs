// Restate: a virtual object for each account keeps its balance, and an entry for each effect that says it was posted.
// Express in front checks the signature and calls the object through Restate's ingress, over one HTTP/2 connection for
// each worker. State is read when it is asked for: an account would otherwise carry all of its entries to every call.
//   node restate.mjs objects PORT WORKERS            the deployment that restate-server calls
//   node restate.mjs front PORT WORKERS INGRESS_URL  where the webhooks go
import cluster from 'node:cluster';
import http2 from 'node:http2';
import * as restate from '@restatedev/restate-sdk';
import { payment, receiver } from './webhook.mjs';

const [role, port, workers, ingress] = process.argv.slice(2);

function objects() {
  const account = restate.object({
    name: 'Account',
    handlers: {
      credit: async (ctx, { id, effect, minor }) => {
        const [posted, balance] = await restate.RestatePromise.all(
          [ctx.get(`entry/${effect}`), ctx.get('balance')]);
        if (posted) return { event_id: id, duplicate: true };
        ctx.set(`entry/${effect}`, { id, minor });
        ctx.set('balance', (balance ?? 0) + minor);
        return { event_id: id, duplicate: false };
      },
    },
    options: { enableLazyState: true },
  });
  http2.createServer(restate.createEndpointHandler({ services: [account] }))
    .listen({ port, host: '127.0.0.1' });
}

function front() {
  const session = http2.connect(ingress, { peerMaxConcurrentStreams: 4096 });
  const credit = (event) => new Promise((resolve, reject) => {
    const paid = payment(event);
    const stream = session.request({
      ':method': 'POST', ':path': `/Account/${encodeURIComponent(paid.account)}/credit`,
      'content-type': 'application/json',
    });
    let status = 0;
    let said = '';
    stream.setEncoding('utf8');
    stream.on('response', (headers) => { status = headers[':status']; });
    stream.on('data', (piece) => { said += piece; });
    stream.on('end', () => (status === 200 ? resolve(JSON.parse(said)) : reject(new Error(said))));
    stream.on('error', reject);
    stream.end(JSON.stringify(paid));
  });
  receiver({ '/webhooks/stripe': credit }).listen({ port, host: '127.0.0.1', backlog: 8192 });
}

if (Number(workers) > 1 && cluster.isPrimary) {
  for (let i = 0; i < Number(workers); i += 1) cluster.fork();
  cluster.on('exit', () => process.exit(1));
  process.on('SIGTERM', () => process.exit(0)); // its workers end with it
} else {
  ({ objects, front })[role]();
}
