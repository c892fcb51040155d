// Makes of the figures of bench/peers/run.sh the JSON file, the picture and the table.
//   node report.mjs FIGURES RESULT.json PICTURE.svg
import { readFileSync, writeFileSync } from 'node:fs';
import { picture } from './picture.mjs';

const [figures, jsonFile, svgFile] = process.argv.slice(2);

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function round(value) { return Number(value.toPrecision(4)); }

// loads[load][peer] = { per_second, p50_ms, p99_ms, cpu_us, rounds: [...] } or { failed: why }
export function read(text) {
  const result = { sizes: {}, connections: {}, trials: [], syncs: {}, loads: {} };
  const of = (load, peer) => ((result.loads[load] ??= {})[peer] ??= { rounds: [] });
  for (const line of text.split('\n')) {
    const [kind, ...words] = line.split(' ');
    const rest = words.join(' ');
    if (['machine', 'settings', 'commit', 'load_before', 'load_after', 'ended'].includes(kind)) result[kind] = rest;
    if (kind === 'seconds') result.round_seconds = Number(rest);
    if (kind === 'sync') (result.disk_sync_us ??= []).push(Number(rest));
    if (kind === 'size') result.sizes[words[0]] = { uniform: Number(words[1]), hot: Number(words[2]) };
    if (kind === 'connections') result.connections[words[0]] = Number(words[1]);
    if (kind === 'trial') result.trials.push(rest);
    if (kind === 'syncs') result.syncs[words[0]] = { deliveries: Number(words[1]), calls: Number(words[2]) };
    if (kind === 'round') of(words[1], words[2]).rounds.push(words.slice(3).map(Number));
    if (kind === 'failed' && words.length > 3) of(words[1], words[2]).failed = words.slice(3).join(' ').trim();
  }
  for (const peers of Object.values(result.loads)) {
    for (const [peer, one] of Object.entries(peers)) {
      if (one.rounds.length === 0) continue;
      const column = (n) => round(median(one.rounds.map((each) => each[n])));
      const rounds = one.rounds.map((each) => each[0]);
      peers[peer] = peer === 'pgbench' ? { per_second: column(0), rounds }
        : { per_second: column(0), p50_ms: column(1), p99_ms: column(2), cpu_us: column(3), rounds };
      if (one.failed) peers[peer].failed = one.failed; // in another round
    }
  }
  return result;
}

function table(result) {
  const peers = ['pawl', 'nodb', 'pgbench', 'express', 'dbos', 'restate'];
  const lines = [`${'events a second'.padEnd(18)}${peers.map((peer) => peer.padStart(12)).join('')}`];
  for (const [load, all] of Object.entries(result.loads)) {
    const cell = (peer) => {
      if (!all[peer]) return '-';
      if (all[peer].per_second === undefined) return 'failed';
      const said = load === 'paced' ? `p99 ${all[peer].p99_ms} ms` : all[peer].per_second.toFixed(0);
      return all[peer].failed ? `${said}*` : said;
    };
    lines.push(load.padEnd(18) + peers.map((peer) => cell(peer).padStart(12)).join(''));
  }
  lines.push('', 'medians of the rounds; * failed in others; pawl is so many times as fast:');
  for (const [load, all] of Object.entries(result.loads)) {
    if (load === 'paced' || !all.pawl?.per_second) continue;
    const ratio = (peer) => (all[peer]?.per_second ? (all.pawl.per_second / all[peer].per_second).toFixed(2) : '-');
    lines.push(load.padEnd(18) + peers.map((peer) => ratio(peer).padStart(12)).join(''));
  }
  lines.push('', 'p99 at half of its own best rate, in medians of one connection with one delivery after the other:');
  const calm = (peer) => {
    const alone = result.loads.connections_1?.[peer]?.p50_ms;
    const paced = result.loads.paced?.[peer]?.p99_ms;
    return alone && paced ? (paced / alone).toFixed(1) : '-';
  };
  lines.push(' '.repeat(18) + peers.map((peer) => calm(peer).padStart(12)).join(''));
  lines.push('', 'CPU microseconds an event, of the peer and of PostgreSQL:');
  for (const [load, all] of Object.entries(result.loads)) {
    lines.push(load.padEnd(18) + peers.map((peer) => `${all[peer]?.cpu_us ?? '-'}`.padStart(12)).join(''));
  }
  lines.push('', 'sync calls while one delivery after the other was taken:');
  for (const [peer, { deliveries, calls }] of Object.entries(result.syncs)) {
    lines.push(`${peer.padEnd(18)}${calls} for ${deliveries} deliveries${calls < deliveries ? ': not durable' : ''}`);
  }
  return lines.join('\n');
}

const result = read(readFileSync(figures, 'utf8'));
writeFileSync(jsonFile, `${JSON.stringify(result, null, 2).replace(/\[\n\s+([^[\]{}]*?)\n\s+\]/g,
  (all, inner) => `[${inner.replace(/\n\s+/g, ' ')}]`)}\n`);
writeFileSync(svgFile, picture(result));
console.log(table(result));
console.log(`\n${jsonFile}, ${svgFile}`);
