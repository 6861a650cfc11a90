/**
 * A picture in a terminal that can show one: by the protocols of kitty and iTerm2, else as half blocks in 24-bit colours.
 * Where neither is known to work, nothing is shown and the path has to do.
 */
import { decode } from '../decoding/index.js';

export type TerminalPictures = 'kitty' | 'iterm' | 'blocks' | 'none';

/** What the terminal says of itself in the environment. */
export function terminalPictures(environment: NodeJS.ProcessEnv, isTerminal: boolean): TerminalPictures {
  const { TERM = '', TERM_PROGRAM = '', COLORTERM = '', KITTY_WINDOW_ID, NO_COLOR, TMUX } = environment;
  if (!isTerminal || TERM === 'dumb') return 'none';
  // A multiplexer passes on no pictures, but colours.
  if (!TMUX && !TERM.startsWith('screen')) {
    if (KITTY_WINDOW_ID || TERM.includes('kitty') || TERM_PROGRAM === 'ghostty') return 'kitty';
    if (['iTerm.app', 'WezTerm', 'mintty'].includes(TERM_PROGRAM)) return 'iterm';
  }
  return !NO_COLOR && /truecolor|24bit/i.test(COLORTERM) ? 'blocks' : 'none';
}

/** The lines to write, or nothing where the picture cannot be decoded. */
export async function pictureLines(file: string, how: TerminalPictures, columns: number): Promise<string> {
  if (how === 'none') return '';
  try {
    return how === 'blocks' ? await blocks(file, columns) : await encoded(file, how);
  } catch {
    return '';
  }
}

const limits = { pixels: 100e6, seconds: 20, tolerant: true };

async function encoded(file: string, how: 'kitty' | 'iterm'): Promise<string> {
  const task = { kind: 'thumbnail', side: 480, fit: 'inside', quality: 80 } as const;
  const { data } = await decode(file, { ...task, format: 'jpeg' }, limits);
  const text = Buffer.from(data).toString('base64');
  if (how === 'iterm') return `\u001b]1337;File=inline=1;preserveAspectRatio=1;height=16:${text}\u0007\n`;
  // Kitty takes pixels or PNG in pieces of 4096 characters.
  const { data: pixels } = await decode(file, pixelTask(320, 240), limits);
  const raw = Buffer.from(pixels).toString('base64');
  const pieces = raw.match(/.{1,4096}/g) ?? [];
  return `${pieces
    .map((piece, k) => {
      const more = k < pieces.length - 1 ? 1 : 0;
      return `\u001b_G${k === 0 ? 'a=T,f=24,s=320,v=240,' : ''}m=${more};${piece}\u001b\\`;
    })
    .join('')}\n`;
}

function pixelTask(width: number, height: number) {
  return {
    kind: 'pixels',
    box: { width, height },
    fit: 'contain',
    kernel: 'lanczos3',
    background: [0, 0, 0],
  } as const;
}

/** Two rows of pixels a line: the upper one is the colour of ▀, the lower one that behind it. */
async function blocks(file: string, columns: number): Promise<string> {
  const width = Math.max(16, Math.min(64, columns));
  const height = 2 * Math.round(width * 0.375);
  const { data } = await decode(file, pixelTask(width, height), limits);
  const colour = (x: number, y: number) => [0, 1, 2].map((c) => data[(y * width + x) * 3 + c]).join(';');
  let text = '';
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x++) text += `\u001b[38;2;${colour(x, y)}m\u001b[48;2;${colour(x, y + 1)}m▀`;
    text += '\u001b[0m\n';
  }
  return text;
}
