// One fit of the default method in a process of its own, so that its peak memory is its own: prints a line of JSON. Its pictures
// are loaded before the clock starts (loaded), read from the file by blocks (blocks), or kept out of memory altogether (streamed).
import { readFileSync, writeFileSync } from 'node:fs';
import { createBackend } from 'bowerbird/linalg';
import { Bowerbird } from 'bowerbird/methods';
import { loadProblem, openStreamedProblem } from 'bowerbird/problem';

const [file, device, threads, way, answers] = process.argv.slice(2);
const { problem, close, ...rows } =
  way === 'loaded'
    ? { problem: await loadProblem(file, { dtype: 'float32' }) }
    : await openStreamedProblem(file, { dtype: 'float32' }, ['auxiliary', 'web', 'test']);
const backend = await createBackend({ device, threads: Number(threads) });
const method = new Bowerbird();
const [begun, processor] = [performance.now(), process.cpuUsage()];
await method.fit(problem, { backend, ...rows, keep: way === 'streamed' ? 'disk' : 'memory' });
const predictions = method.predict(problem.testFeatures);
const used = process.cpuUsage(processor);
const measured = {
  seconds: (performance.now() - begun) / 1000,
  processor: (used.user + used.system) / 1e6,
  peak: Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024,
  accuracy: predictions.filter((answer, j) => answer === problem.testLabels[j]).length / predictions.length,
  rounds: method.details().iterations,
};
if (answers) writeFileSync(answers, JSON.stringify([...predictions]));
console.log(JSON.stringify(measured));
await close?.();
backend.dispose();
