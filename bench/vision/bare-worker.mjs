// Nothing but onnxruntime on tensors that are ready: runs its share of the batches when told to and says when it is done.
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const { model, shape, threads, spinning, settings } = workerData;
const session = await InferenceSession.create(model, {
  intraOpNumThreads: threads,
  interOpNumThreads: 1,
  ...(spinning ? {} : settings),
});
const [batch, channels, height, width] = shape;
const values = Float32Array.from({ length: batch * channels * height * width }, (_, i) => Math.sin(i));
const input = { [session.inputNames[0]]: new Tensor('float32', values, shape) };
await session.run(input);
parentPort.on('message', async (batches) => {
  if (batches === 0) {
    await session.release();
    parentPort.close();
    return;
  }
  for (let i = 0; i < batches; i++) await session.run(input);
  parentPort.postMessage('done');
});
parentPort.postMessage('ready');
