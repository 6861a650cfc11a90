// Fails early, with the remedy, when the built artefacts that workers and kernels load are missing.
import { existsSync } from 'node:fs';
import { artefact } from '../src/artefact.js';

if (!existsSync(artefact('assembly/'))) throw new Error('dist/ is missing: run "npm run build" once before vitest');
