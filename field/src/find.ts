/** What was found: a picture that was named, and kept. */
export interface Find {
  id: string;
  time: string;
  /** A category, or nothing where it was none of them. */
  category?: string;
  confidence?: number;
  runnerUp?: string;
  file: string;
  place?: { latitude: number; longitude: number; accuracy: number };
  thumbnail?: Blob;
}
