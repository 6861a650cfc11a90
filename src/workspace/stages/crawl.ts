/** Web pictures of the test categories and of the validation categories, from every source into the catalog. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { moveCatalog } from '../../catalog/index.js';
import { type Category, crawl, createSource, Keys, parseLicences, type Source, userAgent } from '../../crawl/index.js';
import { BowerbirdError } from '../../errors.js';
import { writeFileAtomic } from '../../formats/index.js';
import { writeCatalogList } from '../catalog-list.js';
import { hashOf } from '../fingerprint.js';
import { auxiliaryCategories } from '../pictures.js';
import { optionInputs, pluginInputs, type Stage, type StageContext } from '../stage.js';
import { layout, type Workspace } from '../workspace.js';

export const crawlStage: Stage = {
  name: 'crawl',
  needs: [],

  async check(workspace) {
    const { crawl: settings } = workspace.configuration;
    await auxiliaryCategories(workspace);
    if (settings.licences) parseLicences(settings.licences);
    const keys = Keys.load(settings.keys && workspace.path(settings.keys));
    for (const source of openSources(workspace))
      try {
        await source.prepare?.({ keys });
      } finally {
        await source.close?.();
      }
  },

  async inputs(workspace) {
    const { crawl: settings, sources } = workspace.configuration;
    // How fast and how often is asked changes nothing about what there is.
    const { keys: _, contact: __, concurrency: ___, attempts: ____, requestsPerSecond: _____, ...meaning } = settings;
    const inputs: Record<string, string> = {
      ...(await pluginInputs(workspace)),
      ...optionInputs('crawl', meaning),
      sources: JSON.stringify(sources.map(({ source, endpoint }) => ({ source, endpoint }))),
      categories: JSON.stringify(await crawledCategories(workspace)),
    };
    for (const { source } of sources) {
      const [kind, path] = splitSource(source);
      if (kind === 'folder')
        inputs[`the pictures in ${path}`] = hashOf(await workspace.fingerprints.ofFolder(workspace.path(path)));
      if (kind === 'urls')
        inputs[`the list ${path}`] = (await workspace.fingerprints.ofFile(workspace.path(path))) ?? 'missing';
    }
    return inputs;
  },

  outputs: async () => [layout.crawled],

  async run(context) {
    const { workspace, signal, onProgress, note, downloadElsewhere } = context;
    const { configuration } = workspace;
    const { crawl: settings } = configuration;
    await continueOrMoveAside(context);
    const categories = await crawledCategories(workspace);
    const rated = configuration.sources.filter(({ rate }) => rate !== undefined);
    const summary = await crawl({
      workspace: workspace.folder,
      categories,
      sources: openSources(workspace),
      keys: Keys.load(settings.keys && workspace.path(settings.keys)),
      perCategory: settings.perCategory,
      licences: settings.licences && parseLicences(settings.licences),
      resume: true,
      comments: settings.comments,
      concurrency: settings.concurrency,
      check: { minimumSide: settings.minimumSide },
      network: {
        userAgent: userAgent(settings.contact ?? process.env.BOWERBIRD_CONTACT),
        allowedAddresses: settings.allowAddresses,
        requestsPerSecond: settings.requestsPerSecond,
        attempts: settings.attempts,
        honourRobots: settings.robots,
        groups: rated.map(({ source, rate }) => ({
          name: source,
          hosts: [source],
          requestsPerSecond: rate!,
          concurrency: 8,
        })),
      },
      elsewhere: downloadElsewhere,
      signal,
      onNote: note,
      onProgress,
    });
    const counts = await writeCatalogList(workspace, layout.crawled, categories, {
      duplicates: 'all',
      signal,
      onProgress,
    });
    const test = new Set(configuration.categories.map(({ name }) => name));
    const empty = categories.filter(({ name }) => test.has(name) && !counts.get(name)).map(({ name }) => name);
    if (empty.length > 0)
      note(`no web picture was found for ${empty.slice(0, 5).join(', ')}${empty.length > 5 ? ', …' : ''}`);
    const short = summary.short.filter(({ category }) => test.has(category));
    const kept = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const [unanswered] = summary.unanswered;
    if (kept === 0 && unanswered)
      throw new BowerbirdError(
        'BOWERBIRD_SOURCE',
        `no source answered: ${unanswered.source}, asked for ${unanswered.category}: ${unanswered.detail}${summary.unanswered.length > 1 ? `; ${summary.unanswered.length - 1} other questions likewise` : ''}`,
        { hint: 'Check the connection to the network and the sources in bowerbird.yaml, then run again.' },
      );
    return {
      summary: `${kept} pictures of ${counts.size} categories${short.length > 0 ? `, ${short.length} categories with fewer than ${settings.perCategory}` : ''}`,
      failed: [
        ...summary.unanswered.map(({ source, category, detail }) => `${source}, ${category}: ${detail}`),
        ...summary.failures.map(({ url, detail }) => `${url}: ${detail}`),
      ],
    };
  },
};

/** The test categories and, where it is wanted, the validation categories. */
export async function crawledCategories(workspace: Workspace): Promise<Category[]> {
  const { categories, crawl: settings } = workspace.configuration;
  const { validation } = await auxiliaryCategories(workspace);
  return [
    ...categories.map(({ name, query }) => ({ name, ...(query && { query }) })),
    ...(settings.validation ? validation.map((name) => ({ name })) : []),
  ];
}

