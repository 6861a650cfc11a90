/** Whether the long form of these tests is wanted (`npm run test:hostile`); the short one is part of every test run. */
export const hostile = Boolean(process.env.BOWERBIRD_HOSTILE);
