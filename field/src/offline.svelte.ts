/** Milliseconds that a new version has for taking over by itself. */
const patience = 3000;

/** The service worker as the page sees it: whether the site is kept, and whether a new version waits. */
export class Offline {
  /** Everything small is kept. */
  kept = $state(false);
  /** There was no room for it. */
  full = $state(false);
  waiting = $state.raw<ServiceWorker>();
  /** Another tab took a new version over. */
  changed = $state(false);
  #reloading = false;

  constructor() {
    // Absent over http from another machine, and in some private windows.
    const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
    if (!workers) return;
    const controlled = workers.controller !== null;
    workers.addEventListener('controllerchange', () => {
      if (this.#reloading) location.reload();
      // The first worker of a site takes over pages that had none.
      else if (controlled) this.changed = true;
    });
    workers.addEventListener('message', ({ data }) => {
      if (data?.kind === 'not-kept') this.full = data.full;
    });
    workers.register('./service-worker.js', { updateViaCache: 'none' }).then(
      (registration) => this.#watch(registration),
      () => {},
    );
    void workers.ready.then(() => {
      this.kept = true;
    });
    void navigator.storage?.persist?.().catch(() => {});
  }

  takeOver(): void {
    this.#reloading = true;
    this.waiting?.postMessage('take-over');
    // A request that meets the old worker just then can leave the new one waiting (seen in Chromium); a reload lets it in.
    setTimeout(() => location.reload(), this.waiting ? patience : 0);
  }

  #watch(registration: ServiceWorkerRegistration): void {
    const look = () => {
      if (registration.waiting && registration.active) this.waiting = registration.waiting;
    };
    look();
    registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', look));
    // A page that stays open for days asks now and then.
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') registration.update().catch(() => {});
    });
  }
}
