/** Where this device is, asked only when the visitor wants it noted. */
import type { Find } from './find.js';

export function whereWeAre(): Promise<Find['place']> {
  return new Promise((resolve, reject) => {
    if (!navigator.geolocation) reject(new Error('this browser cannot tell'));
    else
      navigator.geolocation.getCurrentPosition(
        ({ coords: { latitude, longitude, accuracy } }) => resolve({ latitude, longitude, accuracy }),
        ({ message }) => reject(new Error(message)),
        { enableHighAccuracy: true, timeout: 10_000, maximumAge: 60_000 },
      );
  });
}
