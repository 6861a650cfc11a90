import {
  type Category,
  type CrawlSummary,
  crawl,
  createSource,
  Keys,
  loadCategories,
  parseLicences,
  planCrawl,
  type Source,
  userAgent,
  webSources,
} from '../../crawl/index.js';
import { UsageError } from '../../errors.js';
import { defineCommand } from '../command.js';
import { largestQueued } from '../download-messages.js';
import { requireQueueAddress } from '../executor.js';
import { repeating } from '../progress.js';
import { queuedDownloads } from '../queued-downloads.js';
import { pluginOption } from '../shared-options.js';

export default defineCommand({
  name: 'crawl',
  summary: 'Collect pictures of every category, with their words and licences.',
  description:
    'Asks the sources for the best-ranked pictures of every category, keeps those whose licence allows it, downloads and checks them, and records what became of each in the catalog of the workspace. It can be stopped at any moment and continued with --resume.',
  arguments: [{ name: 'WORKSPACE', description: 'folder of the project; created if it does not exist' }],
  options: {
    ...pluginOption,
    source: {
      type: 'list',
      default: ['openverse'],
      placeholder: 'NAME,…',
      description: `Where to look: ${webSources.join(', ')}, urls:FILE (CSV, JSON lines, Parquet), folder:PATH (PATH/category/…).`,
    },
    categories: {
      type: 'string',
      placeholder: 'FILE',
      description:
        'One name per line, or CSV with the columns name, query, query_SOURCE. Without it categories.csv of the workspace, else the categories of the folder or list.',
    },
    'per-category': {
      type: 'integer',
      default: 100,
      minimum: 1,
      description: 'Pictures to keep for each category, over all sources.',
    },
    licence: {
      type: 'list',
      placeholder: 'CODE,…',
      description:
        'Licences to accept: cc0, pdm, cc-by, cc-by-sa (these four without the option), cc-by-nc, …, unknown, or any.',
    },
    resume: {
      type: 'flag',
      description: 'Continue in a workspace that holds pictures already, and retry what failed for a passing reason.',
    },
    'dry-run': { type: 'flag', description: 'Say what would be asked, and ask nothing.' },
    comments: {
      type: 'flag',
      description: 'Also record comments (flickr, inaturalist): one more request per picture.',
    },
    keys: {
      type: 'string',
      placeholder: 'FILE',
      description:
        'File with NAME=value lines, before the environment: FLICKR_API_KEY, GOOGLE_API_KEY, GOOGLE_SEARCH_ENGINE_ID, OPENVERSE_CLIENT_ID, OPENVERSE_CLIENT_SECRET.',
    },
    contact: {
      type: 'string',
      placeholder: 'TEXT',
      description: 'Mail address or page of whoever runs this, sent in the User-Agent. Without it BOWERBIRD_CONTACT.',
    },
    rate: {
      type: 'list',
      placeholder: 'NAME=N,…',
      description: 'Requests per second for a source or a host, such as flickr=2 or example.org=0.5.',
    },
    'default-rate': {
      type: 'number',
      default: 1,
      minimum: 0.001,
      description: 'Requests per second for every host that is not named.',
    },
    concurrency: {
      type: 'integer',
      default: 16,
      minimum: 1,
      maximum: 256,
      description: 'Pictures under way at the same time.',
    },
    attempts: { type: 'integer', default: 5, minimum: 1, description: 'Tries per picture or question within one run.' },
    backoff: {
      type: 'number',
      default: 1,
      minimum: 0,
      description: 'Seconds before the second try; doubled for each further one.',
    },
    'maximum-pause': {
      type: 'number',
      default: 120,
      minimum: 0,
      description:
        'Longest Retry-After, in seconds, to sit through; beyond it the pictures of that host fail and wait for --resume.',
    },
    timeout: { type: 'number', default: 120, minimum: 1, description: 'Seconds for one request with its whole body.' },
    'idle-timeout': {
      type: 'number',
      default: 30,
      minimum: 1,
      description: 'Seconds without a byte before a request is given up.',
    },
    'maximum-bytes': { type: 'integer', default: 26_214_400, minimum: 1, description: 'Largest file.' },
    'maximum-pixels': {
      type: 'integer',
      default: 100_000_000,
      minimum: 1,
      description: 'Largest picture, width times height.',
    },
    'minimum-side': { type: 'integer', default: 64, minimum: 1, description: 'Smallest shorter side in pixels.' },
    'placeholder-categories': {
      type: 'integer',
      default: 3,
      minimum: 2,
      description: 'A file found for this many categories is a placeholder.',
    },
    queue: {
      type: 'string',
      placeholder: 'URL',
      description: 'Pictures are fetched by the machines of "bowerbird worker --queue URL" (redis://…).',
    },
    'ignore-robots': { type: 'flag', description: 'Do not ask robots.txt; for hosts of your own.' },
    'allow-address': {
      type: 'list',
      placeholder: 'RANGE,…',
      description: 'Address ranges that may be reached although they are not public, such as 127.0.0.0/8.',
    },
    endpoint: {
      type: 'list',
      placeholder: 'SOURCE=URL,…',
      description: "Address of a source's API, where it is not the public one.",
    },
  },
  examples: [
    {
      command: 'bowerbird crawl birds --source wikimedia,inaturalist --contact me@example.org',
      explanation: 'a hundred pictures for every name in birds/categories.csv',
    },
    {
      command:
        'bowerbird crawl birds --source flickr --categories names.txt --per-category 200 --licence cc-by,cc0 --dry-run',
      explanation: 'what would be asked of Flickr',
    },
    { command: 'bowerbird crawl birds --source folder:photos', explanation: 'the pictures of photos/CATEGORY/…' },
  ],
  async run({ args: [workspace], options, json, print, printJson, progress, signal }) {
    if (options.queue) requireQueueAddress(options.queue);
    if (options.queue && options['maximum-bytes'] > largestQueued)
      throw new UsageError(`with --queue a file has at most ${largestQueued} bytes (--maximum-bytes)`);
    const contact = options.contact ?? process.env.BOWERBIRD_CONTACT;
    const endpoints = pairs(options.endpoint, 'endpoint');
    const sources = options.source.map((name) => createSource(name, { endpoints, contact }));
    const categories = await categoriesFor(workspace, options.categories, sources);
    const licences = options.licence && parseLicences(options.licence);
    if (options['dry-run']) {
      const plan = planCrawl({ categories, sources, licences, perCategory: options['per-category'] });
      if (json) printJson(plan);
      else
        for (const step of plan)
          print(
            `${step.category}: ${step.source}: ${step.question}; up to ${step.questions} questions and ${step.pictures} pictures`,
          );
      return 0;
    }
    const rates = Object.entries(pairs(options.rate, 'rate')).map(([name, text]) => ({
      name,
      rate: rateOf(name, text),
    }));
    const summary = await repeating(progress, (update) => {
      update({ stage: 'crawl', done: 0 });
      return crawl({
        workspace,
        categories,
        sources: sources.map((source) => withRate(source, rates)),
        keys: Keys.load(options.keys),
        perCategory: options['per-category'],
        licences,
        resume: options.resume,
        comments: options.comments,
        concurrency: options.concurrency,
        check: {
          minimumSide: options['minimum-side'],
          maximumPixels: options['maximum-pixels'],
          maximumBytes: options['maximum-bytes'],
        },
        placeholders: { categories: options['placeholder-categories'] },
        network: {
          userAgent: userAgent(contact),
          allowedAddresses: options['allow-address'],
          groups: rates.map(({ name, rate }) => ({ name, hosts: [name], requestsPerSecond: rate, concurrency: 8 })),
          requestsPerSecond: options['default-rate'],
          attempts: options.attempts,
          firstBackoff: options.backoff,
          maximumPause: options['maximum-pause'],
          totalTimeout: options.timeout,
          idleTimeout: options['idle-timeout'],
          honourRobots: !options['ignore-robots'],
        },
        ...(options.queue && { elsewhere: queuedDownloads({ queue: options.queue, workspace, progress }) }),
        signal,
        onNote: (message) => progress.note(message),
        onProgress: (state) => update({ stage: 'crawl', ...state }),
      });
    });
    printJson(summary);
    for (const line of report(summary)) print(line);
    return noteFailures(summary, workspace, (line) => progress.note(line));
  },
});

