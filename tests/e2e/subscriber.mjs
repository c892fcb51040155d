// Subscribers of every kind in one program. The path says which kind; each message that is taken is
// one line of the log: KIND WEBHOOK-ID TYPE ACCOUNT ATTEMPT CORRELATION-ID.
//   node subscriber.mjs PORT_FILE LOG_FILE SECRET
// Signatures are judged by the two libraries that subscribers use; none that they refuse is taken.
import { appendFileSync, writeFileSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

const [portFile, logFile, secret] = process.argv.slice(2);
const standard = new StandardWebhook(secret);
const svix = new SvixWebhook(secret);
let flakiness = 0;
let atOnce = 0;
let mostAtOnce = 0;

function judge(body, headers) {
  svix.verify(body, headers);
  const message = standard.verify(body, headers);
  if (message.id !== headers['webhook-id']) throw new Error('id and webhook-id differ');
  return message;
}

function take(kind, body, headers) {
  const message = judge(body, headers);
  const line = [kind, message.id, message.type, message.data.account ?? '-',
    headers['pawl-attempt'], headers['pawl-correlation-id']].join(' ');
  if (message.correlation_id !== headers['pawl-correlation-id']) throw new Error('correlation');
  appendFileSync(logFile, `${line}\n`);
}

const kinds = {
  ok(body, request, answer, kind = 'ok') {
    take(kind, body, request.headers);
    answer.writeHead(204).end();
  },
  ordered(body, request, answer) { kinds.flaky(body, request, answer, 'ordered'); },
  never() {},                                     // keeps the connection, says nothing
  close(body, request) { request.socket.destroy(); },
  error(body, request, answer) { answer.writeHead(500).end('no'.repeat(100000)); },
  redirect(body, request, answer) { answer.writeHead(302, { location: '/ok' }).end(); },
  large(body, request, answer) {                   // a page where a word would do
    take('large', body, request.headers);
    answer.writeHead(200).end('yes '.repeat(25000));
  },
  picky(body, request, answer) {                   // cannot read one type, ever
    if (JSON.parse(body).type === 'credit.applied') { answer.writeHead(400).end(); return; }
    kinds.ok(body, request, answer, 'picky');
  },
  busy(body, request, answer) {                    // takes its time, and counts how many wait
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    setTimeout(() => {
      appendFileSync(logFile, `most-at-once ${mostAtOnce}\n`);
      take('busy', body, request.headers);
      atOnce -= 1;
      answer.writeHead(200).end();
    }, 40);
  },
  gone(body, request, answer) { answer.writeHead(410).end(); },
  flaky(body, request, answer, kind = 'flaky') {  // takes it, and sometimes says that it did not
    take(kind, body, request.headers);
    flakiness += 1;
    answer.writeHead(flakiness % 5 === 0 ? 503 : 200).end();
  },
};

const server = createServer((request, answer) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('error', () => {});
  request.on('end', () => {
    try {
      kinds[request.url.slice(1)](Buffer.concat(parts).toString(), request, answer);
    } catch (error) {
      appendFileSync(logFile, `refused ${error.message.replaceAll(' ', '_')}\n`);
      answer.writeHead(400).end();
    }
  });
});
server.keepAliveTimeout = 60000;
server.listen(0, '127.0.0.1', () => {
  writeFileSync(`${portFile}.new`, `${server.address().port}\n`);
  renameSync(`${portFile}.new`, portFile);
});
