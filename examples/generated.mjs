/** Needs no file from outside: makes a problem, fits two methods to it, and puts both into one report. */
import { fit, generateProblem, writeFit } from 'bowerbird';
import { writeReport } from 'bowerbird/report';

const [folder = 'generated'] = process.argv.slice(2);
const problem = generateProblem({ seed: 1, noise: 0.4 });
const folders = [];
for (const method of ['bowerbird', 'lr']) {
  const result = await fit(problem, method);
  folders.push(`${folder}/${method}`);
  await writeFit(folders.at(-1), result);
  console.log(
    `${method}: ${(100 * result.metrics.accuracy).toFixed(1)} % of ${result.predictions.length} pictures right`,
  );
}
await writeReport(`${folder}/report.html`, { folders, title: 'Two fits of a generated problem' });
console.log(`${folder}/report.html shows both`);
