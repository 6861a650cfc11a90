/** What the server says of the workspace without being asked: whether a run goes on, and that something is new. */
import type { LiveState } from '../../src/studio/api.js';

export const live = $state<{ connected: boolean; now: LiveState }>({
  connected: true,
  now: { running: false, own: false, version: '', decisions: '', ask: '' },
});

export function listen(): () => void {
  const events = new EventSource('api/events');
  events.addEventListener('state', (event) => {
    live.now = JSON.parse(event.data) as LiveState;
    live.connected = true;
  });
  events.addEventListener('error', () => {
    live.connected = false;
  });
  events.addEventListener('open', () => {
    live.connected = true;
  });
  return () => events.close();
}
