// The picture of a run: a panel for each load, a bar for each peer, all bars of a panel to one scale.
const titles = {
  uniform: '10,000 accounts', hot: 'one hot account', zipf: "10,000 accounts, Zipf's law",
  duplicates: 'half of them duplicates', storm: 'a storm of one event', batch: 'batches of 100',
  large: 'bodies of 20 KB', connections_1: '1 connection', connections_8: '8 connections',
  connections_64: '64 connections', connections_512: '512 connections', connections_4096: '4,096 connections',
};
const names = {
  pawl: 'Pawl', nodb: 'no database', pgbench: 'pgbench', express: 'Express + pg', dbos: 'DBOS', restate: 'Restate',
};
const colors = {
  pawl: '#1f6f54', nodb: '#b9c2c9', pgbench: '#5b7aa3', express: '#8aa4c8', dbos: '#8aa4c8', restate: '#8aa4c8',
};
const width = 860;
const columns = 2;
const panelWidth = width / columns;
const barHeight = 18;
const labelWidth = 104;

function text(x, y, said, more = '') { return `<text x="${x}" y="${y}" ${more}>${said}</text>`; }

// A peer that answers before its data is synced is marked in its name.
function nameOf(peer, syncs) {
  const { deliveries, calls } = syncs[peer] ?? {};
  return calls < deliveries ? `${names[peer]} *` : names[peer];
}

function panel(x, y, title, peers, syncs) {
  const shown = Object.keys(names).filter((peer) => peers[peer]);
  const most = Math.max(...shown.map((peer) => peers[peer].per_second ?? 0));
  const room = panelWidth - labelWidth - 80;
  const parts = [text(x, y + 14, title, 'font-weight="bold"')];
  shown.forEach((peer, i) => {
    const top = y + 24 + i * barHeight;
    const value = peers[peer].per_second;
    const long = value ? Math.max(1, (room * value) / most) : 0;
    const said = value ? Math.round(value).toLocaleString('en-US') : 'failed';
    parts.push(text(x + labelWidth - 8, top + 12, nameOf(peer, syncs), 'text-anchor="end"'));
    if (value) parts.push(`<rect x="${x + labelWidth}" y="${top + 1}" width="${long.toFixed(1)}" height="${barHeight - 4}" fill="${colors[peer]}"/>`);
    parts.push(text((x + labelWidth + long + 6).toFixed(1), top + 12, said));
  });
  return { parts, height: 34 + shown.length * barHeight };
}

export function picture(result) {
  const parts = [];
  let y = 44;
  const panels = Object.keys(titles).filter((load) => result.loads[load]);
  for (let i = 0; i < panels.length; i += columns) {
    const row = panels.slice(i, i + columns).map((load, column) => (
      panel(12 + column * panelWidth, y, titles[load], result.loads[load], result.syncs)));
    for (const one of row) parts.push(...one.parts);
    y += Math.max(...row.map((one) => one.height));
  }
  const about = `${result.machine}; ${result.settings}; medians, ${(result.ended ?? '').slice(0, 10)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" font-family="sans-serif" font-size="12" fill="#222">
<title>Events a second, by load and peer</title>
<rect width="${width}" height="${y}" fill="#fff"/>
${text(12, 18, 'Webhook events acknowledged a second (* nothing was synced to the disk before)', 'font-size="14" font-weight="bold"')}
${text(12, 34, about, 'fill="#666"')}
${parts.join('\n')}
</svg>
`;
}
