/** The aviary of the demonstration: birds drawn from their names, a photo site that serves them, a text about them. */
export { drawPhoto, type Photo, type PhotoKind, photoKinds, planPhotos } from './photos.js';
export { openPhotoSite, type PhotoSite } from './site.js';
export { aviary, type Species, speciesNamed } from './species.js';
export { type World, type WorldOptions, worldLayout, writeWorld } from './world.js';
