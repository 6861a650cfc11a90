/** The single-file HTML report. */
export { listedPictures, type PictureProvider, type ReportPicture } from './pictures.js';
export { principalPlane } from './projection.js';
export { type ReportOptions, renderReport, writeReport } from './report.js';
