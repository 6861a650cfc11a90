// Runs a graph for onnxruntime.py: a line of JSON and the numbers of a tensor come in, a line of JSON goes out.
import { InferenceSession, Tensor } from 'onnxruntime-node';

const session = await InferenceSession.create(process.argv[2], { logSeverityLevel: 3 });
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
say({ inputs: session.inputMetadata.map(({ name, shape }) => ({ name, shape })), outputs: session.outputNames });

let held = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  held = Buffer.concat([held, chunk]);
  const end = held.indexOf(10);
  if (end < 0) continue;
  const { name, shape } = JSON.parse(held.subarray(0, end).toString());
  const bytes = 4 * shape.reduce((product, size) => product * size, 1);
  if (held.length < end + 1 + bytes) continue;
  const values = new Float32Array(Uint8Array.from(held.subarray(end + 1, end + 1 + bytes)).buffer);
  held = held.subarray(end + 1 + bytes);
  const found = await session.run({ [name]: new Tensor('float32', values, shape) });
  say(
    Object.fromEntries(Object.entries(found).map(([key, { data, dims }]) => [key, { data: [...data], shape: dims }])),
  );
}
