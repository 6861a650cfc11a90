/** Where the stages stand when they are drawn: in columns, each to the right of everything it needs. */

export interface PlacedStage {
  stage: string;
  column: number;
  row: number;
}

/** Stages come after those they need. A stage stands right before the first that needs it, so that lines are short. */
export function placeStages(stages: readonly { stage: string; needs: readonly string[] }[]): PlacedStage[] {
  const earliest = new Map<string, number>();
  for (const { stage, needs } of stages)
    earliest.set(
      stage,
      needs.reduce((most, need) => Math.max(most, (earliest.get(need) ?? -1) + 1), 0),
    );
  const columns = new Map<string, number>();
  for (const { stage } of [...stages].reverse()) {
    const users = stages.filter(({ needs }) => needs.includes(stage)).map((user) => columns.get(user.stage)!);
    columns.set(stage, users.length > 0 ? Math.min(...users) - 1 : earliest.get(stage)!);
  }
  const filled = new Map<number, number>();
  return stages.map(({ stage }) => {
    const column = columns.get(stage)!;
    const row = filled.get(column) ?? 0;
    filled.set(column, row + 1);
    return { stage, column, row };
  });
}

/** Needs that no other need implies: the lines worth drawing. */
export function directNeeds(
  stages: readonly { stage: string; needs: readonly string[] }[],
): [from: string, to: string][] {
  const needsOf = new Map(stages.map(({ stage, needs }) => [stage, needs]));
  const reaches = (from: string, to: string): boolean =>
    (needsOf.get(from) ?? []).some((need) => need === to || reaches(need, to));
  return stages.flatMap(({ stage, needs }) =>
    needs
      .filter((need) => !needs.some((other) => other !== need && reaches(other, need)))
      .map((need): [string, string] => [need, stage]),
  );
}
