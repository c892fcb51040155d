// One request by Node, and the answer as it looks on the wire. node receive_request.mjs URL METHOD
// HEADERS_FILE BODY_FILE [chunked]
import { readFileSync } from 'node:fs';
import { request } from 'node:http';

const [url, method, headersFile, bodyFile, chunked] = process.argv.slice(2);
const lines = JSON.parse(readFileSync(headersFile, 'utf8'));
const body = readFileSync(bodyFile);
const headers = {};
for (const [name, value] of lines) {
  if (headers[name] === undefined) headers[name] = value;
  else headers[name] = [headers[name], value].flat();
}
if (!chunked && method !== 'GET') headers['content-length'] = body.length;
const out = request(url, { method, headers, agent: false, timeout: 20000 }, (answer) => {
  const parts = [];
  answer.on('data', (part) => parts.push(part));
  answer.on('end', () => {
    let head = `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n`;
    for (let i = 0; i < answer.rawHeaders.length; i += 2) {
      head += `${answer.rawHeaders[i]}: ${answer.rawHeaders[i + 1]}\r\n`;
    }
    process.stdout.write(`${head}\r\n${Buffer.concat(parts)}`);
  });
});
out.on('error', (error) => { process.stdout.write(`no answer: ${error.message}`); });
for (let at = 0; at < body.length; at += 50000) out.write(body.subarray(at, at + 50000));
out.end();
