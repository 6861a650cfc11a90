// The import rules of the architecture: what each folder of src/ may import of ours.
const allowed = {
  linalg: [],
  formats: ['linalg'],
  text: ['linalg'],
  problem: ['linalg', 'formats', 'text'],
  learner: ['linalg', 'formats', 'problem'],
  methods: ['linalg', 'problem', 'learner'],
  evaluation: ['linalg', 'formats', 'methods', 'learner', 'problem', 'distribute'],
  catalog: ['formats'],
  crawl: ['catalog', 'linalg', 'formats'],
  registry: [],
  vision: ['linalg', 'formats', 'catalog', 'registry'],
  language: ['linalg', 'formats', 'text', 'registry'],
  workspace: [
    'linalg',
    'formats',
    'problem',
    'learner',
    'methods',
    'evaluation',
    'catalog',
    'crawl',
    'vision',
    'language',
    'distribute',
    'report',
  ],
  distribute: [],
  report: ['linalg', 'formats', 'problem', 'evaluation', 'catalog'],
  demo: ['linalg'],
  studio: [
    'linalg',
    'formats',
    'problem',
    'learner',
    'methods',
    'evaluation',
    'catalog',
    'vision',
    'workspace',
    'report',
  ],
};

const folderRules = Object.entries(allowed).map(([folder, targets]) => ({
  name: `${folder}-imports`,
  severity: 'error',
  comment: `src/${folder} may import only: ${[folder, ...targets].join(', ')} and the files at the root of src`,
  from: { path: `^src/${folder}/` },
  to: { path: '^src/[^/]+/', pathNot: `^src/(${[folder, ...targets].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...folderRules,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'cli-is-a-leaf', severity: 'error', from: { pathNot: '^src/cli/' }, to: { path: '^src/cli/' } },
    {
      name: 'root-imports-nothing',
      severity: 'error',
      from: { path: '^src/(errors|artefact)\\.ts$' },
      to: { path: '^src/' },
    },
    {
      name: 'declared-packages-only',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      from: { path: '^src' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