function openSources(workspace: Workspace): Source[] {
  const { sources, crawl: settings } = workspace.configuration;
  return sources.map(({ source: written, endpoint, rate }) => {
    const [kind, path] = splitSource(written);
    const isPath = kind === 'folder' || kind === 'urls';
    const name = isPath ? `${kind}:${workspace.path(path)}` : written;
    const source = createSource(name, {
      contact: settings.contact ?? process.env.BOWERBIRD_CONTACT,
      ...(endpoint && { endpoints: { [kind]: endpoint } }),
    });
    const hosts = source.hosts && rate !== undefined ? { ...source.hosts, requestsPerSecond: rate } : source.hosts;
    // As written, not the absolute path: pictures keep their ids when the workspace moves.
    return { ...source, name: written, ...(hosts && { hosts }) };
  });
}

function splitSource(written: string): [kind: string, path: string] {
  const colon = written.indexOf(':');
  return colon < 0 ? [written, ''] : [written.slice(0, colon), written.slice(colon + 1)];
}

/**
 * A crawl can be gone on with when it wants more of the same; anything else begins anew, so that the result depends on
 * the configuration and not on what it once was. Nothing is deleted: the earlier crawl is moved aside.
 */
async function continueOrMoveAside(context: StageContext): Promise<void> {
  const { workspace, note } = context;
  const file = workspace.path('.bowerbird', 'crawl.json');
  const { perCategory, ...inputs } = await describeCrawl(workspace);
  const before = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as { perCategory: number; inputs: string },
    () => undefined,
  );
  const same = before && before.inputs === JSON.stringify(inputs) && before.perCategory <= perCategory;
  if (before && !same) {
    const aside = workspace.path('.bowerbird', 'earlier', String(Date.now()));
    await mkdir(aside, { recursive: true });
    moveCatalog(workspace.folder, aside);
    if (existsSync(workspace.path('pictures'))) await rename(workspace.path('pictures'), join(aside, 'pictures'));
    note(`the crawl begins anew; the earlier pictures are in ${aside}`);
  }
  await mkdir(workspace.path('.bowerbird'), { recursive: true });
  await writeFileAtomic(file, `${JSON.stringify({ perCategory, inputs: JSON.stringify(inputs) })}\n`);
}

async function describeCrawl(workspace: Workspace) {
  const inputs = await crawlStage.inputs(workspace);
  // Other categories are further questions, not other answers.
  const { categories: _, 'crawl.perCategory': perCategory, 'crawl.validation': __, ...rest } = inputs;
  return { perCategory: Number(perCategory), ...rest };
}
