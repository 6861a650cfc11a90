/** Accuracy against the number of answers, a panel for each folder, a line for each strategy. */
import type { KeptCurve } from '../ask.js';

const [panelWidth, panelHeight, gap] = [250, 170, 56];
const colours: Record<string, string> = {
  gain: '#0b6e4f',
  random: '#8a8a8a',
  'least confidence': '#c8553d',
  margin: '#2f6690',
  bald: '#b08900',
  coreset: '#7d4f9c',
};

export function askFigure(curves: readonly KeptCurve[], checkpoints: readonly number[]): string {
  const perfect = curves.filter(({ wrong }) => wrong === 0);
  const cells = [...new Set(perfect.map(({ problem, regime }) => `${problem} ${regime}`))];
  const columns = Math.min(3, cells.length);
  const width = columns * (panelWidth + gap) + 20;
  const height = Math.ceil(cells.length / columns) * (panelHeight + 64) + 40;
  const parts = cells.map((cell, k) => {
    const own = perfect.filter(({ problem, regime }) => `${problem} ${regime}` === cell);
    const [x, y] = [(k % columns) * (panelWidth + gap) + gap, Math.floor(k / columns) * (panelHeight + 64) + 34];
    return `<g transform="translate(${x} ${y})">${panel(cell, own, checkpoints)}</g>`;
  });
  const legend = Object.entries(colours).map(
    ([name, colour], k) =>
      `<g transform="translate(${gap + k * 125} ${height - 14})"><line x2="18" stroke="${colour}" stroke-width="2.5"/><text x="23" y="4">${name}</text></g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>${parts.join('')}${legend.join('')}</svg>\n`;
}

function panel(title: string, curves: readonly KeptCurve[], checkpoints: readonly number[]): string {
  const values = curves.flatMap(({ accuracy }) => accuracy);
  const [low, high] = [Math.floor(20 * Math.min(...values)) / 20, Math.ceil(20 * Math.max(...values)) / 20];
  const last = checkpoints.at(-1)!;
  const x = (answers: number) => (panelWidth * answers) / last;
  const y = (value: number) => panelHeight * (1 - (value - low) / (high - low || 1));
  const ticks = [low, (low + high) / 2, high].map(
    (value) =>
      `<line y1="${y(value)}" y2="${y(value)}" x2="${panelWidth}" stroke="#ddd"/><text x="-6" y="${y(value) + 4}" text-anchor="end">${(100 * value).toFixed(0)} %</text>`,
  );
  const marks = checkpoints.map(
    (answers) => `<text x="${x(answers)}" y="${panelHeight + 14}" text-anchor="middle">${answers}</text>`,
  );
  const lines = Object.keys(colours).map((strategy) => {
    const own = curves.filter((curve) => curve.strategy === strategy);
    if (own.length === 0) return '';
    const points = checkpoints.map((answers, k) => {
      const mean = own.reduce((sum, { accuracy }) => sum + accuracy[k], 0) / own.length;
      return `${x(answers).toFixed(1)},${y(mean).toFixed(1)}`;
    });
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colours[strategy]}" stroke-width="${strategy === 'gain' ? 3 : 1.7}"/>`;
  });
  return `<text y="-12" font-weight="600">${title.replace(':', ', strangers ')}</text>${ticks.join('')}${marks.join('')}${lines.join('')}`;
}
