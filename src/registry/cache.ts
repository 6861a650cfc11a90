/** Where downloaded and converted data is kept between runs: `BOWERBIRD_CACHE`, else `~/.cache/bowerbird`. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function cacheFolder(): string {
  return process.env.BOWERBIRD_CACHE || join(homedir(), '.cache', 'bowerbird');
}
