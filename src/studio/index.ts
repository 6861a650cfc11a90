/** The studio: a local web page over a workspace. */
export { type Studio, type StudioOptions, startStudio } from './server.js';
