// fast-check as the tests use it: the same cases on every run, so that a green suite stays green, and new cases in
// long mode, whose failures name the seed that repeats them.
import fc from 'fast-check';

if (!process.env.BOWERBIRD_LONG) fc.configureGlobal({ seed: 20_200_619 });

export default fc;
