import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'models remove',
  summary: 'Forget a model of your own.',
  description: 'The entry is taken off the list; the file or address it names is left alone. Built-in models stay.',
  arguments: [{ name: 'NAME', description: 'a model that was added' }],
  options: {},
  examples: [{ command: 'bowerbird models remove vgg-fc6', explanation: 'undoes "bowerbird models add vgg-fc6 …"' }],
  async run({ args: [name], print, printJson }) {
    const { removeModel } = await import('../../vision/index.js');
    await removeModel(name);
    printJson({ name, removed: true });
    print(`${name} is off the list`);
    return 0;
  },
});
