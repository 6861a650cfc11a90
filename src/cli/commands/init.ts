/** `bowerbird init`: a new workspace, from options or by asking. */
import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { BowerbirdError, UsageError } from '../../errors.js';
import { parseKind, type WrittenKind } from '../../workspace/names.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'init',
  summary: 'Make a workspace: a folder with bowerbird.yaml.',
  description:
    'Asks on a terminal for what no option gives. Folders are named as seen from here and written as seen from the ' +
    'workspace; they must be there, differ and hold pictures.',
  arguments: [{ name: 'WORKSPACE', description: 'the folder to make' }],
  options: {
    categories: {
      type: 'list',
      placeholder: 'NAME,…|FILE',
      description: 'The categories to tell apart, or a file with one name a line.',
    },
    auxiliary: {
      type: 'string',
      placeholder: 'DIR',
      description: 'Clean pictures of other categories, one sub-folder for each.',
    },
    test: {
      type: 'string',
      placeholder: 'DIR',
      description: 'Pictures to classify; with one sub-folder for each category they are scored.',
    },
    source: {
      type: 'list',
      default: ['openverse'],
      placeholder: 'NAME,…',
      description: 'Where web pictures come from, as for "bowerbird crawl".',
    },
    'per-category': { type: 'integer', minimum: 1, default: 100, description: 'Web pictures for each category.' },
    model: { type: 'string', default: 'resnet50', placeholder: 'NAME|FILE', description: 'The vision network.' },
    vectors: { type: 'string', default: 'glove-100', placeholder: 'NAME|FILE', description: 'Word vectors.' },
    semantics: {
      type: 'list',
      placeholder: 'KIND,…',
      description:
        'What describes the categories beside pictures: words, attributes=FILE, names=FILE, text=MODEL, taxonomy=FILE. [default: words]',
    },
    contact: { type: 'string', placeholder: 'TEXT', description: 'Mail address or page, sent to the sources.' },
  },
  examples: [
    { command: 'bowerbird init birds', explanation: 'asks for the rest' },
    {
      command:
        'bowerbird init birds --categories "Blue Jay,Elegant Tern,Ovenbird" --auxiliary photos/known --test photos/new',
      explanation: 'asks nothing',
    },
  ],
  async run({ args: [workspace], options, print, printJson, progress }) {
    const { createWorkspace } = await import('../../workspace/index.js');
    const answer = asker();
    try {
      const listed =
        options.categories ??
        list(await answer('categories', 'Categories to tell apart (names with commas, or a file): '));
      const auxiliary =
        options.auxiliary ?? (await answer('auxiliary', 'Folder of clean pictures of other categories: ', existsSync));
      const test = options.test ?? (await answer('test', 'Folder of pictures to classify: ', existsSync));
      const from = (path: string) => fromWorkspace(workspace, path);
      const isFile = listed.length === 1 && existsSync(listed[0]);
      if (listed.length < 2 && !isFile)
        throw new UsageError(
          `--categories is "${listed.join()}": that is neither two names nor a file`,
          'Give at least two names with commas between them, or a file with one name a line.',
        );
      const written = {
        categories: isFile ? from(listed[0]) : listed,
        auxiliary: from(auxiliary),
        test: from(test),
        sources: options.source.map((source) =>
          source.replace(/^(folder|urls):(.*)$/, (_, kind: string, path: string) => `${kind}:${from(path)}`),
        ),
        crawl: { perCategory: options['per-category'], ...(options.contact && { contact: options.contact }) },
        model: /^(?!hf:).*\.onnx$/.test(options.model) ? from(options.model) : options.model,
        vectors: existsSync(options.vectors) ? from(options.vectors) : options.vectors,
        ...(options.semantics && { semantics: options.semantics.map((kind) => semanticKind(kind, from)) }),
      };
      const file = await createWorkspace(workspace, written, { checkPictures: true }).catch(ofOptions);
      if (options.source.includes('wikimedia') && !options.contact && !process.env.BOWERBIRD_CONTACT)
        progress.note(
          'wikimedia wants to know who asks: give crawl.contact, your mail address or a page, before the run',
        );
      printJson({ file });
      print(file);
      print(`Look it over, then: bowerbird run ${shellWord(workspace)}`);
      return 0;
    } finally {
      answer.close();
    }
  },
});

function semanticKind(text: string, from: (path: string) => string): WrittenKind {
  const kind = parseKind(text);
  if (kind === undefined)
    throw new UsageError(
      `--semantics is "${text}"; that is no kind of vectors`,
      'Kinds: words, attributes=FILE, names=FILE, text=MODEL, taxonomy=FILE; several with commas between.',
    );
  if (kind === 'words' || 'text' in kind) return kind;
  const [[key, file]] = Object.entries(kind);
  if (!existsSync(file)) throw new UsageError(`--semantics: there is no file ${file}`);
  return { [key]: from(file) } as WrittenKind;
}

/** No file was written yet that a line of it could be named in. */
function ofOptions(error: unknown): never {
  if (!(error instanceof BowerbirdError) || error.code !== 'BOWERBIRD_CONFIGURATION') throw error;
  throw new UsageError(error.message.replace(/^(\S.*?)?bowerbird\.yaml(, line \d+)?: /, ''), error.hint);
}

/** As a shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

function fromWorkspace(workspace: string, path: string): string {
  return isAbsolute(path) ? path : relative(resolve(workspace), resolve(path)).replaceAll('\\', '/') || '.';
}

/** Asks on a terminal; elsewhere a missing option is an error. */
function asker() {
  let lines: ReturnType<typeof createInterface> | undefined;
  const ask = async (option: string, question: string, isThere = (_: string) => true): Promise<string> => {
    if (!process.stdin.isTTY || !process.stderr.isTTY)
      throw new UsageError(
        `--${option} is missing`,
        'Without a terminal nothing can be asked; see "bowerbird init --help".',
      );
    lines ??= createInterface({ input: process.stdin, output: process.stderr });
    for (;;) {
      const text = (await lines.question(question)).trim();
      if (text && isThere(text)) return text;
      if (text) process.stderr.write(`There is no folder ${text}.\n`);
    }
  };
  return Object.assign(ask, { close: () => lines?.close() });
}
