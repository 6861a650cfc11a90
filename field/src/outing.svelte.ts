/**
 * What was found on this outing, kept in this browser's database: each find is one record that is added or removed by itself,
 * so that two tabs never overwrite each other's, and every tab hears of the others' changes.
 */
import type { Find } from './find.js';

const store = 'finds';

export class Outing {
  /** The latest first. */
  finds = $state.raw<Find[]>([]);
  /** Why the last change could not be kept. */
  problem = $state<string>();
  readonly #name: string;
  readonly #channel: BroadcastChannel;

  /** @param base address of the site; each has an outing of its own */
  constructor(base: string) {
    this.#name = `bowerbird-field:${new URL('./', base).pathname}`;
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = () => void this.#read();
    void this.#read();
  }

  add(find: Find): Promise<boolean> {
    return this.#change((finds) => finds.put(find));
  }

  remove(id: string): Promise<boolean> {
    return this.#change((finds) => finds.delete(id));
  }

  clear(): Promise<boolean> {
    return this.#change((finds) => finds.clear());
  }

  async #change(make: (finds: IDBObjectStore) => IDBRequest): Promise<boolean> {
    try {
      const database = await this.#open();
      await finished(database, 'readwrite', make);
      this.problem = undefined;
      this.#channel.postMessage('changed');
    } catch (error) {
      this.problem = (error as Error)?.message || (error as Error)?.name || 'the database cannot be written to';
      return false;
    }
    await this.#read();
    return true;
  }

  async #read(): Promise<void> {
    try {
      const database = await this.#open();
      const all = await finished<Find[]>(database, 'readonly', (finds) => finds.getAll());
      this.finds = all.sort((a, b) => (a.time < b.time ? 1 : -1));
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  #open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(store, { keyPath: 'id' });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }
}

/** Resolves when the change is on disk, not when it was asked for. */
function finished<T>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  make: (finds: IDBObjectStore) => IDBRequest,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(store, mode);
    const request = make(transaction.objectStore(store));
    transaction.oncomplete = () => {
      database.close();
      resolve(request.result as T);
    };
    transaction.onabort = transaction.onerror = () => {
      database.close();
      reject(transaction.error ?? request.error);
    };
  });
}