/** Lists on stderr what failed; returns the exit code. */
function noteFailures(summary: CrawlSummary, workspace: string, note: (line: string) => void): number {
  const lanes = summary.unanswered.map((lane) => `${lane.source}, ${lane.category}: ${lane.detail} [${lane.kind}]`);
  const pictures = summary.failures.map((item) => `${item.url}: ${item.detail} [${item.kind}]`);
  const count = Object.values(summary.failed).reduce((sum, n) => sum + n, 0) + lanes.length;
  if (count === 0) return 0;
  note(`${count} pictures or questions failed:`);
  const shown = [...lanes, ...pictures].slice(0, 20);
  for (const line of shown) note(`  ${line}`);
  if (count > shown.length)
    note(
      `  … all of them: bowerbird catalog query --workspace ${workspace} "SELECT image_url, reason, detail FROM picture WHERE state = 'failed'"`,
    );
  note('Run again with --resume to retry those that may succeed later.');
  return 3;
}

async function categoriesFor(
  workspace: string,
  file: string | undefined,
  sources: readonly Source[],
): Promise<Category[]> {
  const named = await loadCategories(workspace, file);
  if (named) return named;
  const own = new Map<string, Category>();
  for (const source of sources)
    for (const category of (await source.categories?.()) ?? []) own.set(category.name, category);
  if (own.size === 0)
    throw new UsageError(
      'no categories are given',
      `Name a file with --categories, or put categories.csv into ${workspace}.`,
    );
  return [...own.values()];
}

