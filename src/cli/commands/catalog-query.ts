import { openCatalog, type QueryRow, readOnlyQuery } from '../../catalog/index.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'catalog query',
  summary: 'Ask the catalog of a workspace a question in SQL.',
  description:
    'Runs one SQL statement (DuckDB) on the tables picture and lane and prints its rows, tab-separated with a header line, or as JSON. The catalog is opened read-only.',
  arguments: [
    { name: 'SQL', description: 'the question, such as "SELECT state, reason, count(*) FROM picture GROUP BY ALL"' },
  ],
  options: {
    workspace: { type: 'string', default: '.', placeholder: 'DIR', description: 'Folder that holds the catalog.' },
  },
  examples: [
    {
      command:
        'bowerbird catalog query --workspace birds "SELECT category, count(*) FROM picture WHERE state = \'kept\' GROUP BY 1"',
      explanation: 'pictures kept of every category',
    },
  ],
  async run({ args: [sql], options, json, print, printJson, progress, signal }) {
    const patience = { signal, onProgress: progress.during('open the catalog') };
    // Opening once brings a journal left by a killed run into the tables.
    await (await openCatalog(options.workspace, { mustExist: true, readOnly: true, ...patience })).close();
    const rows: QueryRow[] = [];
    let header = false;
    for await (const row of readOnlyQuery(options.workspace, sql, patience)) {
      if (json) rows.push(row);
      else {
        if (!header) print(Object.keys(row).map(cell).join('\t'));
        header = true;
        print(Object.values(row).map(cell).join('\t'));
      }
    }
    printJson(rows);
    return 0;
  },
});

function cell(value: unknown): string {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  // Titles from the web must not move the cursor or break the table.
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
