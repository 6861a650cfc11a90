/**
 * Paths that a data set names. Lists come from strangers: a path that leads out of the folder of the pictures, by its words or
 * through a link, would carry off any file of this machine, so it is refused.
 */
import { realpath } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { FormatError } from '../errors.js';

export class PictureRoot {
  readonly folder: string;
  readonly #list: string;
  #real: Promise<string> | undefined;

  /** @param list the file that names the pictures, for messages */
  constructor(folder: string, list: string) {
    this.folder = resolve(folder);
    this.#list = list;
  }

  /**
   * Where a picture lies; undefined where nothing is there.
   * @param where in the list, such as `line 7`
   */
  async find(path: string, where: string): Promise<string | undefined> {
    if (path.includes('\0')) throw this.#refuse(path, where, 'holds a zero byte');
    const inside = (folder: string, one: string) => one.startsWith(folder + sep);
    this.#real ??= realpath(this.folder).catch(() => this.folder);
    const real = await this.#real;
    // Most lists are written as seen from themselves, some as seen from the folder of the pictures.
    const candidates = [...new Set([this.folder, dirname(resolve(this.#list))].map((folder) => resolve(folder, path)))];
    const allowed = candidates.filter((file) => inside(this.folder, file) || inside(real, file));
    if (allowed.length === 0) throw this.#refuse(path, where, `leads out of ${this.folder}`);
    for (const file of allowed) {
      const found = await realpath(file).catch(() => undefined);
      if (found === undefined) continue;
      if (!inside(real, found)) throw this.#refuse(path, where, `is a link that leads out of ${this.folder}`);
      return found;
    }
    return undefined;
  }

  #refuse(path: string, where: string, problem: string): FormatError {
    return new FormatError(
      this.#list,
      undefined,
      `${where}: the path ${JSON.stringify(path.slice(0, 200))} ${problem}`,
      'If the pictures lie elsewhere and you trust the list, name their folder with --root.',
    );
  }
}