function pairs(values: readonly string[] | undefined, option: string): Record<string, string> {
  return Object.fromEntries(
    (values ?? []).map((value) => {
      const at = value.indexOf('=');
      if (at < 1) throw new UsageError(`--${option} is "${value}"`, `Write it as --${option} NAME=VALUE.`);
      return [value.slice(0, at), value.slice(at + 1)];
    }),
  );
}

function rateOf(name: string, text: string): number {
  const rate = Number(text);
  if (!(rate > 0)) throw new UsageError(`--rate ${name}=${text}: a rate is a number of requests per second above zero`);
  return rate;
}

/** A rate under a source's name is that of its API and its picture hosts together. */
function withRate(source: Source, rates: readonly { name: string; rate: number }[]): Source {
  const own = rates.find(({ name }) => name === source.name);
  return own && source.hosts ? { ...source, hosts: { ...source.hosts, requestsPerSecond: own.rate } } : source;
}

function report(summary: CrawlSummary): string[] {
  const counts = (entries: Record<string, number>) =>
    Object.entries(entries)
      .map(([name, n]) => `${n} ${name}`)
      .join(', ');
  const lines = summary.sources.map(
    (entry) =>
      `${entry.source}: ${entry.found} found, ${entry.kept} kept, ${entry.dropped} dropped, ${entry.failed} failed`,
  );
  if (Object.keys(summary.dropped).length > 0) lines.push(`dropped: ${counts(summary.dropped)}`);
  if (Object.keys(summary.failed).length > 0) lines.push(`failed: ${counts(summary.failed)}`);
  for (const entry of summary.short.slice(0, 20)) lines.push(`${entry.category}: ${entry.kept} of ${entry.wanted}`);
  if (summary.short.length > 20) lines.push(`… and ${summary.short.length - 20} more categories are short`);
  return lines;
}
