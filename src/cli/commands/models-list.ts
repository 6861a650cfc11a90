import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'models list',
  summary: 'Show the models that can be used by name.',
  arguments: [],
  options: {},
  examples: [{ command: 'bowerbird models list', explanation: 'names, dimensions, licences and where they come from' }],
  async run({ print, printJson }) {
    const { describeSource, hubPresets, isFetched, listModels } = await import('../../vision/index.js');
    const models = await listModels();
    printJson(models.map((entry) => ({ ...entry, fetched: isFetched(entry) })));
    for (const entry of models) {
      const state = isFetched(entry) ? 'on this machine' : 'not fetched yet';
      print(`${entry.name}  (${entry.kind}, ${entry.dimension ?? '?'} numbers, ${entry.licence}, ${state})`);
      print(`    ${entry.description}`);
      print(`    ${describeSource(entry.source)}`);
    }
    for (const [name, address] of Object.entries(hubPresets)) print(`${name}  (${address})`);
    print('hf:owner/name and timm:name are any model of a hub of Hugging Face that has an ONNX file');
    return 0;
  },
});
