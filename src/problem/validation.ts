/** Validation categories. */
/** Cc, the nearest whole number with Cc/Ca = Ct/(Ca + Ct); at least one, and at least one auxiliary category stays. */
export function validationCategoryCount(auxiliaryCategories: number, testCategories: number): number {
  const share = testCategories / (auxiliaryCategories + testCategories);
  return Math.max(1, Math.min(auxiliaryCategories - 1, Math.round(auxiliaryCategories * share)));
}
