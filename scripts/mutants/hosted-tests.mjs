// The parent's side of host.mjs: starts it, hands it tests, and ends it with all its processes when time is up.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const besides = (name) => fileURLToPath(new URL(name, import.meta.url));

export class HostedTests {
  #child;
  #ready;

  constructor(folder, reachedFolder) {
    this.folder = folder;
    this.reachedFolder = reachedFolder;
  }

  #start() {
    this.#child = fork(besides('host.mjs'), [this.folder, besides('reach-setup.mjs')], {
      cwd: this.folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, MUTANTS_REACHED_FOLDER: this.reachedFolder, NODE_ENV: 'test' },
    });
    this.#ready = this.#answer();
  }

  #answer() {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const gone = () => reject(new Error('the process that runs the tests ended'));
      child.once('exit', gone);
      child.once('message', (message) => {
        child.off('exit', gone);
        if (message.error) reject(new Error(message.error));
        else resolve(message.result);
      });
    });
  }

  /** What became of the tests, or undefined when they took longer than `limit` milliseconds. */
  async run(order, limit) {
    if (!this.#child || this.#child.exitCode !== null) this.#start();
    await this.#ready;
    const answer = this.#answer();
    this.#child.send(order);
    if (limit === undefined) return answer;
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, limit);
    });
    try {
      const result = await Promise.race([answer, late]);
      if (result === undefined) this.stop();
      return result;
    } finally {
      clearTimeout(timer);
      answer.catch(() => {});
    }
  }

  /** Ends the process and everything it started. */
  stop() {
    if (!this.#child) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
    this.#child = undefined;
  }
}
