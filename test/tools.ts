/**
 * What the tests may use beyond Node and npm packages, found in one place. BOWERBIRD_BARE=1 hides all of it (the backends
 * look for no BLAS and no GPU then either), so that the tests see what a machine with nothing but Node has.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const bare = Boolean(process.env.BOWERBIRD_BARE);

/** Whether a program starts; what it says of the arguments does not matter. */
const starts = (program: string, ...words: string[]) => !bare && spawnSync(program, words).error === undefined;

const imports = (module: string) => !bare && spawnSync('python3', ['-c', `import ${module}`]).status === 0;

export const hasRedis = starts('redis-server', '--version');
export const hasZsh = starts('zsh', '--version');
export const hasFish = starts('fish', '--version');
export const hasMandoc = starts('mandoc', '-T', 'lint', '/dev/null');
export const hasFasttext = starts('fasttext');
export const hasBzip2 = starts('bzip2', '--help');
export const hasNumpy = imports('numpy');
/** A Python with numpy and Pillow: the first in the path, else the system's, for which Debian's packages are. */
export const pythonWithPillow = ['python3', '/usr/bin/python3'].find(
  (python) => !bare && spawnSync(python, ['-c', 'import numpy, PIL.ImageCms']).status === 0,
);
export const hasScipy = imports('scipy.io');

/** Path of a Chromium: that of CHROMIUM, else Debian's. */
export const chromiumPath = [process.env.CHROMIUM, '/usr/bin/chromium'].find(
  (path) => !bare && path && existsSync(path),
);
