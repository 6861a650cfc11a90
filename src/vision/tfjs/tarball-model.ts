/** A TensorFlow.js layers model inside an npm tarball: `model.json` and the weight files beside it, read in one pass. */
import { posix } from 'node:path';
import { list, type ReadEntry } from 'tar';
import { FormatError } from '../../errors.js';
import { convertLayersModel } from './convert.js';

export async function convertTarballModel(
  tarball: string,
  topology: string,
  inputSize: readonly [number, number],
): Promise<Uint8Array> {
  const folder = posix.dirname(topology);
  const files = new Map<string, Uint8Array>();
  const reading: Promise<void>[] = [];
  await list({
    file: tarball,
    strict: true,
    // Anything else in the package, its code above all, is passed over unread.
    filter: (path, entry) =>
      posix.dirname(path) === folder && (entry as ReadEntry).type === 'File' && /\.(json|bin)$/.test(path),
    onReadEntry: (entry) => {
      reading.push(entry.concat().then((bytes) => void files.set(entry.path, bytes)));
    },
  });
  await Promise.all(reading);
  const fileBytes = (path: string): Uint8Array => {
    const bytes = files.get(path);
    if (!bytes) throw new FormatError(tarball, undefined, `holds no ${path}`);
    return bytes;
  };
  const json = JSON.parse(new TextDecoder().decode(fileBytes(topology))) as unknown;
  return convertLayersModel(json, async (path) => fileBytes(posix.join(folder, path)), { inputSize, file: topology });
}
