/** Where results come from and how to get them again: the command line, the configuration, versions, hashes, backend. */
import { details, facts, Html, html } from './html.js';
import type { ResultFolder } from './read-folder.js';

export function provenance(folder: ResultFolder): Html {
  const { run, path } = folder;
  const { configuration = {}, versions = {}, inputs, backend } = run;
  const entries = Object.entries(configuration).filter(([, value]) => value !== undefined && value !== null);
  return html`<h3>How to repeat it</h3>
<pre>${commandLine(folder)}</pre>
${facts(
  [
    ['Folder', path],
    ['Problem, SHA-256', html`<code>${inputs?.problem ?? 'unknown'}</code>`],
    ...(backend ? [['Computed by', `${backend.device}: ${backend.description}`] as const] : []),
    ...Object.entries(versions).map(([name, version]) => [name, version] as const),
    ...('started' in run ? [['Started', run.started] as const] : []),
    ...('finished' in run && run.finished ? [['Finished', run.finished] as const] : []),
  ],
  'record',
)}
${entries.length > 0 && details('Configuration', html`<pre>${new Html(entries.map(([name, value]) => html`${name}: ${JSON.stringify(value)}`.text).join('\n'))}</pre>`)}`;
}

/** The command that wrote the folder, from its configuration: keys are options, true is a flag, the problem comes first. */
export function commandLine({ kind, run, path }: ResultFolder): string {
  const { problem, experiment, ...options } = run.configuration ?? {};
  const first =
    kind === 'experiment' ? [experiment, problem === 'built-in' ? undefined : problem] : [problem ?? 'PROBLEM'];
  const words = [
    'bowerbird',
    kind,
    ...first.filter((word) => word !== undefined && word !== null).map((word) => quoted(String(word))),
  ];
  for (const [key, value] of Object.entries(options)) {
    // Parameters of a method that is not the paper's learner.
    if (key === 'parameters' && value !== null && typeof value === 'object')
      for (const [name, setting] of Object.entries(value)) words.push(`--set ${quoted(`${name}=${setting}`)}`);
    if (value === undefined || value === null || value === false || typeof value === 'object') {
      if (Array.isArray(value) && value.length > 0) words.push(`--${kebab(key)} ${quoted(value.join(','))}`);
      continue;
    }
    words.push(value === true ? `--${kebab(key)}` : `--${kebab(key)} ${quoted(String(value))}`);
  }
  return [...words, `--out ${quoted(path)}`].join(' ');
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** As a POSIX shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
