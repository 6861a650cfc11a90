/** `bowerbird studio`: a workspace in the browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startStudio } from '../../studio/index.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'studio',
  summary: 'Look at a workspace in the browser: pictures and their weights, categories, methods; correct and refit.',
  description:
    'Serves a page on this machine until Ctrl-C, to those who have the address with its token (BOWERBIRD_STUDIO_TOKEN, else ' +
    'made up). Nothing is sent elsewhere. With --host other than a loopback address the page can be opened from other ' +
    'machines; the connection is not encrypted.',
  arguments: [{ name: 'WORKSPACE', description: 'folder with bowerbird.yaml; here if not given', optional: true }],
  options: {
    port: { type: 'integer', minimum: 0, maximum: 65535, default: 4173, placeholder: 'N', description: '0: any.' },
    host: { type: 'string', default: '127.0.0.1', placeholder: 'ADDRESS', description: 'Address to listen on.' },
    'no-open': { type: 'flag', description: 'Print the address and do not open a browser.' },
  },
  examples: [
    { command: 'bowerbird studio birds', explanation: 'opens the browser' },
    { command: 'bowerbird studio birds --no-open --port 0', explanation: 'prints an address on a free port' },
  ],
  async run({ args: [folder = '.'], options, print, printJson, signal }) {
    const studio = await startStudio({
      workspace: folder,
      host: options.host,
      port: options.port,
      token: process.env.BOWERBIRD_STUDIO_TOKEN || undefined,
      runCommand: [process.execPath, process.argv[1], 'run'],
    });
    try {
      printJson({ url: studio.url });
      print(`The studio is at ${studio.url} until Ctrl-C.`);
      if (!options['no-open']) openBrowser(studio.urlOnce());
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await studio.close();
    }
    return 0;
  },
});

/** Where there is no browser to open, the printed address has to do. */
function openBrowser(url: string): void {
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
