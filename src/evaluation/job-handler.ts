/** What runs the jobs of a search or comparison in a thread or process: the problem is opened once, then fitted many times. */
import { ResidentProblem } from '../learner/index.js';
import { createBackend, Matrix } from '../linalg/index.js';
import { keepUnchanged } from '../methods/index.js';
import type { Problem } from '../problem/index.js';
import type { Progress } from '../progress.js';
import { type EvaluationContext, openSource } from './context.js';
import { perturbProblem } from './perturb.js';
import type { FitJob, FitOutcome } from './results.js';
import { runFit } from './run-fit.js';

interface Tools {
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/** Forms of the problem kept at a time: validation, test, and a changed form of each. */
const keptForms = 4;

export async function open(context: EvaluationContext) {
  const { plugins = [] } = context;
  if (plugins.length > 0) await (await import('../plugins/index.js')).loadPlugins(plugins);
  const backend = await createBackend({ device: context.device, threads: context.threads });
  const splitOf = await openSource(context.source, context.seed);
  const forms = new Map<string, { problem: Problem; resident?: ResidentProblem }>();
  const formOf = (job: FitJob) => {
    const key = JSON.stringify([job.split, job.generalized, job.change ?? null]);
    let form = forms.get(key);
    forms.delete(key);
    if (!form) {
      const split = splitOf(job);
      form = { problem: job.change ? perturbProblem(split, job.change, context.seed) : split };
      keepUnchanged(Object.values(form.problem).filter((each) => each instanceof Matrix));
    }
    forms.set(key, form);
    for (const [old, { resident }] of forms) {
      if (forms.size <= keptForms) break;
      resident?.release();
      forms.delete(old);
    }
    return form;
  };
  return {
    async handle(job: FitJob, { signal, onProgress }: Tools): Promise<FitOutcome> {
      const form = formOf(job);
      const resident = () => {
        form.resident ??= new ResidentProblem(form.problem, backend);
        return form.resident;
      };
      return runFit(job, form.problem, { backend, resident, signal, onProgress });
    },
    async close(): Promise<void> {
      backend.dispose();
    },
  };
}
