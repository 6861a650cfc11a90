// Mutants that change nothing anybody could notice, each with its reason. They are named by their file, the text before and
// after, and, where the same change can be made at several places of the file, which of them (counted from 1).
export const equivalent = [];
